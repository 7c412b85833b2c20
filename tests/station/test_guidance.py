"""Whatever stands on the board: who does what the lamps say arrives at a move, a takeback or the game's position."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import new_game
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from engine.ruleset import load_ruleset
from firmware_bridge.driver import Role
from station.guidance import AT_ONCE, guide, repairs
from station.tracker import Untouched, differing, masks_of_position, masks_of_view

from .table import KINDS, Table, see

VARIANTS = ("english", "russian", "international", "brazilian")
PIECES = {"white man": WHITE_MAN, "white king": WHITE_KING, "black man": BLACK_MAN, "black king": BLACK_KING}
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


def arrived(table, before):
    game = table.session.game
    return game != before or (isinstance(table.session.reading, Untouched) and agrees(table))


def agrees(table):
    """Whether the game's position stands there, as far as the sensor tells."""
    seen = masks_of_view(see(table.stands, table.kind))
    return not differing(masks_of_position(table.session.game.position.contents), seen)


def obey(table):
    """Do the one next thing that lamps and sentence say; False when they say nothing."""
    shown = table.guidance
    roles = dict(shown.cues)
    lift = next((square for square, role in shown.cues if role is Role.LIFT), None)
    place = next((square for square, role in shown.cues if role is Role.PLACE), None)
    if lift is not None and place is not None:
        piece = table.stands[lift]
        table.touch(lift, EMPTY)
        table.touch(place, piece)
        return True
    for square, role in shown.cues:
        if role is Role.REMOVE:
            table.touch(square, EMPTY)
            return True
        if role in (Role.PLACE, Role.WRONG):
            table.touch(square, wanted(table, square))
            return True
        if role is Role.HINT and shown.key == "put_down":
            table.touch(square, wanted(table, square))
            return True
        if role is Role.PATH and shown.key == "continue":
            move = next(m for m in table.session.reading.moves if square in m.path)
            here = next(s for s in (*move.path,) if table.stands[s] is not EMPTY and s not in move.captured)
            piece = table.stands[here]
            table.touch(here, EMPTY)
            table.touch(square, piece)
            return True
    assert not roles or shown.key in {"crown", "illegal"}, shown
    return False


def wanted(table, square):
    """The piece that the sentence asks for; for a move under way, the one that has left its square."""
    for name, piece in PIECES.items():
        if f"a {name} on" in table.guidance.sentence:
            return piece
    position = table.session.game.position
    if table.guidance.key == "reply":
        return position.contents[table.session.phase.move.from_square]
    if position.contents[square] is not EMPTY:
        return position.contents[square]
    return table.session.game.positions[-2].contents[square]


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


PLAYERS = ({}, {"black": "engine:1"}, {"white": "engine:1"})


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(VARIANTS), st.sampled_from(KINDS), st.sampled_from(PLAYERS), st.booleans())
def test_obeying_the_guidance_leads_back(data, variant, kind, players, chosen):
    """From any board, in any phase of a game."""
    game = game_of(data.draw, variant)
    table = play_to(game, kind, players)
    if chosen and table.phase == "Waiting" and game.legal_moves:
        table.choose_move(game.legal_moves[data.draw(st.integers(0, 20)) % len(game.legal_moves)])
        table.wait(1000)
    before = table.session.game
    go_astray(data.draw, table)
    table.wait(5000)
    steps = 0
    while not arrived(table, before):
        shown = guide(table.session)
        assert len(shown.cues) <= AT_ONCE
        assert shown.sentence
        assert obey(table), (shown, table.session.reading)
        table.wait(5000)
        steps += 1
        assert steps < PATIENCE, shown


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
    for _ in range(PATIENCE):
        table.wait(1000)
        if table.phase != "SettingUp":
            break
        assert obey(table)
    assert table.phase == "Turn"
    assert agrees(table)


@pytest.mark.parametrize("kind", KINDS)
def test_repairs_name_each_wrong_square_once_and_end_with_none(kind):
    table = Table(kind=kind)
    target = masks_of_position(table.session.game.position.contents)
    table.stands[21] = table.stands[3] = EMPTY
    table.stands[14] = WHITE_MAN
    table.look()
    left = repairs(table.session, target)
    assert [repair.role for repair in left] == [Role.REMOVE, Role.PLACE, Role.PLACE]
    for repair in left:
        table.touch(repair.square, repair.piece)
    assert repairs(table.session, target) == ()


def test_a_piece_on_a_wrong_square_is_moved_back_in_one_step():
    table = Table()
    table.take("c3")
    table.put("f4", WHITE_MAN)
    table.wait(3000)
    assert table.guidance.cues == ((table.square("f4"), Role.LIFT), (table.square("c3"), Role.PLACE))
    assert table.guidance.sentence.endswith("move the piece from f4 to c3.")


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
