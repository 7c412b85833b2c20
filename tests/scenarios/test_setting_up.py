"""S54 to S63: positions set up, games that end, boards that are swept, and games gone on with after a power cut."""

from __future__ import annotations

from random import Random

import pytest

from engine.fen import write_fen
from engine.position import EMPTY, Side
from station import status
from station.announcements import BoardRestored, GameStarted, Moved
from station.clock import TimeControl
from tests.engine.random_positions import scattered

from .scene import BOARDS

NAMES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh" if (ord(column) + row) % 2 == 0]
"""The squares of a board of eight by eight."""


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("variant", ["russian", "international", "english"])
def test_S54_a_game_from_a_position_that_was_set_up_is_read_like_any_other(sit, board, variant):
    chance, played = Random(f"{board} {variant}"), 0
    scene = sit(variant, board=board)
    while played < 12:
        position = scattered(scene.ruleset, chance)
        fen = write_fen(position, scene.ruleset)
        if scene.ask("new_game", start_fen=fen) is not None:
            continue
        scene.stand(fen)
        scene.until(lambda: scene.phase in ("Turn", "Over"))
        legal = sorted(scene.session.game.legal_moves, key=lambda move: move.effect)
        if not legal:
            continue
        move = chance.choice(legal)
        scene.carry_out(move)
        scene.until(lambda: scene.session.game.ply == 1, 4000)
        assert scene.session.game.moves[0].effect == move.effect
        assert scene.session.game.start.turn is position.turn
        played += 1


@pytest.mark.parametrize("board", BOARDS)
def test_S56_the_moment_the_position_stands_right_it_is_said_and_the_lamps_go_out(sit, board):
    scene = sit("russian", board=board)
    assert scene.ask("new_game", start_fen="B:Wc3,Ke1:Bf6,Kh8") is None
    scene.stand("B:Wc3,Ke1:Bf6")
    scene.wait(3000)
    assert (scene.phase, scene.guidance.key) == ("SettingUp", "set_up_start")
    assert scene.lamps == {"h8": "place"}
    scene.put("h8", "k")
    took_ms = scene.until(lambda: scene.phase == "Turn")
    assert took_ms < (1500 if board == "dgt" else 600)
    assert len(scene.heard_of(GameStarted)) == 1
    assert scene.guidance.sentence == "The board stands right. Black to move."
    assert scene.lamps == {"f6": "hint", "h8": "hint"}
    scene.wait(1000)
    assert scene.guidance.sentence == "Black to move."
    assert scene.lamps == {}


@pytest.mark.parametrize("board", BOARDS)
def test_S57_a_board_with_many_misplaced_pieces_is_left_without_keyboard_by_the_games_position(sit, board):
    scene = sit("russian", board=board)
    scene.play("c3-d4", "b6-a5")
    scene.lift("b2", "d2", "g7", "h8", "e3")
    for name in ("f4", "g5", "b4", "e5", "c5"):
        scene.put(name)
    scene.wait(5000)
    assert scene.record == ["c3-d4", "b6-a5"]
    scene.lift("f4", "g5", "b4", "e5", "c5")
    for name in ("b2", "d2", "g7", "h8", "e3")[::-1]:
        scene.put(name, "M" if name in ("b2", "d2", "e3") else "m")
    scene.in_hand.clear()
    scene.until(lambda: scene.guidance.key == "turn")
    assert scene.lamps == {}
    scene.play("e3-f4")


@pytest.mark.parametrize("board", BOARDS)
def test_S57_or_by_the_start_position_for_a_new_game(sit, board):
    scene = sit("russian", board=board)
    scene.play("e3-f4", "d6-c5", "c3-b4", "c7-d6", "d2-c3", "f6-g5")
    first = scene.session.game_id
    scene.stand("W:Wa1,b4,c5,d4:Bh8,g5,f6,e5")
    scene.wait(5000)
    assert scene.session.game_id == first
    scene.stand(write_fen(scene.session.game.start, scene.ruleset))
    scene.until(lambda: scene.session.game_id != first and scene.phase == "Turn", 6000)
    scene.play("e3-f4")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("over", [False, True])
