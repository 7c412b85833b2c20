"""Whatever befalls an arm in a move: it ends in the position that the game has, or in one clear thing to do."""

from __future__ import annotations

import pytest

from tests.station.arm_mishaps import MISHAPS, mishap

VARIANTS = ("russian", "international", "english", "italian", "brazilian")
OFTEN = range(5000, 5200)
"""Seeds of the promised two hundred of each kind; they were used for nothing else."""


@pytest.mark.parametrize("kind", MISHAPS)
def test_a_mishap_ends_well(kind):
    mishap(kind, 3)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", MISHAPS)
def test_two_hundred_mishaps_of_each_kind(kind, variant):
    """`python -m pytest -m soak tests/station/test_arm_mishaps.py`: forty seeds in each of five rule sets."""
    for seed in OFTEN[VARIANTS.index(variant) :: len(VARIANTS)]:
        mishap(kind, seed, variant)
