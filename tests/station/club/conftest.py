"""A club of messages without a broker, and its pages on a free port."""

from __future__ import annotations

import pytest

from station.club.config import ClubConfig, ClubTable
from station.config import MqttTable, WebTable
from station.runtime.club import ClubService
from tests.outside.broker import Listener
from tests.station.runtime.conftest import broker  # noqa: F401


class Wall:
    """A club in this process, and whoever tells it of stations."""

    def __init__(self, folder, port, name="Open", language="en"):
        config = ClubConfig(ClubTable(name, language, str(folder / "club")), MqttTable(port=port), WebTable(port=0))
        self.service = ClubService(config)
        self.service.start()
        self.url = self.service.page.url
        self.listener = Listener(port)

    def tell(self, *messages, retain=False):
        for topic, payload in messages:
            self.listener.publish(topic, payload, retain=retain)

    def end(self):
        self.listener.close()
        self.service.stop()


@pytest.fixture
def wall(tmp_path, broker):  # noqa: F811
    wall = Wall(tmp_path, broker.port)
    yield wall
    wall.end()


@pytest.fixture
def look(chromium):
    """Open one of a club's pages at a size; whatever it complains about fails the test."""
    contexts, complaints = [], []

    def go(wall, path="", width=1280, height=800, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(wall.url + path)
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []
