"""Who may do what on the page, from where, and how often: watchers watch, and nothing that is sent breaks anything."""

from __future__ import annotations

import json
import random
import socket
import string
import threading
from contextlib import ExitStack
from time import monotonic

import cv2
import httpx
import numpy as np
import pytest
import resvg_py

from station.rates import Rate
from station.web import create_app
from station.web.guard import Limits
from station.web.rights import (
    ALL_ATTEMPTS,
    ATTEMPTS,
    SIGNED_IN_S,
    Rights,
    TooManyPins,
    WrongPin,
    caller,
)

from .client import OWN, Client
from .table import BOARD, Table

HOST = "http://localhost"
PHONE = "192.0.2.7"
PIN = "271828"
FREE = Limits(Rate(1e6, 1e9), Rate(1e6, 1e9), Rate(1e6, 1e9))


def page_of(table, pin="", **options):
    return create_app(table.feed, table.ask, station="club-1", rights=Rights(pin), **options)


def error_of(response, status):
    assert response.status_code == status, response.text
    assert response.json()["ok"] is False
    return response.json()["error"]


def signed_in(app, pin=PIN, address=PHONE):
    answer = Client(app, HOST, address).post("/sign-in", json={"pin": pin})
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    return Client(app, HOST, address, {**OWN, "Cookie": cookie.partition(";")[0]})


@pytest.mark.parametrize("pin", ["", PIN])
def test_O71_a_visitor_watches_and_can_do_nothing_else(table, pin):
    app = page_of(table, pin)
    visitor = Client(app, HOST, PHONE)
    for path in ("/", "/health", "/texts", f"/boards/{BOARD}/variants", f"/boards/{BOARD}/game.pdn", "/static/app.js"):
        assert visitor.get(path).status_code == 200, path
    for name in ("new_game", "resign", "take_back", "set_play", "arm", "set_position"):
        error = error_of(visitor.post(f"/boards/{BOARD}/{name}"), 401 if pin else 403)
        assert ("PIN" if pin else "pin_file") in error
    assert table.requests == []
    # But whoever sees an arm do harm can stop it.
    assert visitor.post(f"/boards/{BOARD}/halt").status_code == 200
    assert [request[1] for request in table.requests] == ["halt"]
    # At the station's own screen no PIN is needed.
    assert Client(app, HOST).post(f"/boards/{BOARD}/pause").status_code == 200


def test_who_has_the_pin_may_act_until_signing_out(table):
    app = page_of(table, PIN)
    operator = signed_in(app)
    assert operator.post(f"/boards/{BOARD}/pause").json() == {"ok": True}
    assert [request[1] for request in table.requests] == ["pause"]
    assert operator.post("/sign-out").status_code == 200
    error_of(operator.post(f"/boards/{BOARD}/resume"), 401)


@pytest.mark.parametrize("cookie", ["dambord=", "dambord=guess", "dambord", 'a=b; dambord="x\\', "=;=;;", "x" * 4000])
def test_a_cookie_that_is_none_of_ours_gives_no_right(table, cookie):
    app = page_of(table, PIN)
    signed_in(app)
    other = Client(app, HOST, PHONE, {**OWN, "Cookie": cookie})
    error_of(other.post(f"/boards/{BOARD}/pause"), 401)
    assert table.requests == []


def test_O73_wrong_pins_are_counted_and_a_right_one_is_not_looked_at_after_too_many(table):
    app = page_of(table, PIN)
    visitor = Client(app, HOST, PHONE)
    for wrong in range(int(ATTEMPTS.burst)):
        assert "not the station's PIN" in error_of(visitor.post("/sign-in", json={"pin": str(wrong)}), 401)
    refused = visitor.post("/sign-in", json={"pin": PIN})
    assert "wait" in error_of(refused, 429)
    assert refused.headers["retry-after"] == "60"
    # Others are not kept out by it, as long as not all of them guess.
    signed_in(app, address="192.0.2.8")
    for body in ({"pin": 5}, {}, {"pin": PIN, "more": 1}, []):
        error_of(Client(app, HOST, "192.0.2.9").post("/sign-in", json=body), 400)
    assert PIN not in json.dumps(Client(app, HOST).get("/health").json())


