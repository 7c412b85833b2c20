"""station.toml read into frozen values, every key and bound checked; each fault is one sentence."""

from __future__ import annotations

import difflib
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TypeVar

from engine.errors import NotationError, RulesetError
from engine.ruleset import Ruleset, load_ruleset, variant_names
from firmware_bridge.pins import Pins, fits, pins_fault, pins_of
from station.arm_config import ArmSetup, plain_setup
from station.brightness import HOURS_EXPECTED, percent_at, read_hours
from station.clock import read_control
from station.errors import ConfigError
from station.manner import CONFIRM, DRAWS, PACE_TIMES, changed_pace
from station.new_game import CLOCK_EXPECTED, is_player
from station.openings import checked_ballot, start_position
from station.settings import CALM, PACES, Pace, Settings
from station.texts import languages

_TIME_KEYS = ", ".join(PACE_TIMES)

_Section = TypeVar("_Section")
Check = Callable[[object], str | None]
"""What was expected of a value, None when it is right."""


@dataclass(frozen=True, slots=True)
class StationTable:
    """[station]."""

    id: str = "dambord"
    language: str = "en"
    data: str = "/var/lib/dambord"
    voice: str = "espeak-ng -v {language}"
    """What reads a sentence aloud that it is given as text, at boards that have `speech`."""


@dataclass(frozen=True, slots=True)
class MqttTable:
    """[mqtt]."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str = ""
    password_file: str = ""
    ca_file: str = ""
    """The authority that vouches for the broker, in PEM; with it the connection is TLS."""
    certificate_file: str = ""
    """What we show a broker that asks for one, with its `key_file`."""
    key_file: str = ""
    base: str = "dambord/v1"
    discovery_prefix: str = "homeassistant"
    allow_motion: bool = False
    """Whether an arm that was armed at the table may be moved over MQTT."""


@dataclass(frozen=True, slots=True)
class WebTable:
    """[web]."""

    host: str = "127.0.0.1"
    port: int = 8080
    allowed_hosts: tuple[str, ...] = ()
    address: str = ""
    """What others open the page by, for the code that they scan; empty: found out."""
    pin_file: str = ""
    """Holds the PIN with which others than people at the station's own screen may act; empty: they may only watch."""


@dataclass(frozen=True, slots=True)
class BoardTable:
    """[[boards]]."""

    id: str
    driver: str
    port: str = ""
    usb_serial: str = ""
    variant: str = "international"
    white: str = "person"
    black: str = "person"
    pace: str | Pace = "calm"
    confirm: str = "automatic"
    draws: str = "automatic"
    replies: str = "shown"
    adapt: bool = False
    touch_move: bool = False
    lamps: bool = True
    turned: int | None = None
    """How the board lies, in degrees clockwise as White sees it; None: found out where colours are told."""
    clock: str = ""
    start_fen: str = ""
    ballot: str = ""
    unique_id: str = ""
    """The id that the board itself tells; empty: any board."""
    brightness: int = 100
    """Of the lamps, 0 (the least that still shows every role) to 100 percent, on boards that can be dimmed."""
    night: str = ""
    """The hours in which `night_brightness` holds; empty: never."""
    night_brightness: int = 20
    pins: Pins | None = None
    """Which pins of this machine lead where, with driver `gpio-matrix`; such a board has no port."""
    speech: bool = False
    """Whether moves, guidance and results are said aloud."""
    invite: int = 0
    """After so many minutes without a touch, a board lights the pieces that may begin a game; 0: never."""
    evaluation: bool = False
    """Whether the page shows who is ahead, as the engine sees it."""
    record: bool = False
    """Whether a camera's pictures are kept, with driver `camera`."""
    arm: str = ""
    """What answers beside the lamps: `leds`, `human`, `dry-run`, `gcode`, `feetech`, or a foreign module's name."""
    arm_file: str = ""
    """The file that its calibration wrote; without one the arm is not moved."""
    arm_setup: ArmSetup | None = None
    """What the file says; no key of the table."""
    house_rules: tuple[Ruleset, ...] = ()
    """The house rules of the configuration folder; no key of the table."""

    @property
    def ruleset(self) -> Ruleset:
        """The rule set of the variant."""
        house = {ruleset.name: ruleset for ruleset in self.house_rules}
        return house[self.variant] if self.variant in house else load_ruleset(self.variant)

    @property
    def place(self) -> str:
        """Where the board is plugged in, as people say it."""
        if self.pins is not None:
            return "the pins of this machine"
        return self.port or f"USB serial number {self.usb_serial}"

    @property
    def is_unhurried(self) -> bool:
        """Whether people play here who like an opponent that takes its time."""
        return (self.pace if isinstance(self.pace, Pace) else PACES[self.pace]).reply_hold >= CALM.reply_hold

    def brightness_at(self, minute: int) -> int:
        """How brightly the lamps are lit at a minute of the day, 0 to 100 percent."""
        return percent_at(minute, self.brightness, self.night_brightness, read_hours(self.night))

    def settings(self) -> Settings:
        """What a session of this board is given."""
        return Settings(
            board=self.id,
            ruleset=self.ruleset,
            white=self.white,
            black=self.black,
            pace=self.pace if isinstance(self.pace, Pace) else PACES[self.pace],
            confirm=self.confirm,
            touch_move=self.touch_move,
            draws=self.draws,
            replies=self.replies,
            adapt=self.adapt,
            clock=read_control(self.clock),
            start_fen=self.start_fen,
            ballot=self.ballot,
            invite_ms=60_000 * self.invite,
            arm=self.arm_setup.settings if self.arm_setup else None,
            rulesets=tuple(dict.fromkeys((*self.house_rules, self.ruleset))),
        )