def test_S58_O10_kings_put_on_centre_squares_to_tell_the_result_are_no_move(sit, board, over):
    scene = sit("russian", "W:WKc1,h2:BKf8,b8", board=board)
    scene.play("h2-g3", "b8-a7")
    if over:
        assert scene.ask("resign") is None
    scene.lift("c1", "f8")
    scene.put("d4")
    scene.put("e5")
    scene.wait(8000)
    assert scene.record == ["h2-g3", "b8-a7"]
    assert len(scene.heard_of(Moved)) == 2
    assert scene.phase == ("Over" if over else "Turn")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("how", ["captured", "resigned"])
def test_S59_after_the_end_the_start_position_begins_a_new_game_without_a_restart(sit, board, how):
    scene = sit("russian", "W:Wc3:Bd4", board=board) if how == "captured" else sit("russian", "W:Wc3:Bg7", board=board)
    start = write_fen(scene.session.game.start, scene.ruleset)
    scene.play(first_move := "c3:e5" if how == "captured" else "c3-d4")
    if how == "resigned":
        assert scene.ask("resign", side="black") is None
    assert scene.phase == "Over"
    assert "Set up the pieces for a new game" in scene.guidance.sentence
    first = scene.session.game_id
    scene.stand(start)
    scene.until(lambda: scene.phase == "Turn" and scene.session.game_id != first, 3000)
    scene.play(first_move)


@pytest.mark.parametrize("board", BOARDS)
def test_S59_a_start_position_left_standing_begins_a_new_game_when_the_result_was_seen(sit, board):
    scene = sit("russian", board=board)
    scene.play("c3-d4")
    scene.lift("d4")
    scene.put("c3")
    scene.expect(within_ms=3000)
    scene.wait(10_000)
    first = scene.session.game_id
    assert scene.ask("resign", side="black") is None
    scene.wait(2500)
    assert (scene.phase, scene.guidance.key) == ("Over", "over")
    scene.until(lambda: scene.phase == "Turn" and scene.session.game_id != first, 2000)
    scene.play("c3-d4")


@pytest.mark.parametrize("board", BOARDS)
def test_S59_a_game_that_its_start_position_ends_is_not_begun_again_and_again(sit, board):
    scene = sit("russian", "W:Wh2:Bg3,f4", board=board, ready=False)
    scene.wait(30_000)
    assert (scene.phase, scene.session.games) == ("Over", 1)
    assert scene.story == ["started", "prompt: ready", "over: 0-2"]


@pytest.mark.parametrize("board", BOARDS)
def test_S59_the_move_that_ended_a_game_is_taken_back_on_the_board(sit, board):
    scene = sit("russian", "W:Wa1,b2,c3,h2:Bf6", board=board)
    scene.play("h2-g3", "f6-e5", "c3-d4", "e5:c3", "b2:d4")
    assert scene.phase == "Over"
    scene.lift("d4")
    scene.put("b2")
    scene.put_back("c3")
    scene.expect("h2-g3", "f6-e5", "c3-d4", "e5:c3", within_ms=4000)
    assert scene.phase == "Turn"
    scene.play("b2:d4")
    assert scene.phase == "Over"


