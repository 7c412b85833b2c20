"""Every address of the page answers as it should, and every mistake gets a clear error."""

from __future__ import annotations

import json
from concurrent.futures import Future
from contextlib import aclosing

import pytest

from engine.pdn import read_pdn
from engine.ruleset import load_ruleset
from station.texts import languages, load_texts
from station.web import Feed, app, create_app
from station.web.guard import HEADERS

from .client import Client, run
from .table import BOARD, Table

HOST = "http://localhost"
START_CELL = [3, 6]


def client_of(table, hands=True, **options):
    page = create_app(table.feed, table.ask, table if hands else None, station="club-1", **options)
    return Client(page, base_url=HOST)


@pytest.fixture
def client(table):
    return client_of(table)


def refusal(response, status):
    """The error of a refused request; checks that it is one."""
    answer = response.json()
    assert response.status_code == status, answer
    assert answer["ok"] is False
    return answer["error"]


# --- languages ---


def test_a_display_gets_the_page_s_own_words_in_its_language(client):
    told = client.get("/texts?lang=ru").json()
    assert (told["language"], told["languages"]) == ("ru", list(languages()))
    assert told["sentences"]["button.new_game"] == "Новая партия"
    number, forms = told["forms"]["clock.minutes"]
    assert (number, set(forms)) == ("minutes", {"one", "few", "many"})
    assert set(told["sentences"]) == set(client.get("/texts?lang=en").json()["sentences"])


@pytest.mark.parametrize("query", ["", "?lang=", "?lang=tlh", "?lang=../nl"])
def test_a_display_that_asks_for_no_language_there_is_gets_the_station_s(table, query):
    told = client_of(table, language="nl").get(f"/texts{query}").json()
    assert (told["language"], told["sentences"]["button.draw"]) == ("nl", "Remise")


def test_each_display_is_guided_in_its_language(table):
    (change,) = latest(table.feed)
    said = {language: change.said_in(load_texts(language)) for language in ("en", "ru", "fr")}
    told = {language: json.loads(data) for language, data in said.items()}
    sentences = {language: data["state"]["guidance"]["sentence"] for language, data in told.items()}
    assert sentences == {"en": "White to move.", "ru": "Ходят: Белые.", "fr": "Trait : Blancs."}
    assert told["ru"]["title"] == "Международные шашки"
    assert told["en"]["position"] == told["ru"]["position"]
    assert change.said_in(load_texts("ru")) is said["ru"], "made once for all displays"


def latest(feed):
    async def first():
        async with aclosing(feed.changes()) as bundles:
            return (await anext(bundles)).changes

    return run(first())


def test_variants_are_offered_in_the_display_s_language(client):
    titles = {one["name"]: one["title"] for one in client.get(f"/boards/{BOARD}/variants?lang=hu").json()}
    assert titles["frisian"] == "Fríz dáma"


# --- requests ---


def test_a_request_reaches_the_station_with_its_arguments(table, client):
    response = client.post(f"/boards/{BOARD}/new_game", json={"white": "engine:3", "black": "person"})
    assert (response.status_code, response.json()) == (200, {"ok": True})
    assert table.requests == [(BOARD, "new_game", {"white": "engine:3", "black": "person"})]
    assert table.feed.latest()[BOARD]["state"]["players"] == {"white": "engine:3", "black": "person"}


def test_no_body_is_no_arguments(table, client):
    assert client.post(f"/boards/{BOARD}/pause").json() == {"ok": True}
    assert table.requests == [(BOARD, "pause", {})]


def test_a_refusal_says_why(client):
    assert "plies" in refusal(client.post(f"/boards/{BOARD}/take_back", json={"plies": 9}), 400)


@pytest.mark.parametrize(
    "body",
    [
        *(
            "",
            "{",
            "[]",
            "3",
            '"x"',
            '{"a": null}',
            '{"a": 1.5}',
            '{"a": [1]}',
            '{"a": {}}',
            '{"a": "\\ud800"}',
            "\x00",
        ),
        "[" * 9000,
        '{"a":' * 1500,
    ],
)
def test_a_body_that_is_no_object_of_plain_values_is_refused(table, client, body):
    response = client.post(f"/boards/{BOARD}/resign", content=body or "null")
    assert "JSON object" in refusal(response, 400)
    assert table.requests == []


def test_a_body_that_is_no_text_is_refused(client):
    refusal(client.post(f"/boards/{BOARD}/resign", content=b'{"a": "\xff\xfe"}'), 400)


