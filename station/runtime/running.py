"""Commands that run a station: run, check-config, demo."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from engine.errors import RulesetError
from engine.geometry import Cell
from engine.position import CONTENTS, EMPTY, Piece, Position, Side, side_of
from engine.rules import rules_for
from engine.ruleset import Ruleset, variant_names
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.arm_config import read_arm
from station.config import BoardTable, Config, MqttTable, StationTable, WebTable, read_config
from station.errors import ConfigError
from station.handling.arm import DRY_RUN, NOT_MOVING
from station.runtime.arms import arm_class
from station.runtime.boards import driver_class, line_turns, misfit
from station.runtime.conversations import new_driver
from station.runtime.demo_arm import DemoArm
from station.runtime.game_commands import print_json
from station.runtime.house_rules import configuration_folder, house_rules, ruleset_named
from station.runtime.known_arms import KnownArms
from station.runtime.loop import Outcome
from station.runtime.places import shares_line
from station.runtime.service import Service
from station.runtime.supervisor import ALIVE, READY, STOPPING, Supervisor
from station.runtime.version import PROGRAM

DEMO_PORT = 8080
DEMO_ENGINE = "engine:4"
MOST_BOARDS = 8
_PIECES = {name.lower(): Piece[name] for name in ("WHITE_MAN", "WHITE_KING", "BLACK_MAN", "BLACK_KING")}


def load(path: str) -> Config:
    """The configuration in a file, with the house rules of its folder.

    ConfigError says what is wrong, also with a house rule that a board plays by, or that there is none.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file, expected a configuration (see deploy/station.toml)") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is no UTF-8, expected a text") from error
    house = house_rules(Path(path).parent, Path(path))
    config = read_config(text, path, house.rulesets, house.faults)
    known = KnownArms(Path(config.station.data))
    return replace(config, boards=tuple(_with_arm(table, Path(path).parent, known) for table in config.boards))


def _with_arm(table: BoardTable, folder: Path, known: KnownArms) -> BoardTable:
    """A board with what file and calibration of its arm say; an arm without either is not moved."""
    if table.arm in ("", DRY_RUN, *NOT_MOVING):
        return table
    arm_class(table.arm)
    if not table.arm_file:
        return table
    file = folder / table.arm_file
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}; expected how the arm is built (see deploy/arms)") from error
    setup = read_arm(text, str(file), table.arm, table.ruleset, known.of(table.id))
    return replace(table, arm_setup=setup)


def missing_ports(config: Config, path: str) -> list[str]:
    """One sentence for each board whose port is not there."""
    return [
        f"{path}: boards {number}: port = {table.port!r}: no such port, expected a board plugged in there"
        for number, table in enumerate(config.boards, 1)
        if table.port and not _is_there(table)
    ]


def _is_there(table: BoardTable) -> bool:
    """Whether something is plugged in at a table's port, as far as can be told without opening it."""
    if table.driver == "camera":
        from vision.camera import is_there

        return is_there(table.port)
    return Path(table.port).exists()


def misfits(config: Config, path: str) -> list[str]:
    """One sentence for each board that is not made in the size of its variant, or cannot be where it is said to be."""
    faults = []
    for number, table in enumerate(config.boards, 1):
        found = (misfit(table.driver, table.ruleset), _line_fault(table, config))
        faults += [f"{path}: boards {number}: {fault}" for fault in found if fault]
    return faults


def _line_fault(table: BoardTable, config: Config) -> str | None:
    """What is wrong with a board at a port that others are at too, None when nothing is."""
    others = [other for other in config.boards if shares_line(table, other)]
    turns = line_turns(table.driver)
    if others and (turns is None or any(other.driver != table.driver for other in others)):
        names = ", ".join(other.id for other in others)
        return f"{table.place}: found {names} there too, expected a port of its own, or driver = 'dgt-bus' for all"
    if others and not table.unique_id:
        return "unique_id: found none, expected the number of the board on the line"
    try:
        if turns is not None:
            new_driver(table)
    except ConfigError as error:
        return str(error)
    return None


