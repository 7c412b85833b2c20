"""The page in a real Chromium: hands move pieces by mouse, finger and keys; people read and ask."""

from __future__ import annotations

from concurrent.futures import Future
from itertools import combinations

import pytest

from firmware_bridge.driver import Role
from station.events import StopTold

from .pixels import brightness, difference
from .table import BOARD, Table

LONG = (
    "Превышающая достопримечательность: возьмите захваченные шашки с полей c3, e5, g7 и превратите простую шашку "
    "на поле h8 в дамку, положив на неё вторую; затем продолжайте взятие h8:d4:a7."
)


def on_wood(square):
    return f'#wood-board [data-square="{square}"]'


def cell(column, row):
    return f'#wood-board [data-cell="{column},{row}"]'


def tray(colour):
    return f'#wood-board [data-tray="{colour}"]'


def move_texts(page):
    return page.locator("#moves td[data-ply]").all_inner_texts()


@pytest.fixture
def page(serve, table, open_page):
    return open_page(serve(table))


@pytest.fixture
def acts(page, table, expect):
    """What hands have done, once everything has arrived."""

    def done():
        expect(page.locator("body")).not_to_have_attribute("data-asking", "")
        return table.log

    return done


# --- hands ---


def test_a_dragged_piece_is_a_move(page, table, acts, expect):
    expect(page.locator("#guidance")).to_have_text("White to move.")
    page.drag_and_drop(on_wood(32), on_wood(28))
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("32-28")
    expect(page.locator("#guidance")).to_have_text("Black to move.")
    expect(page.locator(".player[data-turn]")).to_have_attribute("data-side", "black")
    expect(page.locator('#belief-board [data-square="28"]')).to_have_attribute("data-content", "white_man")
    expect(page.locator('#belief-board [data-square="28"]')).to_have_attribute("data-mark", "to")
    assert acts() == [("take", (3, 6)), ("put", (4, 5), "white_man")]


def test_a_piece_in_the_air_has_left_its_square(page, table, acts, expect):
    page.hover(on_wood(32))
    page.mouse.down()
    page.hover(on_wood(28), force=True)
    expect(page.locator("#wood-board .air .piece.white")).to_be_visible()
    expect(page.locator("#guidance")).to_have_text("White is moving.")
    expect(page.locator(on_wood(32))).not_to_have_attribute("data-content", "white_man")
    assert acts() == [("take", (3, 6))]
    page.mouse.up()
    expect(page.locator("#wood-board .air .piece")).to_have_count(0)
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white_man")


def test_a_piece_can_hop_from_square_to_square_and_stand_where_nothing_is_played(page, table, acts, expect):
    page.drag_and_drop(on_wood(32), cell(4, 6))
    expect(page.locator(cell(4, 6))).to_have_attribute("data-content", "white_man")
    page.drag_and_drop(cell(4, 6), on_wood(27))
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("32-27")
    assert [entry[:2] for entry in acts()] == [("take", (3, 6)), ("put", (4, 6)), ("take", (4, 6)), ("put", (2, 5))]


def test_a_captured_piece_goes_to_its_tray_and_comes_back(page, table, acts, expect):
    table.move("32", "28")
    table.move("19", "23")
    expect(page.locator(tray("black"))).to_have_attribute("data-count", "2")
    page.drag_and_drop(on_wood(28), on_wood(19))
    page.drag_and_drop(on_wood(23), tray("black"))
    expect(page.locator('#moves td[data-ply="3"]')).to_have_text("28x19")
    expect(page.locator(tray("black"))).to_have_attribute("data-count", "3")
    page.drag_and_drop(tray("black"), on_wood(23))
    expect(page.locator(on_wood(23))).to_have_attribute("data-content", "black_man")
    expect(page.locator(tray("black"))).to_have_attribute("data-count", "2")
    assert acts()[-1] == ("put", table.cell("23"), "black_man")


@pytest.mark.parametrize("target", [on_wood(31), "#guidance", on_wood(19)])
def test_a_piece_dropped_where_it_cannot_stand_goes_back(page, table, acts, expect, target):
    page.drag_and_drop(on_wood(32), target)
    expect(page.locator(on_wood(32))).to_have_attribute("data-content", "white_man")
    assert acts()[0] == ("take", (3, 6))
    expect(page.locator("#wood-board .air .piece")).to_have_count(0)
    expect(page.locator("#wood-board .pieces .piece")).to_have_count(40)


