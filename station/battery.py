"""The battery of a board: told to page and MQTT; people are warned once, and again only when it had been filled."""

from __future__ import annotations

from firmware_bridge.driver import Battery
from station import announcements as say
from station.state import Session
from station.steps import Step, announce
from station.values import replace

LOW_PERCENT = 15
FILLED_PERCENT = 25
"""A battery that was low is not low any more from here on: a reading that wavers warns once."""


def take_battery(session: Session, battery: Battery) -> Step:
    """The session after its board has said how full its battery is, and a warning when it has become low."""
    before = session.battery_is_low
    edge = FILLED_PERCENT if before else LOW_PERCENT + 1
    now = replace(session, battery=battery, battery_is_low=not battery.charging and battery.percent < edge)
    sentence = battery_warning(now)
    if before or sentence is None:
        return now, ()
    return announce(now, say.Prompted("battery_low", sentence, ()))


def battery_warning(session: Session) -> str | None:
    """What people are told of a battery that is low; None while it is not."""
    if session.battery is None or not session.battery_is_low:
        return None
    return session.texts.say("battery.low", percent=str(session.battery.percent))
