"""The MQTT thread: brokers that come and go, refuse or flood; the game goes on, and nothing is lost or told wrong."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from xml.etree import ElementTree

import msgspec
import pytest

from engine.ruleset import load_ruleset
from station.announcements import GameStarted, fen_of, moved
from station.config import BoardTable, Config, MqttTable, StationTable
from station.effects import Announce
from station.events import TimePassed
from station.phases import Turn
from station.rates import Rate
from station.runtime.broker import try_broker
from station.runtime.clock import Clock, wall_text
from station.runtime.commands import ANSWERABLE_BYTES, MOST_BYTES, Command, Noise, Spoilt, read_command, refusal
from station.runtime.loop import Loop, Outcome
from station.runtime.mqtt import MqttWorker
from station.runtime.outbox import Outbox
from station.session import begin
from station.settings import Settings
from station.texts import load_texts
from tests.outside.broker import Broker
from tests.outside.certificates import Authority
from tests.outside.home_assistant import faults, shown
from tests.outside.record import games_in, moves_of

BASE = "dambord/v1/here"
OPENING = [((2, 5), (3, 4)), ((5, 2), (6, 3)), ((3, 6), (2, 5)), ((3, 2), (4, 3))]


def events(listener, board="table"):
    return [heard.json for heard in listener.on(f"{BASE}/{board}/event")]


def latest(listener, topic, messages=None):
    heard = listener.latest(f"{BASE}/{topic}", messages)
    return None if heard is None else heard


def plies(listener, board="table"):
    return [event["ply"] for event in events(listener, board) if event["type"] == "move"]


def play(table, moves, board="table"):
    for number, (start, end) in enumerate(moves, table.session(board).game.ply + 1):
        table.move(start, end, board)
        table.watcher.wait(lambda o, n=number: o.board == board and o.session.game.ply == n)


def ready(table, *boards):
    for board in boards or ("table",):
        table.watcher.wait(lambda o, board=board: o.board == board and isinstance(o.session.phase, Turn))


def test_two_boards_are_told_apart(stand, broker, listen):
    listener = listen(broker.port)
    listener.subscribed()
    table = stand(broker.port, boards=("north", "south"))
    ready(table, "north", "south")
    play(table, OPENING[:2], "north")
    play(table, OPENING[:1], "south")
    listener.wait(lambda _: plies(listener, "north") == [1, 2] and plies(listener, "south") == [1])
    for board, count in (("north", 2), ("south", 1)):
        (game,) = games_in(events(listener, board)).values()
        assert len(moves_of(game)) == count
    listener.wait(lambda m: (at := latest(listener, "south/state", m)) and at.json["ply"] == 1)


def test_O17_O22_a_broker_that_restarts_gets_everything_again_in_order(stand, broker, listen):
    table = stand(broker.port)
    ready(table)
    play(table, OPENING[:1])
    broker.stop()
    play(table, OPENING[1:3])
    broker.start()
    listener = listen(broker.port)
    listener.wait(lambda m: (at := latest(listener, "status", m)) and at.payload == b"online", 10)
    listener.wait(lambda m: (at := latest(listener, "table/state", m)) and at.json["ply"] == 3, 10)
    listener.wait(lambda m: (at := latest(listener, "table/game", m)) and len(at.json["moves"]) == 3, 10)
    listener.wait(lambda _: plies(listener)[-2:] == [2, 3], 10)
    for topic in ("info", "table/availability", "table/position", "table/health"):
        listener.wait(lambda m, topic=topic: latest(listener, topic, m))
    listener.wait(lambda m: listener.latest("homeassistant/device/dambord-here-table/config", m))
    play(table, OPENING[3:])
    listener.wait(lambda _: plies(listener)[-1] == 4)
    listener.publish(f"{BASE}/table/cmd/take_back", json.dumps({"id": "after"}))
    listener.wait(lambda m: latest(listener, "table/ack/after", m))


def test_a_broker_that_refuses_is_not_believed_to_listen(stand, tmp_path, listen, capsys):
    strict = Broker(tmp_path, "allow_anonymous false")
    strict.start()
    table = stand(strict.port)
    try:
        ready(table)
        play(table, OPENING[:1])
        assert not table.service.mqtt._online
        table.until(lambda: "not authori" in table.service.mqtt._said)
    finally:
        strict.stop()
    table.service.stop()
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("mqtt:")]
    assert len(said) <= 4  # one line for each change, not one for each attempt
    assert any("not authori" in line for line in said)


def test_O31_states_are_told_at_most_five_times_a_second_and_only_when_they_change(stand, broker, listen):
    table = stand(broker.port)
    listener = listen(broker.port)
    listener.subscribed()
    ready(table)
    port = table.ports["table"]
    piece = port.contents((2, 5))
    for _ in range(12):
        port.take((2, 5))
        threading.Event().wait(0.06)
        port.put((2, 5), piece)
        threading.Event().wait(0.06)
    table.until(lambda: not table.service.mqtt._changed_s)
    threading.Event().wait(0.3)
    for name in ("state", "position", "game", "availability"):
        times = [heard.at for heard in listener.on(f"{BASE}/table/{name}") if not heard.retained]
        # Six messages take a second; some of that is left to a machine that is busy.
        assert all(later - sooner > 0.6 for sooner, later in zip(times, times[5:], strict=False)), name
        payloads = [heard.payload for heard in listener.on(f"{BASE}/table/{name}")]
        assert all(one != other for one, other in pairwise(payloads)), name


def test_O33_five_hundred_odd_messages_do_not_end_the_thread(stand, broker, listen):
    table = stand(broker.port)
    listener = listen(broker.port)
    ready(table)
    chance = random.Random(4)
    for number in range(500):
        name = chance.choice(("take_back", "new_game", "resign", "draw", "pause", "", "a/b", "halt"))
        listener._client.publish(f"{BASE}/table/cmd/{name}", odd_payload(chance, number), qos=chance.choice((0, 1)))
    listener._client.publish(f"{BASE}/nobody/cmd/{name}", b"{}", qos=1)
    listener._client.publish("homeassistant/status", b"\xff\x00")
    listener.publish(f"{BASE}/table/cmd/new_game", json.dumps({"id": "the-end"}))
    answer = listener.wait(lambda m: latest(listener, "table/ack/the-end", m), 60)
    assert answer.json["ok"]
    assert table.service.mqtt._thread.is_alive()
    for heard in listener.heard:
        if "/ack/" in heard.topic:
            assert heard.json["id"] == heard.topic.rpartition("/")[2]


def test_O33_odd_payloads_are_commands_answerable_or_noise():
    chance, kinds = random.Random(33), Counter()
    for number in range(5_000):
        payload = odd_payload(chance, number)
        command = read_command(payload)
        kinds[type(command)] += 1
        if isinstance(command, Command):
            name = chance.choice(("resign", "halt", "arm", "dance", "", "a/b"))
            reason = refusal(name, command, chance.random() < 0.1, datetime.now(UTC))  # noqa: TID251
            assert reason or name in ("resign", "halt")
    assert min(kinds.values()) > 100
    assert set(kinds) == {Command, Spoilt, Noise}


def odd_payload(chance, number):
    whole = json.dumps({"id": f"odd-{number}", "at": "x", "args": {"side": "white"}}).encode()
    match number % 6:
        case 0:
            return chance.randbytes(chance.randrange(200))
        case 1:
            return whole[: chance.randrange(len(whole))]
        case 2:
            place = chance.randrange(len(whole))
            return whole[:place] + chance.randbytes(1) + whole[place + 1 :]
        case 3:
            return json.dumps({"id": chance.choice(("é", "", " ", 1, None, [], {}, "x" * 65))}).encode()
        case 4:
            return b'{"id":"deep","args":' + b"[" * chance.randrange(1, 9000)
        case _:
            value = chance.choice((None, 1.5, [1], {"a": {}}, "\u0000", -1, 10**40, True))
            return json.dumps({"id": f"odd-{number}", "args": {"plies": value}, "ttl_s": value}).encode()


def test_a_command_is_carried_out_once_even_across_a_restart(stand, broker, listen):
    table = stand(broker.port)
    listener = listen(broker.port)
    ready(table)
    play(table, OPENING[:2])
    ask = json.dumps({"id": "once", "args": {"plies": 1}})
    listener.publish(f"{BASE}/table/cmd/take_back", ask)
    first = listener.wait(lambda m: latest(listener, "table/ack/once", m))
    table.service.stop()
    again = stand(broker.port)
    again.watcher.wait(lambda o: o.session.game.ply == 1)
    before = len(listener.heard)
    listener.wait(lambda m: (at := latest(listener, "status", m)) and at.payload == b"online")
    listener.publish(f"{BASE}/table/cmd/take_back", ask)
    second = listener.wait(lambda m: latest(listener, "table/ack/once", m[before:]))
    assert second.payload == first.payload
    assert again.session().game.ply == 1


def test_O21_O37_home_assistant_finds_everything_again_when_it_comes_back(stand, broker, listen):
    table = stand(broker.port, boards=("north", "south"))
    ready(table, "north", "south")
    play(table, OPENING[:1], "north")
    listener = listen(broker.port)
    listener.wait(lambda m: (at := latest(listener, "north/state", m)) and at.json["ply"] == 1)
    topics = [f"homeassistant/device/dambord-here{board}/config" for board in ("", "-north", "-south")]
    for topic in topics:
        found = listener.wait(lambda m, topic=topic: listener.latest(topic, m))
        assert found.retained
        assert faults(topic, found.json) == []
    station, north = (listener.latest(topic).json for topic in topics[:2])
    assert north["device"]["via_device"] in station["device"]["identifiers"]
    there = {entry["topic"] for entry in north["availability"]}
    assert there == {f"{BASE}/status", f"{BASE}/north/availability"}
    for device in (station, north):
        for component in device["components"].values():
            check_component(component, listener)
    before = len(listener.heard)
    listener.publish("homeassistant/status", b"online", qos=0)
    for topic in topics:
        listener.wait(lambda m, topic=topic: listener.latest(topic, m[before:]), 5)


def check_component(component, listener):
    """Its topics are there, and what they carry is something it can show."""
    for key in component.keys() & {"state_topic", "image_topic", "json_attributes_topic"}:
        if component["platform"] != "event":
            assert listener.latest(component[key]), component
    if component["platform"] in ("sensor", "binary_sensor"):
        heard = listener.latest(component["state_topic"])
        value = heard.payload.decode() if component["state_topic"].endswith("/status") else heard.json
        shown(component, value)
    elif component["platform"] == "event":
        assert {"move", "revised", "game_over", "draw_offered", "halted"} <= {*component["event_types"]}
        for heard in listener.on(component["state_topic"]):
            assert heard.json["type"] in component["event_types"]


def test_O23_O25_nothing_stays_of_a_board_that_is_removed_or_of_another_name(stand, broker, listen):
    both = stand(broker.port, boards=("north", "south"))
    ready(both, "north", "south")
    listener = listen(broker.port)
    listener.wait(lambda m: latest(listener, "south/health", m))
    both.service.stop()
    alone = stand(broker.port, boards=("north",), mqtt={"discovery_prefix": "elsewhere"})
    ready(alone, "north")
    ours = [f"{BASE}/north/", "elsewhere/", f"{BASE}/status", f"{BASE}/info"]
    alone.until(lambda: not alone.service.mqtt._retained.left_over(ours))
    late = listen(broker.port)
    late.wait(lambda m: latest(late, "north/health", m))
    late.wait(lambda m: late.latest("elsewhere/device/dambord-here-north/config", m))
    kept = {heard.topic for heard in late.heard if heard.retained and heard.payload}
    assert {topic.removeprefix(f"{BASE}/") for topic in kept if topic.startswith(BASE)} == {
        "status",
        "info",
        *(f"north/{name}" for name in ("availability", "state", "position", "game", "image", "health")),
    }
    assert not [topic for topic in kept if topic.startswith("homeassistant/")]


def test_a_picture_of_the_board_is_told(stand, broker, listen):
    stand(broker.port)
    first = listen(broker.port)
    first.wait(lambda m: latest(first, "table/image", m))
    listener = listen(broker.port)
    picture = listener.wait(lambda m: latest(listener, "table/image", m))
    assert (picture.retained, picture.qos) == (True, 1)
    drawing = ElementTree.fromstring(picture.payload)
    assert drawing.tag.endswith("svg")


def test_health_is_told(stand, broker, listen):
    stand(broker.port)
    first = listen(broker.port)
    first.wait(lambda m: latest(first, "table/health", m))
    listener = listen(broker.port)
    health = listener.wait(lambda m: latest(listener, "table/health", m))
    assert (health.retained, health.qos) == (True, 0)
    keys = {"frames_per_s", "dropped_frames", "weak_squares", "dead_squares", "latency_ms", "temperature_c"}
    assert keys <= health.json.keys()


@pytest.mark.parametrize(
    ("payload", "found"),
    [
        (b'{"id":"a"}', Command("a")),
        (b'{"id":"a","later":{"x":1},"args":{"side":"white","plies":2,"sure":true}}', Command),
        (b'{"id":"a","ttl_s":5}', Command("a", ttl_s=5.0)),
        (b'{"id":"a","args":{"plies":1.5}}', Spoilt),
        (b'{"id":"a","args":[]}', Spoilt),
        (b'{"id":"a","at":3}', Spoilt),
        (b'{"id":"a","args":{"x":"' + b"y" * MOST_BYTES + b'"}}', Spoilt),
        (b'{"id":"a","args":{"x":"' + b"y" * ANSWERABLE_BYTES + b'"}}', Noise),
        (b'{"id":7}', Noise),
        (b'{"id":"../a"}', Noise),
        (b"[" * 10_000, Noise),
        (b"\xff", Noise),
        (b"", Noise),
    ],
)
def test_payloads_are_commands_answerable_or_noise(payload, found):
    command = read_command(payload)
    if isinstance(found, type):
        assert isinstance(command, found)
    else:
        assert command == found
    if isinstance(command, Spoilt):
        assert command.reason
    assert msgspec.json.encode(getattr(command, "id", ""))


# paho leaves the socket of a handshake that has failed to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_O84_a_broker_that_wants_a_certificate_and_a_password_over_tls(stand, tmp_path, listen, capsys):
    authority, stranger = Authority(tmp_path), Authority(tmp_path, "stranger")
    server, key = authority.vouch_for("broker")
    mine, my_key = authority.vouch_for("here")
    my_key.chmod(0o600)
    password = tmp_path / "password"
    password.write_text("open sesame\n")
    password.chmod(0o600)
    subprocess.run(
        ["mosquitto_passwd", "-c", "-b", str(tmp_path / "users"), "here", "open sesame"],
        check=True,
        capture_output=True,
    )
    broker = Broker(
        tmp_path,
        f"user root\nallow_anonymous false\npassword_file {tmp_path / 'users'}\ncafile {authority.file}\n"
        f"certfile {server}\nkeyfile {key}\nrequire_certificate true\n",
    )
    broker.start()
    try:
        login = {"username": "here", "password_file": str(password)}
        whole = {**login, "ca_file": str(authority.file), "certificate_file": str(mine), "key_file": str(my_key)}
        table = stand(broker.port, mqtt=whole)
        table.until(lambda: table.service.mqtt._online)
        table.service.stop()
        assert "open sesame" not in capsys.readouterr().err
        reasons = {
            "without a certificate": {key: whole[key] for key in (*login, "ca_file")},
            "of another authority": {**whole, "ca_file": str(stranger.file)},
            "without TLS": login,
        }
        for way, mqtt in reasons.items():
            assert try_broker(MqttTable(port=broker.port, **mqtt), 2), way
        assert try_broker(MqttTable(port=broker.port, **whole)) is None
        my_key.chmod(0o604)
        assert "chmod 600" in try_broker(MqttTable(port=broker.port, **whole))
        password.chmod(0o644)
        with pytest.raises(PermissionError, match="chmod 600"):
            stand(broker.port, mqtt=whole)
    finally:
        broker.stop()


class Play:
    """Moves at a board as a session announces them, a minute apart or so, in games one after the other."""

    def __init__(self, board, seed):
        self.chance, self.seq, self.games = random.Random(seed), 0, 0
        self.session = begin(Settings(board, load_ruleset("russian")), load_texts("en"), "1")
        self.fresh = self.session.game

    def outcome(self, at_ms):
        """The next move, or the next game."""
        legal = self.session.game.legal_moves
        if not self.games or not legal or self.session.game.ply > 80:
            self.games, self.seq = self.games + 1, 0
            game = self.fresh
            what = GameStarted("russian", fen_of(game.position, game.ruleset), "person", "person")
        else:
            game = self.session.game.play(self.chance.choice(legal))
            what = moved(game, "person", 1000)
        self.seq += 1
        name = f"{self.session.settings.board}-{self.games}"
        self.session = dataclasses.replace(self.session, game=game, game_id=name, seq=self.seq, at_ms=at_ms)
        board = self.session.settings.board
        return Outcome(board, self.session, TimePassed(at_ms), (Announce(self.seq, name, what),))


def test_O32_an_hour_of_play_without_a_broker_arrives_afterwards_in_order(tmp_path, listen):
    broker, boards = Broker(tmp_path), ("north", "south")
    config = Config(
        StationTable("here"),
        mqtt=MqttTable(port=broker.port),
        boards=tuple(BoardTable(b, "matrix", "x") for b in boards),
    )
    plays = [Play(board, seed) for seed, board in enumerate(boards)]
    outcomes = [play.outcome(at_ms) for at_ms in range(0, 3_600_000, 15_000) for play in plays]

    def worker():
        found = MqttWorker(config, config.mqtt, Loop({}, Clock()), Outbox(tmp_path / "outbox.sqlite"))
        found.start()
        return found

    # The station is started anew in the middle of it.
    for part in (outcomes[:300], outcomes[300:]):
        station = worker()
        for outcome in part:
            station.hear(outcome)
        if part[-1] is not outcomes[-1]:
            station.stop()
    broker.start()
    listener = listen(broker.port)
    try:
        listener.wait(lambda _: len({e["id"] for b in boards for e in events(listener, b)}) == len(outcomes), 30)
        for board in boards:
            told = events(listener, board)
            first = [event for place, event in enumerate(told) if event["id"] not in {e["id"] for e in told[:place]}]
            made = [(o.effects[0].game, o.effects[0].seq) for o in outcomes if o.board == board]
            assert [(event["game"], event["seq"]) for event in first] == made
            at = [datetime.fromisoformat(event["at"]) for event in first]
            assert at == sorted(at)
            state = listener.wait(lambda m, board=board: latest(listener, f"{board}/state", m))
            assert len(listener.on(f"{BASE}/{board}/state")) == 1, "the latest alone"
            assert state.json["seq"] == made[-1][1]
    finally:
        station.stop()
        broker.stop()


def test_O28_two_stations_of_one_name_stop_fighting_and_say_so(stand, broker, listen, tmp_path):
    table = stand(broker.port)
    config = Config(
        StationTable("here"), mqtt=MqttTable(port=broker.port), boards=(BoardTable("other", "matrix", "x"),)
    )
    rival = MqttWorker(config, config.mqtt, Loop({}, Clock()), Outbox(tmp_path / "rival.sqlite"))
    rival.start()
    try:
        table.until(lambda: "another station use the id here" in table.service.mqtt._said + rival._said, 40)
    finally:
        rival.stop()


def test_O74_commands_that_come_too_fast_are_left_out_but_for_what_stops(stand, broker, listen, capsys):
    table = stand(broker.port)
    ready(table)
    table.service.mqtt._commands = Rate(per_s=0.001, burst=3)
    listener = listen(broker.port)
    for number in range(6):
        listener.publish(f"{BASE}/table/cmd/hint", json.dumps({"id": f"fast-{number}"}))
    listener.publish(f"{BASE}/table/cmd/halt", json.dumps({"id": "stop"}))
    listener.wait(lambda m: latest(listener, "table/ack/stop", m))
    answered = {heard.json["id"] for heard in listener.heard if "/ack/" in heard.topic}
    assert answered == {"fast-0", "fast-1", "fast-2", "stop"}
    assert "faster than" in capsys.readouterr().err
    # What was left out is as if it had not come: it may be sent again.
    table.service.mqtt._commands = Rate(per_s=1, burst=3)
    listener.publish(f"{BASE}/table/cmd/hint", json.dumps({"id": "fast-5"}))
    listener.wait(lambda m: latest(listener, "table/ack/fast-5", m))


def test_O83_a_clock_that_is_set_after_the_start_decides_how_old_a_command_is(stand, broker, listen):
    table = stand(broker.port)
    ready(table)
    # A Pi without a battery: what its clock said at the start was a year ago.
    table.service.clock.began -= timedelta(days=365)
    listener = listen(broker.port)
    for identity, age in (("fresh", timedelta()), ("stale", timedelta(minutes=5)), ("ahead", timedelta(hours=-2))):
        at = wall_text(table.service.clock.wall() - age)
        listener.publish(f"{BASE}/table/cmd/pause", json.dumps({"id": identity, "at": at, "ttl_s": 30}))
        answer = listener.wait(lambda m, identity=identity: latest(listener, f"table/ack/{identity}", m)).json
        assert answer["ok"] is (identity != "stale"), answer
        listener.publish(f"{BASE}/table/cmd/resume", json.dumps({"id": f"after-{identity}"}))
        listener.wait(lambda m, identity=identity: latest(listener, f"table/ack/after-{identity}", m))
