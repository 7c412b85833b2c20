"""Games begin: what a new game is asked for with, its pieces set up, the one before broken off."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from engine.levels import next_level
from engine.position import Position, Side
from engine.ruleset import Ruleset
from station import announcements as say
from station.clock import control_text, fresh
from station.new_game import wanted_settings
from station.openings import Opened, opened, start_position
from station.phases import Over, SettingUp
from station.record import end
from station.settings import Settings, problem_number, without_problem
from station.state import Session
from station.steps import Step, announce, enter, phase_of, prompt, remembered, settled, shows, stop_choosing, then
from station.tracker import Masks, Untouched, forget
from station.values import replace

READY_MS = 700
"""How long the lamps go on to say that the board stands right, once play has begun."""


def ask_new_game(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    """A new game by request, and why it was refused if it was."""
    wanted = wanted_settings(session.settings, arguments)
    return ((session, ()), wanted) if isinstance(wanted, str) else (start_over(session, wanted), None)


def start_over(session: Session, settings: Settings, fen: str = "") -> Step:
    """A new game: the one before is broken off if it was not over; the start position is to be set up.

    With `fen` this one game begins from there.
    """
    if settings == session.settings:
        settings = without_problem(settings)
    settings, results = _adapted(session, replace(settings, ruleset=_ruleset_now(settings)))
    games = session.games + 1
    from_there = replace(settings, start_fen=fen, ballot="") if fen else settings
    new = opened_for(from_there, f"{session.boot}-{games}")
    stopped = stop_choosing(session)
    unfinished = session.started and not isinstance(session.beneath, Over)
    ended = then(stopped, _abandon) if unfinished else stopped
    return then(ended, lambda now: _fresh(replace(now, results=results), settings, new, games))


def _adapted(session: Session, settings: Settings) -> tuple[Settings, tuple[float, ...]]:
    """Settings for the next game, and the results so far: with `adapt`, the engine's level follows them."""
    same = (settings.white, settings.black) == (session.settings.white, session.settings.black)
    engine = next((side for side in Side if settings.player(side).startswith("engine:")), None)
    if not (settings.adapt and same) or engine is None or not settings.is_person(engine.other):
        return settings, ()
    if not isinstance(session.beneath, Over):
        return settings, session.results
    winner = session.beneath.outcome.winner
    results = (*session.results, 0.5 if winner is None else float(winner is not engine))
    level = int(settings.player(engine).removeprefix("engine:"))
    following = f"engine:{next_level(level, results)}"
    if following == settings.player(engine):
        return settings, results
    white, black = (following, settings.black) if engine is Side.WHITE else (settings.white, following)
    return replace(settings, white=white, black=black), ()


def _abandon(session: Session) -> Step:
    return announce(session, say.GameOver("*", session.texts.say("reason.abandoned"), ""))


def _fresh(session: Session, settings: Settings, new: Opened, games: int) -> Step:
    begun = replace(
        remembered(session, new.game),
        settings=settings,
        game_id=f"{session.boot}-{games}",
        games=games,
        seq=0,
        drawn_plies=new.drawn_plies,
        opening=new.opening,
        clocks=None if problem_number(settings) else fresh(settings.clock),
        landed_ms=None,
        offer=None,
        engine_score=None,
        started=False,
        differs=False,
        led=0,
        broken=None,
    )
    return enter(begun, SettingUp(new.game.position))


def opened_for(settings: Settings, game_id: str) -> Opened:
    """The game that these settings begin."""
    return opened(settings.ruleset, settings.start_fen, settings.ballot, game_id)


def home(settings: Settings) -> Position:
    """The position that asks for a new game when it is set up: the start, not what a ballot makes of it."""
    settings = without_problem(settings)
    return start_position(_ruleset_now(settings), settings.start_fen)


def _ruleset_now(settings: Settings) -> Ruleset:
    """The rules of the next game: house rules may have changed since a game began that was gone on with."""
    return settings.ruleset_named(settings.ruleset.name) or settings.ruleset


def decide_set_up(session: Session, target: Masks) -> Step:
    """Begin to play once the board shows what is to be set up."""
    session = replace(session, reading=Untouched())
    if not shows(session, target) or not settled(session, session.settings.pace.set_up):
        return session, ()
    session = replace(
        session,
        memory=forget(session.memory),
        turn_began_ms=session.at_ms,
        ready_until_ms=session.at_ms + READY_MS,
    )
    begun = (session, ()) if session.started else _announce_begin(replace(session, started=True))
    return then(then(begun, prompt), _turn_or_end)


def _turn_or_end(session: Session) -> Step:
    """The first turn; a position that was set up may end the game at once, by its rules."""
    phase = phase_of(session)
    return end(session, phase.outcome) if isinstance(phase, Over) else enter(session, phase)


def _announce_begin(session: Session) -> Step:
    """Tell of a game that begins, and of its drawn moves."""
    game = session.game
    step_on = announce(session, _game_started(session))
    for ply in range(1, session.drawn_plies + 1):
        made = say.moved(game.back(game.ply - ply), "drawn", 0)
        step_on = then(step_on, partial(announce, what=made))
    return step_on


def _game_started(session: Session) -> say.GameStarted:
    settings, game = session.settings, session.game
    fen = say.fen_of(game.start, game.ruleset)
    clock = "" if session.clocks is None else control_text(settings.clock)
    return say.GameStarted(game.ruleset.name, fen, settings.white, settings.black, session.opening, clock)
