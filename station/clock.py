"""Clocks: time controls as people write them, and the time each side has left. Time is an argument."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from engine.position import Side

LONGEST_MINUTES = 600
LONGEST_SECONDS = 600

Left = tuple[int, int]
"""What White and Black have left until their flags fall, in ms, all periods counted; below 0 when one has fallen."""

LONGEST_PERIODS = 99

_CONTROL = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,2})?)(?:([+d])([0-9]{1,3})|b(?:([0-9]{1,2})x)?([0-9]{1,3}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time each side has for the game."""

    main_ms: int
    increment_ms: int = 0
    """Added for every move made (Fischer)."""
    delay_ms: int = 0
    """What a move takes is given back, up to so much (Bronstein)."""
    periods: int = 0
    """How many times `period_ms` there are after the main time; one that a move leaves unfinished begins anew."""
    period_ms: int = 0
    """What each move may take when the main time is over, without using up a period (byo-yomi)."""

    @property
    def total_ms(self) -> int:
        """Main time and all periods."""
        return self.main_ms + self.periods * self.period_ms


def read_control(text: str) -> TimeControl | None:
    """The control of a text: `5` minutes, `5+3` with 3 s a move added, `5d3` with up to 3 s a move given back.

    `5b30` has 30 s for each move after the five minutes, `5b3x30` three such periods (byo-yomi). Minutes may have a
    fraction (`0.5`). None where the text is none, or its times are out of range.
    """
    match = _CONTROL.fullmatch(text)
    if match is None:
        return None
    main_ms, seconds = round(float(match[1]) * 60_000), int(match[3] or match[5] or 0)
    periods = 0 if match[5] is None else int(match[4] or 1)
    if main_ms > LONGEST_MINUTES * 60_000 or seconds > LONGEST_SECONDS:
        return None
    if match[5] is not None:
        is_right = 0 < periods <= LONGEST_PERIODS and seconds > 0
        return TimeControl(main_ms, periods=periods, period_ms=1000 * seconds) if is_right else None
    if main_ms == 0:
        return None
    return TimeControl(main_ms, *((0, 1000 * seconds) if match[2] == "d" else (1000 * seconds, 0)))


def control_text(control: TimeControl | None) -> str:
    """A control as `read_control` reads it; empty for none."""
    if control is None:
        return ""
    extra = f"+{control.increment_ms // 1000}" if control.increment_ms else ""
    delay = f"d{control.delay_ms // 1000}" if control.delay_ms else ""
    times = f"{control.periods}x" if control.periods > 1 else ""
    periods = f"b{times}{control.period_ms // 1000}" if control.periods else ""
    return f"{control.main_ms / 60_000:g}{extra}{delay}{periods}"


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both clocks of a game; at most one of them runs."""

    left: Left
    """At `since_ms`."""
    running: Side | None = None
    since_ms: int = 0
    turns: tuple[Left, ...] = ()
    """What was left when each turn began, the present one last: what taking moves back gives back."""
    begun: bool = False
    """Whether they have been set going: by the first move, or by hand before it."""
    handed_ms: int | None = None
    """When the turn was handed over by a move, until the next clock runs from there."""


def fresh(control: TimeControl | None) -> Clocks | None:
    """Clocks before the first move; None without a control."""
    if control is None:
        return None
    left = (control.total_ms, control.total_ms)
    return Clocks(left, turns=(left,))


def left_at(clocks: Clocks, now_ms: int) -> Left:
    """What both sides have left at a moment."""
    spent = max(0, now_ms - clocks.since_ms)
    white, black = clocks.left
    match clocks.running:
        case Side.WHITE:
            return white - spent, black
        case Side.BLACK:
            return white, black - spent
        case _:
            return clocks.left


def of(left: Left, side: Side) -> int:
    """What one side has left."""
    return left[0] if side is Side.WHITE else left[1]


def set_right(clocks: Clocks, wanted: Side | None, now_ms: int) -> Clocks:
    """The clocks with the wanted one running, from when the turn was handed over if a move has just done so."""
    if clocks.running is wanted and clocks.handed_ms is None:
        return clocks
    left = left_at(clocks, now_ms)
    since_ms = now_ms if clocks.handed_ms is None else clocks.handed_ms
    return replace(clocks, left=left, running=wanted, since_ms=since_ms, handed_ms=None)


def after_move(clocks: Clocks, control: TimeControl, side: Side, at_ms: int) -> Clocks:
    """A side has made its move with its last touch at this moment: nobody's clock runs until it is set right."""
    left = left_at(clocks, at_ms)
    spent = of(clocks.turns[-1], side) - of(left, side)
    left = _whole_period(_changed(left, side, control.increment_ms + min(spent, control.delay_ms)), control, side)
    handed_ms = max(at_ms, clocks.since_ms)
    return Clocks(left, None, handed_ms, (*clocks.turns, left), True, handed_ms)


def after_change(clocks: Clocks, control: TimeControl, side: Side, at_ms: int) -> Clocks:
    """A side has changed the move that it made last: what the other clock ran since is its own time."""
    before = clocks.turns[-1]
    spent = of(before, side.other) - of(left_at(clocks, at_ms), side.other)
    left = _whole_period(_changed(before, side, -spent), control, side)
    handed_ms = max(at_ms, clocks.since_ms)
    return Clocks(left, None, handed_ms, (*clocks.turns[:-1], left), True, handed_ms)


def after_taking_back(clocks: Clocks, plies: int) -> Clocks:
    """Moves are taken back, and the time that they and the present one took is given back."""
    turns = clocks.turns[: max(1, len(clocks.turns) - plies)]
    return Clocks(turns[-1], turns=turns, begun=clocks.begun and len(turns) > 1)


def _whole_period(left: Left, control: TimeControl, side: Side) -> Left:
    """What is left after a move: a period that it did not use up is whole again."""
    rest_ms = of(left, side)
    if not 0 < rest_ms < control.periods * control.period_ms:
        return left
    return _changed(left, side, -rest_ms % control.period_ms)


def _changed(left: Left, side: Side, by_ms: int) -> Left:
    white, black = left
    return (white + by_ms, black) if side is Side.WHITE else (white, black + by_ms)


def falls_ms(clocks: Clocks) -> int | None:
    """When the flag of the running clock falls; None while none runs."""
    return None if clocks.running is None else clocks.since_ms + of(clocks.left, clocks.running)