def test_a_double_click_crowns_and_takes_the_crown_off_again(page, table, acts, expect):
    page.dblclick(on_wood(32))
    expect(page.locator(on_wood(32))).to_have_attribute("data-content", "white_king")
    expect(page.locator(tray("white"))).to_have_attribute("data-count", "1")
    page.dblclick(on_wood(32))
    expect(page.locator(on_wood(32))).to_have_attribute("data-content", "white_man")
    assert [entry[2] for entry in acts()] == ["white_king", "white_man"]


def test_a_man_from_the_tray_crowns_a_man_of_its_colour_only(page, table, acts, expect):
    page.drag_and_drop(tray("black"), on_wood(16))
    expect(page.locator(on_wood(16))).to_have_attribute("data-content", "black_king")
    page.drag_and_drop(tray("white"), on_wood(17))
    expect(page.locator("#hand-says")).to_contain_text("17 is taken")
    expect(page.locator(on_wood(17))).to_have_attribute("data-content", "black_man")
    assert acts() == [("put", table.cell("16"), "black_king")]


def test_a_tap_chooses_a_piece_and_buttons_act_on_it(page, table, expect):
    page.click(on_wood(32))
    expect(page.locator("#hand-says")).to_have_text("Square 32, white man")
    page.click("#hand-crown")
    expect(page.locator(on_wood(32))).to_have_attribute("data-content", "white_king")
    page.click("#hand-tray")
    expect(page.locator(tray("white"))).to_have_attribute("data-count", "3")
    page.click(on_wood(33))
    page.click("#hand-lift")
    expect(page.locator("#hand-says")).to_contain_text("In hand: white man")
    page.click("#hand-lift")
    expect(page.locator(on_wood(33))).to_have_attribute("data-content", "white_man")
    page.click("#hand-lift")
    page.click(on_wood(28))
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white_man")


def test_keys_do_all_that_hands_do(page, table, acts, expect):
    board = page.locator("#wood-board")
    board.focus()
    expect(board).to_have_attribute("aria-activedescendant", "wood-board-5-5")
    for key in ("ArrowDown", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.locator("#hand-says")).to_have_text("Square 32, white man")
    page.keyboard.press("Enter")
    expect(page.locator("#hand-says")).to_contain_text("In hand: white man")
    for key in ("ArrowUp", "ArrowRight", "Space"):
        page.keyboard.press(key)
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("32-28")
    page.keyboard.press("k")
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white_king")
    page.keyboard.press("Delete")
    expect(page.locator(on_wood(28))).not_to_have_attribute("data-content", "white_king")
    expect(page.locator(tray("white"))).to_have_attribute("data-count", "3")
    page.keyboard.press("w")
    page.keyboard.press("Space")
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white_man")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white_man")
    assert [entry[0] for entry in acts()] == ["take", "put", "put", "take", "put", "take", "put"]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1180), (844, 390), (1280, 800)])
def test_the_board_stays_where_it_is_while_a_hand_moves(serve, open_page, expect, width, height):
    table = Table(black="engine:3")
    page = open_page(serve(table), width, height)
    page.locator("#wood-board").scroll_into_view_if_needed()
    before = page.locator("#wood-board").bounding_box()
    page.hover(on_wood(32))
    page.mouse.down()
    page.hover(on_wood(28), force=True)
    expect(page.locator("#guidance")).to_have_text("White is moving.")
    during = page.locator("#wood-board").bounding_box()
    page.mouse.up()
    expect(page.locator("#advice")).to_have_attribute("data-prompt", "reply")
    assert before == during == page.locator("#wood-board").bounding_box()


def test_fingers_drag_and_double_tap(serve, table, open_page, expect):
    page = open_page(serve(table), 390, 844, has_touch=True, is_mobile=True)
    expect(page.locator("#guidance")).to_have_text("White to move.")
    start, end = (centre(page, on_wood(square)) for square in (32, 28))
    finger = page.context.new_cdp_session(page)
    between = {axis: (start[axis] + end[axis]) / 2 for axis in "xy"}
    for kind, points in (
        ("touchStart", [start]),
        ("touchMove", [between]),
        ("touchMove", [end]),
        ("touchEnd", []),
    ):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("32-28")
    assert page.evaluate("scrollY") == 0
    page.touchscreen.tap(**centre(page, on_wood(37)))
    page.touchscreen.tap(**centre(page, on_wood(37)))
    expect(page.locator(on_wood(37))).to_have_attribute("data-content", "white_king")


def centre(page, selector):
    box = page.locator(selector).bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


