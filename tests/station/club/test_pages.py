"""The wall and the archive in a real browser, told by a real broker; and what their addresses answer."""

from __future__ import annotations

import re

import httpx
import pytest

from engine.pdn import read_pdn
from engine.ruleset import load_ruleset
from station.club.app import OWN, STATIC
from station.status import contents
from station.texts import languages, load_texts
from station.web.guard import HEADERS
from tests.outside.broker import free_port

from .conftest import Wall
from .stations import BASE, Telling

BOOT = "01a22ff00000"


def tell(wall, boards, steps=9):
    """Games on so many boards, each told with all its messages."""
    tellings = []
    for number in range(boards):
        variant = ("international", "russian", "turkish", "towers")[number % 4]
        telling = Telling("club-1", f"table-{number + 1}", f"{BOOT}-1", variant, seed=number)
        events = [telling.started(), *(telling.move() for _ in range(steps))]
        wall.tell(*(event for event in events if event))
        clocks = {"white": 245_000, "black": 18_000}
        clock = {"control": "5+3", "running": None}
        wall.tell(telling.record(), telling.state(BOOT, clocks_ms=clocks, clock=clock), retain=True)
        tellings.append(telling)
    wall.tell((f"{BASE}/club-1/status", b"online"), retain=True)
    return tellings


def card(page, number):
    return page.locator(f'.card[data-board="club-1/table-{number}"]')


def shown(page, root):
    """What stands on the squares of a board on the page, by name."""
    cells = page.locator(f"{root} [data-square][data-content]")
    return dict(cells.evaluate_all("nodes => nodes.map(node => [node.dataset.square, node.dataset.content])"))


def standing(telling):
    return contents(telling.game.position, telling.ruleset)


def test_O63_every_board_is_on_the_wall_and_a_move_is_there_at_once(wall, look, expect):
    page = look(wall)
    expect(page.locator("#none")).to_have_text("No board has reported yet. It appears here by itself.")
    tellings = tell(wall, 6)
    expect(page.locator(".card")).to_have_count(6)
    expect(page.locator("#count")).to_have_text("6 boards")
    for number, telling in enumerate(tellings, 1):
        expect(card(page, number).locator(".last")).to_contain_text(telling.texts()[-1])
        assert shown(page, f'[data-board="club-1/table-{number}"]') == standing(telling)
    assert (
        page.evaluate("document.querySelector('#wall').scrollHeight - document.querySelector('#wall').clientHeight")
        <= 1
    )
    wall.tell(tellings[1].move())
    expect(card(page, 2).locator(".last")).to_contain_text(tellings[1].texts()[-1], timeout=1000)
    expect(card(page, 1).locator('[data-side="black"] .time')).to_have_text("0:18.0")


def test_O70_a_board_whose_station_is_gone_says_so_and_keeps_its_position(wall, look, expect):
    page = look(wall)
    (telling,) = tell(wall, 1)
    expect(card(page, 1)).not_to_have_attribute("data-away", "")
    wall.tell((f"{BASE}/club-1/status", b"offline"), retain=True)
    expect(card(page, 1)).to_have_attribute("data-away", "")
    expect(card(page, 1).locator(".phase")).to_contain_text("Offline since")
    assert shown(page, ".card") == standing(telling)
    wall.tell((f"{BASE}/club-1/status", b"online"), retain=True)
    expect(card(page, 1).locator(".phase")).to_have_text("In play")
    wall.tell((f"{BASE}/club-1/table-1/availability", b"offline"), retain=True)
    expect(card(page, 1).locator(".phase")).to_have_text("Board not connected")


def test_O59_a_club_that_restarts_leaves_its_boards_on_the_wall(tmp_path, broker, look, expect):
    port = free_port()
    wall = Wall(tmp_path, broker.port)
    wall.service.page.stop()
    wall.service.page.port = port
    wall.service.page.start()
    wall.url = wall.service.page.url
    page = look(wall)
    (telling,) = tell(wall, 1)
    expect(card(page, 1).locator(".last")).to_contain_text(telling.texts()[-1])
    wall.service.page.stop()
    expect(page.locator("#banner")).to_contain_text("What you see is from")
    assert shown(page, ".card") == standing(telling)
    wall.tell(telling.move())
    wall.service.page.start()
    expect(page.locator("#banner")).to_be_hidden(timeout=15_000)
    expect(card(page, 1).locator(".last")).to_contain_text(telling.texts()[-1])
    wall.end()


def test_names_are_shown_as_text(wall, look, expect):
    name = '<img src=x onerror=alert(1)>"]'
    telling = Telling("club-1", "table-1", f"{BOOT}-1", white=f"hub:{name}", black="person")
    wall.tell(telling.started(), telling.move())
    page = look(wall)
    expect(page.locator('.card [data-side="white"] .who')).to_contain_text("<img")
    assert page.locator("img").count() == 0
    (game,) = read_pdn(httpx.get(f"{wall.url}live.pdn").text, load_ruleset("russian"))
    assert (game.tags["White"], game.is_legal) == (f"hub:{name}", True)


def test_a_board_is_made_big_with_its_moves(wall, look, expect):
    tellings = tell(wall, 3)
    page = look(wall)
    card(page, 2).locator("a").click()
    expect(page.locator("#where")).to_have_text("table-2 · club-1")
    expect(page.locator("#moves td[data-ply]")).to_have_text(tellings[1].texts())
    assert shown(page, "#big-board") == standing(tellings[1])
    page.keyboard.press("Escape")
    expect(page.locator("#cards")).to_be_visible()