@dataclass(frozen=True, slots=True)
class Config:
    """A whole configuration."""

    station: StationTable = field(default_factory=StationTable)
    web: WebTable = field(default_factory=WebTable)
    mqtt: MqttTable | None = None
    boards: tuple[BoardTable, ...] = ()


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else "a text"


def filled(value: object) -> str | None:
    """A text that says something."""
    return None if isinstance(value, str) and value else "a text that is not empty"


def _voice(value: object) -> str | None:
    try:
        is_right = isinstance(value, str) and bool(shlex.split(value))
    except ValueError:
        is_right = False
    return None if is_right else "a program and its options, in which {language} stands for the language's code"


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _port_number(value: object) -> str | None:
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 65535
    return None if right else "a port number from 0 to 65535"


def _identity(value: object) -> str | None:
    right = isinstance(value, str) and 1 <= len(value) <= 32 and not set(value.lower()) - set(_ID_LETTERS)
    return None if right else "1 to 32 letters a to z, digits, - and _"


def one_of(allowed: tuple[str, ...]) -> Check:
    """One of the words that are known."""
    return lambda value: None if value in allowed else "one of " + ", ".join(allowed)


def _player(value: object) -> str | None:
    right = isinstance(value, str) and is_player(value)
    return None if right else "person, person:NAME, engine:1 to engine:10, or hub:COMMAND"


def _clock(value: object) -> str | None:
    right = isinstance(value, str) and (not value or read_control(value) is not None)
    return None if right else CLOCK_EXPECTED


def _topic(value: object) -> str | None:
    right = isinstance(value, str) and value and not set(value) & set("+#\0") and all(value.split("/"))
    return None if right else "a topic without +, # and empty levels"


def _pace(value: object) -> str | None:
    if not isinstance(value, Mapping):
        return None if value in PACES else f"{', '.join(PACES)}, or a table of times in ms for {_TIME_KEYS}"
    unknown = next((str(key) for key in value if key != "preset" and _time_key(str(key)) not in PACE_TIMES), None)
    if unknown is not None:
        return f"preset and times in ms for {_TIME_KEYS}, not {unknown}{nearest(unknown, PACE_TIMES)}"
    if value.get("preset", "calm") not in PACES:
        return f"preset to be one of {', '.join(PACES)}"
    pace = _pace_of(value)
    return pace if isinstance(pace, str) else None


def _time_key(key: str) -> str:
    return f"{key.removesuffix('_ms')}_ms"


def _pace_of(table: Mapping[str, object]) -> Pace | str:
    """The pace that a table states: what it does not name is as in its preset, `calm` without one."""
    times = {_time_key(key): time for key, time in table.items() if key != "preset"}
    return changed_pace(PACES[str(table.get("preset", "calm"))], times)


def _turn(value: object) -> str | None:
    right = type(value) is int and value in (0, 90, 180, 270)
    return None if right else "0, 90, 180 or 270 degrees"


def _percent(value: object) -> str | None:
    right = type(value) is int and 0 <= value <= 100
    return None if right else "0 to 100 percent"


def _minutes(value: object) -> str | None:
    right = type(value) is int and 0 <= value <= 1440
    return None if right else "0 to 1440 minutes"


def _night(value: object) -> str | None:
    right = isinstance(value, str) and read_hours(value) is not None
    return None if right else HOURS_EXPECTED


def _hosts(value: object) -> str | None:
    right = isinstance(value, list) and all(isinstance(host, str) for host in value)
    return None if right else "a list of host names"


