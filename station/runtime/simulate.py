"""Simulated hands play recorded games on a simulated board, in simulated time: a discrete clock, real bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Protocol, runtime_checkable

from engine.position import Move, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset
from firmware_bridge.driver import Output
from firmware_bridge.simulator import PRESETS as NOISE
from firmware_bridge.simulator import SimulatedBoard, device_for
from station import announcements as say
from station.effects import Announce, Choose, Show
from station.events import Event, PlayerChose, Pressed, Requested, TimePassed
from station.journal import FORMAT, Header
from station.phases import Answering
from station.ports import BoardDriver, Historian
from station.runtime.boards import driver_class
from station.runtime.desk import Desk, JournalFile, events_of, looked_for
from station.runtime.made_games import Game
from station.runtime.version import PROGRAM
from station.runtime.witness import MISSED_MS, GameReport, Witness
from station.session import begin, deadline_ms
from station.settings import BLITZ, CALM, Settings
from station.simulation.habits import Habits, someone
from station.simulation.hands import PRESETS as HANDS
from station.simulation.hands import Touch, sweep
from station.simulation.turns import Act, turn_acts
from station.texts import load_texts

READY_MS = 20_000
"""A simulated board that is not ready to play after this time never will be."""

STATE_PERIOD_MS = 500
"""How often a simulated matrix board repeats an unchanged state: its slowest, so that simulated time runs fast."""

TELLING_MS = 1500
"""How long a person takes who is asked on the page which of two moves was played."""

ASKING = ("which", "confirm", "put_down")
"""Prompts that people answer, when they have made their move."""

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


@runtime_checkable
class Overlooked(Protocol):
    """A simulated board over which hands are seen."""

    def coming(self, touches: Sequence[Touch], side: Side) -> None:
        """A person is about to do this."""


class Table:
    """A simulated board, its driver and a desk on one discrete clock."""

    def __init__(self, board: SimulatedBoard, driver: BoardDriver, desk: Desk, witness: Witness) -> None:
        self.now_ms = 0
        self.board, self.driver, self.desk, self.witness = board, driver, desk, witness
        self._happening: deque[Output | Event] = deque()
        self._choosing: tuple[int, PlayerChose] | None = None
        self._tells_ms: int | None = None
        self._take(driver.start(0))

    def coming(self, touches: Sequence[Touch], side: Side) -> None:
        """A camera sees a hand before it touches anything."""
        if isinstance(self.board, Overlooked):
            self.board.coming(touches, side)

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

    def until_ready(self) -> None:
        """Lets time pass until a game can be played."""
        while not self.desk.session.started and self.now_ms < READY_MS:
            self.advance(self.now_ms + 100)

    def until_shown(self) -> int:
        """Lets time pass until a reply is shown, at most three seconds, and the hands go on all the same; when."""
        give_up = self.now_ms + MISSED_MS
        while self.now_ms < give_up:
            phase = self.desk.session.phase
            if isinstance(phase, Answering) and phase.shown_ms <= self.now_ms:
                break
            self.advance(self.now_ms + 20)
        return self.now_ms

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
            self.witness.hear(effects, self.desk.session, self.now_ms)
            position = looked_for(self.desk.session)
            if position is not None and isinstance(self.driver, Historian):
                waiting.append(self.driver.recollect(position, self.now_ms))
            for effect in effects:
                if isinstance(effect, Show):
                    waiting.append(self.driver.show(effect.cues, self.now_ms))
                elif isinstance(effect, Choose):
                    self._choose(effect)
                elif isinstance(effect, Announce) and getattr(effect.what, "prompt", "") in ASKING:
                    self._tells_ms = self.now_ms + TELLING_MS

    def _tell(self, now: int) -> None:
        """A person says on the page which of the moves that look alike was played, unless the question is gone.

        Where a move ends on a dead square, the button says that it is made.
        """
        session = self.desk.session
        act = self.witness.performed[-1] if self.witness.performed else None
        if not session.alike and act is not None and act.last_contact_ms <= now:
            self._take(Pressed(now, "confirm"))
            return
        for number, story in enumerate(session.alike, 1):
            ply = session.game.ply - story.back
            meant = self.witness.intended[ply : ply + len(story.moves)]
            if [move.effect for move in meant] == [move.effect for move in story.moves]:
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
    board, driver = _wired(start, ruleset, setup, seed)
    settings = settings_for(ruleset, setup, start)
    file = None
    if journal is not None:
        header = Header(FORMAT, PROGRAM, f"seed-{seed}", "1970-01-01T00:00:00.000Z", settings, "en")
        file = JournalFile(journal, header, durable=False)
    desk = Desk(begin(settings, load_texts("en"), f"seed-{seed}"), file)
    table = Table(board, driver, desk, Witness(moves))
    table.until_ready()
    perform(table, start, moves, ruleset, HANDS[setup.hands], Random(seed), setup.replies)
    if file is not None:
        file.close()
    return table.witness.report()


def _wired(start: Position, ruleset: Ruleset, setup: Setup, seed: int) -> tuple[SimulatedBoard, BoardDriver]:
    """A simulated board on which a position stands, and its driver."""
    if setup.driver == "camera":
        from station.runtime.simulated_camera import camera_at

        return camera_at(ruleset, start.contents, seed)
    driver = driver_class(setup.driver)(ruleset.geometry, rules_for(ruleset).start().contents)
    return board_with(start, ruleset, setup, seed, STATE_PERIOD_MS), driver


def play_until(
    moves: int, games: Iterable[Game], setup: Setup, seed: int, replies: str | None = None
) -> Iterator[GameReport]:
    """Lets hands play games until so many moves are made; `replies` as `replies_in` takes it."""
    made = 0
    for number, game in enumerate(games, 1):
        in_game = replace(setup, replies=replies_in(number, replies))
        report = play(game.start, game.moves, game.ruleset, in_game, seed * 100_003 + number)
        made += report.moves
        yield report
        if made >= moves:
            return


def replies_in(number: int, replies: str | None) -> Side | None:
    """Whose moves the station shows in a game of this number, from 1; `mixed`: in turn nobody's, White's, Black's."""
    if replies == "mixed":
        return (None, Side.WHITE, Side.BLACK)[(number - 1) % 3]
    return Side(replies) if replies else None


