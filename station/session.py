"""A session is one game at one board: step(session, event) -> (session', effects), a function of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

from engine.errors import NotationError, RulesetError
from engine.game import Game, Outcome, agreed, flag_fell, resigned
from engine.levels import next_level
from engine.position import Move, Position, Side
from engine.ruleset import Ruleset, variant_names
from station import announcements as say
from station.effects import Announce, Answer, Choose, Effect, Show, StopChoosing
from station.events import (
    BoardSeen,
    DeviceBack,
    DeviceLost,
    Event,
    PlayerChose,
    PlayerFailed,
    Pressed,
    Requested,
    TimePassed,
)
from station.guidance import SWEPT, guide, illegal_sentence, reason_text
from station.journal import Resumed
from station.openings import Opened, checked_ballot, opened, start_position
from station.phases import ActivePhase, Answering, Over, Paused, SettingUp, Turn, Waiting
from station.settings import Settings
from station.state import Session, context_of
from station.texts import Texts
from station.tracker import (
    Ambiguous,
    Astray,
    Clearing,
    Done,
    Masks,
    Memory,
    Moving,
    Story,
    Turned,
    Untouched,
    after_story,
    differing,
    forget,
    masks_of_position,
    read,
    read_back,
    read_illegal,
    remember,
)

Step = tuple[Session, tuple[Effect, ...]]

REQUESTS = ("new_game", "take_back", "resign", "draw", "flag", "pause", "resume", "choose")
"""Requests a session carries out."""


def begin(settings: Settings, texts: Texts, boot: str, resumed: Resumed | None = None) -> Session:
    """A session whose board has not been found yet; it goes on with an unfinished game where there is one."""
    if resumed is None:
        new = _new(settings, f"{boot}-1")
        return Session(
            settings,
            texts,
            new.game,
            boot,
            f"{boot}-1",
            Paused(SettingUp(new.game.position), "device"),
            games=1,
            drawn_plies=new.drawn_plies,
            opening=new.opening,
        )
    ruleset = resumed.game.ruleset
    if ruleset.name != settings.ruleset.name:
        settings = replace(settings, start_fen="", ballot="")
    settings = replace(settings, ruleset=ruleset, white=resumed.white, black=resumed.black)
    session = Session(
        settings,
        texts,
        resumed.game,
        boot,
        resumed.game_id,
        Paused(Turn(), "device"),
        seq=resumed.seq,
        started=True,
        drawn_plies=resumed.drawn_plies,
        opening=resumed.opening,
    )
    return replace(session, phase=Paused(_phase_of(session), "device"))


def step(session: Session, event: Event) -> Step:
    """The session after an event, and what it asks for."""
    session = replace(session, at_ms=event.at_ms)
    session, effects = _handle(session, event)
    session, decided = _decide(session)
    cues = guide(session).cues
    if cues == session.shown:
        return session, effects + decided
    return replace(session, shown=cues), (*effects, *decided, Show(cues))


def deadline_ms(session: Session) -> int | None:
    """When the session wants to hear that time has passed, if nothing else happens; None for never."""
    if isinstance(session.phase, Paused):
        return None
    later = [moment for moment in _moments(session) if moment > session.at_ms]
    return min(later, default=None)


def _moments(session: Session) -> list[int]:
    pace, since = session.settings.pace, session.memory.since_ms
    moments = []
    if isinstance(session.phase, Answering):
        moments.append(session.phase.shown_ms)
    if isinstance(session.phase, SettingUp):
        return [*moments, since + pace.set_up]
    if isinstance(session.phase, Over):
        moments.append(since + pace.set_up)
    earlier = (pace.back, pace.further_back, pace.start_again)
    waits: tuple[int, ...]
    match session.reading:
        case Untouched() | Turned():
            waits = ()
        case Done() | Ambiguous():
            waits = (pace.quick, pace.extended)
        case Moving():
            waits = (pace.go_on, *earlier)
        case Clearing():
            waits = (pace.forgot, *earlier)
        case Astray():
            waits = (pace.illegal, *earlier)
    return [*moments, *(since + wait for wait in waits)]


# --- events --------------------------------------------------------------------------------------------------------


def _handle(session: Session, event: Event) -> Step:
    match event:
        case BoardSeen(at_ms=at_ms, view=view):
            memory = remember(session.memory, view, at_ms, context_of(session))
            changed = memory.since_ms != session.memory.since_ms or session.memory.seen is None
            cleared = replace(session, told=(), broken=None) if changed else session
            return replace(cleared, memory=memory), ()
        case Pressed(button=button):
            return _pressed(session, button)
        case Requested(request=request, name=name, arguments=arguments):
            return _requested(session, request, name, arguments)
        case PlayerChose(request=request, move=move):
            return _chosen(session, request, move)
        case PlayerFailed(request=request, reason=reason):
            if session.phase == Waiting(request):
                return _enter(replace(session, problem=reason), session.phase)
            return session, ()
        case DeviceLost(reason=reason):
            return _device_lost(session, reason)
        case DeviceBack(device=device):
            session = replace(session, device=device, problem="")
            step_back = _announce(session, say.DeviceReturned(device.name, device.unique_id))
            return _then(step_back, lambda now: _resume(now, "device"))
        case TimePassed():
            return session, ()


def _pressed(session: Session, button: str) -> Step:
    ended_by = {"clock_white": Side.WHITE, "clock_black": Side.BLACK}.get(button)
    if button == "confirm" or ended_by is not None:
        if isinstance(session.reading, Done | Turned) and ended_by in (None, _mover(session, session.reading.story)):
            return _commit(session, session.reading.story)
        return session, ()
    if button in ("take_back", "new_game"):
        step_on, _ = _carry_out(session, button, {})
        return step_on
    return session, ()


def _mover(session: Session, story: Story) -> Side:
    """Whose move a story ends with."""
    return session.turn if (len(story.moves) - story.back) % 2 else session.turn.other


def _requested(session: Session, request: str, name: str, arguments: Mapping[str, str | int | bool]) -> Step:
    if name not in REQUESTS:
        return session, (Answer(request, f"{name}: no such request, expected one of {', '.join(REQUESTS)}"),)
    (session, effects), error = _carry_out(session, name, arguments)
    return session, (*effects, Answer(request, error))


def _carry_out(session: Session, name: str, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    """The session after a request, and why it was refused if it was."""
    match name:
        case "new_game":
            return _ask_new_game(session, arguments)
        case "take_back":
            return _ask_take_back(session, arguments)
        case "resign" | "draw" | "flag":
            return _ask_end(session, name, arguments)
        case "pause":
            if isinstance(session.phase, Paused):
                return (session, ()), "paused already"
            return _pause(session, "asked"), None
        case "resume":
            if not isinstance(session.phase, Paused) or session.phase.reason == "device":
                return (session, ()), "not paused"
            return _resume(session, session.phase.reason), None
        case _:
            return _ask_choose(session, arguments)


def _ask_new_game(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    settings = session.settings
    variant = arguments.get("variant", settings.ruleset.name)
    ruleset = settings.ruleset_named(str(variant))
    if ruleset is None:
        known = (*(known.name for known in settings.rulesets), *variant_names())
        return (session, ()), f"variant = {variant!r}: expected one of {', '.join(dict.fromkeys(known))}"
    if ruleset.geometry.cells != settings.ruleset.geometry.cells:
        return (session, ()), f"variant = {variant!r}: this board has {len(settings.ruleset.geometry)} squares"
    players = {side: str(arguments.get(side, settings.player(Side(side)))) for side in ("white", "black")}
    for side, player in players.items():
        if not is_player(player):
            return (session, ()), f"{side} = {player!r}: expected person, engine:1 to engine:10 or hub:COMMAND"
    same = ruleset.name == settings.ruleset.name
    start_fen = str(arguments.get("start_fen", settings.start_fen if same and not arguments.get("ballot") else ""))
    ballot = str(arguments.get("ballot", settings.ballot if same and not start_fen else ""))
    if start_fen and ballot:
        return (session, ()), f"ballot = {ballot!r}: found start_fen too, expected one of them"
    try:
        start_position(ruleset, start_fen)
    except (NotationError, RulesetError) as error:
        return (session, ()), f"start_fen: {error}"
    try:
        if ballot:
            checked_ballot(ballot, ruleset)
    except NotationError as error:
        return (session, ()), str(error)
    changed = replace(
        settings,
        ruleset=ruleset,
        start_fen=start_fen,
        ballot=ballot,
        white=players["white"],
        black=players["black"],
    )
    return _start_over(session, changed), None


def is_player(text: str) -> bool:
    """Whether a text names a player: `person`, `engine:1` to `engine:10`, `hub:COMMAND`."""
    kind, _, rest = text.partition(":")
    if kind == "engine":
        return rest.isdecimal() and 1 <= int(rest) <= 10
    return text == "person" or (kind == "hub" and bool(rest.strip()))


def _ask_take_back(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    plies = arguments.get("plies", _usual_take_back(session))
    most = _plies_played(session)
    if isinstance(plies, bool) or not isinstance(plies, int) or not 1 <= plies <= most:
        made = "the moves made so far" if not session.drawn_plies else "the moves made after the drawn opening"
        return (session, ()), f"plies = {plies!r}: expected 1 to {most}, {made}"
    stopped = _stop_choosing(session)
    taken = _then(stopped, lambda now: _withdraw(now, int(plies)))
    return _then(taken, lambda now: _enter(now, SettingUp(now.game.position))), None


def _usual_take_back(session: Session) -> int:
    """One move; against a player who is not at the board, back to the person's own turn."""
    own_turn = session.settings.is_person(session.turn)
    return 2 if own_turn and not session.settings.is_person(session.turn.other) and _plies_played(session) > 1 else 1