def test_pins_that_are_guessed_from_everywhere_are_limited_in_all():
    rights, wrong = Rights(PIN), 0
    for number in range(3000):
        try:
            rights.sign_in(caller(f"10.0.{number % 250}.{number // 250}", "10.0.0.1"), "0000", number * 1.2)
        except WrongPin:
            wrong += 1
        except TooManyPins:
            pass
    assert ALL_ATTEMPTS.burst <= wrong <= ALL_ATTEMPTS.burst + 3600 * ALL_ATTEMPTS.per_s
    assert rights.sign_in(caller("10.1.1.1", None), PIN, 4000.0)


def test_a_token_holds_for_its_time_and_for_nobody_else():
    rights = Rights(PIN)
    phone = caller(PHONE, "192.0.2.1")
    token = rights.sign_in(phone, PIN, 100.0)
    assert rights.may_act(phone, token, 100.0 + SIGNED_IN_S - 1)
    assert not rights.may_act(phone, token, 100.0 + SIGNED_IN_S + 1)
    assert not rights.may_act(phone, token[:-1], 101.0)
    assert len({rights.sign_in(phone, PIN, 101.0) for _ in range(200)}) == 200
    assert not rights.may_act(phone, token, 102.0)  # the oldest go when too many are signed in


@pytest.mark.parametrize(
    ("client", "arrived_at", "is_here", "place"),
    [
        ("127.0.0.1", "127.0.0.1", True, "127.0.0.1"),
        ("127.8.8.8", "127.0.0.1", True, "127.8.8.8"),
        ("::1", "::1", True, "::1"),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1", True, "127.0.0.1"),
        ("192.0.2.1", "192.0.2.1", True, "192.0.2.1"),
        (None, None, True, "here"),
        (PHONE, "192.0.2.1", False, PHONE),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.1", False, PHONE),
        ("2001:db8::1:2", "2001:db8::9", False, "2001:db8::/64"),
        ("2001:db8::7:8", "2001:db8::9", False, "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::2", False, "fe80::/64"),
        ("someone", "127.0.0.1", False, "someone"),
    ],
)
def test_where_somebody_calls_from(client, arrived_at, is_here, place):
    who = caller(client, arrived_at)
    assert (who.is_here, who.place) == (is_here, place)


@pytest.mark.parametrize(
    ("headers", "status", "word"),
    [
        ({"Content-Type": "application/json"}, 403, "X-Dambord"),
        ({"X-Dambord": "1"}, 415, "application/json"),
        ({"X-Dambord": "1", "Content-Type": "text/plain"}, 415, "text/plain"),
        ({"X-Dambord": "1", "Content-Type": "application/x-www-form-urlencoded"}, 415, "urlencoded"),
        ({**OWN, "Origin": "https://evil.example"}, 403, "another page"),
        ({**OWN, "Origin": "http://["}, 403, "another page"),
        ({**OWN, "Sec-Fetch-Site": "cross-site"}, 403, "another page"),
        ({**OWN, "Host": "evil.example"}, 421, "not served here"),
    ],
)
def test_O72_a_page_of_another_site_can_ask_for_nothing(table, headers, status, word):
    stranger = Client(page_of(table), HOST, headers=headers)
    assert word in error_of(stranger.post(f"/boards/{BOARD}/resign"), status)
    assert table.requests == []


def test_O74_a_flood_is_refused_before_it_is_read_and_others_are_served(table):
    limits = Limits(reads=Rate(0.001, 20), writes=Rate(0.001, 5), all_writes=Rate(0.001, 8))
    app = create_app(table.feed, table.ask, station="club-1", limits=limits)
    flood, other = Client(app, HOST, PHONE), Client(app, HOST, "192.0.2.8")
    codes = [flood.post(f"/boards/{BOARD}/pause", content=b"x" * 100_000).status_code for _ in range(30)]
    assert codes[:5] == [413] * 5
    assert set(codes[5:]) == {429}
    assert other.post(f"/boards/{BOARD}/pause").status_code == 200
    assert {other.post(f"/boards/{BOARD}/pause").status_code for _ in range(10)} >= {429}
    assert [flood.get("/health").status_code for _ in range(30)].count(429) >= 9
    assert other.get("/health").status_code == 200


