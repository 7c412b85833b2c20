"""Moves that nobody saw: the cable was out while people played on."""

from __future__ import annotations

import pytest

from engine.position import WHITE_MAN
from station.announcements import GameStarted, Moved, Prompted
from station.events import DeviceBack
from station.guidance import choices
from tests.station.table import DEVICE, KINDS, Table

from .scene import BOARDS

UNSEEN = (
    ("c3-d4", "f6-g5"),
    ("c3-d4", "f6-e5", "d4:f6"),
    ("c3-d4", "f6-e5", "d4:f6", "e7:g5"),
)


def play_unseen(scene, *texts):
    """Moves while the cable is out; it comes back when they are done."""
    scene.unplug()
    game = scene.session.game
    for text in texts:
        (move,) = (move for move in game.legal_moves if game.play(move).text_of(game.ply) == text)
        scene.carry_out(move)
        game = game.play(move)
    scene.wait(500)
    scene.plug_in()


@pytest.mark.parametrize(
    ("board", "line"),
    [(board, line) for board in BOARDS for line in UNSEEN if (board, line) != ("occupancy", UNSEEN[1])],
)
def test_up_to_four_moves_are_read_from_one_frame_and_say_so(sit, board, line):
    scene = sit("russian", board=board)
    play_unseen(scene, *line)
    scene.until(lambda: len(scene.record) == len(line), 10_000)
    assert scene.record == list(line)
    assert [what.together for what in scene.heard_of(Moved)] == [len(line)] * len(line)


def test_exchanges_that_only_colours_tell_apart_are_asked_for(sit):
    scene = sit("russian", board="occupancy")
    play_unseen(scene, *UNSEEN[1])
    assert len(asked(scene)) == 3
    assert " ".join(UNSEEN[1]) in scene.guidance.sentence


@pytest.mark.parametrize("board", BOARDS)
def test_the_game_goes_on_after_unseen_moves(sit, board):
    scene = sit("russian", board=board)
    play_unseen(scene, *UNSEEN[0])
    scene.until(lambda: len(scene.record) == 2, 10_000)
    scene.play("g3-h4", "g5-f4")
    assert scene.record == [*UNSEEN[0], "g3-h4", "g5-f4"]


def asked(scene):
    """The moves people are asked to choose from, once they are."""
    scene.until(lambda: scene.guidance.key == "which", 10_000)
    return [story.moves for story in scene.session.reading.stories]


ORDERS = ["c3-d4 b6-a5 g3-f4", "g3-f4 b6-a5 c3-d4"]


def test_which_of_two_orders_was_played_is_asked_with_lamps_and_answered_by_number(sit):
    """White's two moves may have come in either order; nothing is guessed, and the question names both."""
    scene = sit("russian", board="colour")
    play_unseen(scene, "c3-d4", "b6-a5", "g3-f4")
    assert len(asked(scene)) == 2
    assert scene.record == []
    assert all(order in scene.guidance.sentence for order in ORDERS)
    (prompted,) = scene.heard_of(Prompted)
    assert prompted.prompt == "which"
    scene.wait(100)
    first, second = scene.session.reading.stories
    assert set(scene.lamps) == {"c3", "d4", "g3", "f4"}
    green = {scene.square(name) for name, role in scene.lamps.items() if role == "place"}
    assert green == {first.moves[0].from_square, first.moves[0].to_square}
    assert scene.ask("choose", number=2) is None
    assert list(scene.session.game.moves) == list(second.moves)


def test_buttons_answer_the_question_too(sit):
    """Take back goes on to the next line, and the lamps with it; confirm takes the one that is lit green."""
    scene = sit("russian", board="occupancy")
    play_unseen(scene, "c3-d4", "b6-a5", "g3-f4")
    first, second = asked(scene)
    scene.wait(100)
    before = scene.lamps
    scene.press("take_back")
    scene.wait(100)
    assert scene.record == []
    assert {name for name, role in scene.lamps.items() if role == "place"} == {
        name for name, role in before.items() if role == "hint"
    }
    scene.press("confirm")
    scene.wait(100)
    assert list(scene.session.game.moves) == list(second)
    assert first != second