def test_a_body_over_16_kib_is_refused(table, client):
    just = json.dumps({"a": "x" * (16 * 1024 - 9)})
    assert len(just) == 16 * 1024
    assert client.post(f"/boards/{BOARD}/draw", content=just).status_code != 413
    assert "16384" in refusal(client.post(f"/boards/{BOARD}/draw", content=just + " "), 413)
    assert "16384" in refusal(client.post(f"/demo/{BOARD}/put", content=" " * 20000), 413)
    assert len(table.requests) == 1


def test_unknown_boards_and_names_are_told(client):
    assert "nowhere: no such board, expected one of table-1" in refusal(client.post("/boards/nowhere/pause"), 404)
    assert "dance: no such request" in refusal(client.post(f"/boards/{BOARD}/dance"), 404)
    assert "no such board" in refusal(client.get("/boards/nowhere/game.pdn"), 404)
    assert "no such board" in refusal(client.get("/boards/nowhere/variants"), 404)
    assert "hands do take" in refusal(client.post(f"/demo/{BOARD}/kick"), 404)
    refusal(client.get("/nothing/here"), 404)
    refusal(client.get("/static/nothing.js"), 404)
    refusal(client.get("/static/%2e%2e/app.py"), 404)
    refusal(client.get("/static/..%2fapp.py"), 404)


def test_wrong_methods_are_told(client):
    refusal(client.get(f"/boards/{BOARD}/pause"), 405)
    refusal(client.post("/"), 405)
    refusal(client.post("/static/app.js"), 405)
    refusal(client.delete(f"/demo/{BOARD}/take"), 405)


def test_a_station_that_does_not_answer_is_told(table, monkeypatch):
    monkeypatch.setattr(app, "ANSWER_S", 0.01)
    table.ask = lambda *_: Future()
    assert refusal(client_of(table).post(f"/boards/{BOARD}/pause"), 504) == "the station does not answer"


# --- hands ---


def test_hands_take_and_put(table, client):
    taken = client.post(f"/demo/{BOARD}/take", json={"cell": START_CELL}).json()
    put = client.post(f"/demo/{BOARD}/put", json={"cell": [4, 5], "content": "white_king"}).json()
    assert (taken, put) == ({"ok": True, "touches": 1}, {"ok": True, "touches": 2})
    assert table.log == [("take", (3, 6)), ("put", (4, 5), "white_king")]
    world = table.feed.latest("world")[BOARD]
    assert [4, 5, "white_king"] in world["cells"]
    assert world["touches"] == 2


def test_hands_press_and_pull_the_cable(table, client):
    client.post(f"/demo/{BOARD}/press", json={"button": "confirm"})
    client.post(f"/demo/{BOARD}/unplug")
    assert table.feed.latest("world")[BOARD]["plugged"] is False
    client.post(f"/demo/{BOARD}/plug", json={})
    assert table.feed.latest("world")[BOARD]["plugged"] is True
    assert table.log == [("press", "confirm")]


@pytest.mark.parametrize(
    ("act", "body", "expected"),
    [
        ("take", {"cell": [10, 0]}, "column 0 to 9"),
        ("take", {"cell": [0, -1]}, "row 0 to 9"),
        ("take", {"cell": [0]}, "length 2"),
        ("take", {"cell": ["a", "b"]}, "int"),
        ("take", {"square": "32"}, "unknown field `square`"),
        ("take", {}, "missing required field `cell`"),
        ("take", {"cell": [0, 0], "more": 1}, "more"),
        ("put", {"cell": [0, 0]}, "content"),
        ("put", {"cell": [0, 0], "content": "queen"}, "expected one of white_man"),
        ("put", {"cell": [0, 0], "content": "empty"}, "expected one of white_man"),
        ("press", {"button": "self_destruct"}, "expected one of confirm"),
        ("press", {"button": "clock_white"}, "no button 'clock_white' on this board"),
        ("press", {}, "button"),
        ("plug", {"now": True}, "now"),
        ("unplug", [], "object"),
    ],
)
def test_hands_that_do_the_impossible_are_told(table, client, act, body, expected):
    assert expected in refusal(client.post(f"/demo/{BOARD}/{act}", json=body), 400)
    assert table.log == []


def test_real_boards_have_no_hands_here(table):
    refusal(client_of(table, hands=False).post(f"/demo/{BOARD}/take", json={"cell": START_CELL}), 404)
    table.feed.publish("table-2", table.feed.latest()[BOARD])
    assert "a real board" in refusal(client_of(table).post("/demo/table-2/take", json={"cell": START_CELL}), 404)


