"""What people are told: the one next thing, in words and lamps."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import new_game
from engine.position import BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from engine.ruleset import load_ruleset
from firmware_bridge.driver import Role
from station.announcements import BoardDiffers, BoardRestored
from station.repairs import Carry, Fetch, PutOn, TakeOff, mess_of, next_act
from station.settings import CALM
from station.swept import SWEPT
from station.tracker import differing, masks_of_position, masks_of_view

from .obeying import Obedient
from .table import KINDS, Table, see

VARIANTS = ("english", "russian", "international", "brazilian")
MOVES_AWAY = 4
"""Touches by which a board goes astray."""
PATIENCE = 60
"""Steps after which whoever obeys has been led round in circles."""


def game_of(draw, variant):
    game = new_game(load_ruleset(variant))
    for choice in draw(st.lists(st.integers(0, 50), max_size=40)):
        if not game.legal_moves or game.outcome():
            break
        game = game.play(game.legal_moves[choice % len(game.legal_moves)])
    return game if game.outcome() is None else game.back(1)


def play_to(game, kind, players):
    """A table at which the moves of a game have been made."""
    table = Table(game.ruleset.name, kind=kind, **players)
    for move in game.moves:
        if table.phase == "Waiting":
            table.choose_move(move)
            table.wait(1000)
        table.carry_out(move)
        table.wait(1500)
    assert table.session.game.moves == game.moves
    return table


def agrees(table):
    """Whether the game's position stands there, as far as the sensor tells."""
    seen = masks_of_view(see(table.stands, table.kind))
    return not differing(masks_of_position(table.session.game.position.contents), seen)


def go_astray(draw, table):
    squares = st.integers(0, len(table.stands) - 1)
    for _ in range(draw(st.integers(1, MOVES_AWAY))):
        start, end = draw(squares), draw(squares)
        piece = table.stands[start]
        if draw(st.booleans()) and piece is not EMPTY:
            table.stands[start] = EMPTY
        if piece is not EMPTY and table.stands[end] is EMPTY and draw(st.booleans()):
            table.stands[end] = piece
    table.look()


@settings(max_examples=50, deadline=None)
@given(st.data(), st.sampled_from(VARIANTS), st.sampled_from(KINDS))
def test_a_position_is_set_up_by_obeying(data, variant, kind):
    """From any board to the one that play goes on from."""
    game = game_of(data.draw, variant)
    table = play_to(game, kind, {})
    go_astray(data.draw, table)
    if game.ply:
        table.ask("take_back", plies=data.draw(st.integers(1, game.ply)))
    else:
        table.ask("new_game")
    person = Obedient(table, table.stands)
    for _ in range(PATIENCE):
        table.wait(1000)
        if table.phase != "SettingUp":
            break
        person.obey()
    assert table.phase == "Turn"
    assert agrees(table)


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_come_home_first_then_others_go_off_and_on(kind):
    table = Table(kind=kind)
    wanted = table.session.game.position.contents
    home = list(table.stands)
    table.stands[0] = table.stands[3] = table.stands[31] = EMPTY
    table.stands[14] = table.stands[17] = WHITE_MAN
    told = []
    for _ in range(5):
        act = next_act(mess_of(wanted, masks_of_view(see(table.stands, kind)), table.ruleset.geometry))
        match act:
            case Carry(start=start, end=end):
                table.stands[start], table.stands[end] = EMPTY, table.stands[start]
            case Fetch(piece=piece, end=end, starts=starts):
                start = next((start for start in starts if table.stands[start] is piece), None)
                if start is not None:
                    table.stands[start] = EMPTY
                table.stands[end] = piece
            case TakeOff(squares=squares):
                for square in squares:
                    table.stands[square] = EMPTY
            case PutOn(piece=piece, squares=squares):
                for square in squares:
                    table.stands[square] = piece
        told.append(type(act).__name__)
    expected = {
        "identity": ["Carry", "TakeOff", "PutOn", "NoneType"],
        "colour": ["Carry", "TakeOff", "PutOn", "NoneType"],
    }
    assert told == [*expected.get(kind, ["Fetch", "Fetch", "Carry", "TakeOff"]), "NoneType"]
    assert [bool(piece is EMPTY) for piece in table.stands] == [bool(piece is EMPTY) for piece in home]