def _plies_played(session: Session) -> int:
    """How many moves the players made themselves: what can be taken back."""
    return session.game.ply - session.drawn_plies


def _ask_end(session: Session, name: str, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    if isinstance(session.active, Over) or not session.started:
        return (session, ()), "no game is being played"
    if name == "draw":
        claimed = session.game.draw(claimed=True)
        return _end(session, claimed or agreed(session.game.ruleset)), None
    side = arguments.get("side", str(session.turn))
    if side not in ("white", "black"):
        return (session, ()), f"side = {side!r}: expected white or black"
    ended = resigned if name == "resign" else flag_fell
    return _end(session, ended(session.game.ruleset, Side(side))), None


def _ask_choose(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    stories = session.reading.stories if isinstance(session.reading, Ambiguous) else ()
    number = arguments.get("number", 1)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(stories):
        return (session, ()), f"number = {number!r}: expected 1 to {len(stories)}, the moves that look alike"
    return _commit(session, stories[number - 1]), None


def _chosen(session: Session, request: int, move: Move) -> Step:
    """A late answer to an old question is told by its number; a move that is not legal is refused."""
    if session.active != Waiting(request):
        return session, ()
    if all(move.effect != legal.effect for legal in session.game.legal_moves):
        return _pause(replace(session, problem="the player chose a move that is not legal"), "player")
    shown_ms = max(session.at_ms, session.turn_began_ms + session.settings.pace.reply_hold)
    session, answering = replace(session, problem=""), Answering(move, shown_ms)
    if isinstance(session.phase, Paused):
        return replace(session, phase=replace(session.phase, interrupted=answering)), ()
    return replace(session, phase=answering), ()


def _device_lost(session: Session, reason: str) -> Step:
    gone = replace(session, problem=reason, memory=Memory(), reading=Untouched(), broken=None, told=())
    if isinstance(session.phase, Paused) and session.phase.reason == "device":
        return gone, ()
    lost = _announce(gone, say.DeviceGone(reason))
    return _then(lost, lambda now: _pause(now, "device"))


# --- decisions -----------------------------------------------------------------------------------------------------


def _decide(session: Session) -> Step:
    """Read the board and act on it until it has no more to say."""
    effects: tuple[Effect, ...] = ()
    for _ in range(4):
        before = session
        session, more = _decide_once(session)
        effects += more
        if session.game is before.game and session.phase == before.phase:
            break
    return session, effects


def _decide_once(session: Session) -> Step:
    if session.memory.seen is None:
        return session, ()
    match session.phase:
        case Paused():
            return session, ()
        case SettingUp(target=target):
            return _decide_set_up(session, masks_of_position(target.contents))
    session = replace(session, reading=read(context_of(session), session.memory))
    if isinstance(session.phase, Over):
        return _decide_over(session)
    return _decide_in_play(session)


def _shows(session: Session, target: Masks) -> bool:
    return session.memory.seen is not None and not differing(target, session.memory.seen)


def _decide_set_up(session: Session, target: Masks) -> Step:
    session = replace(session, reading=Untouched())
    if not _shows(session, target) or not _settled(session, session.settings.pace.set_up):
        return session, ()
    session = replace(session, memory=forget(session.memory), turn_began_ms=session.at_ms)
    if session.started:
        return _next_turn(session)
    return _then(_announce_begin(replace(session, started=True)), _next_turn)


def _announce_begin(session: Session) -> Step:
    """Tell of a game that begins, and of its drawn moves."""
    game = session.game
    step_on = _announce(session, _game_started(session))
    for ply in range(1, session.drawn_plies + 1):
        made = say.moved(game.back(game.ply - ply), "drawn", 0)
        step_on = _then(step_on, partial(_announce, what=made))
    return step_on


def _decide_over(session: Session) -> Step:
    if isinstance(session.reading, Done):
        return _decide_in_play(session)
    if isinstance(session.reading, Untouched):
        return session, ()
    start = masks_of_position(_home(session.settings).contents)
    if _shows(session, start) and _settled(session, session.settings.pace.set_up):
        return _start_over(session, session.settings)
    return _decide_back(session)


def _decide_in_play(session: Session) -> Step:
    pace, automatic = session.settings.pace, session.settings.confirm != "button"
    match session.reading:
        case Untouched():
            return _restored(session)
        case Done(story=story, extendable=extendable):
            waits = pace.extended if extendable and not isinstance(session.phase, Answering) else pace.quick
            if automatic and _settled(session, waits):
                return _commit(session, story)
        case Turned(story=story) if automatic:
            return _commit(session, story)
        case Ambiguous() if _settled(session, pace.extended):
            return _prompt(session)
        case Clearing():
            return _back_or(session, _prompt, pace.forgot)
        case Moving():
            return _back_or(session, _prompt, pace.go_on)
        case Astray():
            return _back_or(session, _speak, pace.illegal)
    return session, ()


def _back_or(session: Session, speak: Callable[[Session], Step], patience_ms: int) -> Step:
    """For a board on which no move is complete: an earlier position may stand again, else people are told in time."""
    back = _decide_back(session)
    if back[0].game is not session.game:
        return back
    return speak(session) if _settled(session, patience_ms) else (session, ())


def _decide_back(session: Session) -> Step:
    pace = session.settings.pace
    if not _settled(session, pace.back):
        return session, ()
    played = _plies_played(session)
    back = read_back(session.game.positions[session.drawn_plies :], session.memory)
    if session.opening:
        at_home = back is None and _shows(session, masks_of_position(_home(session.settings).contents))
    else:
        at_home = back is not None and back.plies == played > 4
    if at_home:
        return _start_over(session, session.settings) if _settled(session, pace.start_again) else (session, ())
    if back is None:
        return session, ()
    if not _settled(session, pace.back if back.plies == 1 else pace.further_back):
        return session, ()
    stopped = _stop_choosing(session)
    return _then(_then(stopped, lambda now: _withdraw(now, back.plies)), _next_turn)


def _speak(session: Session) -> Step:
    """Say what is wrong with a board that no story explains: once for each frame, and nothing while it is swept."""
    squares = session.reading.squares if isinstance(session.reading, Astray) else ()
    if "astray" in session.told or not 0 < len(squares) <= SWEPT:
        return session, ()
    session = replace(session, told=(*session.told, "astray"))
    violation = read_illegal(session.game.position, session.game.ruleset, session.memory)
    if violation is not None:
        session = replace(session, broken=violation, differs=True)
        named = say.names(violation.squares, session.game.ruleset)
        return _announce(session, say.Illegal(violation.rule, violation.article, illegal_sentence(session), named))
    session = replace(session, differs=True)
    return _announce(session, say.BoardDiffers(say.names(squares, session.game.ruleset)))


def _restored(session: Session) -> Step:
    if not session.differs:
        return session, ()
    return _announce(replace(session, differs=False, broken=None), say.BoardRestored())


def _prompt(session: Session) -> Step:
    """Announce the prompt that people see, once for each frame."""
    shown = guide(session)
    if shown.key in session.told:
        return session, ()
    session = replace(session, told=(*session.told, shown.key))
    squares = say.names(tuple(square for square, _ in shown.cues), session.game.ruleset)
    return _announce(session, say.Prompted(shown.key, shown.sentence, squares))


def _settled(session: Session, wait_ms: int) -> bool:
    return session.memory.firm and session.quiet_ms() >= wait_ms


# --- the record ----------------------------------------------------------------------------------------------------


def _commit(session: Session, story: Story) -> Step:
    """Put a story into the record: change the last move if it withdraws one, then each move it makes."""
    memory = after_story(session.memory, story)
    step_on = _restored(replace(session, differs=False, broken=None))
    if story.back:
        step_on = _then(step_on, lambda now: _revise(now, story.moves[0]))
    for move in story.moves[story.back :]:
        step_on = _then(step_on, partial(_make, move=move))
    return _then(step_on, lambda now: _after_move(replace(now, memory=memory)))


def _make(session: Session, move: Move) -> Step:
    if isinstance(session.phase, Over):
        return session, ()
    by: Literal["person", "engine"] = "person" if session.settings.is_person(session.turn) else "engine"
    elapsed = session.at_ms - session.turn_began_ms
    session = _remembered(session, session.game.play(move))
    made = _announce(session, say.moved(session.game, by, elapsed))
    return _then(made, _end_if_over)


def _revise(session: Session, new: Move) -> Step:
    stopped, effects = _stop_choosing(session)
    before = stopped.game.back(1)
    legal, ruleset = before.legal_moves, before.ruleset
    old = stopped.game.moves[-1]
    revised = replace(_remembered(stopped, before.play(new)), phase=Turn())
    what = say.Revised(
        ply=revised.game.ply,
        old=say.move_object(old, legal, ruleset),
        new=say.move_object(new, legal, ruleset),
        fen=say.fen_of(revised.game.position, ruleset),
    )
    announced, more = _announce(revised, what)
    return _then((announced, (*effects, *more)), _end_if_over)


def _remembered(session: Session, game: Game) -> Session:
    """The session with another game record; the tracker starts afresh from what it sees now."""
    return replace(
        session, game=game, memory=forget(session.memory), reading=Untouched(), told=(), turn_began_ms=session.at_ms
    )


def _end_if_over(session: Session) -> Step:
    outcome = session.game.outcome()
    if outcome is None or (outcome.article and session.settings.draws == "claim"):
        return session, ()
    return _end(session, outcome)


def _end(session: Session, outcome: Outcome) -> Step:
    stopped, effects = _stop_choosing(session)
    result = stopped.game.result_text(outcome)
    over = replace(stopped, phase=Over(outcome))
    told, more = _announce(over, say.GameOver(result, reason_text(over, outcome), outcome.article))
    return told, (*effects, *more)


def _after_move(session: Session) -> Step:
    return (session, ()) if isinstance(session.phase, Over) else _next_turn(session)


def _withdraw(session: Session, plies: int) -> Step:
    session = replace(_remembered(session, session.game.back(plies)), differs=False, broken=None)
    return _announce(session, say.TakenBack(plies, say.fen_of(session.game.position, session.game.ruleset)))


def _start_over(session: Session, settings: Settings) -> Step:
    """A new game: the one before is broken off if it was not over; the start position is to be set up."""
    settings, results = _adapted(session, replace(settings, ruleset=_ruleset_now(settings)))
    games = session.games + 1
    new = _new(settings, f"{session.boot}-{games}")
    stopped = _stop_choosing(session)
    unfinished = session.started and not isinstance(session.active, Over)
    ended = _then(stopped, _abandon) if unfinished else stopped
    return _then(ended, lambda now: _fresh(replace(now, results=results), settings, new, games))


def _adapted(session: Session, settings: Settings) -> tuple[Settings, tuple[float, ...]]:
    """Settings for the next game, and the results so far: with `adapt`, the engine's level follows them."""
    same = (settings.white, settings.black) == (session.settings.white, session.settings.black)
    engine = next((side for side in Side if settings.player(side).startswith("engine:")), None)
    if not (settings.adapt and same) or engine is None or not settings.is_person(engine.other):
        return settings, ()
    if not isinstance(session.active, Over):
        return settings, session.results
    winner = session.active.outcome.winner
    results = (*session.results, 0.5 if winner is None else float(winner is not engine))
    level = int(settings.player(engine).removeprefix("engine:"))
    following = f"engine:{next_level(level, results)}"
    if following == settings.player(engine):
        return settings, results
    white, black = (following, settings.black) if engine is Side.WHITE else (settings.white, following)
    return replace(settings, white=white, black=black), ()


def _abandon(session: Session) -> Step:
    return _announce(session, say.GameOver("*", session.texts.say("reason.abandoned"), ""))


def _fresh(session: Session, settings: Settings, new: Opened, games: int) -> Step:
    fresh = replace(
        _remembered(session, new.game),
        settings=settings,
        game_id=f"{session.boot}-{games}",
        games=games,
        seq=0,
        drawn_plies=new.drawn_plies,
        opening=new.opening,
        started=False,
        differs=False,
        broken=None,
    )
    return _enter(fresh, SettingUp(new.game.position))


def _new(settings: Settings, game_id: str) -> Opened:
    return opened(settings.ruleset, settings.start_fen, settings.ballot, game_id)


def _home(settings: Settings) -> Position:
    """The position that asks for a new game when it is set up: the start, not what a ballot makes of it."""
    return start_position(_ruleset_now(settings), settings.start_fen)


def _ruleset_now(settings: Settings) -> Ruleset:
    """The rules of the next game: house rules may have changed since a game began that was gone on with."""
    return settings.ruleset_named(settings.ruleset.name) or settings.ruleset


def _game_started(session: Session) -> say.GameStarted:
    settings, game = session.settings, session.game
    fen = say.fen_of(game.start, game.ruleset)
    return say.GameStarted(game.ruleset.name, fen, settings.white, settings.black, session.opening)


# --- phases --------------------------------------------------------------------------------------------------------


def _phase_of(session: Session) -> ActivePhase:
    """The phase that a game's position calls for."""
    outcome = session.game.outcome()
    if outcome is not None and not (outcome.article and session.settings.draws == "claim"):
        return Over(outcome)
    return Turn() if session.settings.is_person(session.turn) else Waiting(session.request)


def _next_turn(session: Session) -> Step:
    return _enter(session, _phase_of(session))


def _enter(session: Session, phase: ActivePhase) -> Step:
    """The session in a phase; a player who is not at the board is asked for a move, under a new number."""
    if isinstance(session.phase, Paused) and session.phase.reason == "device":
        return replace(session, phase=Paused(phase, "device")), ()
    if not isinstance(phase, Waiting):
        return replace(session, phase=phase), ()
    request = session.request + 1
    waiting = replace(session, phase=Waiting(request), request=request)
    return waiting, (Choose(request, session.settings.player(session.turn), session.game),)


def _pause(session: Session, reason: str) -> Step:
    if isinstance(session.phase, Paused):
        return replace(session, phase=Paused(session.phase.interrupted, reason)), ()
    stopped, effects = _stop_choosing(session)
    return replace(stopped, phase=Paused(session.phase, reason)), effects


def _resume(session: Session, reason: str) -> Step:
    if not isinstance(session.phase, Paused) or session.phase.reason != reason:
        return session, ()
    interrupted = session.phase.interrupted
    return _enter(replace(session, phase=interrupted, problem=""), interrupted)


def _stop_choosing(session: Session) -> Step:
    if isinstance(session.phase, Waiting):
        return session, (StopChoosing(session.phase.request),)
    return session, ()


def _announce(session: Session, what: say.What) -> Step:
    seq = session.seq + 1
    return replace(session, seq=seq), (Announce(seq, session.game_id, what),)


def _then(step_on: Step, follow: Callable[[Session], Step]) -> Step:
    session, effects = step_on
    session, more = follow(session)
    return session, effects + more
