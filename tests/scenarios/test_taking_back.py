"""S50 to S53: moves taken back by the pieces and by request, in every state."""

from __future__ import annotations

from random import Random

import pytest

from engine.fen import read_fen, write_fen
from engine.notation import square_name
from engine.pdn import read_pdn
from engine.position import EMPTY
from station import status
from station.announcements import TakenBack
from station.events import PlayerChose

from .scene import BOARDS, KINGS

SIX = ["e3-f4", "d6-c5", "c3-b4", "c7-d6", "d2-c3", "f6-g5"]
LETTERS = {piece: letter for letter, piece in KINGS.items()}


def undo(scene, *moves):
    """Put quiet moves back by hand, the last one first."""
    for text in reversed(moves):
        start, end = text.split("-")
        scene.lift(end)
        scene.put(start)


@pytest.mark.parametrize("board", BOARDS)
def test_S50_a_move_is_taken_back_on_the_board_while_the_engine_thinks(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    asked, late = scene.questions[-1], scene.legal("f6-g5")
    assert scene.phase == "Waiting"
    undo(scene, "c3-d4")
    scene.expect(within_ms=3000)
    assert (scene.phase, scene.session.turn) == ("Turn", "white")
    assert asked in scene.withdrawn_questions
    scene._take(PlayerChose(scene.now, asked, late))
    scene.wait(1000)
    assert (scene.phase, scene.record) == ("Turn", [])
    scene.play("e3-f4")
    assert scene.phase == "Waiting"
    assert scene.questions[-1] > asked
    scene.answer("f6-g5")
    assert scene.guidance.key == "reply"


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("state", ["thinking", "reply shown", "reply half made", "turn", "paused", "astray"])
def test_S50_a_request_to_take_back_is_carried_out_in_every_state(sit, board, state):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    if state != "thinking":
        scene.answer("f6-g5")
    if state == "reply half made":
        scene.lift("f6")
    if state in ("turn", "paused", "astray"):
        scene.move("f6-g5")
        scene.expect("c3-d4", "f6-g5")
    if state == "astray":
        scene.lift("b2", "b6")
        scene.wait(2500)
    if state == "paused":
        assert scene.ask("pause") is None
    assert scene.ask("take_back") is None
    scene.until(lambda: scene.record == [])
    assert scene.phase != "Waiting"
    if state == "reply half made":
        scene.put("f6")
    if state == "astray":
        scene.put("b6")
        scene.put("b2")
    if state in ("turn", "paused", "astray"):
        scene.lift("g5")
        scene.put("f6")
    undo(scene, "c3-d4")
    if scene.phase == "Paused":
        assert scene.ask("resume") is None
    scene.until(lambda: scene.phase == "Turn")
    scene.play("e3-f4")


@pytest.mark.parametrize("board", BOARDS)
def test_S51_taking_back_all_the_way_is_no_new_game(sit, board):
    scene = sit("russian", board=board)
    scene.play(*SIX)
    game = scene.session.game_id
    for plies in range(6, 0, -1):
        moves = SIX[:plies]
        undo(scene, moves[-1])
        scene.expect(*moves[:-1], within_ms=4000)
        assert scene.session.game_id == game
    scene.wait(5000)
    assert scene.session.game_id == game
    assert (scene.phase, scene.story[-6:]) == ("Turn", ["back 1"] * 6)
    scene.play("c3-b4")


@pytest.mark.parametrize("board", BOARDS)
def test_S51_the_start_position_set_up_at_once_in_a_game_is_a_new_game(sit, board):
    scene = sit("russian", board=board)
    scene.play(*SIX)
    game = scene.session.game_id
    start = scene.session.game.start
    scene.stand(write_fen(start, scene.ruleset))
    scene.wait(2500)
    assert scene.session.game_id == game
    scene.until(lambda: scene.session.game_id != game and scene.phase == "Turn", 4000)
    assert scene.record == []


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("plies", [1, 2, 3])
def test_S52_the_pieces_say_how_far_is_taken_back(sit, board, plies):
    moves = ["c3-d4", "b6-a5", "e3-f4", "a7-b6"]
    scene = sit("russian", board=board)
    scene.play(*moves)
    undo(scene, *moves[-plies:])
    scene.expect(*moves[:-plies], within_ms=4000)
    scene.wait(4000)
    assert scene.record == moves[:-plies]
    assert sum(what.plies for what in scene.heard_of(TakenBack)) == plies


@pytest.mark.parametrize("how", ["button", "page"])
def test_S52_by_button_against_the_engine_two_plies_go_at_once(sit, how):
    scene = sit("russian", black="engine:3")
    for mine, reply in (("c3-d4", "b6-a5"), ("e3-f4", "a7-b6")):
        scene.play(mine)
        scene.answer(reply)
        scene.play(reply)
    if how == "button":
        scene.press("take_back")
        scene.wait(100)
    else:
        assert scene.ask("take_back") is None
    assert scene.record == ["c3-d4", "b6-a5"]
    assert scene.guidance.key == "set_up"
    undo(scene, "e3-f4", "a7-b6")
    scene.until(lambda: scene.phase == "Turn" and not scene.lamps)
    scene.play("e3-f4")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(4))
def test_S53_after_random_take_backs_screen_record_and_lamps_show_one_game(sit, board, seed):
    chance = Random(seed)
    scene = sit("russian", board=board, pace_ms=300)
    moves = []
    for _ in range(14):
        if moves and chance.random() < 0.4:
            plies = chance.randint(1, min(3, len(moves)))
            back_to = scene.session.game.positions[-1 - plies]
            put_back(scene, back_to, chance)
            del moves[-plies:]
            scene.expect(*moves, within_ms=5000)
        else:
            move = chance.choice(sorted(scene.session.game.legal_moves, key=lambda move: move.effect))
            scene.carry_out(move)
            ply = len(moves) + 1
            scene.until(lambda ply=ply: scene.session.game.ply == ply)
            assert scene.session.game.moves[-1].effect == move.effect
            moves = scene.record
        shows_one_game(scene)


def put_back(scene, position, chance):
    """Bring the board to an earlier position, its squares in any order, pieces off before pieces on."""
    squares = list(range(len(position.contents)))
    chance.shuffle(squares)
    cells = [(square, scene.board.contents(scene.ruleset.geometry.cells[square])) for square in squares]
    wrong = [(square, now) for square, now in cells if now is not position.contents[square]]
    for square, now in wrong:
        if now is not EMPTY:
            scene.lift(square_name(square, scene.ruleset))
    for square, _ in wrong:
        if position.contents[square] is not EMPTY:
            scene.put(square_name(square, scene.ruleset), LETTERS[position.contents[square]])
    scene.in_hand.clear()


def shows_one_game(scene):
    game = scene.session.game
    fen = write_fen(game.position, scene.ruleset)
    seen = status.snapshot(scene.session)
    assert seen["position"]["fen"] == fen
    assert seen["moves"] == [game.text_of(ply) for ply in range(game.ply)]
    (read,) = read_pdn(status.game(scene.session)["pdn"], scene.ruleset)
    assert [move.effect for move in read.moves] == [move.effect for move in game.moves]
    position = read.start
    for move in read.moves:
        position = position.after(move)
    assert position.diagram == read_fen(fen, scene.ruleset).diagram
    assert seen["state"]["ply"] == game.ply
    assert not scene.lamps