@pytest.mark.parametrize("board", BOARDS)
def test_reply_and_own_move_are_read_together(sit, board):
    """The engine's move was shown when the cable came out; it was made, and the person's own move too."""
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.answer("f6-g5")
    scene.wait(1000)
    play_unseen(scene, "f6-g5", "g3-h4")
    scene.until(lambda: len(scene.record) == 3, 10_000)
    assert scene.record == ["c3-d4", "f6-g5", "g3-h4"]


@pytest.mark.parametrize("board", BOARDS)
def test_a_move_undone_out_of_sight_is_a_takeback_and_not_three_more_moves(sit, board):
    """Kings may walk back to where they were: one move taken back explains it better than three made."""
    scene = sit("russian", "W:WKa1,a5:BKh8,h4", board=board)
    scene.play("a1-b2")
    scene.unplug()
    scene.lift("b2")
    scene.put("a1")
    scene.plug_in()
    scene.until(lambda: scene.record == [], 10_000)
    scene.wait(3000)
    assert scene.record == []


@pytest.mark.parametrize("after_ms", [50, 700])
@pytest.mark.parametrize("board", BOARDS)
def test_a_piece_held_long_after_the_board_is_back_is_not_taken_for_captured(sit, board, after_ms):
    """White thinks with the king in the hand, as if Black had gone another way and captured it."""
    scene = sit("russian", "B:WKf6:BKb6", board=board)
    scene.play("b6-a7", "f6-c3")
    scene.unplug()
    scene.lift("a7")
    scene.put("c5")
    scene.plug_in()
    scene.wait(after_ms)
    scene.lift("c3")
    scene.wait(2000)
    scene.put("h8")
    scene.wait(4000)
    assert scene.record == ["b6-a7", "f6-c3", "a7-c5", "c3-h8"]
    scene.play("c5-e7")
    assert scene.record[4:] == ["c5-e7"]


def test_what_no_line_of_moves_explains_is_not_made_up(sit):
    scene = sit("russian", board="colour")
    scene.unplug()
    scene.remove("c3")
    scene.lift("f6")
    scene.put("e5")
    scene.plug_in()
    scene.wait(10_000)
    assert scene.record == []
    assert scene.guidance.key == "differs"


# --- something over the board, as over a camera's


def play_covered(table, *texts):
    """Moves while no square can be seen; then all of them can."""
    table.unknown = set(range(len(table.stands)))
    table.look()
    table.wait(2000)
    game = table.session.game
    for text in texts:
        (move,) = (move for move in game.legal_moves if game.play(move).text_of(game.ply) == text)
        game = game.play(move)
        table.stands = list(game.position.contents)
        table.wait(500)
        table.look()
    table.unknown = set()
    table.look()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("line", [("c3-d4",), *UNSEEN])
def test_moves_made_while_the_board_was_covered_are_read_or_asked_for(kind, line):
    table = Table("russian", kind=kind)
    play_covered(table, *line)
    table.wait(1500)
    if (kind, line) == ("occupancy", UNSEEN[1]):
        assert (table.record, table.guidance.key) == ([], "which")
        assert " ".join(line) in table.guidance.sentence
        assert len(table.guidance.cues) > 1
        number = 1 + choices(table.session).index(" ".join(line))
        assert table.ask("choose", number=number) is None
    assert table.record == list(line)


