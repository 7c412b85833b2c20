"""DamExchange over TCP: two of us play one another, and programs written out in bytes are well or badly behaved."""

from __future__ import annotations

import shlex
import socket
import sys
import threading
from pathlib import Path

import pytest

from engine.game import new_game
from engine.position import Side
from engine.ruleset import load_ruleset
from station.runtime import dxp_player
from station.runtime.contenders import Limits, contender
from station.runtime.dxp_player import Address, DxpPlayer, read_address
from station.runtime.match import Match, openings
from station.runtime.player_errors import UnfitError

INTERNATIONAL = load_ruleset("international")
PLAYS = shlex.join([sys.executable, str(Path(__file__).with_name("hub_player.py")), "plays"])
HOST = "127.0.0.1"
NAME = b"Peer                            "
ACCEPT = b"A" + NAME + b"0"


@pytest.fixture
def listening():
    """A player that waits for a program to connect and asks it for games, and its port."""
    player = DxpPlayer(Address(HOST, 0, listens=True), INTERNATIONAL, minutes=1, margin_s=0.0)
    yield player, player.listen()
    player.close()


@pytest.fixture
def connect():
    """Makes programs that are connected to a port until the test is over."""
    peers = []

    def connected(port):
        peers.append(Peer(port))
        return peers[-1]

    yield connected
    for peer in peers:
        peer.socket.close()


@pytest.fixture
def asked():
    """A player that waits for a program to connect and to ask for games, and its port."""
    player = DxpPlayer(Address(HOST, 0, listens=True, follows=True), INTERNATIONAL, minutes=1, margin_s=0.0)
    yield player, player.listen()
    player.close()


def engine():
    return contender(PLAYS, INTERNATIONAL, Limits(seconds=1))