def test_two_pieces_that_changed_places_are_swapped():
    table = Table()
    c3, d6 = table.square("c3"), table.square("d6")
    table.stands[c3], table.stands[d6] = table.stands[d6], table.stands[c3]
    table.look()
    table.wait(3000)
    assert set(table.guidance.cues) == {(c3, Role.WRONG), (d6, Role.WRONG)}
    assert table.guidance.sentence.split(": ")[1] in {"swap the pieces on c3 and d6.", "swap the pieces on d6 and c3."}


def test_a_piece_that_is_being_carried_back_stays_asked_for():
    """The sentence does not change while the piece is in the hand, and its new square stays lit."""
    table = Table()
    table.stands[table.square("c3")], table.stands[table.square("h6")] = EMPTY, EMPTY
    table.stands[table.square("f4")], table.stands[table.square("a5")] = WHITE_MAN, BLACK_MAN
    table.look()
    table.wait(3000)
    before = table.guidance
    (start, _), (end, _) = before.cues
    table.touch(start, EMPTY)
    table.wait(5000)
    assert table.guidance.sentence == before.sentence
    assert table.guidance.cues == ((end, Role.PLACE),)


def test_a_move_is_not_undone_because_another_piece_was_pushed():
    table = Table()
    table.take("c3", "g3")
    table.put("d4", WHITE_MAN)
    table.wait(3000)
    assert table.guidance.sentence.endswith("put a white man on g3.")
    table.put("g3", WHITE_MAN)
    table.wait(1500)
    assert table.record == ["c3-d4"]


def test_a_move_taken_back_is_not_made_again_because_another_piece_was_pushed():
    table = Table()
    table.play("c3-d4")
    table.take("d4", "h8")
    table.put("c3", WHITE_MAN)
    table.wait(3000)
    assert table.guidance.sentence.endswith("put a black man on h8.")
    table.put("h8", BLACK_MAN)
    table.wait(2000)
    assert table.record == []


def test_a_piece_on_a_wrong_square_is_moved_back_in_one_step():
    table = Table()
    table.take("c3")
    table.put("f4", WHITE_MAN)
    table.wait(3000)
    assert table.guidance.cues == ((table.square("f4"), Role.LIFT), (table.square("c3"), Role.PLACE))
    assert table.guidance.sentence.endswith("Move the piece from f4 to c3.")


def test_a_wrong_kind_of_piece_is_to_be_replaced():
    table = Table()
    table.stands[table.square("c3")] = BLACK_MAN
    table.look()
    table.wait(3000)
    assert table.guidance.cues == ((table.square("c3"), Role.WRONG),)
    assert "white man on c3 instead" in table.guidance.sentence


def test_a_capture_that_rests_half_way_is_led_on():
    table = Table(fen="W:Wc3,a1:Bd4,f6,h4")
    table.take("c3")
    table.put("e5", WHITE_MAN)
    table.wait(5000)
    assert table.guidance.key == "continue"
    assert table.guidance.cues == ((table.square("g7"), Role.PATH),)


def test_a_piece_in_the_hand_is_silent_then_prompted():
    table = Table()
    table.take("c3")
    table.wait(1000)
    assert table.guidance.key == "moving"
    table.wait(4000)
    assert table.guidance.key == "put_down"
    assert table.guidance.cues == ((table.square("c3"), Role.HINT),)


def test_a_captured_piece_taken_off_without_its_capture_is_to_be_put_back():
    table = Table(fen="W:Wc3,a1:Bd4,h4")
    table.take("d4")
    table.wait(5000)
    assert table.guidance.key == "differs"
    assert table.guidance.cues == ((table.square("d4"), Role.PLACE),)


