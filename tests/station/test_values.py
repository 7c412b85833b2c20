"""A value with other fields is what `dataclasses.replace` gives."""

from __future__ import annotations

import dataclasses

import pytest

from engine.ruleset import load_ruleset
from station.session import begin
from station.settings import Settings
from station.texts import load_texts
from station.values import replace


def test_a_large_value_and_one_with_slots_are_changed_as_by_dataclasses():
    session = begin(Settings("table-1", load_ruleset("russian")), load_texts("en"), "boot")
    before = dataclasses.replace(session)
    assert replace(session, at_ms=7, problem="odd") == dataclasses.replace(session, at_ms=7, problem="odd") != session
    assert session == before
    assert replace(session.phase, reason="asked") == dataclasses.replace(session.phase, reason="asked")
    for value in (session, session.phase):
        with pytest.raises(TypeError, match="colour"):
            replace(value, colour="green")
