"""What the world says to an arm: it answers or not, its jobs end, hands come and go; and how it is stopped."""

from __future__ import annotations

from engine.geometry import Square
from station import announcements as say
from station.effects import Effect, Halt
from station.events import ArmDone, ArmFailed, ArmFound, ArmLost, Event, HandSeen
from station.handling.arm import DRY_RUN, MOST_ALARMS, MOST_STOPS, Acting, Arm, Checking, Homing, Resting, Stopped
from station.handling.plans import Ask
from station.state import Session
from station.steps import Step, announce, then
from station.values import replace

BY_SOMEBODY = ("hand", "stop", "halt", "stopped", "board_lost")
"""What stops an arm that has not failed. A job that a stop ended (`stopped`) may be heard of before the stop itself."""


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
    return then(step_on, lambda now: (changed_arm(now, name=name, is_homed=False), ()))


def take_lost(session: Session, reason: str) -> Step:
    """The machine no longer answers."""
    if session.arm is None or (not session.arm.name and not session.arm.is_busy):
        return session, ()
    step_on = stop(session, "silent", reason) if session.arm.is_busy else (session, ())
    return then(step_on, lambda now: (changed_arm(now, name="", is_homed=False, is_armed=False), ()))


def take_hand(session: Session, is_seen: bool) -> Step:
    """A hand is over the board, or no longer."""
    if session.arm is None:
        return session, ()
    session = changed_arm(session, is_hand_seen=is_seen)
    assert session.arm is not None
    return stop(session, "hand") if is_seen and session.arm.is_busy else (session, ())


def take_done(session: Session, job: int) -> Step:
    """A job is done; the number tells a late answer."""
    arm = session.arm
    match arm.stage if arm is not None else None:
        case Homing(job=wanted) if wanted == job:
            return changed_arm(session, is_homed=True, stage=Resting()), ()
        case Acting(job=wanted) if wanted == job:
            assert arm is not None
            if arm.settings.driver == DRY_RUN:
                return changed_arm(session, **rest(), by_hand_ply=session.game.ply), ()
            return changed_arm(session, stage=Checking(session.at_ms)), ()
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
    session = changed_arm(session, is_homed=arm.is_homed and not is_lost, alarms=arm.alarms + (kind == "alarm"))
    return stop(session, kind, reason) if is_current or arm.is_busy else (session, ())


def stop(session: Session, reason: str, detail: str = "", squares: tuple[Square, ...] = ()) -> Step:
    """Nothing moves any more; the lamps take over after too many stops."""
    arm = session.arm
    assert arm is not None
    effects: tuple[Effect, ...] = (Halt(reason),) if arm.is_moving else ()
    stops = arm.stops + (reason not in BY_SOMEBODY)
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


def rest() -> dict[str, object]:
    """What is changed of an arm that gives up its plan."""
    return {"stage": Resting(), "plan": None, "at": 0, "tries": 0}


def changed_arm(session: Session, **changes: object) -> Session:
    """The session with other values of its arm."""
    assert session.arm is not None
    return replace(session, arm=replace(session.arm, **changes))  # type: ignore[arg-type]
