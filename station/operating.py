"""What an arm does next: a state machine over the session's values, the same for every driver.

Nothing moves but while the gate is open: armed at the table, a machine that answers, no stop, no hand, a board that
has just stood still. Every step is checked by the board's own sensors before and after; what the arm's step does not
explain stops it.
"""

from __future__ import annotations

from dataclasses import replace

from engine.geometry import Square
from firmware_bridge.manipulations import Act, Home, Lift, Remove, Slide
from station import announcements as say
from station.arm_prompts import is_wanted, may_arm, may_set_up, waits_for_press
from station.effects import Effect, Halt, Handle
from station.events import ArmDone, ArmFailed, ArmFound, ArmLost, Event, HandSeen
from station.handling.arm import (
    ACT_MS,
    CHECK_MS,
    DRY_RUN,
    MOST_ALARMS,
    MOST_STOPS,
    MOST_TRIES,
    SET_UP,
    SETTLE_MS,
    SHOWN_MS,
    WARNING_MS,
    Acting,
    Arm,
    Asking,
    Checking,
    Homing,
    Resting,
    Stopped,
    Warning,
    tray_names,
)
from station.handling.moves import plan_move
from station.handling.plans import BY_HAND, Ask, Plan, changed, differs, entry, shown
from station.handling.resetting import plan_reset
from station.handling.tray import fitting
from station.phases import Answering, Paused, SettingUp
from station.state import Session
from station.steps import Step, announce, then
from station.tracker import Masks, squares_in


def operate(session: Session) -> Step:
    """Let the arm go on, as far as it may by itself."""
    effects: tuple[Effect, ...] = ()
    for _ in range(6):
        before = session.arm
        session, more = _once(session)
        effects += more
        if session.arm == before:
            break
    return session, effects


def moments(session: Session) -> tuple[int, ...]:
    """When the arm wants to hear that time has passed."""
    arm = session.arm
    if arm is None:
        return ()
    match arm.stage:
        case Homing(until_ms=until_ms) | Warning(until_ms=until_ms) | Acting(until_ms=until_ms):
            return (until_ms,)
        case Checking(since_ms=since_ms):
            return (since_ms + CHECK_MS, session.memory.since_ms + SHOWN_MS)
        case Resting():
            return (session.memory.since_ms + SETTLE_MS,)
        case _:
            return ()


def set_armed(session: Session) -> Session:
    """The session whose arm may move; what it failed at before is forgotten."""
    assert session.arm is not None
    return replace(session, arm=replace(session.arm, is_armed=True, off="", stops=0, alarms=0, by_hand_ply=-1))


def halt(session: Session) -> Step:
    """Somebody asked for it, from wherever: nothing moves until it is let move again at the table."""
    arm = session.arm
    if arm is None:
        return session, ()
    if not arm.is_busy:
        return _changed(session, is_armed=False), (Halt("halt"),)
    return then(stop(session, "halt"), lambda now: (_changed(now, is_armed=False), ()))


def press(session: Session) -> Step:
    """Somebody at the table says that the arm may go on."""
    arm = session.arm
    assert arm is not None
    match arm.stage:
        case Asking():
            return _next(replace(session, arm=replace(arm, stage=Checking(session.at_ms))))
        case Stopped() if session.is_stopped or arm.is_hand_seen or not arm.name:
            return session, ()
        case Stopped():
            return replace(session, arm=replace(arm.at_rest(), is_armed=True)), ()
        case _:
            return set_armed(session), ()


def ask(session: Session, name: str) -> tuple[Step, str | None]:
    """The session after somebody asked for `halt` or `arm`, and why it was refused if it was."""
    if name == "halt":
        return halt(session), None
    if may_set_up(session) and not waits_for_press(session):
        return (_setting_up(session), ()), None
    if not waits_for_press(session) and not may_arm(session):
        return (session, ()), "there is no arm that waits to be set going"
    return press(session), None


def _setting_up(session: Session) -> Session:
    """The session whose arm is to make the board show what is wanted now."""
    assert isinstance(session.phase, SettingUp)
    return _changed(set_armed(session), sets_up=session.phase.target.contents)


# --- what the world says -------------------------------------------------------------------------------------------


