"""The witness counts what was announced against what hands meant."""

from __future__ import annotations

from station.runtime.witness import MISSED_MS, Witness
from station.simulation.turns import Act, Aim
from tests.station.table import Table


def a_game():
    table = Table("russian")
    first, other = table.legal("c3-d4"), table.legal("c3-b4")
    table.play("c3-d4")
    reply = table.legal("f6-g5")
    return first, other, reply


def act(move, last_contact_ms, aim=Aim.MOVE, troubled=False):
    return Act(aim, move, (), last_contact_ms, (), troubled)


def test_a_record_that_is_what_was_played_is_equal_and_timed():
    first, _, reply = a_game()
    witness = Witness([first, reply])
    witness.begins(act(first, 1000))
    witness.recorded(1, first, 1150)
    witness.begins(act(reply, 3000))
    witness.recorded(2, reply, 3000 + MISSED_MS + 1)
    report = witness.report()
    assert (report.equal, report.wrong, report.wrong_seen, report.withdrawn) == (True, 0, 0, 0)
    assert report.latencies_ms == (150, MISSED_MS + 1)
    assert report.missed == 1


def test_a_wrong_move_is_seen_even_when_it_is_revised():
    first, other, _ = a_game()
    witness = Witness([first])
    witness.begins(act(first, 1000))
    witness.recorded(1, other, 900)
    witness.revised(1, first, 1100)
    report = witness.report()
    assert (report.equal, report.wrong, report.wrong_seen, report.withdrawn) == (True, 0, 1, 1)
    assert report.withdrawn_shown == 0


def test_a_wrong_move_that_stays_is_wrong_and_missed():
    first, other, _ = a_game()
    witness = Witness([first])
    witness.begins(act(first, 1000))
    witness.recorded(1, other, 1100)
    report = witness.report()
    assert (report.equal, report.wrong, report.wrong_seen, report.missed) == (False, 1, 1, 1)


def test_what_hands_take_back_themselves_is_no_withdrawal():
    first, other, _ = a_game()
    witness = Witness([first])
    witness.begins(act(other, 1000, Aim.REGRETTED))
    witness.recorded(1, other, 1100)
    witness.begins(act(other, 4000, Aim.UNDONE, troubled=True))
    witness.taken_back(1)
    witness.begins(act(first, 8000))
    witness.recorded(1, first, 8100)
    report = witness.report()
    assert (report.equal, report.wrong, report.wrong_seen, report.withdrawn, report.missed) == (True, 0, 0, 0, 0)
    assert report.moves == 1


def test_a_right_move_taken_back_by_the_station_is_a_withdrawal():
    first, _, _ = a_game()
    witness = Witness([first])
    witness.begins(act(first, 1000))
    witness.recorded(1, first, 1100)
    witness.taken_back(1)
    report = witness.report()
    assert (report.withdrawn, report.missed, report.equal) == (1, 1, False)


def test_a_move_changed_after_its_reply_was_shown_counts_as_such():
    table = Table("russian", black="engine:1")
    other = table.legal("c3-b4")
    table.play("c3-d4")
    first = table.session.game.moves[0]
    witness = Witness([other])
    witness.begins(act(other, 1000))
    witness.recorded(1, first, 900)
    assert table.chosen
    table.effects.clear()
    table.choose("f6-g5")
    table.wait(5000)
    witness.hear(table.effects, table.session, table.now)
    assert witness.shown_ply == 1
    witness.revised(1, other, 1200)
    report = witness.report()
    assert (report.withdrawn, report.withdrawn_shown, report.equal) == (1, 1, True)
