"""The value a session is, and what its board is read against."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.explain import Violation
from engine.game import Game, Outcome
from engine.geometry import Square
from engine.position import Move, Side
from engine.view import BoardView, Evidence
from firmware_bridge.driver import Battery, ClockTimes, Cues, Device
from station.clock import Clocks
from station.handling.arm import Arm
from station.phases import ActivePhase, Answering, Composing, Over, Paused, Phase, SettingUp, Turn, Waiting
from station.settings import Settings
from station.texts import Texts
from station.tracker import (
    Ambiguous,
    Context,
    Expectation,
    Memory,
    Reading,
    Story,
    Untouched,
    expect,
    nobody,
    only,
)

UNSEEN_PLIES = 4
"""At most so many moves by persons may go into the record from one frame."""

REREAD_PLIES = 8
"""At most so many moves in the record may be read again when the board has gone astray."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What people were told of a frame."""

    since_ms: int
    told: tuple[str, ...]
    broken: Violation | None
    pointed: int


@dataclass(frozen=True)
class Session:
    """One game at one board. Everything a decision depends on is in here; nothing else is."""

    settings: Settings
    texts: Texts
    game: Game
    boot: str
    """Tells the games of one start of the station from those of another."""
    game_id: str
    phase: Phase
    at_ms: int = 0
    games: int = 0
    """Games begun since the start."""
    touched: Square | None = None
    """The first piece touched in this turn that can move, where touch-move is played."""
    adjusting: bool = False
    """Whether "I adjust" was said before the pieces were touched."""
    lifted: bool = False
    """Whether something has left its square, as far as touch-move goes."""
    weak: tuple[Square, ...] = ()
    """Squares whose sensors flicker."""
    dead: tuple[Square, Evidence] | None = None
    """The square that is read around, and what its sensor goes on to say."""
    ready_until_ms: int = 0
    """Until then the lamps say that the board stands right."""
    lamps: bool = True
    """Whether the board's lamps are lit; what they would show stands on the page all the same."""
    seq: int = 0
    """Announcements made in this game."""
    request: int = 0
    """Number of the latest question to a player."""
    hint: Move | None = None
    """What the person to move was advised."""
    is_hint_whole: bool = False
    """Whether the hint tells where the piece goes, and not only which one it is."""
    hint_request: int = 0
    """Number of the question for a hint that is not answered yet; 0 when there is none."""
    started: bool = False
    """Whether the game has been announced as begun."""
    resumed: bool = False
    """Whether the game was kept while the station was off, and nothing has told yet that it is gone on with."""
    drawn_plies: int = 0
    """How many of the game's moves were drawn: they are not taken back."""
    opening: str = ""
    """Table and label of what was drawn."""
    results: tuple[float, ...] = ()
    """Points of the person in the games against the engine at its present level, the latest last, with `adapt`."""
    memory: Memory = field(default_factory=Memory)
    soft: BoardView | None = None
    """The latest view as it came, where its sensor was not sure of every square."""
    reading: Reading = field(default_factory=Untouched)
    differs: bool = False
    """Whether it was announced that the board differs from the game."""
    led: int = 0
    """On how many squares the board differed when people began to be led back from there; 0 when they are not."""
    broken: Violation | None = None
    """The rule that what stands on the board would break, once it was announced."""
    told: tuple[str, ...] = ()
    """Prompts announced since the frame last changed."""
    pointed: int = 0
    """Which of the stories that look alike a button points at, from 0."""
    hasty_ms: int | None = None
    """When moves were read from a slow board before all of it was told: they are looked at once more."""
    unwatched_plies: int = 0
    """The moves of the game when the board was last out of sight: what they left may have gone unseen."""
    told_plies: int = 0
    """How many of the game's moves a person has told, or came before one that was: they are not read again."""
    asked: tuple[Story, ...] = ()
    """Lines that look alike, as a person was asked last: the question stays open while the game goes on."""
    spoken: tuple[Spoken, ...] = ()
    """The same of frames left a moment ago: what a blip hides need not be said again."""
    device: Device | None = None
    battery: Battery | None = None
    """What the device said of its battery last, if it has one."""
    battery_is_low: bool = False
    board_clock: ClockTimes | None = None
    """What a clock at the board showed at `board_clock_ms`."""
    board_clock_ms: int = 0
    is_stopped: bool = False
    """Whether the emergency stop at the board is pressed."""
    arm: Arm | None = None
    """The arm at the board, where there is one."""
    problem: str = ""
    turn_began_ms: int = 0
    ended_ms: int = 0
    """When the game ended last."""
    corrected: bool = False
    """Whether the last move in the record is a correction of another."""
    new_king: Square | None = None
    """The king that the last move made, in the turn that this move began; one come back to has its crown already."""
    clocks: Clocks | None = None
    landed_ms: int | None = None
    """When the last touch of a move was that stands complete on the board and is not in the record yet."""
    offer: Side | None = None
    """Who has offered a draw, until it is answered or lapses."""
    claim: Outcome | None = None
    """The draw that may be claimed in the game's position."""
    engine_score: int | None = None
    """What the engine thought of its own side at its last move, in hundredths of a man."""
    resign_ms: int | None = None
    """When the button that resigns was pressed for the first time."""
    shown: Cues = ()
    """Cues sent to the lamps last."""

    @property
    def alike(self) -> tuple[Story, ...]:
        """What a person may choose from: stories that look alike now, or did when it was asked."""
        return self.reading.stories if isinstance(self.reading, Ambiguous) else self.asked

    @property
    def active(self) -> ActivePhase:
        """The phase, or the one that a pause interrupted."""
        return self.phase.interrupted if isinstance(self.phase, Paused) else self.phase

    @property
    def beneath(self) -> ActivePhase:
        """How the game stands, whatever interrupts it: a pause, or a position that is set up by hand meanwhile."""
        active = self.active
        return active.before if isinstance(active, Composing) else active

    @property
    def turn(self) -> Side:
        """Whose turn it is in the game."""
        return self.game.position.turn

    def quiet_ms(self) -> int:
        """For how long the board has shown the same."""
        return self.at_ms - self.memory.since_ms


