"""A session is one game at one board: step(session, event) -> (session', effects), a function of values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from engine.game import Outcome, flag_fell
from engine.geometry import Square
from engine.position import Move, Position, Side
from engine.view import BoardView
from station import announcements as say
from station import arm_events, inviting, keeping_time, operating
from station import endings_by_hand as by_hand
from station.arm_prompts import waits_for_press
from station.battery import take_battery
from station.beginning import ask_new_game, opened_for
from station.changing import ask_lamps, ask_set_players, ask_set_variant
from station.clock import fresh
from station.crowning import crowned_until_ms
from station.deciding import decide
from station.effects import Answer, Show
from station.emergency import take_stop
from station.events import (
    BatteryTold,
    BoardSeen,
    ClockTold,
    DeviceBack,
    DeviceLost,
    Event,
    PlayerChose,
    PlayerFailed,
    Pressed,
    Requested,
    StopTold,
    TimePassed,
)
from station.guidance import guide
from station.handling.arm import arm_of, read_tray
from station.hints import advised, ask_hint, no_longer_wanted, not_advised
from station.journal import Resumed
from station.manner import wanted_manner
from station.phases import Answering, Composing, Over, Paused, SettingUp, Turn, Waiting
from station.record import carried_out, commit, end
from station.setting_up import ask_set_position, begin_composing, go_on, pressed
from station.settings import Pace, Settings
from station.squares import STUCK_MS, STUCK_SET_UP_MS, hidden, stuck, with_dead, without_dead
from station.state import Session, Spoken, context_of
from station.steps import (
    CONTRADICTED_MS,
    Step,
    announce,
    enter,
    pause,
    phase_of,
    prompt,
    resume,
    settles_ms,
    then,
)
from station.swept import asks_to_resume
from station.taking_back import ask_take_back
from station.texts import Texts
from station.touching import adjust, broken_touch, may_adjust, with_touch
from station.tracker import (
    Ambiguous,
    Astray,
    Clearing,
    Done,
    Memory,
    Moving,
    Story,
    Turned,
    Untouched,
    out_of_sight,
    remember,
    standing_stories,
)
from station.tracking.memory import BLIP_MS
from station.tracking.weighing import weighed
from station.values import replace

REQUESTS = (
    "new_game",
    "take_back",
    "resign",
    "draw",
    "flag",
    "pause",
    "resume",
    "choose",
    "confirm",
    "adjust",
    "set_position",
    "set_play",
    "set_players",
    "set_variant",
    "hint",
    "lamps",
    "halt",
    "arm",
)
"""Requests a session carries out."""


def begin(settings: Settings, texts: Texts, boot: str, resumed: Resumed | None = None) -> Session:
    """A session whose board has not been found yet; it goes on with an unfinished game where there is one."""
    if resumed is None:
        new = opened_for(settings, f"{boot}-1")
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
            clocks=fresh(settings.clock),
            arm=arm_of(settings.arm),
        )
    ruleset = resumed.game.ruleset
    if ruleset.name != settings.ruleset.name:
        settings = replace(settings, start_fen="", ballot="")
    settings = replace(settings, ruleset=ruleset, white=resumed.white, black=resumed.black, clock=resumed.clock)
    session = Session(
        settings,
        texts,
        resumed.game,
        boot,
        resumed.game_id,
        Paused(Turn(), "device"),
        memory=out_of_sight(),
        unwatched_plies=resumed.game.ply,
        seq=resumed.seq,
        started=True,
        resumed=True,
        drawn_plies=resumed.drawn_plies,
        opening=resumed.opening,
        clocks=resumed.clocks,
        claim=resumed.game.draw(claimed=True),
        arm=arm_of(settings.arm, read_tray(resumed.tray)),
    )
    return replace(session, phase=Paused(phase_of(session), "device"))


def step(session: Session, event: Event) -> Step:
    """The session after an event, and what it asks for."""
    was_shown, asked_for_hint = _shows_reply(session), session.hint_request
    # A flag that fell before this event falls first.
    step_on = _flag(replace(session, at_ms=event.at_ms))
    session, effects = then(then(step_on, lambda now: _handle(now, event)), decide)
    session, effects = then((session, effects), partial(_look_again, was=step_on[0].game.position))
    session, effects = then((session, effects), _operate)
    session, effects = then((keeping_time.set_clocks(session), effects), _flag)
    session = session if was_shown else _holding_on(session)
    effects = (*no_longer_wanted(session, asked_for_hint), *effects)
    cues = guide(session).cues if session.lamps else ()
    # A board that came back shows what it was told before it was lost.
    if cues == session.shown and not isinstance(event, DeviceBack):
        return session, effects
    return replace(session, shown=cues), (*effects, Show(cues))


def _operate(session: Session) -> Step:
    """Let the arm go on; what its work hid from the record is decided when it is done."""
    arm = session.arm
    if arm is None:
        return session, ()
    was_busy = arm.is_busy
    session, effects = operating.operate(session)
    is_free = was_busy and session.arm is not None and not session.arm.is_busy
    return then((session, effects), decide) if is_free else (session, effects)


def _shows_reply(session: Session) -> bool:
    return isinstance(session.phase, Answering) and session.at_ms >= session.phase.shown_ms


def _holding_on(session: Session) -> Session:
    """A reply that is due now is held on while the move it answers may be changing, or the board is not at rest.

    The piece it answers is in the hand again; or something is amiss for a moment, which may be a hand as well.
    """
    phase, reading, moves, seen = session.phase, session.reading, session.game.moves, session.memory.seen
    if not isinstance(phase, Answering) or not _shows_reply(session) or not moves or seen is None:
        return session
    is_brief = isinstance(reading, Astray) and session.quiet_ms() < session.settings.pace.illegal
    # What moves while that piece stands where it went is the reply itself.
    is_lifted = isinstance(reading, Moving | Done) and seen[0] >> moves[-1].to_square & 1
    if not is_brief and not is_lifted:
        return session
    return replace(session, phase=replace(phase, shown_ms=session.at_ms + session.settings.pace.quick))


def _flag(session: Session) -> Step:
    side = keeping_time.fallen(session)
    return (session, ()) if side is None else end(session, flag_fell(session.game.ruleset, side))


def deadline_ms(session: Session) -> int | None:
    """When the session wants to hear that time has passed, if nothing else happens; None for never."""
    if isinstance(session.phase, Paused):
        return None
    later = [moment for moment in _moments(session) if moment > session.at_ms]
    return min(later, default=None)


def _moments(session: Session) -> list[int]:
    pace = session.settings.pace
    by_clock = (keeping_time.flag_ms(session), by_hand.resign_until_ms(session), crowned_until_ms(session))
    moments = [moment for moment in by_clock if moment is not None]
    stuck_ms = (STUCK_SET_UP_MS, STUCK_MS) if isinstance(session.phase, SettingUp) else (pace.extended, STUCK_MS)
    moments += (*operating.moments(session), *inviting.moments(session))
    moments += [session.ready_until_ms, *(settles_ms(session, wait) for wait in stuck_ms)]
    if session.hasty_ms is not None:
        moments.append(session.hasty_ms + pace.quick)
    if isinstance(session.phase, Answering):
        moments.append(session.phase.shown_ms)
    if isinstance(session.phase, Over):
        moments.append(session.ended_ms + pace.start_again)
    return [*moments, *(settles_ms(session, wait) for wait in _waits(session, pace))]


def _waits(session: Session, pace: Pace) -> tuple[int, ...]:
    """How long the board stands the same until something may have to be done."""
    if isinstance(session.phase, SettingUp):
        return (pace.set_up,)
    if isinstance(session.phase, Composing):
        return (pace.set_up, pace.back, pace.start_again)
    earlier = (pace.back, pace.further_back, pace.start_again)
    over = (pace.set_up,) if isinstance(session.phase, Over) else ()
    match session.reading:
        case Done() | Ambiguous():
            return (*over, pace.quick, pace.extended, pace.go_on, CONTRADICTED_MS)
        case Moving():
            return (*over, BLIP_MS, pace.illegal, pace.go_on, pace.extended, *earlier)
        case Clearing():
            return (*over, BLIP_MS, pace.forgot, pace.extended, *earlier)
        case Astray():
            return (*over, BLIP_MS, pace.quick, pace.illegal, pace.extended, *earlier)
        case _:
            return over


# --- events --------------------------------------------------------------------------------------------------------


def _handle(session: Session, event: Event) -> Step:
    match event:
        case BoardSeen(at_ms=at_ms, view=view):
            return then(_name_weak(session, view.weak), partial(_look, view=view, at_ms=at_ms))
        case Pressed(button=button):
            return _pressed(session, button)
        case Requested(request=request, name=name, arguments=arguments):
            return _requested(session, request, name, arguments)
        case PlayerChose(request=request, move=move, score=score):
            return _chosen(session, request, move, score)
        case PlayerFailed(request=request, reason=reason):
            return _player_failed(session, request, reason)
        case DeviceLost(reason=reason):
            return _device_lost(session, reason)
        case DeviceBack(device=device):
            session = replace(session, device=device, problem="")
            step_back = announce(session, say.DeviceReturned(device.name, device.unique_id))
            return then(step_back, lambda now: resume(now, "device"))
        case BatteryTold(battery=battery):
            return take_battery(session, battery)
        case ClockTold(at_ms=at_ms, times=times):
            return replace(session, board_clock=times, board_clock_ms=at_ms), ()
        case StopTold(is_pressed=is_pressed):
            return take_stop(session, is_pressed)
        case TimePassed():
            return _read_around(session)
        case _:
            return arm_events.take(session, event)


def _player_failed(session: Session, request: int, reason: str) -> Step:
    if request == session.hint_request:
        return not_advised(session, reason)
    if session.phase != Waiting(request):
        return session, ()
    return enter(replace(session, problem=reason), session.phase)


def _look_again(session: Session, was: Position) -> Step:
    """What a camera was not sure of is weighed against the position after a move, not that before it."""
    if session.soft is None or session.game.position == was:
        return session, ()
    return then(_look(session, session.soft, session.at_ms), decide)


def _look(session: Session, view: BoardView, at_ms: int) -> Step:
    soft = None if view.is_hard else view
    session = session if soft is session.soft else replace(session, soft=soft)
    session, view = without_dead(session, weighed(view, context_of(session)))
    return _see(session, view, at_ms), ()


def _see(session: Session, view: BoardView, at_ms: int) -> Session:
    memory = remember(session.memory, view, at_ms, context_of(session))
    if memory.seen != session.memory.seen:
        session = _as_told(session, memory)
    return with_touch(replace(session, memory=memory))


def _as_told(session: Session, memory: Memory) -> Session:
    """The session with what was said of the frame that is seen now: nothing, unless it was only gone for a blip."""
    now = Spoken(session.memory.since_ms, session.told, session.broken, session.pointed)
    recent = {frame.since_ms for frame in memory.recent}
    spoken = tuple(said for said in (*session.spoken, now) if said.since_ms in recent)
    said = next((said for said in reversed(spoken) if said.since_ms == memory.since_ms), Spoken(0, (), None, 0))
    return replace(session, told=said.told, broken=said.broken, pointed=said.pointed, spoken=spoken)


def _name_weak(session: Session, weak: tuple[Square, ...]) -> Step:
    """Tell of squares that have begun to flicker."""
    new = tuple(square for square in weak if square not in session.weak)
    if not new:
        return session, ()
    return _name_squares(replace(session, weak=tuple(sorted({*session.weak, *new}))), "weak", new)


def _name_squares(session: Session, key: str, squares: tuple[Square, ...]) -> Step:
    named = say.names(squares, session.game.ruleset)
    sentence = session.texts.say(f"prompt.{key}", squares=", ".join(named))
    return announce(session, say.Prompted(key, sentence, named))


def _read_around(session: Session) -> Step:
    """One square that is stuck is read as unknown; more are named, once, and play waits."""
    squares = stuck(session)
    if len(squares) == 1 and session.dead is None:
        session, view = with_dead(session, squares[0])
        return _name_squares(_see(session, view, session.at_ms), "dead", squares)
    if not squares or "several_dead" in session.told:
        return session, ()
    all_dead = tuple(sorted({*squares, *((session.dead[0],) if session.dead else ())}))
    return _name_squares(replace(session, told=(*session.told, "several_dead")), "several_dead", all_dead)


def _pressed(session: Session, button: str) -> Step:
    if button == "confirm" and waits_for_press(session):
        return operating.press(session)
    if button == "confirm" and asks_to_resume(session):
        return go_on(session)
    if button == "set_up" and not isinstance(session.active, Composing):
        return begin_composing(session, asked=True)
    if isinstance(session.phase, Composing) and button != "new_game":
        return pressed(session, session.phase, button)
    if (session.asked or "which" in session.told) and session.alike and button in ("confirm", "take_back"):
        return _pressed_which(session, button, session.alike)
    ended_by = {"clock_white": Side.WHITE, "clock_black": Side.BLACK}.get(button)
    if button == "confirm" or ended_by is not None:
        story = _ended(session)
        if story is not None and broken_touch(session, story) is not None:
            return session, ()
        if story is not None and ended_by in (None, _mover(session, story)):
            return commit(session, story)
        moves = hidden(session) if isinstance(session.reading, Moving) else ()
        if moves and ended_by in (None, session.turn):
            return _commit_hidden(session, moves)
        if button == "confirm" and may_adjust(session):
            return adjust(session), ()
        waits = ended_by in (None, session.turn.other) and isinstance(session.reading, Untouched)
        return keeping_time.start_clocks(session) if waits else session, ()
    if button in ("take_back", "new_game"):
        step_on, _ = _carry_out(session, button, {})
        return step_on
    if button in ("draw", "resign"):
        return carried_out(session, by_hand.press(session, button))
    return session, ()


def _pressed_which(session: Session, button: str, stories: tuple[Story, ...]) -> Step:
    """Answer which story was played: the button that confirms takes the one pointed at, the other one goes on."""
    pointed = session.pointed % len(stories)
    if button == "confirm":
        return _commit_told(session, stories[pointed])
    return replace(session, pointed=pointed + 1), ()


def _commit_told(session: Session, story: Story) -> Step:
    """What a person has said was played is not read again; a square where it ends unseen is dead."""
    named: Step = (session, ())
    if not story.back and story.moves in [(move,) for move in hidden(session)]:
        square = story.moves[0].to_square
        session, view = with_dead(session, square)
        named = _name_squares(_see(session, view, session.at_ms), "dead", (square,))
    session, effects = then(named, lambda now: commit(now, story))
    return replace(session, told_plies=session.game.ply), effects


def _ended(session: Session) -> Story | None:
    """What a person ends a turn with: it stands on the board, also where its piece was never seen to leave its square.

    A capture may end where it began; who only takes the pieces off says with the button that it is made.
    """
    if isinstance(session.reading, Done | Turned):
        return session.reading.story
    if session.memory.seen is None or isinstance(session.phase, Paused):
        return None
    standing = standing_stories(context_of(session), session.memory.seen)
    return standing[0] if len(standing) == 1 else None


def _commit_hidden(session: Session, moves: tuple[Move, ...]) -> Step:
    """A person says that a move is made which the board does not show where it ends; which one is asked, if need be."""
    stories = tuple(Story(0, (move,)) for move in moves)
    if len(stories) == 1:
        return _commit_told(session, stories[0])
    return prompt(replace(session, asked=stories))


def _mover(session: Session, story: Story) -> Side:
    """Whose move a story ends with."""
    return session.turn if (len(story.moves) - story.back) % 2 else session.turn.other


def _requested(session: Session, request: str, name: str, arguments: Mapping[str, str | int | bool]) -> Step:
    if name not in REQUESTS:
        return session, (Answer(request, f"{name}: no such request, expected one of {', '.join(REQUESTS)}"),)
    asked = operating.ask(session, name) if name in ("halt", "arm") else _carry_out(session, name, arguments)
    (session, effects), error = asked
    return session, (*effects, Answer(request, error))


def _carry_out(session: Session, name: str, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    """The session after a request, and why it was refused if it was."""
    match name:
        case "adjust":
            if not may_adjust(session):
                return (session, ()), "touch-move is not played here, or a piece was touched already"
            return (adjust(session), ()), None
        case "confirm":
            done = _pressed(session, "confirm")
            return done, None if done[0] is not session else "nothing waits to be confirmed"
        case "hint":
            return ask_hint(session)
        case "take_back":
            return ask_take_back(session, arguments)
        case "resign" | "draw" | "flag":
            return _ask_end(session, name, arguments)
        case "pause":
            if isinstance(session.phase, Paused):
                return (session, ()), "paused already"
            return pause(session, "asked"), None
        case "resume":
            return _ask_resume(session)
        case _:
            return _BY_ARGUMENTS[name](session, arguments)


def _set_play(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    wanted = wanted_manner(session.settings, arguments)
    return ((session, ()), wanted) if isinstance(wanted, str) else ((replace(session, settings=wanted), ()), None)


def _ask_resume(session: Session) -> tuple[Step, str | None]:
    if asks_to_resume(session):
        return go_on(session), None
    if not isinstance(session.phase, Paused) or session.phase.reason == "device":
        return (session, ()), "not paused"
    return resume(session, session.phase.reason), None


def _ask_end(session: Session, name: str, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    decision = by_hand.decide(session, name, arguments)
    return carried_out(session, decision), decision if isinstance(decision, str) else None


def _ask_choose(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    stories = session.alike
    number = arguments.get("number", 1)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(stories):
        return (session, ()), f"number = {number!r}: expected 1 to {len(stories)}, the moves that look alike"
    return _commit_told(session, stories[number - 1]), None


_BY_ARGUMENTS = {
    "new_game": ask_new_game,
    "set_position": ask_set_position,
    "set_play": _set_play,
    "set_players": ask_set_players,
    "set_variant": ask_set_variant,
    "lamps": ask_lamps,
    "choose": _ask_choose,
}


def _chosen(session: Session, request: int, move: Move, score: int | None) -> Step:
    """A late answer to an old question is told by its number; a move that is not legal is refused.

    A player that was offered a draw takes it or declines it now.
    """
    if request == session.hint_request:
        return advised(session, move)
    if session.active != Waiting(request):
        return session, ()
    if all(move.effect != legal.effect for legal in session.game.legal_moves):
        return pause(replace(session, problem="the player chose a move that is not legal"), "player")
    session = replace(session, engine_score=score)
    said = by_hand.engine_answers(session, score)
    session, effects = carried_out(session, said)
    if isinstance(said, Outcome):
        return session, effects
    shown_ms = max(session.at_ms, session.turn_began_ms + _hold_ms(session))
    session, answering = replace(session, problem=""), Answering(move, shown_ms)
    if isinstance(session.phase, Paused):
        return replace(session, phase=replace(session.phase, interrupted=answering)), effects
    return replace(session, phase=answering), effects


def _hold_ms(session: Session) -> int:
    """How long the move before stood before its reply is shown: longer where its piece could have gone elsewhere.

    A hand that hesitates rests the piece on a legal square, which no sensor can tell from a move that is made.
    """
    game, pace = session.game, session.settings.pace
    if not game.moves:
        return 0
    made, legal = game.moves[-1], game.rules.legal_moves(game.positions[-2])
    had_choice = any(move.from_square == made.from_square and move.effect != made.effect for move in legal)
    return pace.choice_hold if had_choice else pace.reply_hold


def _device_lost(session: Session, reason: str) -> Step:
    gone = replace(session, problem=reason, memory=out_of_sight(), reading=Untouched(), broken=None, told=())
    gone = replace(gone, landed_ms=None, led=0, unwatched_plies=session.game.ply)
    if isinstance(session.phase, Paused) and session.phase.reason == "device":
        return gone, ()
    lost = announce(gone, say.DeviceGone(reason))
    return then(lost, lambda now: pause(now, "device"))