def test_the_board_can_be_turned(page, table, expect):
    before = centre(page, on_wood(5))
    page.click("#turn-board")
    expect(page.locator(on_wood(5))).to_be_visible()
    after = centre(page, on_wood(5))
    assert after["y"] > before["y"]
    page.drag_and_drop(on_wood(32), on_wood(28))
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("32-28")


def test_set_up_puts_the_pieces_as_the_game_has_them(serve, open_page, expect):
    table = Table(home=False)
    table.pieces = {(0, 0): table.session.game.position.contents[0], (1, 0): table.session.game.position.contents[49]}
    page = open_page(serve(table))
    page.click("#hand-set-up")
    expect(page.locator("#guidance")).to_have_text("White to move.", timeout=15_000)
    assert len(table.pieces) == 40


def test_another_page_sees_what_hands_do_here(serve, table, open_page, expect):
    server = serve(table)
    one, other = open_page(server), open_page(server)
    one.drag_and_drop(on_wood(31), on_wood(26))
    expect(other.locator(on_wood(26))).to_have_attribute("data-content", "white_man")
    expect(other.locator('#moves td[data-ply="1"]')).to_have_text("31-26")


# --- what is shown ---


def test_the_reply_glows_and_leads_through_the_move(serve, open_page, expect):
    table = Table(black="engine:3")
    page = open_page(serve(table))
    page.drag_and_drop(on_wood(32), on_wood(28))
    expect(page.locator("#advice")).to_have_attribute("data-prompt", "reply")
    lift, place = page.locator('#wood-board [data-lamp="lift"]'), page.locator('#wood-board [data-lamp="place"]')
    start, end = lift.get_attribute("data-square"), place.get_attribute("data-square")
    expect(page.locator("#guidance")).to_have_text(f"Play {start}-{end} for Black.")
    expect(lift).to_have_attribute("aria-label", f"Square {start}, black man, lamp: lift this piece")
    page.drag_and_drop(on_wood(start), on_wood(end))
    expect(page.locator("#wood-board [data-lamp]")).to_have_count(0)
    expect(page.locator("#guidance")).to_have_text("White to move.")
    assert move_texts(page) == ["32-28", f"{start}-{end}"]


def test_O64_lamps_differ_in_shape_and_brightness_not_only_in_colour(page, expect):
    page.click("#legend summary")
    pictures = {}
    for role in Role:
        picture = page.locator(f'#legend-list li[data-role="{role}"] svg')
        expect(picture).to_be_visible()
        pictures[role] = brightness(picture.screenshot())
    for one, other in combinations(Role, 2):
        assert difference(pictures[one], pictures[other]) > 0.1, (one, other)


def test_lamps_on_pieces_are_told_apart_without_colour(serve, table, open_page, expect):
    squares = dict(zip(Role, ("31", "32", "33", "34", "36", "37"), strict=True))
    table.lamps = lambda board: {table.cell(square): str(role) for role, square in squares.items()}
    page = open_page(serve(table), 3840, 2160)
    expect(page.locator("#wood-board [data-lamp]")).to_have_count(6)
    pictures = {role: brightness(page.locator(on_wood(square)).screenshot()) for role, square in squares.items()}
    smallest = min(len(picture) for picture in pictures.values())
    pictures = {role: [line[:smallest] for line in picture[:smallest]] for role, picture in pictures.items()}
    for one, other in combinations(Role, 2):
        assert difference(pictures[one], pictures[other]) > 0.08, (one, other)


def test_a_real_board_shows_lamps_and_sensors_and_cannot_be_dragged(serve, open_page, expect):
    table = Table(black="engine:3")
    table.move("32", "28")
    page = open_page(serve(table, demo=False))
    expect(page.locator("#wood-title")).to_contain_text("sensors")
    expect(page.locator("#hand-tools")).to_be_hidden()
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white")
    expect(page.locator('#wood-board [data-lamp="lift"]')).to_have_count(1)
    page.drag_and_drop(on_wood(28), on_wood(23))
    page.focus("#wood-board")
    page.keyboard.press("Enter")
    expect(page.locator("#wood-board .air .piece")).to_have_count(0)
    expect(page.locator(on_wood(28))).to_have_attribute("data-content", "white")


def test_the_diagnosis_tells_square_by_square_what_sensors_show(page, table, expect):
    page.click("#diagnosis summary")
    expect(page.locator('#sensors li[data-square="32"]')).to_have_attribute("data-seen", "white")
    expect(page.locator("#device")).to_contain_text("Simulated matrix board")
    expect(page.locator("#device")).to_contain_text("white and black")
    table.take(BOARD, table.cell("32"))
    expect(page.locator("#sensors li.differs")).to_have_text(["32 emptygame: white man"])