def check_config(options: argparse.Namespace) -> int:
    """Say whether a configuration is right; starts nothing."""
    faults = []
    try:
        config = load(options.file)
        for table in config.boards:
            driver_class(table.driver)
        faults = misfits(config, options.file)
        if not options.without_devices:
            faults = missing_ports(config, options.file) + faults
    except (ConfigError, RulesetError) as error:
        faults = [str(error)]
    if options.json:
        print_json({"ok": not faults, "faults": faults})
    elif not faults:
        print(f"{options.file}: all right")
    for fault in faults:
        print(f"dambord: {fault}", file=sys.stderr)
    return 2 if faults else 0


def run(options: argparse.Namespace) -> int:
    """Run the service until it is told to end."""
    config = load(options.config)
    for fault in misfits(config, options.config):
        raise ConfigError(fault)
    for fault in missing_ports(config, options.config):
        print(f"dambord: {fault}; waiting for it", file=sys.stderr)
    _run_until_told(Service(config))
    return 0


def told_to_end() -> threading.Event:
    """Set when this process is told to end; when it is told so again, it ends at once."""
    told = threading.Event()

    def tell(_signal: int, _frame: FrameType | None) -> None:
        if told.is_set():
            sys.exit(1)
        told.set()

    signal.signal(signal.SIGTERM, tell)
    signal.signal(signal.SIGINT, tell)
    return told


def _run_until_told(service: Service) -> None:
    told = told_to_end()
    supervisor = Supervisor()
    service.start()
    assert service.page is not None
    print(f"Dambord is running: {service.page.url}", flush=True)
    supervisor.tell(READY, f"STATUS={PROGRAM}: {service.page.url}")
    while not told.wait(1.0):
        if service.loop.failure is not None:
            raise service.loop.failure
        if supervisor.wants_life:
            _tell_of_life(service, supervisor)
    supervisor.tell(STOPPING)
    service.stop()


def _tell_of_life(service: Service, supervisor: Supervisor) -> None:
    """Say that the service is alive, unless a part of it hangs: then it is to be started again."""
    stuck = service.stuck()
    if stuck:
        supervisor.tell(f"STATUS={stuck} hangs; waiting to be started again")
    else:
        supervisor.tell(ALIVE)


class DemoHands:
    """Simulated boards as the page's hands reach them.

    Hands know the game: from a tower of the side that does not move they take the top piece, which is captured.
    """

    def __init__(
        self, ports: Mapping[str, PtyPort], ruleset: Ruleset, arms: Mapping[str, DemoArm] | None = None
    ) -> None:
        self._ports, self._ruleset = dict(ports), ruleset
        self._arms = dict(arms or {})
        self._pulled: set[str] = set()
        self._positions: dict[str, Position] = {}
        self._beneath: dict[str, dict[Cell, tuple[Piece, ...]]] = {}

    def hear(self, outcome: Outcome) -> None:
        """Take note of the towers when the game goes on."""
        position = outcome.session.game.position
        if position.towers is not None and self._positions.get(outcome.board) is not position:
            self._positions[outcome.board] = position
            cells = self._ruleset.geometry.cells
            self._beneath[outcome.board] = {
                cells[square]: pieces
                for square, pieces in enumerate(position.towers.beneath)
                if pieces and side_of(position.contents[square]) is position.turn.other
            }

    def boards(self) -> Sequence[str]:
        """The simulated boards."""
        return tuple(self._ports)

    def world(self, board: str) -> Mapping[Cell, str]:
        """What stands on each cell that is not empty."""
        port, rules = self._ports[board], self._ruleset
        cells = ((column, row) for row in range(rules.rows) for column in range(rules.columns))
        standing = {cell: port.contents(cell) for cell in cells}
        return {cell: _name(piece) for cell, piece in standing.items() if piece is not EMPTY}

    def lamps(self, board: str) -> Mapping[Cell, str]:
        """The lit cells with the role each shows."""
        return self._ports[board].lamps()

    def put(self, board: str, cell: Cell, content: str) -> None:
        """A hand puts a piece on a cell."""
        if board in self._arms:
            self._arms[board].hand_put(cell, _PIECES[content])
        self._ports[board].put(cell, _PIECES[content])

    def take(self, board: str, cell: Cell) -> None:
        """A hand takes away what stands on a cell."""
        if board in self._arms:
            self._arms[board].hand_take(cell)
        beneath = self._beneath.get(board, {}).pop(cell, ())
        if not beneath or self._ports[board].contents(cell) is EMPTY:
            self._ports[board].take(cell)
            return
        self._beneath[board][cell] = beneath[:-1]
        self._ports[board].put(cell, beneath[-1])

    def arm(self, board: str) -> Mapping[str, object] | None:
        """Where the arm of a board is; None where there is none."""
        return self._arms[board].shown() if board in self._arms else None

    def press(self, board: str, button: str) -> None:
        """A hand presses a button."""
        self._ports[board].press(button)

    def unplug(self, board: str) -> None:
        """Pull the board's cable."""
        self._pulled.add(board)
        self._ports[board].unplug()

    def plug(self, board: str) -> None:
        """Put it back."""
        self._pulled.discard(board)
        self._ports[board].plug()

    def is_plugged(self, board: str) -> bool:
        """Whether the cable is in."""
        return board not in self._pulled


