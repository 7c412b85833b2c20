"""Whatever comes twice, late, mixed up or not at all: the same game is known in the end."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.club.club import Club, taken
from station.club.line import line_of
from station.club.messages import Happened, Key, Noise, Place, Recorded, read, topics
from station.club.record import MOST_WAITING, Known, adopt, hear, joined

from .stations import BASE, Telling

PLACE = Place("club-1", "table")
KEY = Key(PLACE, "0b-1")


def told(message):
    found = read(BASE, *message)
    assert not isinstance(found, Noise), found
    return found


@cache
def game(seed, steps, variant="russian"):
    """A game's events, and its record after each of them."""
    telling = Telling(*PLACE, KEY.game, variant, seed)
    events, records = [told(telling.started())], [told(telling.record())]
    for _ in range(steps):
        events.append(told(telling.step()))
        records.append(told(telling.record()))
    return telling, events, records


def after(messages, known=None):
    known = known or Known(KEY)
    for message in messages:
        known = hear(known, message) if isinstance(message, Happened) else adopt(known, message)
    return known


def shown(known):
    return [move.text for move in known.moves], known.result, known.head.white, known.head.variant, known.head.start_fen


games = st.builds(
    game, st.integers(0, 5), st.sampled_from([1, 4, 12, 25]), st.sampled_from(["russian", "english", "towers"])
)


@given(games)
def test_in_order_it_is_what_was_played(played):
    telling, events, _ = played
    known = after(events)
    assert shown(known) == (telling.texts(), telling.result, "person", telling.ruleset.name, telling.start)
    assert known.seq == telling.seq
    assert (known.began, known.last) == (events[0].at, events[-1].at)
    assert line_of(known).position == telling.game.position


@settings(max_examples=150)
@given(games, st.data())
def test_shuffled_and_doubled_it_is_the_same(played, data):
    """With times, reason and clock: every event comes at least once, in any order, records among them."""
    _, events, records = played
    in_order = after([*events, records[-1]])
    extra = data.draw(st.lists(st.sampled_from([*events, *records]), max_size=20))
    mixed = data.draw(st.permutations([*events, *extra]))
    known = after([*mixed, records[-1]])
    placed = {ply: at for ply, at in known.times.items() if ply <= len(known.moves)}
    assert placed == {ply: at for ply, at in in_order.times.items() if ply <= len(in_order.moves)}
    assert replace(known, times={}) == replace(in_order, times={})


@settings(max_examples=150)
@given(games, st.data())
def test_what_was_dropped_the_last_record_tells(played, data):
    telling, events, records = played
    kept = data.draw(st.lists(st.sampled_from([*events, *records]), max_size=30))
    known = after([*kept, records[-1]])
    assert shown(known) == (telling.texts(), telling.result, "person", telling.ruleset.name, telling.start)
    assert not known.waiting


@given(games, st.data())
def test_nothing_is_told_that_was_never_so(played, data):
    """At every moment, after whatever came: the record as it once was."""
    _, events, records = played
    once = [after(events[:count]).moves for count in range(len(events) + 1)]
    known = Known(KEY)
    for message in data.draw(st.lists(st.sampled_from([*events, *records]), max_size=40)):
        known = after([message], known)
        assert known.moves in once


@given(games, st.data())
def test_two_that_heard_different_parts_know_it_together(played, data):
    telling, events, records = played
    parts = [data.draw(st.lists(st.sampled_from([*events, *records]), max_size=25)) for _ in range(2)]
    one, other = (after(part) for part in parts)
    both = joined(one, other)
    assert both.seq >= max(one.seq, other.seq)
    assert both == joined(other, one) or one.seq == other.seq
    assert shown(after([records[-1]], both))[0] == telling.texts()


def test_an_event_that_does_not_fit_waits_for_the_record():
    telling, events, _ = game.__wrapped__(3, 5)
    wrong = json.loads(telling.move()[1])
    known = hear(after(events), told((f"{BASE}/club-1/table/event", json.dumps({**wrong, "ply": 90}).encode())))
    assert known.seq == len(events)
    assert known.waiting
    mended = adopt(known, told(telling.record()))
    assert (not mended.waiting, [move.text for move in mended.moves]) == (True, telling.texts())


def test_events_beyond_a_gap_do_not_pile_up():
    telling = game.__wrapped__(3, 0)[0]
    telling.prompt()
    known = Known(KEY)
    for _ in range(MOST_WAITING + 50):
        known = hear(known, told(telling.prompt()))
    assert len(known.waiting) == MOST_WAITING


