"""`dambord calibrate board`: walks a player over the squares, and keeps what that teaches under the board's own id."""

from __future__ import annotations

import argparse
import select
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from engine.geometry import Cell, Geometry, Square, geometry
from engine.position import EMPTY, Piece
from engine.rules import rules_for
from firmware_bridge.driver import Role
from firmware_bridge.errors import PortLost
from firmware_bridge.messages import Thresholds
from firmware_bridge.placement import own_cell
from firmware_bridge.serial_port import ports
from station import announcements as say
from station.calibrating import Learned, Seen, free_squares, learn, sides_on, thresholds
from station.config import BoardTable, Config
from station.errors import ConfigError
from station.ports import BoardDriver, Measurer, Port
from station.runtime.boards import called, driver_class
from station.runtime.conversations import Conversation, open_port
from station.runtime.known_boards import KnownBoards
from station.runtime.running import load
from station.texts import Texts, load_texts

QUIET_MS = 700
"""A board that has not changed for so long shows what stands on it."""
PATIENCE_MS = 12_000
"""A piece that is not seen after this time stands on a dead square."""
STANDS_MS = 250
"""So long a piece must be seen: one that only slid over a square is not taken for one that was put there."""
MEASURE_MS = 1000
PAUSE_MS = 200
"""Between two measurements: a whole board of readings is 280 bytes (PROTOCOL.md, 3)."""
ACKNOWLEDGED_MS = 3000
MEASURED = 3
"""So many measurements are taken of each sensor; the middle one counts."""