def take(session: Session, event: Event) -> Step:
    """The session after something happened to the arm, or a hand was seen."""
    if session.arm is None:
        return session, ()
    match event:
        case HandSeen(is_seen=is_seen):
            return take_hand(session, is_seen)
        case ArmFound(name=name):
            return take_found(session, name)
        case ArmLost(reason=reason):
            return take_lost(session, reason)
        case ArmDone(job=job):
            return take_done(session, job)
        case ArmFailed(job=job, kind=kind, reason=reason, is_lost=is_lost):
            return take_failed(session, job, kind, reason, is_lost)
        case _:
            return session, ()


def take_found(session: Session, name: str) -> Step:
    """The machine answers, for the first time or again; where it stands is not known."""
    if session.arm is None:
        return session, ()
    step_on = stop(session, "reset") if session.arm.is_busy else (session, ())
    return then(step_on, lambda now: (_changed(now, name=name, is_homed=False), ()))


def take_lost(session: Session, reason: str) -> Step:
    """The machine no longer answers."""
    if session.arm is None or (not session.arm.name and not session.arm.is_busy):
        return session, ()
    step_on = stop(session, "silent", reason) if session.arm.is_busy else (session, ())
    return then(step_on, lambda now: (_changed(now, name="", is_homed=False, is_armed=False), ()))


def take_hand(session: Session, is_seen: bool) -> Step:
    """A hand is over the board, or no longer."""
    if session.arm is None:
        return session, ()
    session = _changed(session, is_hand_seen=is_seen)
    assert session.arm is not None
    return stop(session, "hand") if is_seen and session.arm.is_busy else (session, ())


def take_done(session: Session, job: int) -> Step:
    """A job is done; the number tells a late answer."""
    arm = session.arm
    match arm.stage if arm is not None else None:
        case Homing(job=wanted) if wanted == job:
            return _changed(session, is_homed=True, stage=Resting()), ()
        case Acting(job=wanted) if wanted == job:
            assert arm is not None
            if arm.settings.driver == DRY_RUN:
                return _changed(session, **_rest(arm), by_hand_ply=session.game.ply), ()
            return _changed(session, stage=Checking(session.at_ms)), ()
        case _:
            return session, ()


def take_failed(session: Session, job: int, kind: str, reason: str, is_lost: bool) -> Step:
    """A job failed, or (number 0) the machine did something by itself."""
    arm = session.arm
    if arm is None:
        return session, ()
    is_current = isinstance(arm.stage, Acting | Homing) and arm.stage.job == job
    if not is_current and job:
        return session, ()
    session = _changed(session, is_homed=arm.is_homed and not is_lost, alarms=arm.alarms + (kind == "alarm"))
    return stop(session, kind, reason) if is_current or arm.is_busy else (session, ())


def stop(session: Session, reason: str, detail: str = "", squares: tuple[Square, ...] = ()) -> Step:
    """Nothing moves any more; the lamps take over after too many stops."""
    arm = session.arm
    assert arm is not None
    effects: tuple[Effect, ...] = (Halt(reason),) if arm.is_moving else ()
    stops = arm.stops + (reason not in ("hand", "stop", "halt", "board_lost"))
    off = ""
    if stops >= MOST_STOPS or arm.alarms >= MOST_ALARMS:
        off = reason
    stage = Resting() if off else Stopped(reason, detail, squares, _may_hold(arm))
    is_homed = arm.is_homed and not arm.is_moving
    stopped = replace(arm, stage=stage, stops=stops, off=off, is_homed=is_homed, tries=0)
    if off:
        stopped = replace(stopped.at_rest(), off=off, is_armed=False, sets_up=())
    session = replace(session, arm=stopped)
    session, more = announce(
        session, say.ArmStopped(reason, detail, say.names(squares, session.game.ruleset), bool(off))
    )
    return session, (*effects, *more)


def _may_hold(arm: Arm) -> bool:
    """Whether a piece may be in the tool: it was taken up before, or is carried by this very step."""
    if arm.plan is None:
        return False
    held = arm.at > 0 and arm.plan.steps[arm.at - 1].holds
    step = arm.step
    return held or (isinstance(arm.stage, Acting | Checking) and step is not None and not isinstance(step.what, Ask))


# --- going on ------------------------------------------------------------------------------------------------------


