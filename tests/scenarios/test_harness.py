"""The scenes' own checks can fail: what they say holds is held against sessions in which it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from station.effects import Announce

from .scene import BOARDS, Scene


@pytest.mark.parametrize("board", BOARDS)
def test_a_game_with_a_capture_is_played_on_every_board(sit, board):
    scene = sit("russian", board=board)
    game = ["c3-b4", "b6-a5", "g3-f4", "a5:c3", "d2:b4"]
    scene.play(*game)
    assert scene.record == game
    assert scene.story == scene.record


@pytest.mark.parametrize("board", BOARDS)
def test_the_reply_is_lit_where_it_is_to_be_made(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.answer("f6-g5")
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    assert scene.guidance.key == "reply"


def test_a_record_that_nobody_announced_is_noticed(tmp_path):
    scene = Scene("russian", journals=tmp_path)
    scene.play("c3-d4")
    scene.desk.session = replace(scene.session, game=scene.session.game.back(1))
    with pytest.raises(AssertionError):
        scene.check()


def test_a_gap_in_the_announcements_is_noticed(tmp_path):
    scene = Scene("russian", journals=tmp_path)
    scene.desk.session = replace(scene.session, seq=scene.session.seq + 1)
    scene.play("c3-d4")
    assert any(isinstance(effect, Announce) for effect in scene.happened)
    with pytest.raises(AssertionError):
        scene.check()