@pytest.mark.parametrize("kind", KINDS)
def test_which_of_two_orders_was_played_under_a_cloth_is_asked(kind):
    table = Table("russian", kind=kind)
    play_covered(table, "c3-d4", "b6-a5", "g3-f4")
    table.wait(10_000)
    assert (table.record, table.guidance.key) == ([], "which")
    assert all(order in table.guidance.sentence for order in ORDERS)
    assert {square for square, _ in table.guidance.cues} == {table.square(name) for name in ("c3", "d4", "g3", "f4")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_cloth_over_the_board_and_away_again_changes_nothing(kind):
    table = Table("russian", kind=kind)
    table.play("c3-d4")
    play_covered(table)
    table.wait(5000)
    table.play("f6-g5")
    assert table.story == ["c3-d4", "f6-g5"]


@pytest.mark.parametrize("board", BOARDS)
def test_a_king_that_was_only_resting_when_the_board_was_lost_went_on(sit, board):
    """It stood on d8 long enough to count as moved there; out of sight it went on, and White moved."""
    scene = sit("russian", "B:Wc1,h2:BKf6,h8", board=board)
    scene.move("f6-d8")
    scene.until(lambda: scene.record == ["f6-d8"])
    scene.unplug()
    scene.lift("d8")
    scene.put("a1")
    scene.lift("h2")
    scene.put("g3")
    scene.plug_in()
    scene.until(lambda: scene.record != ["f6-d8"], 15_000)
    assert scene.record == ["f6-a1", "h2-g3"]


@pytest.mark.parametrize("board", BOARDS)
def test_whether_a_king_went_on_at_once_or_moved_again_is_asked(sit, board):
    """It may have been only resting on a1 when the board was lost, or have moved there and, after White, on to g7."""
    scene = sit("russian", "B:WKf2:BKh8,a7", board=board)
    scene.move("h8-a1")
    scene.until(lambda: scene.record == ["h8-a1"])
    scene.unplug()
    scene.lift("a1")
    scene.put("g7")
    scene.lift("f2")
    scene.put("e1")
    scene.wait(500)
    scene.plug_in()
    scene.until(lambda: scene.guidance.key == "which", 10_000)
    assert scene.record == ["h8-a1"]
    number = 1 + choices(scene.session).index("h8-g7 f2-e1")
    assert "f2-e1 a1-g7" in choices(scene.session)
    assert scene.ask("choose", number=number) is None
    assert scene.record == ["h8-g7", "f2-e1"]


@pytest.mark.parametrize("board", BOARDS)
def test_what_stood_when_the_board_came_back_was_played(sit, board):
    """f4-d2 and f8-g7 would leave the same, but White's king was seen on c1 when Black's stood on g7."""
    scene = sit("russian", "W:WKf4,a3,h2:BKf8,f6,h6,a5", board=board)
    play_unseen(scene, "f4-c1", "f8-g7")
    scene.until(lambda: scene.phase == "Turn" and scene.session.memory.firm)
    scene.lift("c1")
    scene.put("d2")
    scene.until(lambda: len(scene.record) > 1, 10_000)
    scene.lift("d2")
    scene.put("e3")
    scene.wait(3000)
    assert scene.record == ["f4-c1", "f8-g7", "c1-e3"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_decided_while_a_hand_is_over_the_board(kind):
    """The square that the piece has left can be seen, the one it goes to cannot: it may still be in the hand."""
    table = Table("russian", kind=kind)
    table.unknown = {table.square(name) for name in ("d4", "e5", "f6", "g7")}
    table.take("c3")
    table.wait(5000)
    assert (table.record, table.story) == ([], [])
    table.put("b4", WHITE_MAN)
    table.wait(5000)
    assert table.record == []
    table.unknown = set()
    table.look()
    table.wait(1000)
    assert table.record == ["c3-b4"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_game_begins_on_a_board_that_cannot_be_seen(kind):
    table = Table("russian", kind=kind, ready=False)
    table.unknown = set(range(len(table.stands)))
    table.send(DeviceBack(table.now, DEVICE))
    table.look()
    table.wait(5000)
    assert (table.phase, table.heard_of(GameStarted)) == ("SettingUp", [])
    table.unknown = set()
    table.look()
    table.wait(1000)
    assert table.phase == "Turn"
