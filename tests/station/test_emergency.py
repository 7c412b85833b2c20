"""The emergency stop is told once to page and MQTT, and the game goes on."""

from __future__ import annotations

from station import status
from station.announcements import Halted
from station.effects import Announce
from station.events import StopTold
from station.session import step
from tests.station.table import Table


def test_pressed_is_announced_once_and_let_go_too():
    table = Table()
    told = []
    session = table.session
    assert status.state(session)["stop"] is None
    for at_ms, is_pressed in ((10, False), (20, True), (30, True), (40, False), (50, False)):
        session, effects = step(session, StopTold(session.at_ms + at_ms, is_pressed))
        told += [effect.what for effect in effects if isinstance(effect, Announce)]
        stop = status.state(session)["stop"]
        assert (stop is not None) == is_pressed
        assert not is_pressed or stop.startswith("The emergency stop is pressed")
    assert told == [Halted(True), Halted(False)]
