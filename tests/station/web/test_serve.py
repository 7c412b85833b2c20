"""The server's thread starts, streams, and ends when it is told to."""

from __future__ import annotations

import json
import logging
import socket
import threading
from contextlib import contextmanager
from time import monotonic

import httpx
import pytest

from station.web import AddressError, Feed, WebServer, create_app

from .table import BOARD, Table


@contextmanager
def stream(server):
    """Events of a server, as pairs of name and data."""
    with httpx.stream("GET", server.url + "events", timeout=10, trust_env=False) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        yield events_of(response.iter_lines())


def events_of(lines):
    name = None
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        elif line.startswith(": "):
            yield "comment", line.removeprefix(": ")


def post(server, path, **body):
    return httpx.post(server.url + path, json=body, headers={"X-Dambord": "1"}, trust_env=False)


def until(events, wanted):
    return next(data for name, data in events if name == wanted)


def test_O60_the_stream_begins_with_all_there_is(serve, table):
    with stream(serve(table)) as events:
        first = [next(events) for _ in range(3)]
    assert [name for name, _ in first] == ["hello", "board", "world"]
    assert first[0][1]["station"] == "club-1"
    assert first[0][1]["demo"] is True
    board = first[1][1]
    assert 0 <= board.pop("age_ms") < 60_000
    assert board == {"board": BOARD, "snapshot": json.loads(json.dumps(table.feed.latest()[BOARD]))}
    assert len(first[2][1]["cells"]) == 40


def test_what_hands_do_comes_back_on_the_stream(serve, table):
    server = serve(table)
    with stream(server) as events:
        until(events, "world")
        assert post(server, f"demo/{BOARD}/take", cell=[3, 6]).json() == {"ok": True, "touches": 1}
        world = until(events, "world")
        while world["touches"] < 1:
            world = until(events, "world")
        assert len(world["cells"]) == 39


def test_lamps_are_looked_at_while_somebody_listens(serve, table):
    with stream(serve(table)) as events:
        assert until(events, "world")["lamps"] == []
        table.lamps = lambda board: {(3, 6): "lift", (4, 5): "place"}
        assert until(events, "world")["lamps"] == [[3, 6, "lift"], [4, 5, "place"]]


def test_nobody_looks_at_lamps_when_nobody_listens(serve, table):
    looks = []
    table.lamps = lambda board: looks.append(board) or {}
    server = serve(table)
    httpx.get(server.url, trust_env=False)
    assert looks == []
    assert table.feed.listeners == 0


def test_several_clients_get_the_same(serve, table):
    server = serve(table)
    with stream(server) as one, stream(server) as other:
        until(one, "board"), until(other, "board")
        table.feed.publish("table-2", table.feed.latest()[BOARD])
        found = []
        for events in (one, other):
            data = until(events, "board")
            while data["board"] != "table-2":
                data = until(events, "board")
            found.append({key: value for key, value in data.items() if key != "age_ms"})
    assert found[0] == found[1]


def test_silence_is_filled_with_heartbeats(serve):
    with stream(serve(Table(feed=Feed(heartbeat_s=0.02)), demo=False)) as events:
        assert until(events, "comment") == "heartbeat"
        assert next(events) == ("alive", {})


def test_a_client_that_leaves_is_forgotten(serve):
    table = Table(feed=Feed(heartbeat_s=0.02))
    server = serve(table)
    with stream(server) as events:
        until(events, "board")
        assert table.feed.listeners == 1
    with stream(server) as events:
        for name, _ in events:
            if name == "alive" and table.feed.listeners == 1:
                break
    assert table.feed.listeners <= 1


