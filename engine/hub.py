"""Hub version 2, the line protocol of draughts engines: lines <-> messages, for both ends, without I/O.

A line is `command arg=value flag ...`; a value is quoted when it is empty or holds a space or `=`. There is no way
to write a double quote inside a value. Commands and arguments nobody here knows are ignored. Times are real
seconds on the wire and whole milliseconds in messages; squares are numbered from 1 in the variant's official order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite

from engine.errors import AmbiguousMoveError, HubError, IllegalMoveError
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Piece, Position, Side
from engine.rules import Rules


@dataclass(frozen=True, slots=True)
class Hub:
    """GUI: begin; the engine answers with Id, its Params and Wait."""


@dataclass(frozen=True, slots=True)
class SetParam:
    """GUI: a parameter that differs from what the engine said; before Init only."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Init:
    """GUI: parameters are set; the engine gets ready and answers Ready."""


@dataclass(frozen=True, slots=True)
class SetPosition:
    """GUI: a position string and the moves made since, as texts."""

    position: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """GUI: the limit of the next searches; every limit named holds."""

    depth: int | None = None
    nodes: int | None = None
    move_time_ms: int | None = None
    moves: int | None = None
    time_ms: int | None = None
    increment_ms: int | None = None
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class Go:
    """GUI: search; `mode` is think, ponder or analyze."""

    mode: str = "think"


@dataclass(frozen=True, slots=True)
class Stop:
    """GUI: end the search; the engine still answers Done."""


@dataclass(frozen=True, slots=True)
class PonderHit:
    """GUI: the move pondered on was played; the limit counts from now on."""


@dataclass(frozen=True, slots=True)
class Ping:
    """GUI: answer Pong, also while searching."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """GUI: the next position belongs to another game."""


@dataclass(frozen=True, slots=True)
class Quit:
    """GUI: end the program."""


@dataclass(frozen=True, slots=True)
class Id:
    """Engine: who it is."""

    name: str
    version: str = ""
    author: str = ""
    country: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    """Engine: a parameter and what it may be; `kind` is bool, int, real, string or enum."""

    name: str
    value: str
    kind: str = "string"
    least: str = ""
    most: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wait:
    """Engine: all parameters are named; it waits for SetParam and Init."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Engine: it can search."""


@dataclass(frozen=True, slots=True)
class Info:
    """Engine: how far a search has come; `score` in men for the side to move, `speed` in million nodes a second."""

    depth: int | None = None
    mean_depth: float | None = None
    score: float | None = None
    nodes: int | None = None
    time_ms: int | None = None
    speed: float | None = None
    line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """Engine: the move chosen, and the reply it would ponder on; empty when there is none."""

    move: str = ""
    ponder: str = ""


@dataclass(frozen=True, slots=True)
class Pong:
    """Engine: it is alive."""


@dataclass(frozen=True, slots=True)
class Error:
    """Engine: what it did not understand."""

    message: str


GuiMessage = Hub | SetParam | Init | SetPosition | Level | Go | Stop | PonderHit | Ping | NewGame | Quit
EngineMessage = Id | Param | Wait | Ready | Info | Done | Pong | Error
Message = GuiMessage | EngineMessage

_MOST_SECONDS = 10**9

_Arguments = Mapping[str, str]
_ARGUMENT = re.compile(r'([^\s="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s"]+)))?')


def read_hub(line: str) -> Message | None:
    """The message a line states, from either end; None for an empty line or a command nobody here knows.

    HubError says which argument of a known command is missing or wrong.
    """
    words = line.split(None, 1)
    reader = _READERS.get(words[0]) if words else None
    if reader is None:
        return None
    return reader({match[1]: match[2] or match[3] or "" for match in _ARGUMENT.finditer("".join(words[1:]))})


def write_hub(message: Message) -> str:
    """A message as one line, without the line end; what `read_hub` reads back."""
    command = _COMMANDS.get(type(message))
    return command or _write_gui(message) or _write_engine(message)


def _write_gui(message: Message) -> str:
    match message:
        case SetParam(name, value):
            return _line("set-param", name=name, value=value)
        case SetPosition(position, moves):
            return _line("pos", pos=position, moves=" ".join(moves) or None)
        case Level():
            return _write_level(message)
        case Go(mode):
            return f"go {mode}"
    return ""


def _write_engine(message: Message) -> str:
    match message:
        case Id(name, version, author, country):
            return _line("id", name=name, version=version, author=author, country=country)
        case Param(name, value, kind, least, most, values):
            bounds = {"min": least or None, "max": most or None, "values": " ".join(values) or None}
            return _line("param", name=name, value=value, type=kind, **bounds)
        case Info():
            return _write_info(message)
        case Done(move, ponder):
            return _line("done", move=move or None, ponder=ponder or None)
        case Error(text):
            return _line("error", message=text)
    return ""