def board_with(start: Position, ruleset: Ruleset, setup: Setup, seed: int, period_ms: int = 20) -> SimulatedBoard:
    """A simulated board on which a position stands; where the noise says so, some of its squares are dead."""
    faults = NOISE[setup.noise]
    board = device_for(
        setup.driver,
        ruleset.columns,
        ruleset.rows,
        seed=seed,
        faults=faults,
        colour=setup.colour,
        period_ms=period_ms,
    )
    for cell in Random(seed).sample(ruleset.geometry.cells, faults.dead_squares):
        board.break_sensor(cell)
    for square, piece in enumerate(start.contents):
        board.put(ruleset.geometry.cells[square], piece, 0)
    return board


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


class Watching(Protocol):
    """Whoever is told what the hands mean."""

    troubled: bool

    def begins(self, act: Act) -> None:
        """The hands begin an act."""


class Stage(Protocol):
    """Where hands can play and be watched: a table, whoever reads its board."""

    @property
    def witness(self) -> Watching:
        """Who watches."""

    @property
    def now_ms(self) -> int:
        """The time."""

    def coming(self, touches: Sequence[Touch], side: Side) -> None:
        """A person of this side is about to do this."""

    def touch(self, touch: Touch) -> None:
        """A hand takes a piece off a square or puts one on it, when its time comes."""

    def advance(self, until_ms: int) -> None:
        """Let everything happen that is due until then."""

    def until_shown(self) -> int:
        """Lets time pass until the lamps show a reply; when that was."""


def perform(
    stage: Stage,
    start: Position,
    moves: Sequence[Move],
    ruleset: Ruleset,
    habits: Habits,
    chance: Random,
    replies: Side | None = None,
) -> None:
    """Two people play a game to its end and let go of the board; `replies` is the side whose moves lamps show."""
    rules = rules_for(ruleset)
    people = {side: someone(habits, chance) for side in (Side.WHITE, Side.BLACK)}
    person = people[Side.WHITE if replies is Side.BLACK else Side.BLACK]
    position, world = rules.opened(start), start.contents
    last_contact_ms = stage.now_ms
    for move in moves:
        is_reply = position.turn is replies
        player = person if replies else people[position.turn]
        begins = last_contact_ms + player.thinking.draw(chance)
        if is_reply:
            begins = stage.until_shown() + player.told.draw(chance)
        for act in turn_acts(position, move, rules, world, player, chance, begins, is_reply):
            stage.coming(act.touches, position.turn)
            stage.advance(act.touches[0].at_ms - 1)
            stage.witness.begins(act)
            for touch in act.touches:
                stage.touch(touch)
            world, last_contact_ms = act.world, act.last_contact_ms
        position = position.after(move)
    stage.advance(last_contact_ms + MISSED_MS + 1000)
    if habits.sweep and chance.random() < habits.sweep:
        stage.witness.troubled = True
        for touch in sweep(ruleset.geometry, world, chance, stage.now_ms):
            stage.touch(touch)
        stage.advance(stage.now_ms + MISSED_MS)