def _address(value: object) -> str | None:
    right = isinstance(value, str) and (not value or value.startswith(("http://", "https://")))
    return None if right else "an address that begins with http:// or https://"


_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_"
_CHECKS: dict[type, dict[str, Check]] = {
    StationTable: {"id": _identity, "language": one_of(languages()), "data": filled, "voice": _voice},
    MqttTable: {
        "host": filled,
        "port": _port_number,
        "username": _text,
        "password_file": _text,
        "ca_file": _text,
        "certificate_file": _text,
        "key_file": _text,
        "base": _topic,
        "discovery_prefix": _topic,
        "allow_motion": _truth,
    },
    WebTable: {
        "host": filled,
        "port": _port_number,
        "allowed_hosts": _hosts,
        "address": _address,
        "pin_file": _text,
    },
    BoardTable: {
        "id": _identity,
        "driver": filled,
        "port": filled,
        "usb_serial": filled,
        "unique_id": filled,
        "variant": filled,
        "white": _player,
        "black": _player,
        "pace": _pace,
        "confirm": one_of(CONFIRM),
        "draws": one_of(DRAWS),
        "replies": one_of(("shown", "any")),
        "adapt": _truth,
        "touch_move": _truth,
        "lamps": _truth,
        "turned": _turn,
        "clock": _clock,
        "start_fen": _text,
        "ballot": _text,
        "brightness": _percent,
        "night": _night,
        "night_brightness": _percent,
        "pins": pins_fault,
        "speech": _truth,
        "evaluation": _truth,
        "invite": _minutes,
        "record": _truth,
        "arm": filled,
        "arm_file": filled,
    },
}
_SECTIONS = ("station", "mqtt", "web", "boards")


