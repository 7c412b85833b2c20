"""Games that begin with a drawn opening: set up by the lamps, recorded as drawn, never taken back."""

from __future__ import annotations

import pytest

from engine.ballot import load_table
from engine.position import EMPTY, Position
from engine.ruleset import load_ruleset
from firmware_bridge.driver import Role
from station.announcements import GameOver, GameStarted, Moved
from station.journal import FORMAT, Header, encode_header, read_journal
from station.openings import opened, seed_of
from station.session import begin
from station.settings import Settings
from station.status import game, snapshot
from station.texts import load_texts

from .table import Table

AYRSHIRE = "english-3-move #1"


def table_with(ballot, variant="english", **settings):
    """A table whose board shows the start position when it is switched on."""
    table = Table(variant, ballot=ballot, ready=False, **settings)
    table.stands = list(opened(load_ruleset(variant), "", "", "").game.position.contents)
    table.regain()
    table.wait(1000)
    return table


def follow_the_lamps(table, most=12):
    """Do what the lamps show, one piece after the other, until they show nothing more to set up."""
    for _ in range(most):
        if table.phase != "SettingUp":
            return
        cues = dict(table.guidance.cues)
        lifted = [square for square, role in cues.items() if role is Role.LIFT]
        placed = [square for square, role in cues.items() if role is Role.PLACE]
        if lifted and placed:
            piece = table.stands[lifted[0]]
            table.touch(lifted[0], EMPTY)
            table.touch(placed[0], piece)
        else:
            table.touch(next(square for square, role in cues.items() if role is Role.REMOVE), EMPTY)
        table.wait(400)


def test_the_lamps_lead_through_the_drawn_moves_and_the_record_holds_them():
    table = table_with(AYRSHIRE)
    game_drawn = table.session.game
    assert table.phase == "SettingUp"
    assert table.session.drawn_plies == game_drawn.ply == 3
    assert table.guidance.key == "set_up_opening"
    first = game_drawn.moves[0]
    assert dict(table.guidance.cues) == {first.from_square: Role.LIFT, first.to_square: Role.PLACE}
    assert not table.heard_of(GameStarted)
    follow_the_lamps(table)
    assert table.phase == "Turn"
    assert tuple(table.stands) == game_drawn.position.contents
    (started,) = table.heard_of(GameStarted)
    label = load_table("english-3-move").openings[0].label
    assert started.opening == f"english-3-move {label}"
    moves = table.heard_of(Moved)
    assert [move.by for move in moves] == ["drawn"] * 3
    assert [move.ply for move in moves] == [1, 2, 3]
    assert moves[-1].fen == snapshot(table.session)["position"]["fen"]


def test_what_was_drawn_stands_in_the_games_record():
    table = table_with(AYRSHIRE)
    follow_the_lamps(table)
    label = table.session.opening
    assert f'[Opening "{label}"]' in game(table.session)["pdn"]
    assert snapshot(table.session)["opening"] == game(table.session)["opening"] == label


def test_only_what_was_played_is_taken_back():
    table = table_with(AYRSHIRE)
    follow_the_lamps(table)
    assert table.ask("take_back") == "plies = 1: expected 1 to 0, the moves made after the drawn opening"
    played = table.session.game.legal_moves[0]
    table.carry_out(played)
    table.wait(2000)
    assert table.session.game.ply == 4
    assert table.ask("take_back", plies=2) is not None
    assert table.ask("take_back") is None
    assert table.session.game.ply == 3


def test_the_position_before_the_drawn_moves_is_no_takeback_by_hand():
    table = table_with(AYRSHIRE)
    follow_the_lamps(table)
    table.carry_out(table.session.game.legal_moves[0])
    table.wait(2000)
    table.stand(table.session.game.positions[2].contents)
    table.wait(8000)
    assert table.session.game.ply == 4
    table.stand(table.session.game.positions[3].contents)
    table.wait(3000)
    assert table.session.game.ply == 3


def test_the_start_position_asks_for_another_game_and_another_opening():
    table = table_with("english-3-move")
    follow_the_lamps(table)
    before = table.session.game_id
    table.stand(table.session.game.start.contents)
    table.wait(5000)
    assert table.session.game_id != before
    assert table.phase == "SettingUp"
    assert [what.result for what in table.heard_of(GameOver)] == ["*"]
    wanted = opened(load_ruleset("english"), "", "english-3-move", table.session.game_id)
    assert table.session.game == wanted.game