# --- what there is to read ---


def test_the_page_and_its_files_are_served_fresh(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-cache"
    script = client.get("/static/app.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cache-control"] == "no-cache"
    again = client.get("/static/app.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304


def test_health_names_the_phases(client):
    answer = client.get("/health").json()
    assert answer["ok"] is True
    assert answer["boards"] == {BOARD: "turn"}


def test_the_game_can_be_saved(table, client):
    table.move("32", "28")
    table.move("19", "23")
    table.move("28", "19", "23")
    response = client.get(f"/boards/{BOARD}/game.pdn")
    assert response.headers["content-disposition"] == 'attachment; filename="table-1-boot-1.pdn"'
    (game,) = read_pdn(response.text, load_ruleset("international"))
    assert game.is_legal
    assert game.moves == table.session.game.moves
    assert (game.tags["Event"], game.tags["White"]) == (BOARD, "person")


def test_a_game_from_another_start_needs_its_fen():
    table = Table(fen="W:W32:B1")
    table.move("32", "28")
    client = client_of(table)
    without = {key: value for key, value in table.feed.latest()[BOARD].items() if key != "start_fen"}
    table.feed.publish(BOARD, without)
    assert "cannot be written" in refusal(client.get(f"/boards/{BOARD}/game.pdn"), 409)
    table.feed.publish(BOARD, {**without, "start_fen": "W:W32:B1"})
    (game,) = read_pdn(client.get(f"/boards/{BOARD}/game.pdn").text, load_ruleset("international"))
    assert game.start == table.session.game.start
    assert game.moves == table.session.game.moves


@pytest.mark.parametrize(
    ("variant", "there", "not_there"),
    [("international", "international", "russian"), ("russian", "brazilian", "international")],
)
def test_only_variants_of_the_same_board_are_offered(variant, there, not_there):
    names = {entry["name"] for entry in client_of(Table(variant=variant)).get(f"/boards/{BOARD}/variants").json()}
    assert {variant, there} <= names
    assert not_there not in names


# --- strangers ---


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/static/app.js"),
        ("GET", "/nothing"),
        ("POST", f"/boards/{BOARD}/dance"),
        ("POST", "/health"),
    ],
)
def test_every_answer_carries_the_strict_headers(client, method, path):
    response = client.request(method, path)
    assert {name: response.headers[name] for name in HEADERS} == HEADERS
    policy = response.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8080", "[::1]:80", "CLUB.local", "dambord.example:99"])
def test_hosts_that_are_ours_are_served(table, host):
    client = client_of(table, allowed_hosts=("club.local", "dambord.example"))
    assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "203.0.113.9", "", "[", "club.local.evil"])
def test_hosts_that_are_not_ours_are_refused(table, host):
    client = client_of(table, allowed_hosts=("club.local",))
    assert "not served here" in refusal(client.get("/health", headers={"Host": host}), 421)


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:9999", "null", "http://localhost.evil"])
def test_other_pages_may_ask_for_nothing(table, client, origin):
    for path in (f"/boards/{BOARD}/resign", f"/demo/{BOARD}/unplug"):
        assert "another page" in refusal(client.post(path, headers={"Origin": origin}), 403)
    assert table.requests == []
    assert table.plugged


def test_a_cross_site_request_without_origin_is_refused(table, client):
    refusal(client.post(f"/boards/{BOARD}/resign", headers={"Sec-Fetch-Site": "cross-site"}), 403)
    assert table.requests == []


def test_the_own_page_may_ask(client):
    response = client.post(f"/boards/{BOARD}/pause", headers={"Origin": HOST, "Sec-Fetch-Site": "same-origin"})
    assert response.status_code == 200


def test_the_page_needs_nothing_inline_and_nothing_from_elsewhere(client):
    page = client.get("/").text
    assert "style=" not in page
    assert "<style" not in page
    assert "onclick" not in page
    assert "https://" not in page
    assert page.count("<script") == page.count('<script type="module" src="/static/app.js"></script>') == 1


def test_an_empty_station_has_a_page_too():
    client = Client(create_app(Feed(), lambda *_: Future(), station="club-1"), base_url=HOST)
    assert client.get("/").status_code == 200
    assert "expected one of none yet" in refusal(client.post("/boards/a/pause"), 404)
