"""Hands play under a simulated camera: pictures through the shipped driver into the shipped session."""

from __future__ import annotations

import json
from random import Random

import pytest

pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.fen import read_fen
from engine.position import Piece, Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from station.runtime.cli import main
from station.runtime.desk import Desk
from station.runtime.made_games import made_game
from station.runtime.simulate import Setup, Table, perform, settings_for
from station.runtime.simulated_camera import camera_at
from station.runtime.witness import Witness
from station.session import begin
from station.simulation.hands import PRESETS, Touch
from station.texts import load_texts

RUSSIAN = load_ruleset("russian")
SEED = 3
MAN, BLACK = Piece.WHITE_MAN, Piece.BLACK_MAN


def moves_of(plies: int):
    return made_game(RUSSIAN, Random(SEED)).moves[:plies]


def table_for(moves, start: Position | None = None) -> Table:
    start = start or rules_for(RUSSIAN).start()
    board, driver = camera_at(RUSSIAN, start.contents, SEED)
    settings = settings_for(RUSSIAN, Setup(driver="camera"), start)
    table = Table(board, driver, Desk(begin(settings, load_texts("en"), "camera")), Witness(moves))
    table.until_ready()
    return table


def touch(table: Table, side: Side, *touches: tuple[int, str, int, Piece]) -> None:
    """A hand's contacts: after how many ms each, what is done, on which square (numbered by rows from 1), to what."""
    at_ms, planned = table.now_ms + 600, []
    for after_ms, kind, number, piece in touches:
        at_ms += after_ms
        planned.append(Touch(at_ms, kind, number - 1, piece))
    table.coming(planned, side)
    for one in planned:
        table.touch(one)


def record(table: Table) -> list[tuple[int, int]]:
    return [(move.from_square + 1, move.to_square + 1) for move in table.desk.session.game.moves]


def play_on(table: Table, moves, played: int) -> Position:
    """The hands make the moves that come after those already played."""
    rules = rules_for(RUSSIAN)
    position = rules.opened(rules.start())
    for move in moves[:played]:
        position = position.after(move)
    perform(table, position, moves[played:], RUSSIAN, PRESETS["clean"], Random(SEED))
    return position


def test_a_game_is_read_through_the_camera():
    moves = moves_of(6)
    table = table_for(moves)
    play_on(table, moves, 0)
    report = table.witness.report()
    assert (report.equal, report.wrong_seen, report.missed) == (True, 0, 0)
    assert max(report.latencies_ms) < 3000


def test_C28_two_moves_made_while_the_camera_is_covered_are_found_or_asked_about():
    moves = moves_of(5)
    table = table_for(moves)
    play_on(table, moves[:2], 0)
    table.board.cover(table.now_ms, table.now_ms + 3_600_000)
    play_on(table, moves[:4], 2)
    assert table.desk.session.game.ply == 2
    table.board.cover(0, 0)
    table.advance(table.now_ms + 8_000)
    session = table.desk.session
    right = [move.effect for move in session.game.moves] == [move.effect for move in moves[:4]]
    assert right or session.alike, session.reading
    play_on(table, moves, 4)
    report = table.witness.report()
    assert (report.equal, report.wrong_seen) == (True, 0)


def test_C30_a_wrong_reading_does_not_end_the_game():
    table = table_for(())
    touch(table, Side.WHITE, (0, "take", 22, MAN), (400, "put", 18, MAN))
    table.advance(table.now_ms + 2500)
    # A strange piece stands in the middle of the board for as long as a camera needs to be sure of it.
    touch(table, Side.WHITE, (0, "put", 14, MAN))
    table.advance(table.now_ms + 2500)
    touch(table, Side.WHITE, (0, "take", 14, MAN))
    table.advance(table.now_ms + 2500)
    touch(table, Side.BLACK, (0, "take", 10, BLACK), (400, "put", 15, BLACK))
    table.advance(table.now_ms + 2500)
    assert record(table) == [(22, 18), (10, 15)]


@pytest.mark.soak
def test_C31_a_move_is_taken_back_by_hand():
    table = table_for(())
    touch(table, Side.WHITE, (0, "take", 22, MAN), (400, "put", 18, MAN))
    table.advance(table.now_ms + 2500)
    assert record(table) == [(22, 18)]
    touch(table, Side.WHITE, (0, "take", 18, MAN), (400, "put", 22, MAN))
    table.advance(table.now_ms + 4000)
    assert record(table) == []


def test_C32_captured_men_that_are_taken_off_late_and_one_by_one():
    start = read_fen("W:Wc3,a1,h2:Bd4,f6,b8", RUSSIAN)
    table = table_for((), start)
    touch(table, Side.WHITE, (0, "take", 22, MAN), (400, "put", 15, MAN), (500, "take", 15, MAN), (400, "put", 8, MAN))
    table.advance(table.now_ms + 2500)
    assert record(table) in ([], [(22, 8)])
    touch(table, Side.WHITE, (0, "take", 18, BLACK))
    table.advance(table.now_ms + 2500)
    touch(table, Side.WHITE, (0, "take", 11, BLACK))
    table.advance(table.now_ms + 2500)
    assert record(table) == [(22, 8)]


def test_the_command_tells_what_cannot_be_simulated(capsys):
    assert main(["simulate", "--driver", "camera", "--noise", "worn"]) == 2
    assert "--driver camera: expected neither" in capsys.readouterr().err


@pytest.mark.soak
def test_whole_games_by_people_as_they_are(capsys, tmp_path):
    arguments = ["simulate", "--driver", "camera", "--hands", "real", "--games", "6", "--seed", "5", "--json"]
    main([*arguments, "--record", str(tmp_path)])
    summary = json.loads(capsys.readouterr().out)
    assert summary["wrong"] == 0
    assert summary["missed"] <= 0.002 * summary["moves"] + 1