def _line(command: str, **arguments: str | None) -> str:
    words = [f"{name.replace('_', '-')}={_quoted(value)}" for name, value in arguments.items() if value is not None]
    return " ".join([command, *words])


def _quoted(value: str) -> str:
    value = re.sub(r"\s", " ", value).replace('"', "'")
    return f'"{value}"' if not value or " " in value or "=" in value else value


def _write_level(level: Level) -> str:
    line = _line(
        "level",
        depth=_number(level.depth),
        nodes=_number(level.nodes),
        move_time=_seconds(level.move_time_ms),
        moves=_number(level.moves),
        time=_seconds(level.time_ms),
        inc=_seconds(level.increment_ms),
    )
    return f"{line} infinite" if level.infinite else line


def _write_info(info: Info) -> str:
    return _line(
        "info",
        depth=_number(info.depth),
        mean_depth=_number(info.mean_depth),
        score=_number(info.score),
        nodes=_number(info.nodes),
        time=_seconds(info.time_ms),
        nps=_number(info.speed),
        pv=" ".join(info.line) or None,
    )


def _number(value: float | None) -> str | None:
    return None if value is None else str(value)


def _seconds(value_ms: int | None) -> str | None:
    return None if value_ms is None else f"{value_ms / 1000:.3f}"


def _read_set_param(arguments: _Arguments) -> SetParam:
    return SetParam(_needed("set-param", arguments, "name"), arguments.get("value", ""))


def _read_position(arguments: _Arguments) -> SetPosition:
    return SetPosition(_needed("pos", arguments, "pos"), tuple(arguments.get("moves", "").split()))


def _read_level(arguments: _Arguments) -> Level:
    return Level(
        depth=_whole("level", arguments, "depth"),
        nodes=_whole("level", arguments, "nodes"),
        move_time_ms=_ms("level", arguments, "move-time"),
        moves=_whole("level", arguments, "moves"),
        time_ms=_ms("level", arguments, "time"),
        increment_ms=_ms("level", arguments, "inc"),
        infinite="infinite" in arguments,
    )


def _read_go(arguments: _Arguments) -> Go:
    modes = [mode for mode in ("ponder", "analyze") if mode in arguments]
    return Go(modes[0] if modes else "think")


def _read_id(arguments: _Arguments) -> Id:
    version, author, country = (arguments.get(name, "") for name in ("version", "author", "country"))
    return Id(_needed("id", arguments, "name"), version, author, country)


def _read_param(arguments: _Arguments) -> Param:
    return Param(
        name=_needed("param", arguments, "name"),
        value=arguments.get("value", ""),
        kind=arguments.get("type", "string"),
        least=arguments.get("min", ""),
        most=arguments.get("max", ""),
        values=tuple(arguments.get("values", "").split()),
    )


def _read_info(arguments: _Arguments) -> Info:
    return Info(
        depth=_whole("info", arguments, "depth"),
        mean_depth=_real("info", arguments, "mean-depth"),
        score=_real("info", arguments, "score"),
        nodes=_whole("info", arguments, "nodes"),
        time_ms=_ms("info", arguments, "time"),
        speed=_real("info", arguments, "nps"),
        line=tuple(arguments.get("pv", "").split()),
    )


def _read_done(arguments: _Arguments) -> Done:
    return Done(arguments.get("move", ""), arguments.get("ponder", ""))


def _read_error(arguments: _Arguments) -> Error:
    return Error(arguments.get("message", ""))


_COMMANDS: dict[type[Message], str] = {
    Hub: "hub",
    Init: "init",
    Stop: "stop",
    PonderHit: "ponder-hit",
    Ping: "ping",
    NewGame: "new-game",
    Quit: "quit",
    Wait: "wait",
    Ready: "ready",
    Pong: "pong",
}
_READERS: dict[str, Callable[[_Arguments], Message]] = {
    "hub": lambda _: Hub(),
    "init": lambda _: Init(),
    "stop": lambda _: Stop(),
    "ponder-hit": lambda _: PonderHit(),
    "ping": lambda _: Ping(),
    "new-game": lambda _: NewGame(),
    "quit": lambda _: Quit(),
    "wait": lambda _: Wait(),
    "ready": lambda _: Ready(),
    "pong": lambda _: Pong(),
    "set-param": _read_set_param,
    "pos": _read_position,
    "level": _read_level,
    "go": _read_go,
    "id": _read_id,
    "param": _read_param,
    "info": _read_info,
    "done": _read_done,
    "error": _read_error,
}


def _needed(command: str, arguments: _Arguments, name: str) -> str:
    if name not in arguments:
        raise HubError(f"{command}: {name}= is missing")
    return arguments[name]


def _whole(command: str, arguments: _Arguments, name: str) -> int | None:
    value = arguments.get(name)
    if value is None:
        return None
    if not re.fullmatch(r"-?[0-9]{1,18}", value):
        raise HubError(f"{command}: {name}={value}: expected a whole number")
    return int(value)


