"""The measure of Home Assistant's discovery refuses what Home Assistant refuses, and our messages pass it."""

from __future__ import annotations

import copy

import pytest

from station.config import BoardTable
from station.runtime import discovery

from .home_assistant import faults, shown

TOPIC = discovery.topic("homeassistant", "club-1", "table")
GOOD = discovery.device("dambord/v1/club-1", "club-1", BoardTable("table", "matrix", port="x"))


def test_both_kinds_of_messages_are_taken():
    assert faults(TOPIC, GOOD) == []
    station = discovery.station_device("dambord/v1/club-1", "club-1")
    assert faults(discovery.topic("homeassistant", "club-1"), station) == []
    # A board is behind its station.
    assert [GOOD["device"]["via_device"]] == station["device"]["identifiers"]
    ids = {component["unique_id"] for device in (GOOD, station) for component in device["components"].values()}
    assert len(ids) == len(GOOD["components"]) + len(station["components"])


def changed(path, value):
    broken = copy.deepcopy(GOOD)
    *way, last = path
    place = broken
    for level in way:
        place = place[level]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return broken


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("origin",), None),
        (("origin", "name"), ""),
        (("origin", "url"), "x"),
        (("device", "identifiers"), []),
        (("device", "colour"), "red"),
        (("schema",), 1),
        (("qos",), 3),
        (("availability_mode",), "some"),
        (("availability", 0, "topic"), "a/+"),
        (("components",), {}),
        (("components", "ply", "unique_id"), None),
        (("components", "ply", "unique_id"), GOOD["components"]["turn"]["unique_id"]),
        (("components", "ply", "platform"), None),
        (("components", "ply", "platform"), "abacus"),
        (("components", "ply", "state_topic"), None),
        (("components", "ply", "options"), ["1"]),
        (("components", "ply", "object_id"), "ply"),
        (("components", "problem", "entity_category"), "config"),
        (("components", "problem", "device_class"), "trouble"),
        (("components", "happened", "event_types"), []),
        (("components", "picture", "url_topic"), "a"),
        (("components", "new_game", "command_topic"), "a/#"),
    ],
)
def test_what_home_assistant_would_not_take_is_found(path, value):
    assert faults(TOPIC, changed(path, value))


def test_O29_a_state_that_would_not_be_shown_is_found():
    phase, prompt, problem = (GOOD["components"][name] for name in ("phase", "prompt", "problem"))
    with pytest.raises(ValueError, match="no option"):
        shown(phase, {"phase": "asleep"})
    assert len(shown(prompt, {"guidance": {"sentence": "x" * 400}})) == 255
    assert shown(problem, {"problem": None}) == "OFF"
    assert shown(problem, {"problem": "gone"}) == "ON"
