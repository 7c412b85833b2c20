"""Touched points become a board and a tray, or are refused with by how much they do not fit."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from firmware_bridge.touched import CalibrationError, calibrated, fitted, off_mm, spots, tray_ends, tray_placed
from firmware_bridge.workspace import Workspace

BUILT = Workspace(
    10,
    10,
    lowest=(-600.0, -600.0, -90.0),
    highest=(0.0, 0.0, 0.0),
    park=(-20.0, -20.0, -5.0),
    tray=((-500.0, -400.0), (-500.0, -360.0), (-500.0, -320.0), (-540.0, -320.0)),
)
ANGLE = math.radians(2.0)


def at(column, row, pitch=40.0, z=-70.0):
    """Where a spot lies on a board that is turned by two degrees."""
    across, along = column * pitch, (9 - row) * pitch
    x = -420.0 + across * math.cos(ANGLE) - along * math.sin(ANGLE)
    return (x, -410.0 + across * math.sin(ANGLE) + along * math.cos(ANGLE), z)


def touched(nine=False, **changes):
    return {spot: changes.get(f"at{number}", at(*spot)) for number, spot in enumerate(spots(10, 10, nine=nine))}


def test_a_board_lies_where_it_was_touched():
    space = fitted(BUILT, touched())
    for spot in ((0, 0), (4, 7), (9, 9), (4.5, 4.5)):
        assert space.xy(spot) == pytest.approx(at(*spot)[:2])
    assert space.board_z == -70.0
    assert off_mm(space, touched()) < 1e-9
    assert calibrated(space).placed(BUILT) == space


def test_nine_points_take_out_what_an_arm_bends():
    def bent(spot):
        x, y, z = at(*spot)
        return (x + 3.0 * math.sin(spot[0] / 9 * math.pi), y, z)

    points = {spot: bent(spot) for spot in spots(10, 10, nine=True)}
    assert len(points) == 9
    space = fitted(BUILT, points)
    assert off_mm(space, points) < 1e-9
    assert space.xy((4.5, 9)) == pytest.approx(bent((4.5, 9))[:2])
    assert off_mm(fitted(BUILT, {spot: points[spot] for spot in spots(10, 10)}), points) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"at3": (at(9, 0)[0] + 4.0, *at(9, 0)[1:])}, "skew", {"off": "4.00", "most": "1.5"}),
        ({"at2": at(0, 9)}, "same", {}),
        ({"at0": at(0, 9, z=-67.0)}, "tilt", {"off": "3.00", "most": "1.5"}),
        ({"at0": at(9, 9), "at1": at(0, 9), "at2": at(9, 0), "at3": at(0, 0)}, "mirrored", {}),
        ({"at1": at(8, 9), "at3": at(8, 0)}, "cells", {"across": "35.56", "along": "40.00"}),
        ({"at2": at(1, 0), "at3": at(10, 0)}, "lean", {"angle": "96.3", "most": "1"}),
    ],
    ids=["skew", "same", "tilt", "mirrored", "cells", "lean"],
)
def test_what_is_no_board_is_refused_by_how_much(changes, kind, words):
    with pytest.raises(CalibrationError) as refused:
        fitted(BUILT, touched(**changes))
    assert refused.value.kind == kind
    assert refused.value.words.items() >= words.items()


def test_nine_points_of_which_one_is_far_off_are_refused():
    far = (at(4.5, 4.5)[0] + 6.0, *at(4.5, 4.5)[1:])
    with pytest.raises(CalibrationError, match=r"bend: off 6\.00"):
        fitted(BUILT, {**touched(nine=True), (4.5, 4.5): far})


def test_a_tray_is_shifted_and_turned_as_a_whole():
    assert tray_ends(BUILT) == (0, 3)
    moved = {0: (-498.0, -405.0, -68.0), 3: (-458.0, -325.0, -69.0)}  # turned, so that the last column is to the right
    space = tray_placed(BUILT, moved)
    first, last = complex(-498.0, -405.0), complex(-458.0, -325.0)
    planned = [complex(*slot) - complex(*BUILT.tray[0]) for slot in BUILT.tray]
    for slot, offset in zip(space.tray, planned, strict=True):
        assert complex(*slot) == pytest.approx(first + offset * (last - first) / planned[3])
    assert space.tray_z == -68.5
    assert tray_ends(replace(BUILT, tray=())) == ()
    with pytest.raises(CalibrationError, match="tray: found 95"):
        tray_placed(BUILT, {0: (-500.0, -400.0, -70.0), 3: (-545.0, -316.0, -70.0)})