def test_only_so_many_pages_are_open_at_once_and_one_that_closes_makes_room(serve, table):
    server = serve(table, limits=Limits(streams=2))

    def opened():
        return httpx.stream("GET", server.url + "events", trust_env=False, timeout=10)

    with opened() as first, ExitStack() as others:
        assert first.status_code == 200
        with opened() as second:
            assert second.status_code == 200
            refused = others.enter_context(opened())
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
        end = monotonic() + 20
        while others.enter_context(opened()).status_code != 200:
            assert monotonic() < end
            threading.Event().wait(0.05)


def test_a_rate_lets_through_what_it_says():
    rate, through = Rate(per_s=2, burst=5), 0
    for tenth in range(100):
        after = rate.once(tenth / 10)
        if after is not None:
            rate, through = after, through + 1
    assert through == 5 + 19
    assert not rate.is_idle(9.9)
    assert rate.is_idle(20.0)
    assert rate.once(5.0) is None  # a clock that goes back gives nothing


@pytest.mark.parametrize(
    "name",
    ["%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "con", "a" * 5000, "\u202egpj", "%ff"],
)
def test_O76_no_name_is_a_path(table, name):
    client = Client(page_of(table), HOST)
    for path in (
        f"/boards/{name}/game.pdn",
        f"/boards/{name}/variants",
        f"/boards/{name}/code/follow.svg",
        f"/static/{name}",
    ):
        assert client.get(path).status_code in (400, 404, 405), path
    assert client.post(f"/boards/{BOARD}/{name}").status_code in (404, 405)
    assert client.get(f"/boards/{BOARD}/code/{name}.svg").status_code == 404


# --- whatever is sent ---


def texts(chance):
    letters = string.printable + "é\u202e\u0000\U0001f600"
    return "".join(chance.choice(letters) for _ in range(chance.randrange(12)))


def values(chance, depth=0):
    """Anything that JSON can say."""
    kind = chance.randrange(10 if depth < 3 else 7)
    match kind:
        case 0:
            return None
        case 1:
            return chance.random() < 0.5
        case 2:
            return chance.choice((0, 1, -1, 3, 2**31, 10**30, -(2**63)))
        case 3:
            return chance.choice((0.5, -0.0, 1e308, 1e-320))
        case 4 | 5 | 6:
            return chance.choice(
                (texts(chance), "white", "black", "person", "engine:3", "offer", "russian", "5+3", "next")
            )
        case 7:
            return [values(chance, depth + 1) for _ in range(chance.randrange(4))]
        case _:
            return {
                chance.choice((*KEYS, texts(chance))): values(chance, depth + 1) for _ in range(chance.randrange(5))
            }


KEYS = ("side", "answer", "plies", "variant", "white", "black", "clock", "fen", "step", "turn", "square", "piece",
        "number", "confirm", "pace", "quick_ms", "draws", "touch_move", "pin", "cell", "content", "act")  # fmt: skip
NAMES = ("new_game", "take_back", "resign", "draw", "flag", "pause", "resume", "choose", "confirm", "adjust", "arm",
         "set_position", "set_play", "halt", "camera", "game.pdn", "variants", "dance", "%00", "problem")  # fmt: skip
HEADS = ("Origin", "Host", "Cookie", "Content-Type", "X-Dambord", "Sec-Fetch-Site", "Accept", "Range",
         "X-Forwarded-For", "Transfer-Encoding", "Content-Length", "If-None-Match", "Expect")  # fmt: skip


def bodies(chance):
    body = json.dumps(values(chance)).encode()
    match chance.randrange(6):
        case 0:
            return chance.randbytes(chance.randrange(60))
        case 1:
            return body[: chance.randrange(len(body) + 1)]
        case 2:
            return (b"[" * chance.choice((50, 5000)), b'{"a":' * 900, b"NaN", b" " * 20_000)[chance.randrange(4)]
        case _:
            return body


def requests(chance):
    """A method, a path, headers and a body."""
    board = chance.choice((BOARD, BOARD, BOARD, "nowhere", "%2e%2e", texts(chance).replace("/", "")))
    path = chance.choice(
        (
            f"/boards/{board}/{chance.choice(NAMES)}",
            f"/boards/{board}/{chance.choice(NAMES)}",
            f"/demo/{board}/{chance.choice(('take', 'put', 'press', 'unplug', 'plug', 'kick'))}",
            chance.choice(("/", "/health", "/texts?lang=" + texts(chance), "/sign-in", "/sign-out", "/static/app.js")),
            "/" + texts(chance),
            f"/boards/{board}/code/{chance.choice(('follow', 'game', 'x'))}.svg",
        )
    )
    headers = dict(OWN) if chance.random() < 0.8 else {}
    for _ in range(chance.choice((0, 0, 1, 3))):
        headers[chance.choice(HEADS[:10])] = texts(chance).encode("ascii", "ignore").decode().translate(CONTROLS)
    return (
        chance.choice(("POST", "POST", "POST", "GET", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH")),
        path,
        headers,
        bodies(chance),
    )


CONTROLS = dict.fromkeys(range(32)) | {127: None}


def fuzz(table, count, seed):
    """Send so many requests, of which only some come from who may act; how many reached the session."""
    chance = random.Random(seed)
    app = page_of(table, PIN, limits=FREE)
    here, visitor = Client(app, HOST), Client(app, HOST, PHONE)
    codes = set()
    for _ in range(count):
        method, path, headers, body = requests(chance)
        who = chance.choice((here, visitor))
        who._headers = headers
        before = len(table.requests), table.session
        try:
            answer = who.request(method, path, content=body)
        except (httpx.InvalidURL, httpx.LocalProtocolError, UnicodeEncodeError, ValueError):
            continue  # no request at all
        codes.add(answer.status_code)
        assert answer.status_code < 500, (method, path, headers, body)
        may_stop = method == "POST" and path.endswith("/halt")  # everybody may, at any time
        if (who is visitor and not may_stop) or method != "POST" or headers.get("X-Dambord") is None:
            assert (len(table.requests), table.session) == before, (method, path, headers)
        if len(table.requests) > 200:
            table.requests.clear()
    return codes


def test_O75_hundreds_of_odd_requests_change_nothing_that_they_may_not(table):
    assert {200, 400, 401, 403, 404, 405, 413, 415, 421} <= fuzz(table, 600, seed=75)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20))
def test_a_hundred_thousand_odd_requests_change_nothing_that_they_may_not(seed):
    fuzz(Table(), 5000, seed)


RAW = [
    b"",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",  # TLS
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"POST /boards/table-1/pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /boards/table-1/pause HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /boards/table-1/pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n{",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"\x00" * 5000,
]


def test_bytes_that_are_no_request_end_their_connection_and_nothing_else(serve, table):
    server = serve(table, demo=False, rights=Rights(PIN))
    with ExitStack() as stack:
        for raw in RAW:
            connection = stack.enter_context(socket.create_connection((server.host, server.port), timeout=10))
            connection.sendall(raw)
            if raw and b"Length: 99" not in raw:  # one that says nothing, or not all that it has promised, waits
                answer = connection.recv(200)
                assert not answer or answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 4")), answer
    assert httpx.get(server.url + "health", trust_env=False).status_code == 200
    assert table.requests == []


# --- codes ---


@pytest.mark.parametrize(
    ("what", "leads_to"),
    [("follow", f"http://club.example:8080/#{BOARD}"), ("game", f"http://club.example:8080/boards/{BOARD}/game.pdn")],
)
def test_a_code_leads_to_where_others_find_the_board(table, what, leads_to):
    client = Client(page_of(table, address=("http://club.example:8080", "0.0.0.0")), HOST)
    drawing = client.get(f"/boards/{BOARD}/code/{what}.svg")
    assert drawing.headers["content-type"] == "image/svg+xml"
    png = bytes(resvg_py.svg_to_bytes(svg_string=drawing.text, width=400, background="white"))
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == leads_to


def test_without_an_address_for_others_there_is_no_code(table):
    client = Client(page_of(table), HOST)
    assert "only this machine" in error_of(client.get(f"/boards/{BOARD}/code/game.svg"), 404)
    # Who has come from elsewhere knows how the page is called.
    page = page_of(table, allowed_hosts=("club.local",))
    assert Client(page, "http://club.local:81", PHONE).get(f"/boards/{BOARD}/code/game.svg").status_code == 200