def test_an_illegal_move_is_followed_up_to_it_and_named():
    telling, events, _ = game.__wrapped__(5, 0)
    known = after([*events, told(telling.move()), told(telling.move())])
    spoilt = replace(known, moves=(*known.moves, replace_from(known.moves[0])))
    line = line_of(spoilt)
    assert len(line.texts) == 2
    assert line.fault.startswith("move 3: ")


def replace_from(move):
    return type(move)(text="x", from_square="a1", path=("h8",), captured=(), to="h8", promotes=False)


def test_rules_that_nobody_knows_are_named():
    line = line_of(Known(KEY, head=replace(Known(KEY).head, variant="of-this-house")))
    assert (line.ruleset, line.position, line.keys) == (None, None, ())
    assert "of-this-house" in line.fault


@pytest.mark.parametrize("variant", ["russian", "towers", "turkish", "international"])
def test_a_line_that_goes_on_is_as_one_begun_anew(variant):
    telling = Telling(*PLACE, KEY.game, variant, 7)
    known, line = hear(Known(KEY), told(telling.started())), None
    for _ in range(60):
        known = hear(known, told(telling.step()))
        line = line_of(known, line)
        assert line.texts == tuple(telling.texts())
    fresh = line_of(known)
    assert (fresh.texts, fresh.keys, fresh.fault) == (line.texts, line.keys, "")


# --- boards ---


def heard(*messages):
    club = Club()
    for message in messages:
        club = taken(club, told(message), "2026-12-01T12:00:00.000Z")
    return club


def test_a_board_shows_its_later_game_and_its_later_state():
    old, new = Telling(*PLACE, "0b-2"), Telling(*PLACE, "0b-10")
    for telling in (old, new):
        telling.started(), telling.move()
    club = heard(new.state("0b"), new.record(), old.state("0b"), old.record())
    assert club.boards[PLACE].game == "0b-10"
    assert club.boards[PLACE].state.game == "0b-10"
    assert [known.key.game for known in club.games.values()] == ["0b-10", "0b-2"]


def test_a_state_of_an_earlier_start_is_not_believed():
    telling = Telling(*PLACE, "0b-1")
    late = telling.state("0a", phase="paused")
    assert heard(telling.state("0b"), late).boards[PLACE].state.phase == "turn"
    assert heard(late, telling.state("0b")).boards[PLACE].state.phase == "turn"


def test_a_station_is_there_when_all_that_tell_of_it_say_so():
    status, bridge = f"{BASE}/club-1/status", f"{BASE}/club-1/bridge"
    online = [
        heard(*messages).stations["club-1"].is_online
        for messages in (
            [(status, b"online")],
            [(status, b"online"), (bridge, b"1")],
            [(status, b"online"), (bridge, b"0")],
            [(status, b"offline"), (bridge, b"1")],
        )
    ]
    assert online == [True, True, False, False]


def test_a_board_that_its_station_no_longer_has_is_not_shown():
    telling = Telling(*PLACE, "0b-1")
    info = (f"{BASE}/club-1/info", json.dumps({"boards": {"other": {"variant": "russian"}}}).encode())
    assert heard(telling.state("0b")).is_shown(PLACE)
    assert not heard(telling.state("0b"), info).is_shown(PLACE)
    assert PLACE not in heard(telling.state("0b"), (f"{telling.topic}/state", b"")).boards


# --- what cannot be understood ---


@given(st.text(max_size=60), st.binary(max_size=300))
def test_no_message_does_any_harm(topic, payload):
    read(BASE, topic, payload)
    for kind in ("status", "table/event", "table/game", "table/state", "info", "table/availability"):
        read(BASE, f"{BASE}/club-1/{kind}", payload)


ODD = {
    "deep": b"[" * 100_000,
    "none": b"null",
    "number": b'{"seq":1e400,"type":"move","game":"g"}',
    "below": b'{"seq":-1,"type":"prompt","game":"g"}',
    "huge": b'{"seq":99999999999999999999,"type":"prompt","game":"g"}',
    "path": b'{"seq":1,"type":"prompt","game":"../../x"}',
    "nul": b'{"seq":1,"type":"prompt","game":"g","at":"\\u0000"}',
    "kind": b'{"seq":1,"type":"move","game":"g","ply":"one"}',
    "large": b" " * 300_000,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_events_are_named_and_left_out(name):
    assert isinstance(read(BASE, f"{BASE}/club-1/table/event", ODD[name]), Noise)


def test_every_kind_of_message_is_asked_for():
    assert len(topics(BASE)) == 8
    assert isinstance(told((f"{BASE}/club-1/table/game", Telling(*PLACE, "0b-1").record()[1])), Recorded)
