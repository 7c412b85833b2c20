"""House rules nobody has played yet: whatever goes together is played exactly as the oracle understands it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import rules_for
from tests.engine.made_up import HouseRules, house_rules, positions_of, tries
from tests.engine.second_opinion import assert_same_moves, compare_through_a_game


def _compare(house: HouseRules, data: st.DataObject) -> None:
    rules = rules_for(house.ruleset)
    for _ in range(3):
        assert_same_moves(rules, house.facts, data.draw(positions_of(house.ruleset)), [])
    compare_through_a_game(rules, house.facts, data.draw(st.integers(0, 2**32)), most_plies=25)


@tries(150)
@given(house=house_rules(), data=st.data())
def test_house_rules_mean_what_they_say(house, data):
    _compare(house, data)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@tries(10_000, always_the_same=False)
@given(house=house_rules(), data=st.data())
def test_house_rules_mean_what_they_say_for_long(house, data):
    _compare(house, data)
