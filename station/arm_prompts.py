"""What people are told of an arm, and whether the button is for it: functions of the session."""

from __future__ import annotations

from engine.notation import move_text, square_name
from engine.position import Move
from firmware_bridge.manipulations import Lift, Place, Remove
from station.handling.arm import NOT_MOVING, Arm, Asking, Stopped
from station.handling.moves import plan_move
from station.handling.plans import entry
from station.phases import Answering, SettingUp
from station.state import Session


def is_wanted(session: Session) -> bool:
    """Whether the arm is to make the reply, whatever is asked of a person first."""
    arm, phase = session.arm, session.phase
    if arm is None or arm.off:
        return False
    if isinstance(phase, SettingUp):
        return bool(arm.sets_up) and arm.sets_up == phase.target.contents
    is_due = isinstance(phase, Answering) and session.at_ms >= phase.shown_ms
    return is_due and arm.by_hand_ply != session.game.ply


def may_set_up(session: Session) -> bool:
    """Whether the arm can be asked to set up the board: kings of two men are taken apart by hand."""
    arm = session.arm
    if arm is None or not isinstance(session.phase, SettingUp) or session.is_stopped or arm.sets_up:
        return False
    tool = arm.settings.tool
    is_able = not tool.slides and tool.crown != "stack" and session.game.position.towers is None
    return arm.moves and bool(arm.name) and is_able


def may_arm(session: Session) -> bool:
    """Whether a press lets the arm move."""
    arm = session.arm
    return arm is not None and arm.moves and bool(arm.name) and not arm.is_armed and not session.is_stopped


def waits_for_press(session: Session) -> bool:
    """Whether the button goes to the arm."""
    arm = session.arm
    if arm is None or not isinstance(session.phase, Answering | SettingUp):
        return False
    return isinstance(arm.stage, Asking | Stopped) or (is_wanted(session) and may_arm(session))


def stacks_kings(session: Session) -> bool:
    """Whether kings are men on men here: a sensor below the board sees a man where one stands."""
    return session.arm is not None and session.arm.settings.tool.crown == "stack"


def has_stacked(session: Session) -> bool:
    """Whether the last move was crowned by the arm with a second man, which no sensor sees."""
    return session.arm is not None and session.arm.stacked_ply == session.game.ply - 1


def arm_prompt(session: Session) -> tuple[str, dict[str, str]] | None:
    """Key and words of what is said because of the arm; None where it changes nothing."""
    arm, phase = session.arm, session.phase
    if arm is None or not isinstance(phase, Answering | SettingUp):
        return None
    if isinstance(phase, SettingUp):
        is_stopped = isinstance(arm.stage, Stopped | Asking)
        return ("arm_setting_up", {}) if arm.is_busy else _at_rest(session, arm) if is_stopped else None
    if arm.settings.driver == "human":
        return _for_person(session, arm, phase.move)
    if arm.is_busy and arm.moves:
        return "arm_moving", {"move": _text(session, phase.move)}
    return _at_rest(session, arm)


def _at_rest(session: Session, arm: Arm) -> tuple[str, dict[str, str]] | None:
    match arm.stage:
        case Asking():
            return "arm_tray", {}
        case Stopped() as stopped:
            return "arm_held" if stopped.holds else "arm_stopped", {"reason": why(session)}
        case _ if is_wanted(session) and may_arm(session):
            return "arm_offer", {}
        case _ if is_wanted(session) and arm.moves and arm.is_armed and arm.is_hand_seen:
            return "arm_waits", {}
        case _:
            return None


def _for_person(session: Session, arm: Arm, move: Move) -> tuple[str, dict[str, str]] | None:
    """The one act that is next, for a person who is the arm; None where the lamps' sentence is the better one."""
    seen = session.memory.seen
    if not is_wanted(session) or seen is None:
        return None
    ruleset = session.game.ruleset
    plan = plan_move(session.game.position, move, ruleset, arm.tray, arm.settings.tool)
    at = entry(plan, seen, by_person=True)
    if at is None or at == len(plan.steps):
        return None
    match plan.steps[at].what:
        case Lift(cell=cell):
            key = "act_lift"
        case Place(cell=cell):
            key = "act_place"
        case Remove(cell=cell):
            key = "act_remove"
        case _:
            return None
    return key, {"square": square_name(ruleset.geometry.squares_by_cell[cell], ruleset)}


def says(session: Session) -> str:
    """In one sentence, what the arm is about; empty where it is a person, or there is none."""
    arm = session.arm
    if arm is None or arm.settings.driver in NOT_MOVING:
        return ""
    if arm.off:
        return why(session)
    if isinstance(arm.stage, Stopped):
        return session.texts.say("arm.says_stopped", reason=why(session))
    if session.is_stopped:
        return session.texts.say("stop.pressed")
    return session.texts.say(f"arm.says_{_state(arm)}")


def _state(arm: Arm) -> str:
    found = (
        ("dry", not arm.moves),
        ("silent", not arm.name),
        ("asks", isinstance(arm.stage, Asking)),
        ("busy", arm.is_busy or arm.is_moving),
        ("hand", arm.is_hand_seen),
        ("unarmed", not arm.is_armed),
    )
    return next((state for state, is_so in found if is_so), "ready")


def why(session: Session) -> str:
    """Why the arm does not move, in words; empty while nothing is wrong with it."""
    arm = session.arm
    if arm is None:
        return ""
    if arm.off:
        return session.texts.say("arm.off", reason=_reason(session, arm.off))
    if not isinstance(arm.stage, Stopped):
        return ""
    squares = ", ".join(square_name(square, session.game.ruleset) for square in arm.stage.squares)
    return _reason(session, arm.stage.reason, squares or arm.stage.detail)


def _reason(session: Session, reason: str, detail: str = "") -> str:
    return session.texts.say(f"arm.{reason}", detail=detail).strip()


def _text(session: Session, move: Move) -> str:
    return move_text(move, session.game.legal_moves, session.game.ruleset)
