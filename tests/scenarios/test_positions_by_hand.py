"""A position of one's own is put on the board by hand: kind by kind, by colour, or read as it stands; then played."""

from __future__ import annotations

from random import Random

import pytest

from engine.errors import TooManyCapturesError
from engine.fen import read_fen, write_fen
from engine.game import new_game
from engine.notation import square_name
from engine.position import (
    BLACK_KING,
    BLACK_MAN,
    EMPTY,
    WHITE_KING,
    WHITE_MAN,
    Position,
    Side,
    Towers,
    is_king,
    side_of,
)
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from station import status
from station.announcements import GameOver, GameStarted, Prompted
from tests.engine.random_positions import few, scattered

from .scene import BOARDS

LETTERS = {WHITE_MAN: "M", WHITE_KING: "K", BLACK_MAN: "m", BLACK_KING: "k"}
STEPS = {"M": "white_man", "K": "white_king", "m": "black_man", "k": "black_king"}


def clear(scene):
    """All pieces off, one after another."""
    scene.pace_ms, pace_ms = 20, scene.pace_ms
    names = [square_name(square, scene.ruleset) for square in range(len(scene.ruleset.geometry))]
    scene.remove(*(name for name in names if scene.board.contents(cell(scene, name)) is not EMPTY))
    scene.pace_ms = pace_ms


def cell(scene, name):
    names = {square_name(square, scene.ruleset): square for square in range(len(scene.ruleset.geometry))}
    return scene.ruleset.geometry.cells[names[name]]


def lay(scene, position, pace_ms=20):
    """Obedient hands: they do what the page asks for, step by step, until the position is accepted."""
    pieces = {square_name(s, scene.ruleset): p for s, p in enumerate(position.contents) if p is not EMPTY}
    scene.pace_ms, before = pace_ms, scene.pace_ms
    if steps_of(scene)[0] == "clear":
        scene.until(lambda: step_of(scene) != "clear")
    while step_of(scene) not in ("kings", "turn"):
        for name, piece in pieces.items():
            if step_of(scene) in ("pieces", STEPS[LETTERS[piece]]):
                scene.put(name, LETTERS[piece])
        settle(scene)
        go_on(scene)
    if step_of(scene) == "kings":
        for name, piece in pieces.items():
            understood = status.snapshot(scene.session)["set_up"]["contents"][name]
            if is_king(piece) != understood.endswith("king"):
                touch(scene, name)
        settle(scene)
        go_on(scene)
    if status.snapshot(scene.session)["set_up"]["turn"] != position.turn:
        touch(scene, next(name for name, piece in pieces.items() if side_of(piece) is position.turn))
        scene.until(lambda: status.snapshot(scene.session)["set_up"]["turn"] == position.turn)
    scene.pace_ms = before


def settle(scene):
    """Time for the sensors to see it."""
    scene.wait(1500 if scene.kind == "dgt" else 150)


def touch(scene, name):
    """A piece is lifted and put back."""
    scene.lift(name)
    settle(scene)
    scene.put(name)


def go_on(scene):
    """By the button where the board has one, else on the page."""
    if scene.kind == "dgt":
        assert scene.ask("set_position", step="next") is None
    else:
        scene.press("confirm")
        scene.wait(100)


def step_of(scene):
    return status.snapshot(scene.session)["set_up"]["step"]


def steps_of(scene):
    return status.snapshot(scene.session)["set_up"]["steps"]


def begun(scene):
    clear(scene)
    assert scene.ask("set_position") is None
    assert scene.phase == "Composing"
    return scene


PLAYED = ("international", "russian", "english", "italian", "turkish", "frisian", "brazilian", "corners", "towers")


def legal_positions(variant, seed):
    """Positions that a person may set up: with pieces of both sides, a move to make, no more men than the game has."""
    ruleset, chance = load_ruleset(variant), Random(seed)
    rules = rules_for(ruleset)
    most = len(rules.start().pieces(Side.WHITE))
    while True:
        found = chance.choice((scattered, few))(ruleset, chance)
        if ruleset.family == "race":
            men = {WHITE_KING: WHITE_MAN, BLACK_KING: BLACK_MAN}
            found = Position(tuple(men.get(piece, piece) for piece in found.contents), found.turn)
        if ruleset.prisoners != "none":
            empty = Towers(((),) * len(found.contents), ruleset.prisoners == "keep rank")
            found = Position(found.contents, found.turn, empty)
        if not all(1 <= len(found.pieces(side)) <= most for side in Side):
            continue
        try:
            if new_game(ruleset, found).outcome() is None and rules.legal_moves(rules.opened(found)):
                yield found
        except TooManyCapturesError:
            continue


