"""How a board is played at: values that a session is given once and never changes by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.position import Side
from engine.ruleset import Ruleset, load_ruleset, variant_names
from station.clock import TimeControl
from station.handling.arm import ArmSettings

PERSON = "person"
MOST_NAME = 60
"""So many characters a person's name may have."""
PROBLEM = "problem:"
"""Before the number of a problem, whose line plays this side."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Waiting times in ms. Start values measured in `boards/reconciliation.md` 4.1; two presets, no sliders."""

    quick: int
    """A finished move that no other legal move passes through."""
    extended: int
    """A finished move that may also be a stage of another."""
    reply_hold: int
    """The reply is not shown before this time after the move it answers."""
    revise: int
    """The last move may be changed until the other side acts, and at most this long after the reply was shown."""
    forgot: int
    """Captured pieces left standing are named after this time."""
    go_on: int
    """A capture that stops half-way is prompted after this time."""
    illegal: int
    """A board that no story explains is spoken about after this time."""
    ply: int = 400
    """Nobody makes a move in less, from lifting the piece to the other side's touch."""
    back: int = 1000
    """The position before the last move stands again: taken back after this time."""
    further_back: int = 2000
    """An older position stands again."""
    set_up: int = 250
    """The position asked for stands: play begins after this time."""
    start_again: int = 3000
    """The start position stands in the middle of a game: a new game after this time."""
    choice_hold: int = 1500
    """As `reply_hold`, where the piece that moved could have gone elsewhere: hands hesitate for up to 1.5 s,
    counted from the contact, and it takes a contact up to 0.1 s to be told."""


CALM = Pace(quick=120, extended=900, reply_hold=600, revise=4000, forgot=2000, go_on=2500, illegal=1500, ply=400)
BLITZ = Pace(
    quick=80, extended=450, reply_hold=200, revise=1500, forgot=1000, go_on=1500, illegal=1000, ply=150, choice_hold=500
)
PACES = {"calm": CALM, "blitz": BLITZ}
PACE_RANGES: dict[str, tuple[int, int]] = {
    "quick": (20, 5000),
    "extended": (20, 10_000),
    "reply_hold": (0, 10_000),
    "revise": (0, 60_000),
    "forgot": (200, 60_000),
    "go_on": (200, 60_000),
    "illegal": (200, 60_000),
    "ply": (0, 5000),
    "back": (200, 60_000),
    "further_back": (200, 60_000),
    "set_up": (50, 60_000),
    "start_again": (500, 60_000),
    "choice_hold": (0, 10_000),
}
"""What each time may be set to, in ms."""


def preset_of(pace: Pace) -> str:
    """The preset that a pace is; empty when times of its own were set."""
    return next((name for name, preset in PACES.items() if preset == pace), "")


@dataclass(frozen=True, slots=True)
class Settings:
    """One board's game: rules, players and manners."""

    board: str
    ruleset: Ruleset
    white: str = PERSON
    black: str = PERSON
    pace: Pace = CALM
    confirm: str = "automatic"
    """`automatic`, `button`, or `when-ambiguous` (a button only where the board alone cannot tell)."""
    touch_move: bool = False
    """Whether the first piece touched that can move must move, unless it was adjusted."""
    draws: str = "automatic"
    """`automatic`, or `claim`: counted draws end the game only when somebody claims them."""
    replies: str = "shown"
    """`shown`: only the engine's own move counts as its reply; `any`: another legal one that stands long enough."""
    adapt: bool = False
    """Whether the engine's level follows the results of the person who plays it."""
    clock: TimeControl | None = None
    start_fen: str = ""
    invite_ms: int = 0
    """A board that nobody has touched for so long before the first move lights the pieces that may begin; 0: never."""
    ballot: str = ""
    """What each game draws its opening from, as `engine.ballot` reads it; empty: nothing is drawn."""
    arm: ArmSettings | None = None
    """The arm at the board; None: lamps and pages alone."""
    rulesets: tuple[Ruleset, ...] = ()
    """Rule sets that a new game may name besides the built-in ones: house rules, and the one configured."""

    def ruleset_named(self, name: str) -> Ruleset | None:
        """The rule set of a name; the one configured and house rules first. None when there is no such rule set."""
        known = (*self.rulesets, self.ruleset)
        found = next((ruleset for ruleset in known if ruleset.name == name), None)
        return load_ruleset(name) if found is None and name in variant_names() else found

    def player(self, side: Side) -> str:
        """Who plays a side: `person`, `person:NAME`, `engine:LEVEL`, `hub:COMMAND` or `problem:NUMBER`."""
        return self.white if side is Side.WHITE else self.black

    def is_person(self, side: Side) -> bool:
        """Whether a person at the board plays this side."""
        return self.player(side).partition(":")[0] == PERSON

    def name_of(self, side: Side) -> str:
        """Who plays a side as a record names it."""
        return record_name(self.player(side))


def record_name(player: str) -> str:
    """A player as a record names it: a person's own name, where it was told."""
    return player.removeprefix(f"{PERSON}:")


def problem_number(settings: Settings) -> int:
    """The number of the problem that is to be solved; 0 in a game."""
    found = next((player for player in (settings.white, settings.black) if player.startswith(PROBLEM)), "")
    return int(found.removeprefix(PROBLEM)) if found else 0


def without_problem(settings: Settings) -> Settings:
    """Settings for a game after a problem: persons play it, from the start."""
    if not problem_number(settings):
        return settings
    return replace(settings, white=PERSON, black=PERSON, start_fen="")
