"""House rules nobody has played yet: whatever goes together is played exactly as the oracle understands it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import rules_for
from tests.engine.made_up import HouseRules, house_rules, positions_of, tries
from tests.engine.second_opinion import compare_from


def _compare(house: HouseRules, data: st.DataObject) -> None:
    rules = rules_for(house.ruleset)
    start = data.draw(st.one_of(positions_of(house.ruleset), st.just(rules.start())))
    compare_from(rules, house.facts, start, data.draw(st.integers(0, 999)), most_plies=15)


@tries(150)
@given(house=house_rules(), data=st.data())
def test_house_rules_mean_what_they_say(house, data):
    _compare(house, data)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@tries(5_000, always_the_same=False)
@given(house=house_rules(), data=st.data())
def test_house_rules_mean_what_they_say_for_long(house, data):
    _compare(house, data)