def in_background(work):
    """Start work in a thread; returns what waits for its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()

    def result():
        thread.join(timeout=30)
        assert results, "it never ended"
        return results[0]

    return result


class Peer:
    """A program at the other end, in plain bytes."""

    def __init__(self, port):
        self.socket = socket.create_connection((HOST, port), timeout=10)
        self.rest = b""

    def read(self):
        while b"\0" not in self.rest:
            data = self.socket.recv(1000)
            assert data, "the connection was ended"
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return message

    def say(self, *messages):
        self.socket.sendall(b"".join(message + b"\0" for message in messages))

    def is_left(self):
        """Whether the other end ends the connection, whatever it says before."""
        while self.socket.recv(1000):
            pass
        return True


def played_with(player, games=1, plies=0, most_plies=30, first=None):
    """A match of our engine, as first player, against the program."""
    pair = (first or engine(), player)
    match = Match(lambda: pair, openings(INTERNATIONAL, f"random:{plies}", (games + 1) // 2, 3), games, most_plies)
    return list(match.played()), match


def test_two_of_us_play_one_another(listening):
    asking, port = listening
    following = DxpPlayer(Address(HOST, port, follows=True), INTERNATIONAL, minutes=1, margin_s=0.0)
    there = in_background(lambda: played_with(following, games=4, plies=5, most_plies=200))
    here, match = played_with(asking, games=4, plies=5, most_plies=200)
    beyond, other_match = there()
    assert (match.stopped, other_match.stopped) == ("", "")
    assert len(here) == len(beyond) == 4
    for ours, theirs in zip(here, beyond, strict=True):
        assert ours.fault is theirs.fault is None
        assert ours.first_is_white is not theirs.first_is_white
        assert ours.points == 1 - theirs.points
        # The drawn moves are in our record; what the program is told is the position after them.
        assert theirs.game.start.diagram == ours.opened.game.position.diagram
        assert ours.game.moves[5:] == theirs.game.moves
        assert ours.outcome.on_board
    assert here[0].names == ("First Move 7", "Dambord")


def test_both_ends_may_call(asked):
    """The one that asks for games connects, the one that is asked listens."""
    player, port = asked
    there = in_background(lambda: played_with(player, games=1, most_plies=200))
    here, match = played_with(DxpPlayer(Address(HOST, port), INTERNATIONAL, 1, 0.0), games=1, most_plies=200)
    beyond, _ = there()
    assert match.stopped == ""
    assert here[0].game == beyond[0].game


def test_two_games_to_the_byte(listening, connect):
    player, port = listening
    result = in_background(lambda: played_with(player, games=2, most_plies=6))
    peer = connect(port)
    assert peer.read() == b"R01Dambord                         Z001000A"
    peer.say(ACCEPT)
    assert peer.read() == b"M0000312600"
    peer.say(b"Cgood day", b"B001W", b"M0007162100")
    assert peer.read() == b"K1"
    assert peer.read() == b"M0000322700"
    peer.say(b"M000021320127")
    assert peer.read() == b"M000037280132"
    peer.say(b"E10")
    assert peer.read() == b"E00"
    assert peer.read() == b"R01Dambord                         W001000A"
    peer.say(ACCEPT, b"M0000312600")
    assert peer.read() == b"M0000162100"
    peer.say(b"M0000322700")
    assert peer.read() == b"M000021320127"
    peer.say(b"M000037280132")
    assert peer.read() == b"M0000111600"
    peer.say(b"E20")
    assert peer.read() == b"E01"
    (first, second), match = result()
    assert match.stopped == ""
    assert (first.outcome.reason, first.points, first.fault) == ("resigned", 1, None)
    assert (second.outcome.reason, second.points, second.fault) == ("6 plies", 0.5, None)
    assert first.names == ("First Move 7", "Peer")


def test_the_side_to_move_ends_the_game_and_a_drawn_opening_is_told_as_a_position(listening, connect):
    player, port = listening
    result = in_background(lambda: played_with(player, plies=4, most_plies=6))
    peer = connect(port)
    request = peer.read()
    assert request[:43] == b"R01Dambord                         Z001000B"[:43]
    assert len(request) == 43 + 1 + 50
    assert request[43:44] == b"W"
    assert sorted(set(request[44:])) == sorted(b"ewz")
    peer.say(ACCEPT)
    first = peer.read()
    (opened,) = openings(INTERNATIONAL, "random:4", 1, 3)
    game = opened.game.play(opened.game.legal_moves[0])
    assert first.startswith(b"M0000%02d%02d" % (game.moves[-1].from_square + 1, game.moves[-1].to_square + 1))
    reply = game.legal_moves[0]
    captured = b"".join(b"%02d" % (square + 1) for square in reply.captured)
    squares = (reply.from_square + 1, reply.to_square + 1, len(reply.captured))
    peer.say(b"M0001%02d%02d%02d" % squares + captured)
    assert peer.read() == b"E21"
    peer.say(b"E00")
    assert result()[0][0].outcome.reason == "6 plies"


def begun(peer):
    """A program that has accepted a game and read our first move."""
    assert peer.read().startswith(b"R01")
    peer.say(ACCEPT)
    assert peer.read() == b"M0000312600"
    return peer


@pytest.mark.parametrize(
    ("said", "kind", "reason"),
    [
        (b"M0001162500", "illegal", "16-25 is not a legal move"),
        (b"M000116210127", "illegal", "16x21x27 is not a legal move"),
        (b"HTTP/1.1 400 Bad Request", "error", "expected a message that begins with"),
        (b"\xff\xfe\x80", "error", "expected a message that begins with"),
        (b"M00", "error", "expected M, seconds"),
        (b"C" * 5000, "error", "expected at most 127"),
        (b"K0", "error", "expected a move"),
        (ACCEPT, "error", "expected a move"),
        (b"E30", "ended", "that it has won"),
        (b"E00", "ended", "with no result"),
    ],
)
def test_a_program_that_does_not_play_on_has_lost(listening, connect, said, kind, reason):
    player, port = listening
    result = in_background(lambda: played_with(player))
    peer = begun(connect(port))
    peer.say(said)
    if kind == "ended":
        assert peer.read() == b"E00"
    assert peer.is_left()
    (game,), match = result()
    assert (game.fault.kind, game.points, game.fault_of_first, match.stopped) == (kind, 1, False, "")
    assert reason in game.fault.reason


def test_a_draw_that_the_program_states_is_one(listening, connect):
    player, port = listening
    result = in_background(lambda: played_with(player))
    peer = begun(connect(port))
    peer.say(b"E20")
    assert peer.read() == b"E00"
    (game,), _ = result()
    assert (game.points, game.outcome.reason, game.fault) == (0.5, "agreed", None)


def test_a_program_that_leaves_loses_and_may_come_back_for_the_next_game(listening, connect):
    player, port = listening
    result = in_background(lambda: played_with(player, games=2, most_plies=1))
    peer = begun(connect(port))
    # The game is over for us; the program says nothing of it and is gone.
    peer.socket.close()
    again = connect(port)
    assert again.read() == b"R01Dambord                         W001000A"
    again.say(ACCEPT)
    again.socket.close()
    (first, second), match = result()
    assert (first.outcome.reason, match.stopped) == ("1 plies", "")
    assert (second.fault.kind, second.points) == ("ended", 1)


def test_a_program_that_oversteps_its_time_has_lost(listening, connect):
    player, port = listening
    player._minutes = 0  # not one second for the whole game
    result = in_background(lambda: played_with(player))
    peer = begun(connect(port))
    assert peer.is_left()
    (game,), _ = result()
    assert (game.fault.kind, game.points) == ("silent", 1)


def test_when_our_engine_fails_the_program_is_told_that_it_has_won(listening, connect, tmp_path):
    player, port = listening
    habit = PLAYS.removesuffix("plays") + "dies"
    dying = contender(habit, INTERNATIONAL, Limits(seconds=1))
    result = in_background(lambda: played_with(player, first=dying))
    peer = begun(connect(port))
    peer.say(b"M0000162100")
    assert peer.read() == b"M0000322700"
    peer.say(b"M000021320127")
    assert peer.read() == b"E11"
    peer.say(b"E01")
    (game,), _ = result()
    assert (game.fault_of_first, game.fault.kind, game.points) == (True, "ended", 0)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"A" + NAME + b"1", "Peer refuses the game: it speaks another version"),
        (b"A" + NAME + b"2", "Peer refuses the game: it does not want to play"),
        (b"R01" + NAME + b"W005000A", "expected dxp:follow"),
        (b"M0001312600", "expected that it accepts a game or refuses"),
        (b"nonsense", "expected a message that begins with"),
    ],
)
def test_a_program_that_does_not_accept_the_game_stops_the_match(listening, connect, answer, reason):
    player, port = listening
    result = in_background(lambda: played_with(player, games=4))
    peer = connect(port)
    peer.read()
    peer.say(answer)
    played, match = result()
    assert played == []
    assert reason in match.stopped


def test_a_request_of_another_version_is_refused_and_the_next_one_accepted(asked, connect):
    player, port = asked
    result = in_background(lambda: played_with(player, most_plies=1))
    peer = connect(port)
    us = b"ADambord" + b" " * 25
    peer.say(b"R02" + NAME + b"W005000A")
    assert peer.read() == us + b"1"
    peer.say(b"E00", b"R01" + NAME + b"Z005000A")
    assert peer.read() == us + b"0"
    peer.say(b"M0000312600")
    assert peer.read() == b"E21"
    peer.say(b"E00")
    (game,), _ = result()
    assert (game.first_is_white, game.names) == (False, ("First Move 7", "Peer"))


def test_a_game_that_is_over_before_it_begins_is_refused(asked, connect):
    player, port = asked
    result = in_background(lambda: played_with(player))
    peer = connect(port)
    peer.say(b"R01" + NAME + b"W005000BW" + b"e" * 49 + b"z")
    assert peer.read() == b"ADambord" + b" " * 25 + b"2"
    assert "over before it begins" in result()[1].stopped


def test_nobody_there_stops_the_match():
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    played, match = played_with(DxpPlayer(Address(HOST, port), INTERNATIONAL, 1, 0.0))
    assert played == []
    assert "Connection refused" in match.stopped


def test_a_port_that_is_taken_is_named():
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        player = DxpPlayer(Address(HOST, port, listens=True), INTERNATIONAL, 1, 0.0)
        with pytest.raises(UnfitError, match=f"port {port}: "):
            player.new_game(new_game(INTERNATIONAL), Side.WHITE)


def test_waiting_for_a_program_ends_when_the_match_does(listening):
    player, _ = listening
    match = Match(lambda: (engine(), player), openings(INTERNATIONAL, "", 1, 1), 2)
    result = in_background(lambda: list(match.played()))
    match._stop("enough")
    assert result() == []


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("dxp:chess.example:27531", Address("chess.example", 27531)),
        ("dxp:[::1]:27531", Address("::1", 27531)),
        ("dxp:listen:27531", Address("", 27531, listens=True)),
        ("dxp:follow:listen:1", Address("", 1, listens=True, follows=True)),
        ("dxp:follow:10.0.0.2:80", Address("10.0.0.2", 80, follows=True)),
    ],
)
def test_addresses(text, address):
    assert read_address(text) == address
    assert dxp_player.LISTEN_S > 10
