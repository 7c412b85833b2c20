"""Scenarios S33 to S40 of `boards/scenarios.md`: crowning, and what a board tells of the kinds of pieces."""

from __future__ import annotations

import pytest

from engine.position import BLACK_MAN, WHITE_KING, WHITE_MAN
from firmware_bridge.simulator import Faults
from station.announcements import BoardDiffers, Illegal, Prompted, Revised, TakenBack

from .scene import BOARDS

on_every_board = pytest.mark.parametrize("board", BOARDS)

CROWNING = "W:Wc7,h2:Ba5,h6"
"""Russian: the man on c7 may go to b8 or d8."""


def unrest(scene):
    return [what for what in scene.heard if isinstance(what, Illegal | BoardDiffers | Prompted | Revised | TakenBack)]


def crown_by_nothing(scene):
    scene.lift("c7")
    scene.put("d8")


def crown_by_stacking(scene):
    crown_by_nothing(scene)
    scene.wait(800)
    scene.flicker("d8", 1, off_ms=60, on_ms=0)


def crown_by_turning_over_before_the_move(scene):
    scene.lift("c7")
    scene.in_hand[-1] = WHITE_KING
    scene.put("d8")


def crown_by_turning_over_on_the_spot(scene):
    crown_by_nothing(scene)
    scene.wait(800)
    scene.lift("d8")
    scene.wait(500)
    scene.in_hand[-1] = WHITE_KING
    scene.put("d8")


def crown_by_a_king_from_the_box(scene):
    crown_by_nothing(scene)
    scene.wait(800)
    scene.remove("d8")
    scene.wait(700)
    scene.put("d8", "K")


def crown_with_the_king_put_down_first(scene):
    scene.put("d8", "K")
    scene.remove("c7")


def crown_with_the_man_taken_off_first(scene):
    scene.remove("c7")
    scene.wait(800)
    scene.put("d8", "K")


@on_every_board
@pytest.mark.parametrize(
    "crown",
    [
        crown_by_nothing,
        crown_by_stacking,
        crown_by_turning_over_before_the_move,
        crown_by_turning_over_on_the_spot,
        crown_by_a_king_from_the_box,
    ],
)
def test_S33_a_man_is_crowned_in_any_way_or_in_none(sit, board, crown):
    scene = sit("russian", CROWNING, board=board)
    crown(scene)
    scene.expect("c7-d8")
    scene.wait(1500)
    assert unrest(scene) == []
    assert scene.session.game.position.contents[scene.square("d8")] is WHITE_KING
    scene.play("h6-g5", "d8:h4")
    assert scene.record == ["c7-d8", "h6-g5", "d8:h4"]


@on_every_board
@pytest.mark.parametrize("crown", [crown_with_the_king_put_down_first, crown_with_the_man_taken_off_first])
def test_S34_there_is_no_order_in_which_the_king_must_be_shown(sit, board, crown):
    scene = sit("russian", CROWNING, board=board)
    crown(scene)
    scene.expect("c7-d8")
    scene.wait(1500)
    assert unrest(scene) == []
    assert scene.session.game.position.contents[scene.square("d8")] is WHITE_KING


@on_every_board
@pytest.mark.parametrize("held_ms", [300, 1800, 6000])
@pytest.mark.parametrize("black", ["person", "engine:3"])
def test_S35_lifting_the_new_king_to_crown_it_is_no_event(sit, board, held_ms, black):
    scene = sit("russian", CROWNING, board=board, black=black)
    scene.play("c7-d8")
    if black != "person":
        scene.answer("h6-g5")
    scene.lift("d8")
    scene.wait(held_ms)
    scene.in_hand[-1] = WHITE_KING
    scene.put("d8")
    scene.wait(2000)
    assert unrest(scene) == []
    assert scene.record == ["c7-d8"]
    scene.move("h6-g5")
    scene.expect("c7-d8", "h6-g5")


@on_every_board
def test_S35_a_new_king_that_stays_away_is_asked_for_in_the_end(sit, board):
    scene = sit("russian", CROWNING, board=board)
    scene.play("c7-d8")
    scene.remove("d8")
    scene.wait(9000)
    assert unrest(scene) == []
    scene.wait(2000)
    assert unrest(scene)
    assert scene.lamps


@pytest.mark.parametrize("seed", range(3))
def test_S36_pieces_with_weak_chips_drop_out_for_a_scan(sit, seed):
    scene = sit("russian", board="dgt", seed=seed, faults=Faults(weak_piece=0.15))
    game = ["c3-d4", "f6-g5", "b2-c3", "g5-f4", "e3:g5", "h6:f4", "g3:e5", "d6:f4"]
    scene.play(*game)
    scene.wait(3000)
    assert [short for short in scene.story if short != "prompt: weak"] == game  # a weak square is named, no more