def _real(command: str, arguments: _Arguments, name: str) -> float | None:
    value = arguments.get(name)
    if value is None:
        return None
    if not re.fullmatch(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?", value) or not isfinite(float(value)):
        raise HubError(f"{command}: {name}={value}: expected a number")
    return float(value)


def _ms(command: str, arguments: _Arguments, name: str) -> int | None:
    seconds = _real(command, arguments, name)
    if seconds is not None and abs(seconds) > _MOST_SECONDS:
        raise HubError(f"{command}: {name}={arguments[name]}: expected at most {_MOST_SECONDS} seconds")
    return None if seconds is None else round(1000 * seconds)


_LETTERS: dict[Piece, str] = {EMPTY: "e", WHITE_MAN: "w", WHITE_KING: "W", BLACK_MAN: "b", BLACK_KING: "B"}
_PIECES = {letter: piece for piece, letter in _LETTERS.items()}


def position_text(position: Position) -> str:
    """A position as Hub writes it: `W` or `B` to move, then one letter a square: w b men, W B kings, e empty.

    Towers, which Hub does not know, follow after a semicolon as SQUARE=PIECES from the bottom upwards, top included.
    """
    turn = "W" if position.turn is Side.WHITE else "B"
    text = turn + "".join(_LETTERS[piece] for piece in position.contents)
    towers = [
        f"{square + 1}=" + "".join(_LETTERS[piece] for piece in (*beneath, position.contents[square]))
        for square, beneath in enumerate(position.towers.beneath if position.towers else ())
        if beneath
    ]
    return text + ";" * bool(towers) + ",".join(towers)


def read_position_text(text: str, rules: Rules) -> Position:
    """The position of a Hub position string, as the first of a game by these rules; HubError says what is wrong."""
    plain, _, stated = text.partition(";")
    squares = len(rules.ruleset.geometry)
    if len(plain) != 1 + squares:
        raise HubError(f"pos={text}: {len(plain)} characters, expected {1 + squares}")
    if plain[0] not in "WB" or any(letter not in _PIECES for letter in plain[1:]):
        raise HubError(f"pos={text}: expected W or B and then only the letters w W b B e")
    contents = tuple(_PIECES[letter] for letter in plain[1:])
    position = rules.opened(Position(contents, Side.WHITE if plain[0] == "W" else Side.BLACK))
    return _with_towers(position, stated, text) if stated else position


def _with_towers(position: Position, stated: str, text: str) -> Position:
    if position.towers is None:
        raise HubError(f"pos={text}: expected no towers in this game")
    beneath = list(position.towers.beneath)
    for part in stated.split(","):
        match = re.fullmatch(r"([0-9]{1,3})=([wWbB]{2,})", part)
        square = int(match[1]) - 1 if match else -1
        if not match or not 0 <= square < len(beneath) or _PIECES[match[2][-1]] is not position.contents[square]:
            raise HubError(f"pos={text}: {part}: expected SQUARE=PIECES with the piece on top that stands there")
        beneath[square] = tuple(_PIECES[letter] for letter in match[2][:-1])
    return replace(position, towers=replace(position.towers, beneath=tuple(beneath)))


def hub_move_text(move: Move) -> str:
    """A move as Hub writes it: from-to, or from x to x every captured square; never the squares landed on between.

    A huffed piece stands among the captured ones.
    """
    off = move.captured + move.huffed
    if not off:
        return f"{move.from_square + 1}-{move.to_square + 1}"
    return "x".join(str(square + 1) for square in (move.from_square, move.to_square, *sorted(off)))


def read_hub_move(text: str, legal: Iterable[Move]) -> Move:
    """The one legal move that a Hub move text means; captured squares may come in any order, or not at all.

    HubError: no move text; IllegalMoveError: none fits; AmbiguousMoveError: more than one does.
    """
    if not re.fullmatch(r"[0-9]{1,3}([-x][0-9]{1,3})+", text):
        raise HubError(f"{text}: expected FROM-TO or FROMxTOxCAPTURED...")
    start, end, *captured = (int(number) - 1 for number in re.split("[-x]", text))
    fitting = [
        move
        for move in legal
        if (move.from_square, move.to_square) == (start, end)
        and (set(move.captured + move.huffed) == set(captured) if captured else not move.huffed)
    ]
    # Where a tower may be jumped again, how often each one was tells such captures apart.
    as_often = [move for move in fitting if sorted(move.captured + move.huffed) == sorted(captured)]
    fitting = as_often or fitting
    if "-" in text and any(not move.captured for move in fitting):
        fitting = [move for move in fitting if not move.captured]
    if not fitting:
        raise IllegalMoveError(f"{text} is not a legal move here")
    if len({move.effect for move in fitting}) > 1:
        texts = tuple(hub_move_text(move) for move in fitting)
        raise AmbiguousMoveError(f"{text} fits {', '.join(texts)}", texts)
    return fitting[0]
