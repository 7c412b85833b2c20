"""Simulated hands play recorded games on a simulated board, in simulated time: a discrete clock, real bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from engine.position import Move, Position, Side
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset
from firmware_bridge.driver import Output
from firmware_bridge.simulator import PRESETS as NOISE
from firmware_bridge.simulator import SimulatedBoard, device_for
from station import announcements as say
from station.effects import Announce, Choose, Effect, Show
from station.events import Event, PlayerChose, Requested, TimePassed
from station.journal import FORMAT, Header
from station.phases import Answering
from station.ports import BoardDriver
from station.runtime.boards import driver_class
from station.runtime.desk import Desk, JournalFile, events_of
from station.runtime.version import PROGRAM
from station.session import begin, deadline_ms
from station.settings import BLITZ, CALM, Settings
from station.simulation.hands import PRESETS as HANDS
from station.simulation.hands import Habits, Performance, Touch, follow, play_move
from station.texts import load_texts
from station.tracker import Ambiguous

MISSED_MS = 3000
"""A move that is not in the record this long after the last contact counts as missed."""

READY_MS = 20_000
"""A simulated board that is not ready to play after this time never will be."""

STATE_PERIOD_MS = 500
"""How often a simulated matrix board repeats an unchanged state: its slowest, so that simulated time runs fast."""

TELLING_MS = 1500
"""How long a person takes who is asked on the page which of two moves was played."""

THINKING_MS = 250
"""How long the recorded player thinks."""

RECORDED = "recorded"
"""The player who makes the moves of one side of a recorded game when hands carry out its replies."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is simulated: the board, the hands, the faults of the wire."""

    driver: str = "matrix"
    hands: str = "calm"
    noise: str = "none"
    colour: bool = False
    replies: Side | None = None
    """The side whose moves the station shows and the hands carry out."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """How the record of one game compares with what the hands did."""

    moves: int
    equal: bool
    wrong: int
    wrong_seen: int
    withdrawn: int
    missed: int
    needless_prompts: int
    latencies_ms: tuple[int, ...]


@dataclass(slots=True)
class Witness:
    """What the hands meant, and what was announced, side by side."""

    intended: Sequence[Move]
    performed: list[Performance] = field(default_factory=list)
    record: list[tuple[Move, int]] = field(default_factory=list)
    wrong_seen: int = 0
    withdrawn: int = 0
    needless_prompts: int = 0

    def hear(self, effects: Sequence[Effect], moves: Sequence[Move], at_ms: int) -> None:
        """Take note of announcements; `moves` is the session's record after them."""
        for effect in effects:
            if not isinstance(effect, Announce):
                continue
            match effect.what:
                case say.Moved(ply=ply):
                    self._recorded(ply, moves[ply - 1], at_ms)
                case say.Revised(ply=ply):
                    self.withdrawn += 1
                    self._recorded(ply, moves[ply - 1], at_ms)
                case say.TakenBack(plies=plies):
                    self.withdrawn += plies
                    del self.record[len(self.record) - plies :]
                case say.Prompted(prompt="which"):
                    pass  # moves that look alike have to be asked for
                case say.Illegal() | say.BoardDiffers() | say.Prompted():
                    self.needless_prompts += not (self.performed and self.performed[-1].slips)

    def _recorded(self, ply: int, move: Move, at_ms: int) -> None:
        del self.record[ply - 1 :]
        self.record.append((move, at_ms))
        meant = self.intended[ply - 1] if ply <= len(self.intended) else None
        self.wrong_seen += meant is None or meant.effect != move.effect

    def report(self) -> GameReport:
        """The comparison, once the hands are off."""
        right = [
            at_ms - performance.last_contact_ms
            for (move, at_ms), meant, performance in zip(self.record, self.intended, self.performed, strict=False)
            if move.effect == meant.effect
        ]
        effects = [move.effect for move, _ in self.record]
        late = sum(1 for latency in right if latency > MISSED_MS)
        return GameReport(
            moves=len(self.performed),
            equal=effects == [move.effect for move in self.intended],
            wrong=len(self.record) - len(right),
            wrong_seen=self.wrong_seen,
            withdrawn=self.withdrawn,
            missed=late + len(self.performed) - len(right),
            needless_prompts=self.needless_prompts,
            latencies_ms=tuple(max(0, latency) for latency in right),
        )


