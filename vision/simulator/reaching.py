"""How an arm moves from one contact to the next: where it is at a time, and what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.position import Piece
from vision.simulator.arm import Arm
from vision.simulator.lens import Numbers
from vision.simulator.pieces import Standing

IN_MS, OUT_MS = 450, 450
"""How long an arm takes to come, and to go."""
STAYS_MS = 1500
"""It waits over the board for the next contact when that comes within this time."""

_LOW, _HIGH = 0.12, 0.9
"""How high the fingertips are at a contact, and on the way, in squares."""
_MOMENT_MS = 10


@dataclass(frozen=True, slots=True)
class Contact:
    """Fingers take a piece, or put one down."""

    at_ms: int
    x: float
    y: float
    piece: Piece
    takes: bool


def arm_at(contacts: Sequence[Contact], at_ms: int, arm: Arm) -> Arm | None:
    """The arm of one who makes these contacts, in order of time; None while it is not over the board.

    `arm` is where it rests beside the board, of what colour it is, and where its shoulder is.
    """
    here = _place(contacts, at_ms, arm)
    if here is None:
        return None
    soon = _place(contacts, at_ms + _MOMENT_MS, arm)
    speed = (soon[:2] - here[:2]) * (1000 / _MOMENT_MS) if soon is not None else np.zeros(2)
    x, y, z = (float(part) for part in here)
    last = next((contact for contact in reversed(contacts) if contact.at_ms <= at_ms), None)
    holding = None
    if last is not None and last.takes:
        holding = Standing(last.piece, x, y, z)
    return replace(arm, x=x, y=y, z=z, holding=holding, speed=(float(speed[0]), float(speed[1])))


def _place(contacts: Sequence[Contact], at_ms: int, arm: Arm) -> Numbers | None:
    """Where the fingertips are."""
    rest = np.array([arm.x, arm.y, 1.0])
    before = next((contact for contact in reversed(contacts) if contact.at_ms <= at_ms), None)
    after = next((contact for contact in contacts if contact.at_ms > at_ms), None)
    if before is not None and after is not None and after.at_ms - before.at_ms <= STAYS_MS:
        return _between(before, after, at_ms)
    if before is not None and at_ms < before.at_ms + OUT_MS:
        return _on_the_way(_spot(before), rest, (at_ms - before.at_ms) / OUT_MS)
    if after is not None and at_ms > after.at_ms - IN_MS:
        return _on_the_way(rest, _spot(after), 1 - (after.at_ms - at_ms) / IN_MS)
    return None


def _between(before: Contact, after: Contact, at_ms: int) -> Numbers:
    first, last = _spot(before), _spot(after)
    gap = after.at_ms - before.at_ms
    travel = min(gap, 200 + 70 * float(np.hypot(*(last - first)[:2])))
    share = max(0.0, 1 - (after.at_ms - at_ms) / travel)
    return _on_the_way(first, last, share)


def _on_the_way(first: Numbers, last: Numbers, share: float) -> Numbers:
    eased = share * share * (3 - 2 * share)
    lift = (_HIGH - _LOW) * 4 * eased * (1 - eased)
    return np.asarray(first + (last - first) * eased + np.array([0, 0, lift]), np.float64)


def _spot(contact: Contact) -> Numbers:
    return np.array([contact.x, contact.y, _LOW])
