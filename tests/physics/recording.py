"""What an arm's machine did, written down: where wood stood before, and where the tool was, in time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.game import Game
from engine.geometry import Cell, Geometry
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece
from firmware_bridge.arm_driver import Machine
from firmware_bridge.arms import gcode
from firmware_bridge.motion import Motion
from firmware_bridge.simulator.carpentry import Place, Timber, Workshop
from firmware_bridge.simulator.grbl_axes import ChipFaults
from firmware_bridge.simulator.grbl_chip import GrblChip
from tests.station.arm_table import ArmTable, Built, gantry

FEED, PLUNGE = 6000.0, 1200.0
"""mm/min, as arms move by default: nothing in the twin is heavy, and its tests go faster."""
LIMIT_MS = 20_000_000


@dataclass(frozen=True, slots=True)
class Moment:
    """Where the tool was, in mm of the table, and whether it was closed. From one to the next it went straight."""

    at_ms: int
    place: Place
    is_closed: bool


class WatchedChip:
    """A controller, and somebody who writes down where its machine is whenever bytes come or time passes."""

    def __init__(self, chip: GrblChip, shop: Workshop) -> None:
        self._chip, self._tool = chip, shop.tool
        self.way: list[Moment] = []

    def opened(self, now_ms: int) -> bytes:
        return self._noted(self._chip.opened(now_ms), now_ms)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        self.tick(now_ms)
        return self._noted(self._chip.receive(data, now_ms), now_ms)

    def tick(self, now_ms: int) -> bytes:
        return self._noted(self._chip.tick(now_ms), now_ms)

    def deadline_ms(self) -> int | None:
        return self._chip.deadline_ms()

    def _noted(self, said: bytes, now_ms: int) -> bytes:
        self.way.append(Moment(now_ms, self._tool.at, self._tool.is_closed))
        return said


def watched_gantry(geometry: Geometry, slots: int, faults: ChipFaults | None) -> Built:
    built = gantry(geometry, slots, faults)
    workspace = replace(built.workspace, feed=FEED, plunge=PLUNGE)
    return replace(built, chip=WatchedChip(built.chip, built.shop), workspace=workspace)


@dataclass(frozen=True, slots=True)
class Recording:
    """All that a world is told, and what should stand there in the end."""

    timber: Timber
    dark: frozenset[Cell]
    slots: tuple[tuple[float, float], ...]
    wood: tuple[tuple[Place, Piece], ...]
    """Where each piece's foot stood before anything moved, and what it is."""
    way: tuple[Moment, ...]
    game: Game
    expected: dict[Cell, tuple[Piece, ...]]
    """By the game's position, from the bottom up."""
    collisions: tuple[str, ...]
    """What the twin says ran into what."""


def record(variant: str, fen: str = "", plies: int = 1, carry_mm: float | None = None, **options: object) -> Recording:
    """A game by an arm that makes both players' moves; `carry_mm` has it travel so low."""
    sides = {"white": "engine:1", "black": "engine:1"}
    table = ArmTable(variant, fen, machine=watched_gantry, armed=False, **sides, **options)
    wood = tuple(((piece.x, piece.y, piece.z), piece.piece) for piece in table.shop.wood)
    if carry_mm is not None:  # the table is looked at before it begins, and would be refused
        table.motion = Motion(gcode.Driver(Machine()), replace(table.workspace, carry_mm=carry_mm))
        table.parts = (table.motion, table.chip)
        table.open_port()
        table.wait(1500)
    assert table.ask("arm") is None
    table.until(lambda: table.phase == "Over" or len(table.chosen_moves) > plies, LIMIT_MS)
    return Recording(
        table.shop.timber,
        dark_cells(table.ruleset.geometry),
        table.workspace.tray,
        wood,
        tuple(table.chip.way),
        table.session.game,
        stacks(table.session.game, table.session.settings.arm.tool.crown),
        tuple(table.shop.collisions),
    )


def dark_cells(geometry: Geometry) -> frozenset[Cell]:
    cells, all_play = geometry.cells, len(geometry.cells) == geometry.columns * geometry.rows
    return frozenset(cell for cell in cells if not all_play or sum(cell) % 2)


def stacks(game: Game, crown: str) -> dict[Cell, tuple[Piece, ...]]:
    """What stands on the cells in the game's position, where kings are what `crown` makes them."""
    men = {WHITE_KING: (WHITE_MAN, WHITE_MAN), BLACK_KING: (BLACK_MAN, BLACK_MAN)} if crown == "stack" else {}
    cells, contents = game.ruleset.geometry.cells, game.position.contents
    return {cells[square]: men.get(piece, (piece,)) for square, piece in enumerate(contents) if piece is not EMPTY}