def test_a_client_that_does_not_read_holds_up_nobody(serve, table):
    """Its socket fills up; publishing stays quick, and what it reads in the end is the newest."""
    server = serve(table, demo=False)
    big = {"state": {"phase": "turn"}, "filling": "x" * 100_000}
    with socket.create_connection(("127.0.0.1", server.port)) as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        lazy.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert lazy.recv(10).startswith(b"HTTP/1.1 2")
        with stream(server) as events:
            started = monotonic()
            for n in range(120):
                table.feed.publish("big", {**big, "n": n})
            assert monotonic() - started < 2
            data = until(events, "board")
            while data["board"] != "big" or data["snapshot"]["n"] < 119:
                data = until(events, "board")
        table.feed.publish("big", {**big, "n": "the end"})
        heard = b""
        while b"the end" not in heard[-200_000:]:
            heard += lazy.recv(1 << 20)
        assert heard.count(b"event: board") < 60


def test_a_server_stops_at_once_with_clients_that_listen_and_clients_that_do_not_read(table):
    server = WebServer(create_app(table.feed, table.ask, table, station="club-1"), "127.0.0.1", 0)
    server.start()
    thread = next(thread for thread in threading.enumerate() if thread.name == "web")
    with socket.create_connection(("127.0.0.1", server.port)) as lazy, stream(server) as events:
        lazy.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(events, "board")
        started = monotonic()
        server.stop()
        assert monotonic() - started < 2
        assert not thread.is_alive()
        assert list(events)[-1][0] in ("world", "board", "alive")
    server.stop()


def test_a_port_is_free_again_after_stopping(serve, table):
    first = serve(table)
    first.stop()
    second = serve(table, port=first.port)
    assert httpx.get(second.url + "health", trust_env=False).json()["ok"] is True


def test_a_taken_port_gives_one_clear_error(serve, table):
    taken = serve(table).port
    server = WebServer(create_app(table.feed, table.ask, station="club-1"), "127.0.0.1", taken)
    with pytest.raises(
        AddressError, match=rf"host 127\.0\.0\.1, port {taken}: another program uses this port"
    ) as caught:
        server.start()
    assert isinstance(caught.value, OSError)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "203.0.113.77"])
def test_an_address_that_is_not_ours_gives_one_clear_error(table, host):
    server = WebServer(create_app(table.feed, table.ask, station="club-1"), host, 0)
    with pytest.raises(AddressError, match=f"host {host}, port 0"):
        server.start()


def test_the_address_to_open_is_one_that_can_be_opened(table):
    app = create_app(table.feed, table.ask, station="club-1")
    assert WebServer(app, "0.0.0.0", 8080).url == "http://127.0.0.1:8080/"
    assert WebServer(app, "::1", 8080).url == "http://[::1]:8080/"
    assert WebServer(app, "club.local", 80).url == "http://club.local:80/"


def test_the_address_a_request_came_in_on_is_a_host_that_is_ours(serve, table):
    server = serve(table)
    response = httpx.get(f"http://127.0.0.1:{server.port}/health", headers={"Host": "10.0.0.9"}, trust_env=False)
    assert response.status_code == 421


def test_nothing_is_written_to_the_log(table, capfd, caplog):
    server = WebServer(create_app(table.feed, table.ask, table, station="club-1"), "127.0.0.1", 0)
    with caplog.at_level(logging.INFO):
        server.start()
        httpx.get(server.url + "nothing", trust_env=False)
        server.stop()
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []
    assert capfd.readouterr() == ("", "")


def test_requests_that_follow_each_other_arrive_in_order(serve, table):
    server = serve(table)
    with httpx.Client(base_url=server.url, headers={"X-Dambord": "1"}, trust_env=False) as client:
        for column in (1, 3, 5):
            client.post(f"/demo/{BOARD}/take", json={"cell": [column, 6]})
            client.post(f"/demo/{BOARD}/put", json={"cell": [column, 5], "content": "white_man"})
    assert [entry[:2] for entry in table.log] == [
        step for column in (1, 3, 5) for step in (("take", (column, 6)), ("put", (column, 5)))
    ]


def test_a_second_table_has_its_own_events(serve):
    table = Table()
    Table(feed=table.feed, board="table-2", variant="russian")
    with stream(serve(table)) as events:
        boards = {until(events, "board")["board"], until(events, "board")["board"]}
    assert boards == {"table-1", "table-2"}