def _once(session: Session) -> Step:
    arm = session.arm
    if arm is None or arm.settings.driver == "human":
        return session, ()
    if arm.is_busy:
        halted = _must_stop(session, arm)
        if halted is not None:
            return halted
    elif not isinstance(arm.stage, Resting | Stopped | Asking | Homing):
        return _changed(session, **_rest(arm)), ()
    if isinstance(arm.stage, Stopped | Asking) and not _is_current(session, arm):
        return _changed(session, **_rest(arm)), ()
    match arm.stage:
        case Resting():
            return _begin(session, arm)
        case Homing(until_ms=until_ms) if session.at_ms >= until_ms:
            return stop(session, "silent")
        case Warning(until_ms=until_ms) if session.at_ms >= until_ms:
            return _act(session)
        case Acting(until_ms=until_ms) if session.at_ms >= until_ms:
            return stop(session, "silent")
        case Checking(since_ms=since_ms):
            return _check(session, arm, since_ms)
        case _:
            return session, ()


def _is_current(session: Session, arm: Arm) -> bool:
    """Whether the move that was planned is still the one to be made, or the position the one to be set up."""
    active = session.active
    if isinstance(active, SettingUp):
        return arm.ply == SET_UP and arm.sets_up == active.target.contents
    return isinstance(session.active, Answering) and arm.ply == session.game.ply


def _must_stop(session: Session, arm: Arm) -> Step | None:
    """The stop that what happens calls for: the gate is shut, or something moves that is not the arm's doing."""
    if session.is_stopped:
        return stop(session, "stop")
    if arm.is_hand_seen:
        return stop(session, "hand")
    if not isinstance(arm.stage, Acting) and not isinstance(session.phase, Answering | SettingUp):
        # What was asked for meanwhile, or a board that is gone, waits until the step has ended.
        if not _is_current(session, arm):
            return _changed(session, **_rest(arm)), ()
        is_lost = isinstance(session.phase, Paused) and session.phase.reason == "device"
        return stop(session, "board_lost" if is_lost else "halt")
    seen, step = session.memory.seen, arm.step
    if seen is None or step is None or arm.settings.driver == DRY_RUN:
        return None
    strange = differs(step.before, seen)
    if isinstance(arm.stage, Acting | Checking):
        strange &= ~changed(step, session.game.ruleset.geometry) | (differs(step.after, seen) & ~seen[0])
    return stop(session, "board", squares=squares_in(strange)) if strange else None


def _begin(session: Session, arm: Arm) -> Step:
    """Begin or go on with the move that is to be made, if all is well."""
    if not is_wanted(session) or session.memory.seen is None or not arm.name or not session.memory.firm:
        return session, ()
    is_dry = arm.settings.driver == DRY_RUN
    if not is_dry and (not arm.is_armed or session.is_stopped or arm.is_hand_seen):
        return session, ()
    if session.at_ms < session.memory.since_ms + SETTLE_MS:
        return session, ()
    planned = _planned(session, arm, session.memory.seen)
    plan, at = planned.plan, planned.at
    if plan is None:
        return session, ()
    session = replace(session, arm=planned)
    if is_dry:
        return _handle(session, planned, _acts(plan, at))
    if not arm.is_homed:
        return _look_for_home(session, planned)
    return _changed(session, stage=Warning(session.at_ms + WARNING_MS)), ()


def _planned(session: Session, arm: Arm, seen: Masks) -> Arm:
    """The arm with a plan, at the step that what a board shows asks for; without one where there is nothing to do."""
    game, phase, tool = session.game, session.phase, arm.settings.tool
    if isinstance(phase, SettingUp):
        plan, ply = plan_reset(seen, phase.target, game.ruleset, arm.tray, tool), SET_UP
    else:
        assert isinstance(phase, Answering)
        arm = replace(arm, tray=fitting(arm.tray, arm.settings, game.start, game.position))
        plan, ply = plan_move(game.position, phase.move, game.ruleset, arm.tray, tool), game.ply
    at = entry(plan, seen)
    if at is None or at == len(plan.steps):
        return arm.at_rest()
    return replace(arm, plan=plan, at=at, ply=ply, tries=0)


def _look_for_home(session: Session, arm: Arm) -> Step:
    job = arm.job + 1
    session = replace(session, arm=replace(arm, job=job, stage=Homing(job, session.at_ms + ACT_MS)))
    return session, (Handle(job, (Home(),)),)


