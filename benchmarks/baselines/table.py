"""A table at which a baseline reads the board: the same hands, boards, cable and drivers as for the product.

A baseline has no way back once its record is wrong, so a person puts it right: when the board can have told that the
next move has begun, a move that is not in the record counts as missed, another one as wrong, and the record is
repaired. Nobody repairs anything for the product.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from engine.geometry import Cell
from engine.position import Move, Position, Side
from engine.view import BoardView
from firmware_bridge.driver import Output
from firmware_bridge.simulator import SimulatedBoard
from station.ports import BoardDriver
from station.runtime.simulate import READY_MS
from station.runtime.witness import MISSED_MS, GameReport
from station.simulation.touches import Touch
from station.simulation.turns import Act

REPAIRED_MS = {"matrix": 100, "dgt": 300}
"""From the first touch of the next move to the repair: contacts bounce and are debounced, a slow scan comes round."""


class Reader(Protocol):
    """A way to read moves from views."""

    moves: list[Move]
    positions: list[Position]

    def see(self, view: BoardView, now_ms: int) -> None:
        """Takes a view."""

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""

    def tick(self, now_ms: int) -> None:
        """Does what is due."""

    def repair(self, moves: list[Move], positions: list[Position], now_ms: int) -> None:
        """A person puts the record right."""


class Judge:
    """What the hands meant, move by move, and what the reader made of it."""

    def __init__(self, start: Position, intended: Sequence[Move], repaired_ms: int) -> None:
        self.troubled = False
        self.repaired_ms = repaired_ms
        self.positions = [start]
        for move in intended:
            self.positions.append(self.positions[-1].after(move))
        self.intended = list(intended)
        self.acts: list[Act] = []
        self.judged = 0
        self.judge_ms: int | None = None
        self.recorded_ms: dict[int, int] = {}
        self.effects_seen: dict[int, object] = {}
        self.wrong_seen = self.withdrawn = self.wrong = self.missed = 0
        self.latencies_ms: list[int] = []

    def begins(self, act: Act) -> None:
        """The hands begin an act: the one before it will soon be judged."""
        self.acts.append(act)
        if len(self.acts) > 1:
            self.judge_ms = act.touches[0].at_ms + self.repaired_ms

    def note(self, reader: Reader, now_ms: int) -> None:
        """Takes note of what has come into the record, and of what has gone."""
        for ply, move in enumerate(reader.moves):
            if self.effects_seen.get(ply) == move.effect:
                continue
            self.withdrawn += ply in self.effects_seen
            self.effects_seen[ply], self.recorded_ms[ply] = move.effect, now_ms
            self.wrong_seen += ply >= len(self.intended) or move.effect != self.intended[ply].effect
        for ply in [ply for ply in self.effects_seen if ply >= len(reader.moves)]:
            del self.effects_seen[ply]
            self.withdrawn += 1

    def judge(self, reader: Reader, now_ms: int) -> None:
        """Judges the move before the one under way, and has the record repaired."""
        self.judge_ms = None
        ply = self.judged
        self.judged += 1
        found = reader.moves[ply : ply + 1]
        if found and found[0].effect == self.intended[ply].effect:
            latency_ms = self.recorded_ms[ply] - self.acts[ply].last_contact_ms
            self.latencies_ms.append(max(0, latency_ms))
            self.missed += latency_ms > MISSED_MS
            return
        self.wrong += bool(found)
        self.missed += 1
        reader.repair(self.intended[: ply + 1], self.positions[: ply + 2], now_ms)
        for known, move in enumerate(reader.moves):
            self.effects_seen[known] = move.effect

    def report(self) -> GameReport:
        """The counts, once the hands are off."""
        return GameReport(
            moves=len(self.acts),
            equal=not self.missed,
            wrong=self.wrong,
            wrong_seen=self.wrong_seen,
            withdrawn=self.withdrawn,
            withdrawn_shown=0,
            missed=self.missed,
            needless_prompts=0,
            latencies_ms=tuple(self.latencies_ms),
        )


class BaselineTable:
    """A simulated board, its driver and a reader on one discrete clock."""

    def __init__(
        self,
        board: SimulatedBoard,
        driver: BoardDriver,
        reader: Reader,
        witness: Judge,
        cells: Sequence[Cell],
    ) -> None:
        self.now_ms = 0
        self.board, self.driver, self.reader, self.witness, self.cells = board, driver, reader, witness, cells
        self._online = False
        self._take(driver.start(0))

    def until_ready(self) -> None:
        """Lets time pass until the board has been found and told what stands on it."""
        while not self._online and self.now_ms < READY_MS:
            self.advance(self.now_ms + 100)
        self.advance(self.now_ms + 1000)

    def until_shown(self) -> int:
        """Nothing is shown where two people play."""
        return self.now_ms

    def coming(self, touches: Sequence[Touch], side: Side) -> None:
        """No board here sees hands coming."""

    def touch(self, touch: Touch) -> None:
        """A hand takes a piece off a square or puts one on it, when its time comes."""
        self.advance(touch.at_ms)
        cell = self.cells[touch.square]
        if touch.kind == "take":
            self.board.take(cell, self.now_ms)
        else:
            self.board.put(cell, touch.piece, self.now_ms)

    def advance(self, until_ms: int) -> None:
        """Let everything happen that is due until then."""
        while (due := self._due_ms()) is not None and due <= until_ms:
            self.now_ms = max(self.now_ms, due)
            self._happen()
        self.now_ms = max(self.now_ms, until_ms)

    def end(self) -> GameReport:
        """The last move is judged as well."""
        while self.witness.judged < len(self.witness.acts):
            self.witness.judge(self.reader, self.now_ms)
        return self.witness.report()

    def _due_ms(self) -> int | None:
        moments = (
            self.board.deadline_ms(),
            self.driver.deadline_ms(),
            self.reader.deadline_ms(),
            self.witness.judge_ms,
        )
        return min((moment for moment in moments if moment is not None), default=None)

    def _happen(self) -> None:
        now = self.now_ms
        if _is_due(self.board.deadline_ms(), now) and (data := self.board.tick(now)):
            self._take(self.driver.receive(data, now))
        if _is_due(self.driver.deadline_ms(), now):
            self._take(self.driver.tick(now))
        if _is_due(self.reader.deadline_ms(), now):
            self.reader.tick(now)
            self.witness.note(self.reader, now)
        if _is_due(self.witness.judge_ms, now):
            self.witness.judge(self.reader, now)

    def _take(self, first: Output) -> None:
        waiting = deque([first])
        while waiting:
            output = waiting.popleft()
            self._online |= output.online is True
            for view in output.views:
                self.reader.see(view, self.now_ms)
                self.witness.note(self.reader, self.now_ms)
            if output.send and (data := self.board.receive(output.send, self.now_ms)):
                waiting.append(self.driver.receive(data, self.now_ms))


def _is_due(moment: int | None, now: int) -> bool:
    return moment is not None and moment <= now