class Table:
    """A simulated board, its driver and a desk on one discrete clock."""

    def __init__(self, board: SimulatedBoard, driver: BoardDriver, desk: Desk, witness: Witness) -> None:
        self.now_ms = 0
        self.board, self.driver, self.desk, self.witness = board, driver, desk, witness
        self._happening: deque[Output | Event] = deque()
        self._choosing: tuple[int, PlayerChose] | None = None
        self._tells_ms: int | None = None
        self._take(driver.start(0))

    def touch(self, touch: Touch) -> None:
        """A hand takes a piece off a square or puts one on it, when its time comes."""
        self.advance(touch.at_ms)
        cell = self.desk.session.game.ruleset.geometry.cells[touch.square]
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

    def _due_ms(self) -> int | None:
        chosen = self._choosing[0] if self._choosing else None
        session_ms = deadline_ms(self.desk.session)
        moments = (self.board.deadline_ms(), self.driver.deadline_ms(), session_ms, chosen, self._tells_ms)
        return min((moment for moment in moments if moment is not None), default=None)

    def _happen(self) -> None:
        now = self.now_ms
        if _is_due(self.board.deadline_ms(), now) and (data := self.board.tick(now)):
            self._take(self.driver.receive(data, now))
        if _is_due(self.driver.deadline_ms(), now):
            self._take(self.driver.tick(now))
        if self._choosing and _is_due(self._choosing[0], now):
            (_, chosen), self._choosing = self._choosing, None
            self._take(chosen)
        if _is_due(self._tells_ms, now):
            self._tells_ms = None
            self._tell(now)
        if _is_due(deadline_ms(self.desk.session), now):
            self._take(TimePassed(now))

    def _take(self, first: Output | Event) -> None:
        """Carry an output or an event through driver, session and board until nothing more comes of it."""
        waiting: deque[Output | Event] = deque([first])
        while waiting:
            item = waiting.popleft()
            if isinstance(item, Output):
                waiting.extend(events_of(item, self.driver, self.now_ms))
                if item.send and (data := self.board.receive(item.send, self.now_ms)):
                    waiting.append(self.driver.receive(data, self.now_ms))
                continue
            effects = self.desk.handle(item)
            self.witness.hear(effects, self.desk.session.game.moves, self.now_ms)
            for effect in effects:
                if isinstance(effect, Show):
                    waiting.append(self.driver.show(effect.cues, self.now_ms))
                elif isinstance(effect, Choose):
                    self._choose(effect)
                elif isinstance(effect, Announce) and getattr(effect.what, "prompt", "") == "which":
                    self._tells_ms = self.now_ms + TELLING_MS

    def _tell(self, now: int) -> None:
        """A person says on the page which of the moves that look alike was played, unless the question is gone."""
        session = self.desk.session
        if not isinstance(session.reading, Ambiguous):
            return
        for number, story in enumerate(session.reading.stories, 1):
            ply = session.game.ply - story.back
            meant = self.witness.intended[ply : ply + 1]
            if meant and meant[0].effect == story.moves[-1].effect:
                self._take(Requested(now, "page:which", "choose", {"number": number}))
                return

    def _choose(self, choose: Choose) -> None:
        """The recorded player thinks for a moment; in a position that is not the recorded one it plays anything."""
        legal, ply = choose.game.legal_moves, choose.game.ply
        recorded = [move for move in self.witness.intended[ply : ply + 1] if move.effect in [m.effect for m in legal]]
        answers_ms = self.now_ms + THINKING_MS
        self._choosing = (answers_ms, PlayerChose(answers_ms, choose.request, (recorded or [*legal])[0]))


def _is_due(moment: int | None, now: int) -> bool:
    return moment is not None and moment <= now


def play(
    start: Position, moves: Sequence[Move], ruleset: Ruleset, setup: Setup, seed: int, journal: Path | None = None
) -> GameReport:
    """Let hands play one game on a simulated board, and report how the record compares."""
    chance, rules = Random(seed), rules_for(ruleset)
    habits = HANDS[setup.hands]
    geometry, home = ruleset.geometry, rules.start().contents
    board = device_for(
        setup.driver,
        ruleset.columns,
        ruleset.rows,
        seed=seed,
        faults=NOISE[setup.noise],
        colour=setup.colour,
        period_ms=STATE_PERIOD_MS,
    )
    for square, piece in enumerate(start.contents):
        board.put(geometry.cells[square], piece, 0)
    settings = settings_for(ruleset, setup, start)
    file = None
    if journal is not None:
        header = Header(FORMAT, PROGRAM, f"seed-{seed}", "1970-01-01T00:00:00.000Z", settings, "en")
        file = JournalFile(journal, header, durable=False)
    desk = Desk(begin(settings, load_texts("en"), f"seed-{seed}"), file)
    witness = Witness(moves)
    table = Table(board, driver_class(setup.driver)(geometry, home), desk, witness)
    _until_ready(table)
    _perform(table, start, moves, rules, habits, chance, setup.replies)
    table.advance(table.now_ms + MISSED_MS + 1000)
    if file is not None:
        file.close()
    return witness.report()


def settings_for(ruleset: Ruleset, setup: Setup, start: Position) -> Settings:
    """The settings of a board on which a recorded game is replayed: it goes on to its recorded end."""
    return Settings(
        board="simulated",
        ruleset=ruleset,
        white=RECORDED if setup.replies is Side.WHITE else "person",
        black=RECORDED if setup.replies is Side.BLACK else "person",
        pace=BLITZ if setup.hands == "blitz" else CALM,
        draws="claim",
        start_fen="" if start.diagram == rules_for(ruleset).start().diagram else say.fen_of(start, ruleset),
    )


def _until_ready(table: Table) -> None:
    while not table.desk.session.started and table.now_ms < READY_MS:
        table.advance(table.now_ms + 100)


def _perform(
    table: Table,
    start: Position,
    moves: Sequence[Move],
    rules: Rules,
    habits: Habits,
    chance: Random,
    replies: Side | None,
) -> None:
    position, world = rules.opened(start), start.contents
    last_contact_ms = table.now_ms
    for move in moves:
        begins = last_contact_ms + habits.thinking.draw(chance)
        way = play_move
        if position.turn is replies:
            way = follow
            begins = _until_shown(table) + habits.told.draw(chance)
        legal = rules.legal_moves(position)
        ways = rules.ways(position)[move.effect]
        performance = way(position, move, ways, legal, rules.ruleset.geometry, habits, chance, begins, world)
        table.advance(begins - 1)
        table.witness.performed.append(performance)
        for touch in performance.touches:
            table.touch(touch)
        position, world = position.after(move), performance.world
        last_contact_ms = performance.last_contact_ms


def _until_shown(table: Table) -> int:
    """When the lamps show a reply; gives up waiting after three seconds, and the hands go on all the same."""
    give_up = table.now_ms + MISSED_MS
    while table.now_ms < give_up:
        phase = table.desk.session.phase
        if isinstance(phase, Answering) and phase.shown_ms <= table.now_ms:
            break
        table.advance(table.now_ms + 20)
    return table.now_ms
