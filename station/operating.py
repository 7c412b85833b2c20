"""What an arm does next: a state machine over the session's values, the same for every driver.

Nothing moves but while the gate is open: armed at the table, a machine that answers, no stop, no hand, a board that
has just stood still. Every step is checked by the board's own sensors before and after; what the arm's step does not
explain stops it.
"""

from __future__ import annotations

from firmware_bridge.manipulations import Act, Home, Lift, Remove, Slide
from station import announcements as say
from station.arm_events import changed_arm, rest, stop
from station.arm_prompts import is_wanted, may_arm, may_set_up, waits_for_press
from station.effects import Effect, Halt, Handle
from station.handling.arm import (
    ACT_MS,
    CHECK_MS,
    DRY_RUN,
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
from station.record import commit
from station.state import Session
from station.steps import Step, announce, then
from station.tracker import Masks, Story, squares_in
from station.values import replace


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
        return changed_arm(session, is_armed=False), (Halt("halt"),)
    return then(stop(session, "halt"), lambda now: (changed_arm(now, is_armed=False), ()))


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
    return changed_arm(set_armed(session), sets_up=session.phase.target.contents)


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
        return changed_arm(session, **rest()), ()
    if isinstance(arm.stage, Stopped | Asking) and not _is_current(session, arm):
        return changed_arm(session, **rest()), ()
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
            return changed_arm(session, **rest()), ()
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
    return changed_arm(session, stage=Warning(session.at_ms + WARNING_MS)), ()


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
        return changed_arm(session, **rest()), ()
    if not shown(step.before, seen):
        return stop(session, "board", squares=squares_in(differs(step.before, seen)))
    if isinstance(step.what, Ask):
        return _ask(session, arm, step.what)
    return _handle(session, arm, _acts(arm.plan, arm.at))


def _ask(session: Session, arm: Arm, ask: Ask) -> Step:
    if ask.reason == BY_HAND:
        ply = arm.by_hand_ply if arm.sets_up else session.game.ply
        return changed_arm(session, **rest(), by_hand_ply=ply, sets_up=()), ()
    return changed_arm(session, stage=Asking(ask.reason)), ()


def _handle(session: Session, arm: Arm, acts: tuple[Act, ...]) -> Step:
    if not acts:
        return changed_arm(session, **rest(), by_hand_ply=session.game.ply), ()
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
        return _act(changed_arm(session, tries=arm.tries + 1))
    return stop(session, "nothing", squares=squares_in(differs(step.after, seen)))


def _next(session: Session) -> Step:
    """A step is done and seen: tell of it, and go on with the one after it."""
    arm = session.arm
    assert arm is not None
    assert arm.plan is not None
    step = arm.step
    assert step is not None
    session = changed_arm(session, at=arm.at + 1, tries=0, tray=step.tray)
    kind = step.what.reason if isinstance(step.what, Ask) else type(step.what).__name__.lower()
    told = announce(session, say.ArmStep(kind, arm.at + 1, len(arm.plan.steps), tray_names(step.tray)))
    return then(told, _act_or_end)


def _act_or_end(session: Session) -> Step:
    arm = session.arm
    assert arm is not None
    assert arm.plan is not None
    if not isinstance(session.phase, Answering | SettingUp) or not _is_current(session, arm):
        return changed_arm(session, **rest()), ()
    if arm.step is not None:
        return _act(session)
    return _end(session, arm, arm.plan)


def _end(session: Session, arm: Arm, plan: Plan) -> Step:
    """The move is made, and the tool is out of the way."""
    phase = session.phase
    if not isinstance(phase, Answering):
        return changed_arm(session, **rest(), stops=0, sets_up=()), ()
    ended = replace(arm.at_rest(), stops=0, by_hand_ply=session.game.ply)
    if plan.crowned and phase.move.promotes:
        # A man on top of a man is not seen by most boards: there a person is asked to look.
        if arm.settings.tool.crown == "stack":
            ended = replace(ended, stacked_ply=session.game.ply)
        else:
            ended = replace(ended, crowned_ply=session.game.ply)
    session = replace(session, arm=ended)
    # A capture that ends where it began moves no piece that the board could have seen to leave.
    is_round = phase.move.from_square == phase.move.to_square
    return commit(session, Story(0, (phase.move,))) if is_round else (session, ())
