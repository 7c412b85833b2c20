"""Draws offered, answered, claimed; resignation; by request and by the board's buttons."""

from __future__ import annotations

import pytest

from station.announcements import DrawDeclined, DrawOffered, GameOver
from station.endings_by_hand import ENGINE_PLIES, RESIGN_WITHIN_MS, accepts
from station.session import deadline_ms
from station.status import state
from tests.station.table import Table

FEW = "W:Wc3,a1:Bb6,h8"
SHUFFLE = ("a3-b2", "h4-g5", "b2-a3", "g5-h4")


def offered(**more):
    table = Table(**more)
    assert table.ask("draw", side="white") is None
    return table


def result(table):
    ends = table.heard_of(GameOver)
    return (ends[-1].result, ends[-1].reason) if ends else None


# --- two people ----------------------------------------------------------------------------------------------------


def test_two_people_who_ask_without_a_side_have_agreed():
    table = Table()
    assert table.ask("draw") is None
    assert result(table) == ("1-1", "agreed")


def test_an_offer_is_told_and_the_game_goes_on():
    table = offered()
    assert table.phase == "Turn"
    assert table.heard_of(DrawOffered) == [DrawOffered("white")]
    assert state(table.session)["draw"] == {"offered_by": "white", "claim": None}
    assert table.guidance.sentence == "White offers a draw. White to move."


@pytest.mark.parametrize(
    "arguments", [{"answer": "accept"}, {"side": "black", "answer": "accept"}, {}, {"side": "black"}]
)
def test_the_other_side_takes_it(arguments):
    table = offered()
    assert table.ask("draw", **arguments) is None
    assert result(table) == ("1-1", "agreed")
    assert table.session.offer is None


def test_two_offers_are_an_agreement():
    table = offered()
    assert table.ask("draw", side="black", answer="offer") is None
    assert result(table) == ("1-1", "agreed")


def test_the_other_side_declines_it():
    table = offered()
    assert table.ask("draw", answer="decline") is None
    assert table.heard_of(DrawDeclined) == [DrawDeclined("black", by_moving=False)]
    assert table.phase == "Turn"
    assert table.session.offer is None
    assert "no draw is offered" in table.ask("draw", answer="accept")