@pytest.mark.parametrize("seed", range(3))
def test_S36_a_chip_that_is_read_as_another_for_a_scan_changes_nothing(sit, seed):
    scene = sit("russian", board="dgt", seed=seed, faults=Faults(wrong_code=1.0))
    game = ["c3-d4", "f6-g5", "b2-c3", "g5-f4", "e3:g5", "h6:f4"]
    scene.play(*game)
    scene.wait(3000)
    assert scene.story == game


@on_every_board
@pytest.mark.parametrize("how", ["asked for", "on the board"])
def test_S33_a_king_that_a_take_back_comes_to_is_not_to_be_crowned_anew(sit, board, how):
    scene = sit("russian", CROWNING, board=board)
    crown_by_a_king_from_the_box(scene)
    scene.expect("c7-d8")
    scene.play("h6-g5")
    if how == "asked for":
        assert scene.ask("take_back", plies=1) is None
        scene.until(lambda: scene.phase == "SettingUp")
    scene.lift("g5")
    scene.put("h6")
    scene.expect("c7-d8", within_ms=3000)
    scene.until(lambda: scene.phase == "Turn")
    scene.wait(1500)
    assert (scene.guidance.key, scene.lamps) == ("turn", {})
    scene.lift("d8")
    scene.wait(4000)
    assert scene.guidance.key != "turn"  # it is off its square, and not to be crowned
    scene.put("d8")
    scene.play("h6-g5")
    assert scene.record == ["c7-d8", "h6-g5"]


@on_every_board
def test_S39_a_start_with_a_missing_corner_does_not_begin_and_names_it(sit, board):
    scene = sit("russian", board=board, bare=True, ready=False)
    for square, piece in enumerate(scene.session.game.position.contents):
        if square != scene.square("a1"):
            scene.board.put(scene.ruleset.geometry.cells[square], piece, 0)
    scene.wait(6000)
    assert (scene.phase, scene.lamps) == ("SettingUp", {"a1": "place"})
    assert "a1" in scene.guidance.sentence
    assert scene.story == []
    scene.put("a1", "M")
    scene.until(lambda: scene.phase == "Turn")


@pytest.mark.parametrize("board", ["colour", "dgt"])
def test_S40_two_pieces_of_the_wrong_colours_are_noticed_before_the_first_move(sit, board):
    scene = sit("russian", board=board, bare=True, ready=False)
    swapped = {scene.square("c3"): BLACK_MAN, scene.square("f6"): WHITE_MAN}
    for square, piece in enumerate(scene.session.game.position.contents):
        scene.board.put(scene.ruleset.geometry.cells[square], swapped.get(square, piece), 0)
    scene.wait(6000)
    assert scene.phase == "SettingUp"
    assert set(scene.lamps) == {"c3", "f6"}
    scene.lift("c3", "f6")
    scene.put("c3")
    scene.put("f6")
    scene.until(lambda: scene.phase == "Turn")


@pytest.mark.parametrize(("square", "king"), [("g3", "K"), ("h6", "k")])
def test_S37_a_man_that_is_read_as_a_king_stays_a_man_and_blocks_no_move(sit, square, king):
    scene = sit("russian", board="dgt")
    scene.remove(square)
    scene.put(square, king)
    scene.wait(1500)
    assert (scene.guidance.key, scene.lamps) == ("uncrown", {square: "hint"})
    assert unrest(scene) == []
    scene.play("c3-d4", "f6-e5")
    assert scene.story == ["c3-d4", "f6-e5"]
    men = {"K": WHITE_MAN, "k": BLACK_MAN}
    assert scene.session.game.position.contents[scene.square(square)] is men[king]
    scene.remove(square)
    scene.put(square, king.replace("K", "M").replace("k", "m"))
    scene.wait(1500)
    assert (scene.guidance.key, scene.lamps) == ("turn", {})


@pytest.mark.parametrize("period_ms", [225, 450])
def test_S38_a_reading_that_swings_between_two_kinds_does_not_keep_a_move_waiting(sit, period_ms):
    scene = sit("russian", "W:WKc1,Ka1:Bh8,f8,b8", board="dgt")
    cell = scene.ruleset.geometry.cells[scene.square("a1")]
    kinds = [WHITE_MAN, WHITE_KING]

    def swing(duration_ms):
        for number in range(duration_ms // period_ms):
            scene.board.put(cell, kinds[number % 2], scene.now)
            scene.wait(period_ms)

    swing(2000)
    scene.lift("c1")
    swing(500)
    scene.put("g5")
    swing(3000)
    assert scene.record == ["c1-g5"]
    assert scene.story == ["c1-g5"]