def set_up_and_play(sit, variant, board, seed):
    position = next(legal_positions(variant, seed))
    scene = begun(sit(variant, board=board))
    lay(scene, position)
    ruleset = scene.ruleset
    assert status.snapshot(scene.session)["set_up"]["fen"] == write_fen(position, ruleset)
    assert status.snapshot(scene.session)["set_up"]["problem"] is None
    go_on(scene)
    scene.until(lambda: scene.phase not in ("Composing", "SettingUp"))
    assert scene.session.game.start.diagram == position.diagram
    assert scene.heard_of(GameStarted)[-1].fen == write_fen(position, ruleset)
    assert scene.heard_of(Prompted)[-1].prompt == "ready"
    assert scene.guidance.key == "ready"
    scene.wait(1000)
    move = Random(seed).choice(scene.session.game.legal_moves)
    scene.carry_out(move)
    scene.until(lambda: scene.session.game.ply == 1 or scene.guidance.key == "which")
    if scene.session.game.ply == 1:
        assert scene.session.game.moves[0].effect == move.effect


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("variant", ["international", "russian"])
def test_S54_a_position_set_up_by_hand_is_played_on(sit, variant, board, seed):
    set_up_and_play(sit, variant, board, seed)


@pytest.mark.parametrize("board", ["occupancy", "colour"])
@pytest.mark.parametrize("variant", [variant for variant in PLAYED if variant not in ("international", "russian")])
def test_S54_in_other_games(sit, variant, board):
    set_up_and_play(sit, variant, board, 11)


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("W:Wa1,d8:Bh8", "on its last row a man is a king: d8"),
        ("W:Wa1,c1,e1:B", "Black has no piece"),
        ("W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3,b4:Bh8", "White has more than 12 pieces"),
        ("W:Wa3:Bb4,c5", "White could not move"),
        ("B:Wa1,g1:Bh2", "Black could not move"),
    ],
)
def test_S54_what_cannot_be_played_is_said_and_not_accepted(sit, fen, reason):
    scene = begun(sit("russian"))
    lay(scene, unchecked(scene, fen))
    before = status.snapshot(scene.session)["set_up"]
    assert before["problem"] == reason
    assert scene.guidance.key == "compose_fault"
    assert reason in scene.guidance.sentence
    go_on(scene)
    scene.wait(60_000)
    assert scene.phase == "Composing"
    assert scene.ask("set_position", step="next") == reason
    assert scene.ask("set_position", fen=fen) == f"fen: {reason}"


def unchecked(scene, fen):
    return read_fen(fen, scene.ruleset)


@pytest.mark.parametrize("board", BOARDS)
def test_S09_nothing_is_accepted_because_time_passes(sit, board):
    """However slowly the pieces come, and however long they stand: only the button ends a step."""
    scene = begun(sit("russian", board=board))
    steps = steps_of(scene)
    scene.wait(10_000)
    began = step_of(scene)
    assert began in ("pieces", "white_man")
    for name in ("c3", "e3"):
        scene.put(name, "M")
        scene.wait(30_000)
        assert step_of(scene) == began
    for _ in range(steps.index(began), len(steps) - 1):
        go_on(scene)
    scene.put("b6", "m")
    scene.wait(60_000)
    assert scene.phase == "Composing"
    assert not scene.heard_of(GameStarted)
    assert not scene.heard_of(GameOver)