class Walk:
    """A player, a board and what it shows, cell by cell as the board itself counts them."""

    def __init__(self, table: BoardTable, driver: BoardDriver, cells: Geometry, port: Port, texts: Texts) -> None:
        self.table, self.cells, self.texts = table, cells, texts
        self.talk = Conversation(driver, port)

    def tell(self, key: str, **words: str) -> None:
        """Say something to the player."""
        print(self.texts.say(f"calibrate.{key}", **words), flush=True)

    def seen(self) -> dict[Cell, Piece]:
        """What each cell shows now."""
        if not self.talk.views:
            return {}
        view = self.talk.views[-1]
        shown = {cell: view.possible(square) for square, cell in enumerate(self.cells.cells)}
        return {**shown, **dict.fromkeys(view.stray, ~EMPTY)}

    def until_ready(self) -> Seen:
        """What the board shows when the player says so, by Enter or the board's button, and it rests."""
        pressed = len(self.talk.pressed)
        while not self.talk.run(60_000, lambda: _enter() or "confirm" in self.talk.pressed[pressed:]):
            continue
        self.until_quiet()
        return self.seen()

    def until_quiet(self) -> None:
        """Waits until nothing has changed for a while."""
        while True:
            known = len(self.talk.views)
            if not self.talk.run(QUIET_MS, lambda known=known: len(self.talk.views) > known):  # type: ignore[misc]
                return

    def put(self, occupied: frozenset[Cell], last: Cell | None) -> Cell | None:
        """The cell that shows a piece now that one was put on a free square; None when none does for long."""
        end_ms = self.talk.clock.now_ms() + PATIENCE_MS
        while (left_ms := end_ms - self.talk.clock.now_ms()) > 0:
            if not self.talk.run(left_ms, lambda: bool(self._new(occupied, last))):
                return None
            (cell, *_) = self._new(occupied, last)
            if not self.talk.run(STANDS_MS, lambda cell=cell: cell not in self._new(occupied, last)):  # type: ignore[misc]
                return cell
        return None

    def _new(self, occupied: frozenset[Cell], last: Cell | None) -> list[Cell]:
        """Cells that show a piece and did not before, but for the one on which the walking piece stood last."""
        seen = self.seen().items()
        return [cell for cell, shown in seen if EMPTY not in shown and cell not in occupied and cell != last]

    def measured(self) -> dict[Cell, float]:
        """What each sensor reads, the middle of several measurements; nothing on a board that does not measure."""
        driver = self.talk.driver
        if not isinstance(driver, Measurer) or not driver.measures:
            return {}
        found: dict[Cell, list[int]] = {}
        for _ in range(MEASURED):
            self.talk.take(driver.measure())
            self.talk.run(MEASURE_MS, lambda: len(driver.readings) == self.cells.rows)
            self.talk.run(PAUSE_MS)
            for row, values in driver.readings.items():
                for column, value in enumerate(values):
                    found.setdefault((column, row), []).append(value)
        return {cell: sorted(values)[len(values) // 2] for cell, values in found.items()}

    def name(self, square: Square) -> dict[str, str]:
        """A square as people find it."""
        column, row = self.table.ruleset.geometry.cells[square]
        (name,) = say.names((square,), self.table.ruleset)
        return {"square": name, "row": str(self.table.ruleset.rows - row), "column": str(column + 1)}


def _enter() -> bool:
    """Whether the player has pressed Enter; ConfigError when nobody is at the keyboard."""
    ready, _, _ = select.select([sys.stdin], (), (), 0)
    if not ready:
        return False
    if not sys.stdin.readline():
        raise ConfigError("calibrate: nobody is at the keyboard, expected Enter when the board is ready")
    return True


def calibrate_board(options: argparse.Namespace) -> int:
    """Walk the player over the squares and keep what that teaches; 1 when it teaches nothing."""
    config = load(options.config)
    table = _chosen(config, options.board)
    texts = load_texts(config.station.language)
    try:
        for driver, cells in _drivers(table):
            with closing(open_port(table, driver, ports())) as port:
                walk = Walk(table, driver, cells, port, texts)
                if walk.talk.begin():
                    return _walk(walk, KnownBoards(Path(config.station.data)))
    except PortLost as lost:
        print(f"dambord: {table.id}: {lost}; `dambord doctor` says what to do", file=sys.stderr)
        return 1
    reason = driver.problem or texts.say("calibrate.silent", place=table.place)
    print(f"dambord: {table.id}: {reason}", file=sys.stderr)
    return 1


def _chosen(config: Config, name: str | None) -> BoardTable:
    names = ", ".join(table.id for table in config.boards)
    found = [table for table in config.boards if name in (None, table.id)]
    if len(found) == 1:
        return found[0]
    raise ConfigError(f"--board {name or ''}: expected one of {names}")


def _drivers(table: BoardTable) -> tuple[tuple[BoardDriver, Geometry], ...]:
    """A driver that tells of every cell; one of the playing squares, for a board that has no other sensors."""
    ruleset, kind = table.ruleset, driver_class(table.driver)
    every = geometry(ruleset.columns, ruleset.rows, "all")
    return tuple((called(kind(cells, None, turned=0), table), cells) for cells in (every, ruleset.geometry))


def _walk(walk: Walk, known: KnownBoards) -> int:
    """The walk itself, on a board that answers."""
    device = walk.talk.device
    assert device is not None
    home = rules_for(walk.table.ruleset).start().contents
    walk.tell("begin", name=walk.table.id, device=device.name, id=device.unique_id)
    walk.tell("clear")
    empty, rests = walk.until_ready(), walk.measured()
    walk.tell("start")
    start, readings = walk.until_ready(), walk.measured()
    occupied = frozenset(cell for seen in (empty, start) for cell, shown in seen.items() if EMPTY not in shown)
    placed: list[tuple[Square, Cell | None]] = []
    last: Cell | None = None
    for square in free_squares(home):
        walk.tell("put", **walk.name(square))
        _light(walk, learn(walk.table.ruleset.geometry, home, empty, start, placed), square, bool(placed))
        cell = walk.put(occupied, last)
        if cell is None:
            walk.tell("not_seen", **walk.name(square))
        else:
            last = cell
            readings.update({at: value for at, value in walk.measured().items() if at == cell})
        placed.append((square, cell))
    walk.talk.show(())
    learned = learn(walk.table.ruleset.geometry, home, empty, start, placed)
    if not learned.is_sure:
        walk.tell("nothing", percent=str(round(100 * learned.fit)))
        return 1
    _tell_what_was_learned(walk, learned)
    sides = sides_on(walk.table.ruleset.geometry, home, learned.calibration.turned or 0, placed)
    is_taught = _teach(walk, thresholds(rests, readings, sides, tells_kings=device.identity))
    unique_id = device.unique_id or walk.table.id  # a board without a number of its own is known by its table
    before = known.of(unique_id)
    found = learned.calibration
    kept = replace(before, turned=found.turned, swapped=found.swapped, dead=found.dead, stuck=found.stuck)
    if is_taught:
        kept = replace(kept, swapped=False)  # the board itself tells the colours right from now on
    walk.tell("kept", path=str(known.keep(unique_id, kept)), id=unique_id)
    return 0


def _light(walk: Walk, learned: Learned, square: Square, is_placed: bool) -> None:
    """Lights the square that is asked for, once it is known where it lies."""
    turned = learned.calibration.turned
    if turned is None or not is_placed:
        return
    ruleset = walk.table.ruleset
    cell = own_cell(ruleset.geometry, turned, ruleset.geometry.cells[square])
    at = walk.cells.square_at(*cell)
    walk.talk.show(((at, Role.PLACE),) if at is not None else ())


def _tell_what_was_learned(walk: Walk, learned: Learned) -> None:
    ruleset, found = walk.table.ruleset, learned.calibration
    walk.tell("turned", turned=str(found.turned)) if found.turned is not None else walk.tell("turned_unknown")
    if found.swapped:
        walk.tell("swapped")
    for key, squares in (("dead", learned.dead), ("stuck", learned.stuck)):
        if squares:
            walk.tell(key, squares=", ".join(say.names(squares, ruleset)))
    if not learned.dead and not learned.stuck:
        walk.tell("every")


def _teach(walk: Walk, cells: Mapping[Cell, Thresholds]) -> bool:
    """Gives the board its thresholds and has it keep them; whether it took all of them."""
    driver, talk = walk.talk.driver, walk.talk
    if not cells or not isinstance(driver, Measurer):
        return False
    resent = driver.counters.dropped
    for row in range(walk.cells.rows):
        row_cells = tuple(cells[column, row] for column in range(walk.cells.columns))
        talk.take(driver.teach(row, row_cells, talk.clock.now_ms()))
        if not talk.run(ACKNOWLEDGED_MS, lambda: not driver.is_waiting):
            break
    else:
        talk.take(driver.keep(talk.clock.now_ms()))
        if talk.run(ACKNOWLEDGED_MS, lambda: not driver.is_waiting) and driver.counters.dropped == resent:
            walk.tell("taught")
            return True
    walk.tell("not_taught")
    return False