def test_who_mends_a_board_that_was_swept_is_led_on_without_a_pause():
    """More squares differ than a slip makes; the reply that waits is not shown again between two things to do."""
    table = Table("russian", black="engine:1")
    table.play("c3-d4")
    table.choose("f6-g5")
    table.wait(2000)
    moved = [("a1", "b4"), ("c1", "h4"), ("h8", "a5"), ("f8", "e5")]
    for start, end in moved:
        piece = table.stands[table.square(start)]
        table.take(start)
        table.put(end, piece)
    table.wait(1000)
    assert len(table.session.reading.squares) > SWEPT
    assert table.guidance.key == "cleared"
    table.wait(CALM.start_again)
    person = Obedient(table, list(table.session.game.position.contents))
    for _ in moved:
        assert table.guidance.key == "differs"
        person.obey()
    assert table.guidance.key == "reply"


def test_a_swept_board_is_led_back_from_but_not_while_more_goes_off():
    table = Table()
    for square in range(8):
        table.touch(square, EMPTY)
    table.wait(CALM.start_again)
    assert table.guidance.key == "differs"
    table.touch(8, EMPTY)
    assert table.guidance.key == "cleared"
    assert table.guidance.cues == ()


def test_a_piece_whose_move_is_thought_over_again_may_go_back_to_where_the_game_has_it():
    table = Table()
    table.play("c3-d4")
    table.take("d4")
    assert table.guidance.sentence == "White is moving."
    table.wait(CALM.go_on)
    assert table.guidance.key == "put_down"
    assert table.guidance.cues == ((table.square("d4"), Role.HINT),)


def test_a_king_where_a_man_belongs_is_told_of_before_a_king_without_its_crown():
    table = Table(fen="W:WKc3,a1:Bh8")
    table.put("c3", WHITE_MAN)
    table.put("a1", WHITE_KING)
    assert (table.guidance.key, table.guidance.cues) == ("uncrown", ((table.square("a1"), Role.HINT),))
    table.put("a1", WHITE_MAN)
    assert (table.guidance.key, table.guidance.cues) == ("crown", ((table.square("c3"), Role.HINT),))


@pytest.mark.parametrize("way_out", ["the move before", "a legal move", "what stood there"])
def test_whatever_ends_it_a_board_that_differed_is_told_to_agree_again(way_out):
    table = Table()
    table.play("c3-d4", "h6-g5")
    table.take("e3", "h8")
    table.put("f4", WHITE_MAN)
    table.wait(3000)
    assert len(table.heard_of(BoardDiffers)) == 1
    table.put("h8", BLACK_MAN)
    if way_out == "a legal move":
        table.wait(1500)
        assert table.record == ["c3-d4", "h6-g5", "e3-f4"]
    else:
        table.take("f4")
        table.put("e3", WHITE_MAN)
    if way_out == "the move before":
        table.take("g5")
        table.put("h6", BLACK_MAN)
        table.wait(1500)
        assert table.record == ["c3-d4"]
    assert len(table.heard_of(BoardRestored)) == 1


def game_with_an_uncovered_tower():
    """A game of towers whose last move took the top piece off a tower that is left standing."""
    chance, game = Random(5), new_game(load_ruleset("towers"))
    while True:
        game = game.play(chance.choice(game.legal_moves))
        for square in game.moves[-1].captured:
            if game.position.contents[square] is not EMPTY:
                return game, square


def test_a_tower_that_was_taken_from_and_is_lifted_again_is_to_be_put_back():
    game, square = game_with_an_uncovered_tower()
    table = Table("towers")
    for ply, move in enumerate(game.moves, 1):
        table.touch(move.from_square, EMPTY)
        table.stand(game.positions[ply].contents)
        table.wait(1500)
    assert table.session.game.moves == game.moves
    table.touch(square, EMPTY)
    table.wait(CALM.go_on + 500)
    assert (table.guidance.key, table.guidance.cues) == ("differs", ((square, Role.PLACE),))
