"""The command `dambord demo`: a whole station on simulated boards."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engine.geometry import Cell
from engine.position import CONTENTS, EMPTY, Piece, Position, Side, side_of
from engine.rules import rules_for
from engine.ruleset import Ruleset, variant_names
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.config import BoardTable, Config, StationTable, WebTable
from station.errors import ConfigError
from station.runtime.boards import misfit
from station.runtime.demo_arm import DemoArm
from station.runtime.house_rules import configuration_folder, ruleset_named
from station.runtime.loop import Outcome
from station.runtime.running import broker_table, run_until_told
from station.runtime.service import Service

DEMO_PORT = 8080
DEMO_ENGINE = "engine:4"
MOST_BOARDS = 8
_PIECES = {name.lower(): Piece[name] for name in ("WHITE_MAN", "WHITE_KING", "BLACK_MAN", "BLACK_KING")}


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
        run_until_told(service)
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