def read_config(
    text: str,
    where: str = "station.toml",
    house_rules: Mapping[str, Ruleset] | None = None,
    house_faults: Mapping[str, str] | None = None,
) -> Config:
    """The configuration that a TOML text states; ConfigError names file, key, value and what was expected.

    `house_rules` are the rule sets by name that boards may play besides the built-in ones, `house_faults` what is
    wrong with others, by name.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not TOML: {error}") from error
    for key in tables:
        if key not in _SECTIONS:
            raise ConfigError(f"{where}: [{key}]: no such section{nearest(key, _SECTIONS)}")
    listed = tables.get("boards", [])
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"{where}: boards = {listed!r}: expected at least one [[boards]] table")
    house = tuple((house_rules or {}).values())
    faults = house_faults or {}
    boards = tuple(_board(table, f"{where}: boards {number}", house, faults) for number, table in enumerate(listed, 1))
    for number, board in enumerate(boards):
        if board.id in [other.id for other in boards[:number]]:
            raise ConfigError(f"{where}: boards {number + 1}: id = {board.id!r}: expected a name no other board has")
        if board.unique_id and board.unique_id in [other.unique_id for other in boards[:number]]:
            raise ConfigError(
                f"{where}: boards {number + 1}: unique_id = {board.unique_id!r}: expected one no other board has"
            )
    twice = _pins_used_twice(boards)
    if twice:
        raise ConfigError(f"{where}: {twice}")
    mqtt = section(MqttTable, tables["mqtt"], f"{where}: mqtt") if "mqtt" in tables else None
    if mqtt is not None and _login_fault(mqtt):
        raise ConfigError(f"{where}: mqtt: {_login_fault(mqtt)}")
    return Config(
        station=section(StationTable, tables.get("station", {}), f"{where}: station"),
        web=section(WebTable, tables.get("web", {}), f"{where}: web"),
        mqtt=mqtt,
        boards=boards,
    )


def _board(table: object, where: str, house_rules: tuple[Ruleset, ...], house_faults: Mapping[str, str]) -> BoardTable:
    board = replace(section(BoardTable, table, where), house_rules=house_rules)
    if board.variant in house_faults and board.variant not in variant_names():
        raise ConfigError(house_faults[board.variant])
    known = (*(house.name for house in house_rules), *variant_names())
    if board.variant not in known:
        raise ConfigError(f"{where}: variant = {board.variant!r}: no such rule set{nearest(board.variant, known)}")
    if board.arm_file and not board.arm:
        raise ConfigError(f"{where}: arm_file = {board.arm_file!r}: found no arm, expected arm beside it")
    if board.arm:
        board = replace(board, arm_setup=plain_setup(board.arm, board.ruleset))
    fault = _place_fault(board)
    if fault:
        raise ConfigError(f"{where}: {fault}")
    if board.turned in (90, 270) and board.ruleset.columns != board.ruleset.rows:
        raise ConfigError(f"{where}: turned = {board.turned}: expected 0 or 180 on a board that is no square")
    if board.start_fen and board.ballot:
        raise ConfigError(f"{where}: ballot = {board.ballot!r}: found start_fen too, expected one of them")
    try:
        start_position(board.ruleset, board.start_fen)
    except (NotationError, RulesetError) as error:
        raise ConfigError(f"{where}: start_fen = {board.start_fen!r}: {error}") from error
    try:
        if board.ballot:
            checked_ballot(board.ballot, board.ruleset)
    except NotationError as error:
        raise ConfigError(f"{where}: ballot = {board.ballot!r}: {error}") from error
    return board


def _place_fault(board: BoardTable) -> str | None:
    """What is wrong with where a board is found, None when nothing is."""
    if board.driver.replace("-", "_") == "gpio_matrix":
        if board.pins is None or board.port or board.usb_serial:
            found = "no pins" if board.pins is None else "a port too"
            return f"driver = {board.driver!r}: found {found}, expected pins, and neither port nor usb_serial"
        geometry = board.ruleset.geometry
        if not fits(board.pins, geometry.columns, geometry.rows, len(geometry)):
            return (
                f"pins: found {len(board.pins.rows)} rows and {len(board.pins.columns)} columns, expected "
                f"{geometry.rows} rows and {geometry.columns} columns, or {len(geometry) // geometry.rows} where only "
                "the playing squares have a contact"
            )
        return None
    if board.driver == "camera":
        expected = "port alone: /dev/v4l/by-id/..., pi:0, unix:PATH or a folder of pictures"
        return None if board.port and not board.usb_serial else f"driver = 'camera': expected {expected}"
    if board.record:
        return f"record: found driver {board.driver!r}, expected record with driver 'camera' alone"
    if board.pins is not None:
        return f"pins: found driver {board.driver!r}, expected pins with driver 'gpio-matrix' alone"
    if bool(board.port) == bool(board.usb_serial):
        return f"found {'both' if board.port else 'neither'} of port and usb_serial, expected one of them"
    return None


def _login_fault(mqtt: MqttTable) -> str | None:
    """What is wrong with how a station shows a broker who it is, None when nothing is."""
    if mqtt.password_file and not mqtt.username:
        return f"password_file = {mqtt.password_file!r}: found no username, expected one beside it"
    if bool(mqtt.certificate_file) != bool(mqtt.key_file):
        return f"found {'certificate_file' if mqtt.certificate_file else 'key_file'} alone, expected both or neither"
    if mqtt.certificate_file and not mqtt.ca_file:
        return f"certificate_file = {mqtt.certificate_file!r}: found no ca_file, expected it beside it (TLS)"
    return None


def _pins_used_twice(boards: tuple[BoardTable, ...]) -> str | None:
    """A pin that two boards want, None when each has its own."""
    users: dict[int, str] = {}
    for board in boards:
        for pin, use in board.pins.uses if board.pins else ():
            if pin in users:
                return f"boards {board.id}: pins: {use} = GPIO {pin}: expected a pin of its own, {users[pin]} has it"
            users[pin] = f"{board.id}'s {use}"
    return None


def section(kind: type[_Section], table: object, where: str, checks: Mapping[str, Check] | None = None) -> _Section:
    """A table of a configuration, every key checked; `checks` for a kind that this module does not know."""
    checks = _CHECKS[kind] if checks is None else checks
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} = {table!r}: expected a table")
    for key, value in table.items():
        if key not in checks:
            raise ConfigError(f"{where}: {key} = {value!r}: no such key{nearest(str(key), tuple(checks))}")
        expected = checks[key](value)
        if expected is not None:
            raise ConfigError(f"{where}: {key} = {value!r}: expected {expected}")
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name not in table and item.default is MISSING and item.default_factory is MISSING:
            raise ConfigError(f"{where}: {item.name} is missing, expected {checks[item.name](None)}")
    return kind(**{key: pins_of(value) if key == "pins" else _frozen(value) for key, value in table.items()})


def _frozen(value: object) -> object:
    """A value as the tables keep it: a list as a tuple, a table of times as a pace."""
    if isinstance(value, Mapping):
        return _pace_of(value)
    return tuple(value) if isinstance(value, list) else value


def nearest(key: str, known: tuple[str, ...]) -> str:
    """The end of a complaint: the known word that is nearest to what was found, or all of them."""
    close = difflib.get_close_matches(key, known, 1)
    return f", the nearest is {close[0]}" if close else f", expected one of {', '.join(known)}"
