"""A club beside real stations and a real broker: killed, cut off, out of space at any moment, it keeps every game."""

from __future__ import annotations

import json
import resource

import pytest
from httpx import QueryParams

from engine.pdn import read_pdn
from engine.ruleset import load_ruleset
from station.phases import Turn
from tests.outside.broker import Broker, Listener

from .club import ClubProcess
from .test_mqtt import OPENING, play, ready


@pytest.fixture
def club(tmp_path, broker):
    club = ClubProcess(tmp_path, broker.port)
    club.start()
    yield club
    club.kill()


def texts(table, board):
    session = table.session(board)
    return [session.game.text_of(ply) for ply in range(session.game.ply)]


def live(club, board):
    """The moves at a board, as the address for broadcasts tells them."""
    (game,) = read_pdn(club.get(f"/live.pdn?board={board}").text, load_ruleset("russian"))
    assert game.is_legal
    return game


def test_every_game_is_kept_once_whatever_is_killed(stand, broker, club):
    table = stand(broker.port, boards=("north", "south"))
    ready(table, "north", "south")
    play(table, OPENING[:1], "north")
    play(table, OPENING[:1], "south")
    club.until(lambda: sorted(plies for _, _, plies in club.games()) == [1, 1])
    club.kill()
    play(table, OPENING[1:2], "north")
    club.start()
    club.until(lambda: sorted(plies for _, _, plies in club.games()) == [1, 2])
    broker.stop()
    play(table, OPENING[2:3], "north")
    assert club.until(lambda: club.get("/health").json()["broker"])
    assert [len(live(club, board).moves) for board in ("north", "south")] == [2, 1], "what it knew is shown"
    broker.start()
    club.until(lambda: sorted(plies for _, _, plies in club.games()) == [1, 3])
    play(table, OPENING[3:4], "north")
    club.until(lambda: sorted(plies for _, _, plies in club.games()) == [1, 4])
    assert club.get("/health").json()["broker"] == ""
    assert len(club.games()) == 2
    game = live(club, "north")
    assert game.moves == table.session("north").game.moves
    number = next(one["number"] for one in club.get("/games.json?board=north").json()["games"])
    kept = club.get(f"/games/{number}.json").json()
    assert kept["moves"] == texts(table, "north")
    assert kept["positions"][-1]["state"]["last_move"]["text"] == kept["moves"][-1]
    fen = kept["positions"][3]["fen"]
    found = club.get(f"/games.json?{QueryParams(fen=fen, variant='russian')}").json()
    assert [one["board"] for one in found["games"]] == ["north"]
    assert club.end() == 0
    assert "Traceback" not in club.said.read_text()


def test_a_full_disk_is_said_and_the_games_are_kept_when_there_is_room_again(stand, broker, club, listen):
    table = stand(broker.port)
    ready(table)
    play(table, OPENING[:1])
    club.until(lambda: [plies for _, _, plies in club.games()] == [1])
    process = club.process.pid
    limits = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (1024, limits[1]))
    play(table, OPENING[1:3])
    club.until(lambda: club.get("/health").json()["archive"])
    club.until(lambda: len(live(club, "table").moves) == 3)
    assert [plies for _, _, plies in club.games()] == [1]
    resource.prlimit(process, resource.RLIMIT_FSIZE, limits)
    club.until(lambda: [plies for _, _, plies in club.games()] == [3])
    assert club.get("/health").json()["archive"] == ""
    assert isinstance(table.session().phase, Turn)


def test_a_broker_that_takes_all_of_it_with_it_is_told_again(stand, broker, listen):
    """What the broker had acknowledged, and nobody had from it, is sent once more."""
    table = stand(broker.port)
    ready(table)
    play(table, OPENING[:1])
    table.until(lambda: not table.service.mqtt._in_flight)
    broker.stop()
    broker.start()
    listener = listen(broker.port)
    heard = listener.wait(lambda m: [one for one in m if one.topic.endswith("/event") and b'"move"' in one.payload])
    assert (heard[0].json["type"], heard[0].json["ply"]) == ("move", 1)
    table.until(lambda: not table.service.mqtt._reached)
    table.until(lambda: table.service.mqtt._outbox.pending(0) == [])


def test_a_broker_that_refuses_is_named(tmp_path):
    strict = Broker(tmp_path, "allow_anonymous false")
    strict.start()
    club = ClubProcess(tmp_path, strict.port)
    try:
        club.start()
        said = club.until(lambda: "not authori" in (told := club.get("/health").json()["broker"]) and told)
        assert said
        assert club.end() == 0
    finally:
        club.kill()
        strict.stop()


def test_two_clubs_do_not_share_an_archive(club):
    other = ClubProcess(club.data.parent, club.broker_port)
    with pytest.raises(AssertionError, match="in use by process"):
        other.start()
    other.kill()


def test_a_board_is_offline_when_its_station_or_bridge_is(broker, club):
    # What is said here is not a whole station's.
    listener = Listener(broker.port)
    listener.publish("dambord/v1/far/status", b"online", retain=True)
    listener.publish("dambord/v1/far/bridge", b"1", retain=True)
    state = {"game": "0a-1", "seq": 0, "boot": "0a", "phase": "turn", "turn": "white", "players": {}, "guidance": {}}
    listener.publish("dambord/v1/far/table/state", json.dumps(state), retain=True)
    club.until(lambda: club.get("/live.pdn?board=table").status_code == 200)
    assert club.get("/live.pdn?board=nobody").json()["error"] == "board nobody: no such board on the wall"
    listener.close()