def test_a_flying_checker_is_a_start_position_to_be_set_up():
    table_names = [opening for opening in load_table("russian-idf-745").openings if opening.is_flying]
    table = table_with(f"russian-idf-745 {table_names[0].label}", "russian")
    assert table.phase == "SettingUp"
    start = table.session.game.start.contents
    assert start != tuple(table.stands)
    follow_the_lamps(table)
    assert table.phase == "Turn"
    assert snapshot(table.session)["start_fen"]
    (started,) = table.heard_of(GameStarted)
    assert started.fen == snapshot(table.session)["start_fen"]


def test_games_draw_different_openings_and_the_same_identity_the_same():
    russian = load_ruleset("russian")
    drawn = [opened(russian, "", "russian-idf-745", f"0123456789ab-{number}").opening for number in range(1, 40)]
    assert len(set(drawn)) > 30
    assert drawn == [
        opened(russian, "", "russian-idf-745", f"0123456789ab-{number}").opening for number in range(1, 40)
    ]
    # sha256("abc") begins with ba7816bf 8f01cfea (FIPS 180-4, appendix; NIST example values).
    assert seed_of("abc") == 0xBA7816BF8F01CFEA


def test_a_replay_of_the_journal_draws_what_was_drawn():
    settings = Settings("table", load_ruleset("english"), ballot="english-3-move")
    header = Header(FORMAT, "dambord 1", "0123456789ab", "2026-01-01T00:00:00.000Z", settings, "en")
    read, _ = read_journal(encode_header(header))
    assert read.settings == settings
    played, again = (begin(given, load_texts("en"), read.boot) for given in (settings, read.settings))
    assert played.drawn_plies == 3
    assert (again.game, again.opening) == (played.game, played.opening)


def test_a_new_game_may_ask_for_a_ballot_or_for_none():
    table = Table("english")
    assert table.ask("new_game", ballot=AYRSHIRE) is None
    assert table.session.drawn_plies == 3
    follow_the_lamps(table)
    assert table.phase == "Turn"
    assert table.ask("new_game") is None
    assert table.session.drawn_plies == 3
    assert table.ask("new_game", ballot="") is None
    assert table.session.drawn_plies == 0
    assert table.session.opening == ""


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"ballot": "english-5-move"}, "english-3-move"),
        ({"ballot": "english-3-move #9999"}, "#9999"),
        ({"ballot": "russian-idf-745"}, "english"),
        ({"ballot": AYRSHIRE, "start_fen": "W:W21:B1"}, "start_fen"),
    ],
)
def test_a_ballot_that_cannot_be_drawn_is_refused_and_changes_nothing(arguments, word):
    table = Table("english")
    before = table.session
    refusal = table.ask("new_game", **arguments)
    assert refusal is not None
    assert word in refusal
    assert table.session.game == before.game


def test_a_start_position_takes_the_place_of_the_ballot():
    table = table_with(AYRSHIRE)
    assert table.ask("new_game", start_fen="W:W32:B1") is None
    assert table.session.opening == ""
    assert isinstance(table.session.game.start, Position)
    assert table.session.game.ply == 0


def test_a_computers_turn_after_the_opening_is_asked_for():
    table = table_with(AYRSHIRE, white="engine:1")
    follow_the_lamps(table)
    assert table.session.turn == "white"
    assert table.phase == "Waiting"
    assert len(table.chosen) == 1


def test_a_piece_that_an_opening_captures_goes_where_the_moves_take_it():
    table = table_with("russian-idf-745 XIII-18", "russian")  # c3-d4 d6-e5, then g3-f4 into the capture e5:g3
    shown = []
    while table.phase == "SettingUp" and len(shown) < 12:
        shown.append({square: role for square, role in table.guidance.cues if role is not Role.HINT})
        follow_the_lamps(table, most=1)
    moves = [{move.from_square: Role.LIFT, move.to_square: Role.PLACE} for move in table.session.game.moves]
    assert shown[:4] == moves
    assert shown[4:] == [{table.session.game.moves[3].captured[0]: Role.REMOVE}]
    assert table.phase == "Turn"