def _name(piece: Piece) -> str:
    return next(name for name, known in _PIECES.items() if known is CONTENTS[CONTENTS.index(piece)])


def demo(options: argparse.Namespace) -> int:
    """Run a station on simulated boards behind real pseudo-terminals."""
    if options.camera:
        raise ConfigError("--camera: not in this version of Dambord")
    if not 1 <= options.boards <= MOST_BOARDS:
        raise ConfigError(f"--boards {options.boards}: expected 1 to {MOST_BOARDS}")
    ruleset = ruleset_named(options.variant, configuration_folder())
    fault = misfit(options.driver, ruleset)
    if fault:
        raise ConfigError(fault)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dambord-demo-")))
        ports = {
            f"table-{number}": stack.enter_context(_demo_board(ruleset, options.driver, number, folder))
            for number in range(1, options.boards + 1)
        }
        arms = {board: stack.enter_context(_demo_arm(ruleset, port)) for board, port in ports.items() if options.arm}
        hands = DemoHands(ports, ruleset, arms)
        service = _demo_service(options, ruleset, ports, hands, arms, folder)
        _run_until_told(service)
    return 0


def _demo_board(ruleset: Ruleset, driver: str, number: int, folder: Path) -> PtyPort:
    board = device_for(driver, ruleset.columns, ruleset.rows, seed=number, colour=True)
    for square, piece in enumerate(rules_for(ruleset).start().contents):
        board.put(ruleset.geometry.cells[square], piece, 0)
    return PtyPort(board, folder / f"table-{number}")


@contextmanager
def _demo_arm(ruleset: Ruleset, board: PtyPort) -> Iterator[DemoArm]:
    """An arm beside a simulated board."""
    arm = DemoArm(ruleset, board.path.with_suffix(".arm"), board.put)
    try:
        yield arm
    finally:
        arm.close()


def _demo_service(
    options: argparse.Namespace,
    ruleset: Ruleset,
    ports: Mapping[str, PtyPort],
    hands: DemoHands,
    arms: Mapping[str, DemoArm],
    folder: Path,
) -> Service:
    # The person moves first, whichever colour that is.
    players = {side.value: "person" if side is ruleset.first else DEMO_ENGINE for side in Side}
    boards = tuple(
        BoardTable(
            id=board,
            driver=options.driver,
            port=str(port.path),
            variant=ruleset.name,
            white=players["white"],
            black=players["black"],
            arm="gcode" if board in arms else "",
            arm_setup=arms[board].setup if board in arms else None,
            house_rules=() if ruleset.name in variant_names() else (ruleset,),
        )
        for board, port in ports.items()
    )
    data = options.data or str(folder / "data")
    mqtt = broker_table(options.mqtt, "--mqtt") if options.mqtt else None
    web = WebTable(options.host, DEMO_PORT if options.port is None else options.port)
    config = Config(StationTable(id="demo", data=data), web, mqtt, boards)
    return Service(config, hands, watchers=[hands], any_port=options.port is None)


def broker_table(address: str, option: str) -> MqttTable:
    """The broker that an option of a command names."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigError(f"{option} {address}: expected HOST:PORT")
    return MqttTable(host=host, port=int(port))