def may_look_again(session: Session) -> bool:
    """Whether moves read in haste are to be looked at once more: the whole board is told now, some time after them."""
    since_ms = session.hasty_ms
    return since_ms is not None and session.memory.firm and session.at_ms >= since_ms + session.settings.pace.quick


def context_of(session: Session) -> Context:
    """What the board is read against now: moves expected, the move that may still be changed."""
    game = session.game
    last_by_person = game.ply > session.drawn_plies and session.settings.is_person(game.positions[-2].turn)
    revisable = last_by_person and _may_revise(session)
    both_persons = all(session.settings.is_person(side) for side in Side)
    kept = max(session.drawn_plies, session.told_plies, game.ply - REREAD_PLIES)
    own_next = isinstance(session.active, Answering) and session.settings.is_person(session.turn.other)
    return Context(
        expected=_expected(session),
        ruleset=game.ruleset,
        earlier=expect(game.positions[-2], game.ruleset) if revisable else None,
        last=game.moves[-1] if game.moves else None,
        plies=UNSEEN_PLIES if both_persons else 2 if own_next else 1,
        now_ms=session.at_ms,
        ply_ms=session.settings.pace.ply,
        still_ms=session.settings.pace.extended,
        rest_ms=session.settings.pace.start_again,
        positions=game.positions[kept:] if both_persons else (),
        record=game.moves[kept:] if both_persons else (),
        reread_ms=session.settings.pace.quick,
        asked=bool(session.asked),
        doubtful=may_look_again(session),
        answering=isinstance(session.active, Answering),
    )


def _expected(session: Session) -> Expectation:
    everything = expect(session.game.position, session.game.ruleset)
    match session.active:
        case Turn():
            return everything
        case Answering(move=move):
            return everything if session.settings.replies == "any" else only(everything, move)
        case SettingUp(target=target):
            return nobody(expect(target, session.game.ruleset))
        case Waiting() | Over() | Composing():
            return nobody(everything)


def _may_revise(session: Session) -> bool:
    match session.active:
        case Turn() | Waiting():
            return True
        case Answering(shown_ms=shown_ms):
            return session.at_ms <= shown_ms + session.settings.pace.revise
        case Over(outcome=outcome):
            return outcome.on_board
        case SettingUp() | Composing():
            return False
