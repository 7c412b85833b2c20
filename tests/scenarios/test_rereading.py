"""A board gone astray is read again: by what each square showed, the last moves are put right or asked for."""

from __future__ import annotations

import itertools

import pytest

from engine.ruleset import load_ruleset
from station.announcements import Prompted
from station.guidance import choices
from station.runtime.made_games import made_games
from station.runtime.simulate import Setup, play

QUICK = "W:Wc4,e3,h3,g2:Bc7,f7,g7,a5,h5,Ka3"
"""White's man may go to d3 or f3; either way Black's king takes it and the man on g2, and ends on g1."""


def questions(scene):
    return [what for what in scene.heard_of(Prompted) if what.prompt == "which"]


def quickly(scene):
    """White's man is taken off before the scan has come by where it was put."""
    pace_ms, scene.pace_ms = scene.pace_ms, 8
    scene.lift("e3")
    scene.put("d3")
    scene.lift("a3")
    scene.remove("d3")
    scene.put("g3")
    scene.lift("g3")
    scene.remove("g2")
    scene.put("g1")
    scene.pace_ms = pace_ms


def test_S31_two_lines_that_leave_the_same_board_are_asked_for(sit):
    scene = sit("turkish", QUICK, board="dgt")
    quickly(scene)
    scene.wait(2000)
    assert scene.record == []
    assert scene.guidance.key == "which"
    assert "e3-d3 a3xg3xg1" in questions(scene)[-1].sentence
    assert "e3-f3 a3xg3xg1" in questions(scene)[-1].sentence


def test_S31_the_game_goes_on_while_the_question_is_open(sit):
    scene = sit("turkish", QUICK, board="dgt")
    quickly(scene)
    scene.wait(2000)
    scene.lift("c4")
    scene.put("b4")
    scene.wait(1000)
    scene.lift("c7")
    scene.wait(300)
    assert scene.guidance.key == "which", "it does not go away because a hand is at work"
    scene.put("c6")
    scene.wait(1500)
    assert scene.record == []
    wanted = next(n for n, text in enumerate(choices(scene.session), 1) if text.startswith("e3-f3"))
    assert scene.ask("choose", number=wanted) is None
    scene.wait(1500)
    assert scene.record == ["e3-f3", "a3xg1", "c4-b4", "c7-c6"]
    scene.play("b4-b5")
    assert scene.record[-1] == "b4-b5", "what was told is not asked for again"


@pytest.mark.parametrize("number", [14, 28])
def test_a_push_that_was_read_as_a_move_does_not_lead_the_rest_of_the_game_astray(number):
    """Two games at blitz pace on a board that scans for 225 ms: a push was taken for a move, and all was lost."""
    game = next(itertools.islice(made_games(load_ruleset("turkish"), 201), number - 1, None))
    report = play(game.start, game.moves, game.ruleset, Setup("dgt", "blitz"), 201 * 100_003 + number)
    assert report.equal
    assert report.wrong == 0
    assert report.missed <= 1


@pytest.mark.parametrize(("variant", "seed", "number"), [("italian", 201, 17), ("turkish", 202, 23)])
def test_moves_read_in_haste_are_put_right_when_the_whole_board_is_told(variant, seed, number):
    """Single squares, told late, looked like other moves that leave the same board."""
    game = next(itertools.islice(made_games(load_ruleset(variant), seed), number - 1, None))
    report = play(game.start, game.moves, game.ruleset, Setup("dgt", "blitz"), seed * 100_003 + number)
    assert report.equal
    assert report.wrong == 0


def test_S31_a_magnet_that_is_lost_for_a_moment_is_no_move(sit):
    """The king goes back to g5; the man on g3, out of sight just then, has not gone to f4 to be captured by it."""
    scene = sit("russian", "B:Wc7,c5,g3,f2:Bf6,h6,a5,Kg5,h4")
    scene.play("g5-d2")
    scene.lift("d2")
    scene.put("g5")
    scene.wait(100)
    scene.flicker("g3", 1, off_ms=60)
    scene.expect()
    assert scene.story == ["g5-d2", "back 1"]


def test_S83_a_piece_pushed_aside_does_not_undo_moves_that_were_seen(sit):
    """Without f2-g2 the push would be no push: but then f2 and g2 would have been touched for nothing before."""
    scene = sit("turkish", "B:Wg4,e3,f3,g3,f2,h2:Ba7,c7,f7,g7,a6,e6,g6,h6,g5,h5,Ka1")
    scene.play("a1-a3", "f2-g2", "a3-a5")
    scene.wait(2000)
    scene.lift("g3")
    scene.put("h3")
    scene.pace_ms = 5
    scene.slide("g2", "f2")
    scene.wait(900)
    scene.slide("f2", "g2")
    scene.expect("a1-a3", "f2-g2", "a3-a5", "g3-h3")
    assert scene.story == scene.record


@pytest.mark.parametrize("times", [0, 12])
def test_S30_a_magnet_that_flickers_does_not_keep_lost_moves_from_being_found(sit, times):
    """Two moves are undone in a hurry and another one made: that is found however often one piece was lost to sight."""
    scene = sit("russian", "B:Wc7,c5,g3,f2:Bf6,h6,a5,Kg5,h4")
    scene.flicker("g3", times, off_ms=60)
    scene.play("g5-d2", "c5-b6")
    scene.lift("b6")
    scene.put("c5")
    scene.lift("d2")
    scene.put("g5")
    scene.lift("f6")
    scene.put("e5")
    scene.expect("f6-e5")