@pytest.mark.parametrize("board", BOARDS)
def test_S60_pieces_swept_off_at_the_end_make_no_errors_and_the_game_is_kept(sit, board):
    scene = sit("russian", board=board)
    game = ["e3-f4", "d6-c5", "c3-b4", "c7-d6", "d2-c3", "f6-g5"]
    scene.play(*game)
    scene.happened.clear()
    contents = zip(NAMES, map(scene.square, NAMES), strict=True)
    standing = [name for name, square in contents if scene.session.game.position.contents[square] is not EMPTY]
    assert len(standing) == 24
    scene.pace_ms = 100
    for number, name in enumerate(standing):
        scene.lift(name)
        if number > 6:
            assert not scene.lamps, (number, name)
    scene.wait(8000)
    assert scene.record == game
    assert not scene.story, "nothing is announced of a board that is being cleared"
    assert scene.guidance.key == "compose_empty"


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("how", ["start position", "page, while the board is away"])
def test_S61_O09_after_a_power_cut_nobody_has_to_go_on_with_the_old_game(sit, board, how):
    scene = sit("russian", board=board)
    scene.play("e3-f4", "d6-c5", "c3-b4", "c7-d6", "d2-c3", "f6-g5")
    old = scene.session.game_id
    start = write_fen(scene.session.game.start, scene.ruleset)
    if how == "start position":
        scene.restart_station()
        assert scene.session.game_id == old
        scene.stand(start)
    else:
        scene.restart_station(ready=False)
        scene.unplug()
        assert scene.ask("new_game") is None
        scene.stand(start)
        scene.plug_in()
    scene.until(lambda: scene.session.game_id != old and scene.phase == "Turn", 8000)
    assert scene.record == []
    scene.play("e3-f4")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("stands", ["W:W:B", "W:Wa1,b4,c5,d4,e5:Bh8,g7,f8,e7,c7"], ids=["nothing", "something else"])
@pytest.mark.parametrize("answer", ["go on", "new game", "old position", "start position"])
def test_S61_where_the_board_does_not_tell_people_are_asked(sit, board, stands, answer):
    scene = sit("russian", board=board, clock=TimeControl(300_000))
    scene.play("e3-f4", "d6-c5", "c3-b4", "c7-d6", "d2-c3", "f6-g5")
    old, record = scene.session.game_id, scene.record
    scene.unplug()
    scene.stand(stands)
    if board != "dgt":
        scene.board.power_cycle(scene.now)  # the board was off as well
    scene.restart_station()
    scene.until(lambda: scene.guidance.key == "resume", 8000)
    before = scene.guidance.sentence, scene.lamps, status.state(scene.session)["clocks_ms"]
    assert before[0].startswith("A game of 6 moves was kept, the last one f6-g5. Press the button to go on with it")
    assert before[1] == {"f6": "hint", "g5": "hint"}
    scene.wait(60_000)
    assert (scene.guidance.sentence, scene.lamps, status.state(scene.session)["clocks_ms"]) == before
    position = write_fen(scene.session.game.position, scene.ruleset)
    match answer:
        case "go on":
            if board == "dgt":
                assert scene.ask("resume") is None
            else:
                scene.press("confirm")
            scene.until(lambda: scene.guidance.key == "set_up")
            scene.stand(position)
        case "new game":
            assert scene.ask("new_game") is None
            scene.until(lambda: scene.guidance.key == "set_up_start")
            scene.stand(write_fen(scene.session.game.start, scene.ruleset))
        case "old position":
            scene.stand(position)
        case "start position":
            scene.stand(write_fen(scene.session.game.start, scene.ruleset))
    scene.until(lambda: scene.phase == "Turn" and not scene.session.resumed, 6000)
    goes_on = answer in ("go on", "old position")
    assert (scene.session.game_id == old, scene.record) == (goes_on, record if goes_on else [])
    scene.play("c1-d2" if goes_on else "e3-f4")


@pytest.mark.parametrize("board", BOARDS)
def test_S62_moves_are_read_after_an_adjourned_game_is_gone_on_with(sit, board):
    scene = sit("russian", board=board)
    scene.play("e3-f4", "d6-c5", "c3-b4")
    game = scene.session.game_id
    scene.restart_station()
    assert scene.session.game_id == game
    scene.until(lambda: scene.phase == "Turn")
    scene.play("c7-d6", "d2-c3", "f6-g5")
    assert scene.record == ["e3-f4", "d6-c5", "c3-b4", "c7-d6", "d2-c3", "f6-g5"]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("player", ["person", "engine:3"])