def _act(session: Session) -> Step:
    """Carry out the step that is next: its board must stand."""
    arm = session.arm
    assert arm is not None
    step, seen = arm.step, session.memory.seen
    if step is None or seen is None or arm.plan is None:
        return _changed(session, **_rest(arm)), ()
    if not shown(step.before, seen):
        return stop(session, "board", squares=squares_in(differs(step.before, seen)))
    if isinstance(step.what, Ask):
        return _ask(session, arm, step.what)
    return _handle(session, arm, _acts(arm.plan, arm.at))


def _ask(session: Session, arm: Arm, ask: Ask) -> Step:
    if ask.reason == BY_HAND:
        ply = arm.by_hand_ply if arm.sets_up else session.game.ply
        return _changed(session, **_rest(arm), by_hand_ply=ply, sets_up=()), ()
    return _changed(session, stage=Asking(ask.reason)), ()


def _handle(session: Session, arm: Arm, acts: tuple[Act, ...]) -> Step:
    if not acts:
        return _changed(session, **_rest(arm), by_hand_ply=session.game.ply), ()
    job = arm.job + 1
    session = replace(session, arm=replace(arm, job=job, stage=Acting(job, session.at_ms + ACT_MS)))
    return session, (Handle(job, acts, arm.tries),)


def _acts(plan: Plan, at: int) -> tuple[Act, ...]:
    """What is to be done from a step on: the first is done now, the others must be in reach too."""
    return tuple(step.what for step in plan.steps[at:] if not isinstance(step.what, Ask))


def _check(session: Session, arm: Arm, since_ms: int) -> Step:
    """The board has to show the step; a piece that was not gripped is tried for again."""
    step, seen, memory = arm.step, session.memory.seen, session.memory
    if step is None or seen is None:
        return session, ()
    if shown(step.after, seen) and memory.firm:
        stood = session.at_ms >= max(memory.since_ms, since_ms) + (0 if step.before == step.after else SHOWN_MS)
        return _next(session) if stood or memory.since_ms < since_ms else (session, ())
    if session.at_ms < since_ms + CHECK_MS:
        return session, ()
    is_untouched = shown(step.before, seen) and isinstance(step.what, Lift | Remove | Slide)
    if is_untouched and arm.tries + 1 < MOST_TRIES:
        return _act(_changed(session, tries=arm.tries + 1))
    return stop(session, "nothing", squares=squares_in(differs(step.after, seen)))


def _next(session: Session) -> Step:
    """A step is done and seen: tell of it, and go on with the one after it."""
    arm = session.arm
    assert arm is not None
    assert arm.plan is not None
    step = arm.step
    assert step is not None
    session = _changed(session, at=arm.at + 1, tries=0, tray=step.tray)
    kind = step.what.reason if isinstance(step.what, Ask) else type(step.what).__name__.lower()
    told = announce(session, say.ArmStep(kind, arm.at + 1, len(arm.plan.steps), tray_names(step.tray)))
    return then(told, _act_or_end)


def _act_or_end(session: Session) -> Step:
    arm = session.arm
    assert arm is not None
    assert arm.plan is not None
    if not isinstance(session.phase, Answering | SettingUp) or not _is_current(session, arm):
        return _changed(session, **_rest(arm)), ()
    if arm.step is not None:
        return _act(session)
    return _end(session, arm, arm.plan)


def _end(session: Session, arm: Arm, plan: Plan) -> Step:
    """The move is made, and the tool is out of the way."""
    phase = session.phase
    if not isinstance(phase, Answering):
        return _changed(session, **_rest(arm), stops=0, sets_up=()), ()
    ended = replace(arm.at_rest(), stops=0, by_hand_ply=session.game.ply)
    if plan.crowned and phase.move.promotes:
        # A man on top of a man is not seen by most boards: there a person is asked to look.
        if arm.settings.tool.crown == "stack":
            ended = replace(ended, stacked_ply=session.game.ply)
        else:
            ended = replace(ended, crowned_ply=session.game.ply)
    return replace(session, arm=ended), ()


def _rest(arm: Arm) -> dict[str, object]:
    return {"stage": Resting(), "plan": None, "at": 0, "tries": 0}


def _changed(session: Session, **changes: object) -> Session:
    assert session.arm is not None
    return replace(session, arm=replace(session.arm, **changes))  # type: ignore[arg-type]