@pytest.mark.parametrize("board", BOARDS)
def test_S55_the_side_to_move_is_asked_and_shown(sit, board):
    scene = begun(sit("russian", board=board))
    lay(scene, unchecked(scene, "W:Wc3,e3:Bd6,f6"))
    assert scene.guidance.key == "compose_turn"
    assert "White to move?" in scene.guidance.sentence
    assert set(scene.lamps) == {"c3", "e3"}
    touch(scene, "d6")
    scene.until(lambda: "Black to move?" in scene.guidance.sentence)
    assert set(scene.lamps) == {"d6", "f6"}
    touch(scene, "c3")
    scene.until(lambda: "White to move?" in scene.guidance.sentence)
    assert scene.ask("set_position", turn="black") is None
    go_on(scene)
    scene.until(lambda: scene.phase == "Turn")
    assert scene.session.turn is Side.BLACK


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S56_the_lamps_and_a_prompt_say_at_once_that_the_board_stands_right(sit, board):
    scene = sit("russian", board=board)
    clear(scene)
    assert scene.ask("set_position", fen="B:Wc3,e3:Bd6,f6") is None
    assert scene.phase == "SettingUp"
    for name, piece in (("c3", "M"), ("e3", "M"), ("d6", "m")):
        scene.put(name, piece)
    scene.wait(5000)
    assert scene.lamps == {"f6": "place"}
    assert not scene.heard_of(Prompted) or scene.heard_of(Prompted)[-1].prompt != "ready"
    scene.put("f6", "m")
    took = scene.until(lambda: scene.lamps == {"d6": "hint", "f6": "hint"})
    assert took <= 150
    scene.until(lambda: bool(scene.heard_of(Prompted)) and scene.heard_of(Prompted)[-1].prompt == "ready", 400)
    assert "Black to move" in scene.heard_of(Prompted)[-1].sentence
    scene.wait(1000)
    assert scene.lamps == {}


def test_S57_every_state_is_left_at_the_board_alone(sit):
    """A long press begins a set-up by hand, another one leaves it; buttons go on and back; no page is needed."""
    scene = sit("russian")
    scene.stand("W:Wa1,c5,e7:Bb8,h4")
    scene.wait(5000)
    scene.hold("new_game", 2500)
    assert scene.phase == "Composing"
    clear(scene)
    scene.until(lambda: step_of(scene) == "white_man")
    scene.put("c3", "M")
    go_on(scene)
    assert step_of(scene) == "white_king"
    scene.press("take_back")
    scene.until(lambda: step_of(scene) == "white_man")
    scene.hold("new_game", 2500)
    assert scene.phase == "Turn"
    assert scene.session.game.ply == 0


@pytest.mark.parametrize("board", BOARDS)
def test_S57_an_emptied_board_begins_a_set_up_and_the_game_is_kept(sit, board):
    """Clearing the board is a set-up; when the game's position stands again, the game goes on."""
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    stood = scene.session.game.position
    clear(scene)
    scene.until(lambda: scene.phase == "Composing", 8000)
    assert scene.guidance.key == "compose_empty"
    scene.pace_ms = 20
    for square, piece in enumerate(stood.contents):
        if piece is not EMPTY:
            scene.put(square_name(square, scene.ruleset), LETTERS[piece])
    scene.until(lambda: scene.phase == "Waiting")
    assert scene.record == ["c3-d4"]
    assert not scene.heard_of(GameOver)
    scene.answer("f6-g5")
    assert scene.guidance.key == "reply"


def test_a_game_begun_by_hand_is_followed_by_one_from_the_start(sit):
    """The position was for one game: the variant's start position begins the next."""
    scene = begun(sit("russian", board="colour"))
    lay(scene, unchecked(scene, "W:Wc3,e3:Bd6,f6"))
    go_on(scene)
    scene.until(lambda: scene.phase == "Turn")
    scene.wait(1000)
    start = rules_for(scene.ruleset).start()
    scene.stand(write_fen(start, scene.ruleset))
    scene.until(lambda: scene.session.game.start.diagram == start.diagram and scene.phase == "Turn", 6000)


def test_a_square_is_named_on_the_page(sit):
    """Where a sensor cannot tell, somebody says what stands on a square."""
    scene = begun(sit("russian", board="colour"))
    for name, piece in (("c3", "M"), ("e3", "M"), ("d6", "m")):
        scene.put(name, piece)
    settle(scene)
    assert scene.ask("set_position", square="c3", piece="white_king") is None
    assert scene.ask("set_position", square="a1", piece="white_king") == "square = 'a1': nothing stands there"
    assert "expected one of white_man" in scene.ask("set_position", square="c3", piece="queen")
    assert "Z9" in scene.ask("set_position", square="Z9", piece="white_man")
    assert status.snapshot(scene.session)["set_up"]["contents"]["c3"] == "white_king"
    go_on(scene)
    go_on(scene)
    assert status.snapshot(scene.session)["set_up"]["fen"] == "W:WKc3,e3:Bd6"


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", PLAYED)
def test_S54_a_thousand_positions(sit, variant):
    for seed in range(112):
        set_up_and_play(sit, variant, BOARDS[seed % 2] if variant in ("corners", "turkish") else BOARDS[seed % 3], seed)