def test_a_game_is_found_looked_at_and_its_positions_are_found_again(wall, look, expect):
    tellings = tell(wall, 3)
    page = look(wall, "archive?variant=russian")
    expect(page.locator("#found")).to_have_text("1 game found")
    page.locator("#games tbody a").click()
    expect(page.locator("#game-moves button")).to_have_count(len(tellings[1].texts()))
    assert shown(page, "#game-board") == standing(tellings[1])
    page.locator("#first").click()
    page.locator("#next").click()
    page.locator("#same").click()
    expect(page.locator("#found")).to_have_text("1 game found")
    assert "fen=" in page.url
    page.locator('[name="player"]').fill("nobody")
    page.locator("#search button.main").click()
    expect(page.locator("#found")).to_have_text("0 games found")


LONG = ("el", "ru")
WIDTHS = [
    ("", 390, 844, languages()),
    ("archive", 390, 844, languages()),
    ("", 3840, 2160, LONG),
    ("", 1280, 800, LONG),
]


@pytest.mark.parametrize(("path", "width", "height", "spoken"), WIDTHS, ids=["phone", "archive", "4k", "desk"])
def test_nothing_is_wider_than_the_screen_in_any_language(wall, look, expect, path, width, height, spoken):
    tell(wall, 2)
    page = look(wall, path, width, height)
    for language in spoken:
        page.goto(f"{wall.url}{path}?lang={language}")
        expect(page.locator(".card, #games tbody tr")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, language
        wide = "nodes => nodes.filter(n => n.offsetParent && n.scrollWidth > n.clientWidth + 1).map(n => n.textContent)"
        assert page.locator("button, select, nav a, .last").evaluate_all(wide) == [], language


# --- addresses ---


def test_the_live_address_is_for_broadcasts(wall):
    tellings = tell(wall, 4)
    games = read_pdn(until(lambda: httpx.get(f"{wall.url}live.pdn").text, "table-4"), load_ruleset("international"))
    assert [game.tags["Site"] for game in games] == [f"club-1, table-{number}" for number in range(1, 5)]
    assert [game.moves for game in games] == [telling.game.moves for telling in tellings]
    assert httpx.get(f"{wall.url}live.pdn?board=table-9").status_code == 404
    assert httpx.get(f"{wall.url}live.pdn?bord=table-1").json()["error"].startswith("bord: no such parameter")


def until(asked, words):
    for _ in range(200):
        if words in (found := asked()):
            return found
    raise AssertionError(found)


def test_O69_a_selection_is_a_file_of_pdn(wall):
    tell(wall, 4)
    until(lambda: httpx.get(f"{wall.url}games.json").text, "table-4")
    answer = httpx.get(f"{wall.url}games.pdn?variant=turkish")
    assert answer.headers["content-disposition"] == 'attachment; filename="games.pdn"'
    (game,) = read_pdn(answer.text, load_ruleset("international"))
    assert (game.ruleset.name, game.is_legal, game.tags["Event"]) == ("turkish", True, "Open")
    assert len(read_pdn(httpx.get(f"{wall.url}games.pdn").text, load_ruleset("international"))) == 4


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("games.json?x=1", 400, "x: no such parameter"),
        ("games.json?player=a&player=b", 400, "found 2 of it"),
        ("games.pdn?from=1.12.2026", 400, "expected a day"),
        ("games/99.json", 404, "no such game"),
        ("games/99999999999999999999.pdn", 404, "no such game"),
        ("games/-1.json", 404, "Not Found"),
        ("club/../../pyproject.toml", 404, "Not Found"),
    ],
)
def test_mistakes_are_answered_in_words(wall, path, status, words):
    answer = httpx.get(f"{wall.url}{path}")
    assert (answer.status_code, answer.json()["ok"]) == (status, False)
    assert words in answer.json()["error"]


def test_strangers_are_kept_out_and_nothing_can_be_changed(wall):
    assert httpx.get(wall.url, headers={"Host": "evil.example"}).status_code == 421
    assert httpx.post(f"{wall.url}games.json", headers={"Origin": "http://evil.example"}).status_code == 403
    own = {"X-Dambord": "1", "Content-Type": "application/json"}
    assert httpx.post(f"{wall.url}games.json").status_code == 403
    assert httpx.post(f"{wall.url}games.json", headers=own).status_code == 405
    answer = httpx.get(wall.url)
    assert all(answer.headers[name] == value for name, value in HEADERS.items())


# --- texts ---


def test_every_text_of_a_club_is_used_and_every_one_used_is_there():
    keys = {key for key in load_texts("en").sentences if key.startswith(OWN)}
    everything = "\n".join(file.read_text() for file in STATIC.iterdir())
    whole = set(re.findall(r'"(club\.[a-z0-9_]+)"', everything)) - {"club.css"}
    parts = tuple(re.findall(r"`(club\.[a-z_]+_)\$\{", everything))
    assert whole <= keys
    assert {key for key in keys if key not in whole and not key.startswith(parts)} == set()
    for file in STATIC.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", text), file.name
        assert "innerHTML" not in text