def test_boards_of_other_games_are_drawn_as_their_variants_write(serve, open_page, expect):
    page = open_page(serve(Table(variant="russian")))
    expect(page.locator("#wood-board .cell")).to_have_count(64)
    expect(page.locator("#wood-board .rail-label")).to_have_count(32)
    expect(page.locator("#variant")).to_have_text("Russian draughts")
    page.drag_and_drop(on_wood("c3"), on_wood("d4"))
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("c3-d4")


def test_who_moves_first_has_the_first_column(serve, open_page, expect):
    table = Table(variant="english")
    page = open_page(serve(table))
    expect(page.locator("#moves-first")).to_have_text("Black" if table.session.turn == "black" else "White")


def test_several_boards_are_one_tap_apart(serve, open_page, expect):
    table = Table()
    other = Table(feed=table.feed, board="table-2", variant="russian")
    page = open_page(serve(table))
    expect(page.locator("body")).to_have_attribute("data-board", "table-1")
    page.click("#boards a:has-text('table-2')")
    expect(page.locator("body")).to_have_attribute("data-board", "table-2")
    expect(page.locator("#variant")).to_have_text("Russian draughts")
    expect(page.locator("#hand-tools")).to_be_hidden()
    other.move("c3", "d4")
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("c3-d4")


# --- what people ask for ---


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_O68_a_new_game_is_asked_for_with_players_variant_and_clock(serve, open_page, expect, width, height):
    table = Table(variant="russian")
    page = open_page(serve(table), width, height)
    page.click("#new-game")
    expect(page.locator("#choose-variant option")).not_to_have_count(1)
    page.select_option("#choose-variant", "brazilian")
    page.select_option("#choose-white", "person")
    page.fill("#name-white", " Zoë ")
    page.fill("#name-black", "nobody")
    page.select_option("#choose-black", "engine:7")
    expect(page.locator("#name-black")).to_be_hidden()
    page.select_option("#choose-clock", "5+3")
    page.click("#new-game-start")
    expect(page.locator("#player-white .who")).to_have_text("White: Zoë")
    expect(page.locator("#player-black .who")).to_have_text("Black: Computer, level 7")
    expect(page.locator("#variant")).to_contain_text("Brazilian")
    assert table.requests == [
        (BOARD, "new_game", {"variant": "brazilian", "white": "person:Zoë", "black": "engine:7", "clock": "5+3"})
    ]


def test_a_dialog_that_is_cancelled_asks_for_nothing(page, table, expect):
    table.move("32", "28")
    for button in ("#new-game", "#draw", "#resign"):
        page.click(button)
        expect(page.locator("dialog[open]")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
    assert table.requests == []


def test_take_back_pause_resume_draw_and_resign(page, table, expect):
    expect(page.locator("#take-back")).to_be_disabled()
    table.move("32", "28")
    page.click("#take-back")
    expect(page.locator("#moves td[data-ply]")).to_have_count(0)
    page.drag_and_drop(on_wood(28), on_wood(32))
    expect(page.locator("#guidance")).to_have_text("White to move.")
    page.click("#pause")
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.click("#resign")
    page.click('#confirm-dialog button[value="white"]')
    expect(page.locator("#result")).to_have_text("Result: 0-2")
    expect(page.locator("#guidance")).to_contain_text("Black has won")
    expect(page.locator("#resign")).to_be_disabled()
    assert [request[1:] for request in table.requests] == [
        ("take_back", {}),
        ("pause", {}),
        ("resume", {}),
        ("resign", {"side": "white"}),
    ]


def test_a_draw_is_asked_for(page, table, expect):
    page.click("#draw")
    page.click('#confirm-dialog button[value="draw"]')
    expect(page.locator("#result")).to_have_text("Result: 1-1")
    assert table.requests == [(BOARD, "draw", {})]


def test_a_refusal_is_shown(page, table, expect):
    answer = Future()
    answer.set_result("the arm is moving")
    table.ask = lambda *_: answer
    page.reload()
    table.feed.publish(BOARD, table.feed.latest()[BOARD])
    page.route(
        "**/boards/**", lambda route: route.fulfill(json={"ok": False, "error": "the arm is moving"}, status=400)
    )
    page.click("#pause")
    expect(page.locator("#toast")).to_have_text("Not done: the arm is moving")


def test_moves_that_look_alike_can_be_chosen(page, table, expect):
    plain = table.feed.latest()[BOARD]
    guidance = {"prompt": "which", "sentence": "Which?", "squares": {}, "choices": ["32-28", "32-27"]}
    table.feed.publish(BOARD, {**plain, "state": {**plain["state"], "guidance": guidance}})
    page.click("#choices button:has-text('32-27')")
    expect(page.locator("#toast")).to_contain_text("number = 2")
    assert table.requests == [(BOARD, "choose", {"number": 2})]


# --- when things go wrong ---


def test_a_pressed_emergency_stop_is_said_until_it_is_let_go(page, table, expect):
    with table.lock:
        table.happen(StopTold(table.at_ms, True))
    expect(page.locator("#banner-text")).to_contain_text("The emergency stop is pressed")
    with table.lock:
        table.happen(StopTold(table.at_ms, False))
    expect(page.locator("#banner")).to_be_hidden()


def test_the_cable_can_be_pulled_and_put_back(page, table, expect):
    page.click("#hand-cable")
    expect(page.locator("#banner")).to_have_attribute("data-about", "board")
    expect(page.locator("#banner-text")).to_have_text("The board does not answer: the cable has been pulled.")
    expect(page.locator("#pause")).to_be_disabled()
    page.get_by_role("button", name="Plug it in").click()
    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator("#guidance")).to_have_text("White to move.")