def test_an_offer_stands_until_the_other_side_has_moved():
    table = offered()
    table.play("c3-d4")
    assert table.session.offer == "white"
    assert table.guidance.sentence == "White offers a draw. Black to move."
    table.play("b6-a5")
    assert table.session.offer is None
    assert table.heard_of(DrawDeclined) == [DrawDeclined("black", by_moving=True)]
    assert table.ask("draw", side="white") is None


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"side": "white"}, "offered a draw already"),
        ({"answer": "offer"}, "offered a draw already"),
        ({"side": "white", "answer": "accept"}, "cannot answer it"),
        ({"side": "white", "answer": "decline"}, "cannot answer it"),
        ({"side": "green"}, "white or black"),
        ({"answer": "perhaps"}, "offer, accept or decline"),
        ({"answer": True}, "offer, accept or decline"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(arguments, refusal):
    table = offered()
    before = table.session
    assert refusal in table.ask("draw", **arguments)
    assert table.session == before


@pytest.mark.parametrize("undo", ["take_back", "new_game"])
def test_an_offer_is_gone_with_the_position_it_was_made_in(undo):
    table = Table()
    table.play("c3-d4", "b6-a5")
    assert table.ask("draw", side="white") is None
    assert table.ask(undo) is None
    assert table.session.offer is None


def test_an_offer_may_be_made_and_answered_in_a_pause_and_without_the_board():
    table = Table()
    table.lose()
    assert table.ask("draw", side="black") is None
    assert table.ask("draw", side="white", answer="accept") is None
    assert result(table) == ("1-1", "agreed")


# --- what may be claimed -------------------------------------------------------------------------------------------


def test_a_draw_that_may_be_claimed_is_said_with_its_article_and_claimed():
    table = Table(fen="W:WKa3:BKh4", draws="claim")
    table.play(*SHUFFLE, *SHUFFLE)
    assert "article 1.9.2" in table.guidance.sentence
    assert table.guidance.sentence.startswith("White to move. A draw may be claimed: ")
    assert state(table.session)["draw"]["claim"]["article"] == "1.9.2"
    assert table.ask("draw", side="black") is None
    (end,) = table.heard_of(GameOver)
    assert (end.result, end.article) == ("1-1", "1.9.2")


def test_a_claim_is_gone_when_the_game_has_gone_on():
    table = Table(fen="W:WKa3:BKh4", draws="claim")
    table.play(*SHUFFLE, *SHUFFLE)
    table.play("a3-c1")
    assert table.session.claim is None
    assert table.guidance.key == "turn"


def test_automatic_draws_are_announced_with_their_article():
    table = Table(fen="W:WKa3:BKh4")
    table.play(*SHUFFLE, *SHUFFLE)
    assert table.phase == "Over"
    assert "article 1.9.2" in table.guidance.sentence


# --- against an engine ---------------------------------------------------------------------------------------------


def against_engine(**more):
    table = Table(black="engine:3", **more)
    table.play("c3-d4")
    return table


def test_an_engine_answers_when_it_has_thought():
    table = against_engine(fen=FEW)
    assert table.ask("draw") is None
    assert table.phase == "Waiting"
    assert table.heard_of(DrawOffered) == [DrawOffered("white")]
    table.choose("b6-a5", score=-20)
    assert result(table) == ("1-1", "agreed")
    assert table.record == ["c3-d4"]


@pytest.mark.parametrize(("fen", "score"), [(FEW, 1), (FEW, None), ("", -300)])
def test_an_engine_declines_when_it_is_better_or_does_not_know_or_in_the_opening(fen, score):
    table = against_engine(fen=fen)
    assert table.ask("draw") is None
    table.choose("b6-a5", score=score)
    assert table.phase == "Answering"
    assert table.heard_of(DrawDeclined) == [DrawDeclined("black", by_moving=False)]
    assert table.session.offer is None


@pytest.mark.parametrize(("score", "end"), [(0, ("1-1", "agreed")), (10, None), (None, None)])
def test_an_engine_that_has_moved_answers_at_once_by_what_it_thought(score, end):
    table = against_engine(fen=FEW)
    table.choose("b6-a5", score=score)
    table.wait(1000)
    table.play("b6-a5")
    assert table.phase == "Turn"
    assert table.ask("draw") is None
    assert result(table) == end
    assert len(table.heard_of(DrawDeclined)) == (end is None)


def test_an_engine_that_has_not_moved_yet_declines():
    table = Table(black="engine:3", fen=FEW)
    assert table.ask("draw") is None
    assert result(table) is None
    assert table.heard == [DrawOffered("white"), DrawDeclined("black", by_moving=False)]


def test_late_in_the_game_an_engine_takes_a_draw_with_more_pieces_too():
    """Kings move to and fro among men who rest; nobody claims the repetition."""
    table = Table(black="engine:3", fen="W:WKa3,a1,c1,e1,g1:BKh4,b8,d8,f8,h8", draws="claim")
    first, second, third, fourth = SHUFFLE
    while table.session.game.ply < ENGINE_PLIES:
        assert not accepts(table.session, 0)
        for own, other in ((first, second), (third, fourth)):
            table.play(own)
            table.choose(other, score=0)
            table.wait(1000)
            table.play(other)
    assert table.session.game.ply == ENGINE_PLIES
    assert accepts(table.session, 0)
    assert not accepts(table.session, 1)


def test_the_engines_side_does_not_offer():
    assert "does not offer" in Table(black="engine:3").ask("draw", side="black")


def test_resigning_without_a_side_is_the_persons():
    """Also while the engine is to move."""
    table = against_engine()
    assert table.ask("resign") is None
    assert result(table) == ("0-2", "resigned")


# --- buttons on the board ------------------------------------------------------------------------------------------


def test_the_button_offers_for_who_is_to_move_and_takes_the_others_offer():
    table = Table()
    table.press("draw")
    table.press("draw")
    assert table.heard_of(DrawOffered) == [DrawOffered("white")]
    assert table.phase == "Turn"
    table.play("c3-d4")
    table.press("draw")
    assert result(table) == ("1-1", "agreed")


def test_the_button_resigns_when_it_is_pressed_twice():
    table = Table()
    table.play("c3-d4")
    table.press("resign")
    assert table.phase == "Turn"
    assert table.guidance.sentence == "Black resigns? Press the button again within 5 seconds."
    table.wait(RESIGN_WITHIN_MS - 1)
    table.press("resign")
    assert result(table) == ("2-0", "resigned")


def test_a_child_that_leans_on_it_does_not_lose():
    table = Table()
    table.press("resign")
    assert deadline_ms(table.session) == table.now + RESIGN_WITHIN_MS
    table.wait(RESIGN_WITHIN_MS)
    assert table.guidance.key == "turn"
    table.press("resign")
    assert table.phase == "Turn"
    assert table.guidance.key == "resign_again"


def test_a_move_between_two_presses_forgets_the_first():
    table = Table()
    table.press("resign")
    table.play("c3-d4")
    table.press("resign")
    assert table.phase == "Turn"


def test_the_button_resigns_for_the_person_also_while_the_engine_thinks():
    table = against_engine()
    table.press("resign")
    table.press("resign")
    assert result(table) == ("0-2", "resigned")
    assert table.stopped == table.chosen


@pytest.mark.parametrize("button", ["draw", "resign"])
def test_the_buttons_do_nothing_when_no_game_is_played(button):
    table = Table()
    assert table.ask("resign") is None
    before = table.session
    table.press(button)
    table.press(button)
    assert table.session == before