def test_S63_the_same_position_after_the_power_was_off_goes_on(sit, board, player):
    scene = sit("russian", board=board, black=player)
    scene.play("e3-f4")
    scene.restart_station()
    scene.until(lambda: scene.phase == ("Turn" if player == "person" else "Waiting"))
    assert scene.record == ["e3-f4"]
    if player != "person":
        scene.answer("d6-c5")
        assert scene.guidance.key == "reply"
    scene.play("d6-c5")
    assert scene.session.turn is Side.WHITE


@pytest.mark.parametrize("board", BOARDS)
def test_S63_a_legal_move_made_while_the_power_was_off_is_taken(sit, board):
    scene = sit("russian", board=board)
    scene.play("e3-f4", "d6-c5")
    scene.unplug()
    scene.move("c3-b4")
    scene.restart_station(ready=False)
    scene.expect("e3-f4", "d6-c5", "c3-b4", within_ms=6000)
    scene.play("c7-d6")


@pytest.mark.parametrize("board", BOARDS)
def test_S63_an_earlier_position_after_the_power_was_off_is_taken_back(sit, board):
    scene = sit("russian", board=board)
    scene.play("e3-f4", "d6-c5")
    scene.unplug()
    scene.lift("c5")
    scene.put("d6")
    scene.restart_station(ready=False)
    scene.expect("e3-f4", within_ms=6000)
    scene.play("d6-e5")


@pytest.mark.parametrize("board", BOARDS)
def test_S63_any_other_position_after_the_power_was_off_is_led_back(sit, board):
    scene = sit("russian", board=board)
    scene.play("e3-f4", "d6-c5")
    scene.unplug()
    scene.lift("a1", "h8")
    scene.put("e5")
    scene.restart_station(ready=False)
    scene.until(lambda: scene.guidance.key == "differs" and bool(scene.lamps), 8000)
    assert scene.record == ["e3-f4", "d6-c5"]
    scene.lift("e5")
    scene.put("h8")
    scene.put("a1")
    scene.until(lambda: scene.guidance.key == "turn")
    assert len(scene.heard_of(BoardRestored)) <= 1
    scene.play("c3-b4")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("again", ["the same reply", "another reply"])
def test_S63_a_reply_half_made_when_the_power_failed_is_made_or_undone(sit, board, again):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.answer("d6-c5")
    scene.lift("d6")
    scene.restart_station()
    scene.until(lambda: scene.phase == "Waiting")
    assert scene.record == ["c3-d4"]
    if again == "the same reply":
        scene.answer("d6-c5")
        scene.wait(1500)
        assert scene.lamps == {"c5": "place"}
        scene.put("c5")
        scene.expect("c3-d4", "d6-c5")
        return
    scene.answer("f6-g5")
    scene.wait(3000)
    assert scene.lamps == {"d6": "place"}
    scene.put("d6")
    scene.until(lambda: scene.guidance.key == "reply")
    scene.wait(100)
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")


@pytest.mark.parametrize("board", BOARDS)
def test_S63_a_capture_half_cleared_when_the_power_failed_is_cleared_on(sit, board):
    scene = sit("russian", "W:Wc3,g3,h2:Bd4,f6,h8,b8", board=board, white="engine:3")
    scene.answer("c3:e5:g7")
    scene.lift("c3")
    scene.put("g7")
    scene.remove("d4")
    scene.restart_station()
    scene.until(lambda: scene.phase == "Waiting")
    scene.answer("c3:e5:g7")
    scene.wait(1500)
    assert (scene.guidance.key, scene.lamps) == ("reply_remove", {"f6": "remove"})
    scene.remove("f6")
    scene.expect("c3:g7")