def test_a_station_that_goes_away_and_comes_back(serve, table, open_page, expect):
    table.move("32", "28")
    server = serve(table)
    page = open_page(server)
    expect(page.locator("body")).to_have_attribute("data-link", "up")
    server.stop()
    expect(page.locator("#banner-text")).to_contain_text("The station cannot be reached")
    expect(page.locator("body")).to_have_attribute("data-link", "down")
    expect(page.locator("#new-game")).to_be_disabled()
    assert move_texts(page) == ["32-28"]
    page.drag_and_drop(on_wood(19), on_wood(23))
    table.move("20", "25")
    serve(table, port=server.port)
    expect(page.locator("#banner")).to_be_hidden(timeout=15_000)
    assert move_texts(page) == ["32-28", "20-25"]
    page.drag_and_drop(on_wood(28), on_wood(23))
    expect(page.locator('#moves td[data-ply="3"]')).to_have_text("28-23")


def test_a_touch_that_the_station_refuses_is_undone(page, table, expect):
    page.route("**/demo/**", lambda route: route.abort())
    page.dblclick(on_wood(32))
    expect(page.locator("#toast")).to_have_text("The station did not answer.")
    expect(page.locator(on_wood(32))).to_have_attribute("data-content", "white_man")


# --- sizes, readers, manners ---


@pytest.mark.parametrize(("width", "height"), [(320, 568), (390, 844), (844, 390), (1280, 800), (3840, 2160)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_size_fits_and_is_readable(serve, open_page, expect, tmp_path, width, height, scheme):
    table = Table(black="engine:3")
    table.move("32", "28")
    page = open_page(serve(table), width, height, color_scheme=scheme)
    expect(page.locator('#wood-board [data-lamp="place"]')).to_be_visible()
    shot = tmp_path / f"{width}x{height}-{scheme}.png"
    page.screenshot(path=shot)
    assert shot.stat().st_size > 10_000
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALLEST_TEXT) >= 10.5
    russian = open_page(serve(Table(variant="russian")), width, height, color_scheme=scheme)
    assert russian.evaluate("document.documentElement.scrollWidth") <= width
    assert russian.evaluate(SMALLEST_TEXT) >= 10.5
    board = page.locator("#wood-board").bounding_box()
    assert board["width"] >= min(0.4 * width, 0.8 * height)


SMALLEST_TEXT = """() => {
  const sizes = [];
  for (const element of document.querySelectorAll("body *")) {
    const has_text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const box = element.getBoundingClientRect();
    if (!has_text || !box.width || getComputedStyle(element).display === "none" || element.closest(".hidden")) continue;
    const svg = element.ownerSVGElement;
    const scale = svg ? svg.getScreenCTM().a : 1;
    sizes.push(parseFloat(getComputedStyle(element).fontSize) * scale);
  }
  return Math.min(...sizes);
}"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_long_words_of_other_languages_stay_inside(serve, table, open_page, expect, width, height):
    page = open_page(serve(table), width, height)
    table.say(LONG + " " + "достопримечательность" * 4, "illegal")
    expect(page.locator("#guidance")).to_contain_text("Превышающая")
    page.evaluate("for (const b of document.querySelectorAll('button')) b.textContent += ' достопримечательностями'")
    page.evaluate(
        "for (const b of document.querySelectorAll('.who')) b.textContent += ' достопримечательностями'.repeat(4)"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inside = page.evaluate(
        "[...document.querySelectorAll('button, #guidance, .who')].every(e => e.scrollWidth <= e.clientWidth + 1)"
    )
    assert inside


def test_O65_screen_readers_are_told_everything(page, table, expect):
    expect(page.get_by_role("application", name="Wooden board, 10 by 10, White at the near side")).to_be_visible()
    expect(page.locator(on_wood(32))).to_have_attribute("aria-label", "Square 32, white man")
    expect(page.locator(cell(0, 0))).to_have_attribute("aria-label", "Column 1, row 1, not played on, empty")
    expect(page.locator("#belief-board")).to_have_attribute(
        "aria-label",
        "Position in the game. White: "
        + ", ".join(str(square) for square in range(31, 51))
        + ". Black: "
        + ", ".join(str(square) for square in range(1, 21))
        + ".",
    )
    expect(page.locator("#guidance")).to_have_attribute("aria-live", "polite")
    expect(page.locator(tray("white"))).to_have_attribute("aria-label", "Tray of white pieces: 2")
    for name in ("New game", "Take back", "Pause", "Draw", "Resign", "Pull the cable", "Crown"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, a, summary, section, nav, svg[role]')]"
        ".filter(e => !e.textContent.trim() && !e.getAttribute('aria-label')).map(e => e.outerHTML)"
    )
    assert nameless == []


def test_the_sentence_is_set_only_when_it_changes(page, table, expect):
    expect(page.locator("#guidance")).to_have_text("White to move.")
    page.evaluate(
        "window.changes = 0; new MutationObserver(() => window.changes++)"
        ".observe(document.getElementById('guidance'), {childList: true, characterData: true, subtree: true})"
    )
    table.lamps = lambda board: {(3, 6): "hint"}
    expect(page.locator("#wood-board [data-lamp]")).to_have_count(1)
    assert page.evaluate("window.changes") == 0


def test_dark_and_light_differ(serve, table, open_page):
    server = serve(table)
    colours = [
        open_page(server, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert colours[0] != colours[1]


def test_whoever_wants_no_motion_gets_none(page, table, expect):
    table.lamps = lambda board: {(3, 6): "lift"}
    expect(page.locator("#wood-board .lamp .fill")).to_have_css("animation-name", "none")


def test_the_page_asks_nobody_but_the_station(serve, table, chromium):
    server = serve(table)
    page = chromium.new_context().new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url)
    page.wait_for_selector("#wood-board .piece")
    page.context.close()
    assert len(asked) > 8
    assert [url for url in asked if not url.startswith(server.url)] == []


# --- towers ---


def test_what_is_beneath_a_tower_is_drawn_beside_it(serve, open_page, expect):
    table = Table(variant="towers", fen="W:Wc3=bw:Bd4=wbb,h8")
    page = open_page(serve(table))
    for board in ("wood", "belief"):
        stacks = page.locator(f"#{board}-board .stacks .stack")
        expect(stacks).to_have_count(2)
        assert stacks.locator(".layer.white").count() == 1
        assert stacks.locator(".layer.black").count() == 2
    page.drag_and_drop(on_wood("d4"), cell(0, 0))
    expect(page.locator("#wood-board .stacks .stack")).to_have_count(1)
    expect(page.locator("#belief-board .stacks .stack")).to_have_count(2)


def test_who_is_ahead_is_shown_as_a_bar_and_in_words_where_it_is_told(page, table, expect):
    line, bar = page.locator("#evaluation"), page.locator("#evaluation-bar")
    expect(line).to_be_hidden()
    for men, words, least, most in (
        (0.1, "Even", 0.5, 0.56),
        (1.6, "Ahead: White, 1.6", 0.88, 0.92),
        (-0.8, "Ahead: Black, 0.8", 0.2, 0.3),
        (-998.0, "Winning: Black", 0.0, 0.0),
    ):
        table.feed.publish(BOARD, {"men": men}, "evaluation")
        expect(line).to_have_text(words)
        share = bar.evaluate("bar => parseFloat(getComputedStyle(bar, '::before').width) / bar.clientWidth")
        assert least <= share <= most
    table.feed.publish(BOARD, {"men": None}, "evaluation")
    expect(line).to_be_hidden()
