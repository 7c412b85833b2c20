"""Whole games in a real Chromium at the page of a real `dambord demo`: hands, lamps, and one sentence at a time."""

from __future__ import annotations

import re
import sys

import pytest

from engine.pdn import read_pdn

from .page_hands import PATIENCE_MS, READY, Demo, Person, tray, wood

MOST_PLIES = 150
RUSSIAN = """
    g3-f4 d6-e5 f4:d6 e7:c5 c3-b4 f8-e7 b4:d6:f8 h6-g5 f8:h6:f4 c7-d6 f4:c7:a5
    d8-c7 a5:d8:g5 h8-g7 a3-b4 g7-f6 g5:d8 a7-b6 d8:a5 b8-c7 a5:d8
"""
"""White wins by taking everything: four captures of two pieces, a crowning, flying kings."""


@pytest.fixture
def sit_down(chromium, expect, tmp_path):
    """Start a demo and sit down at its page; page and process must have had nothing to complain about."""
    demos, contexts, people, complaints = [], [], [], []

    def start(variant, *arguments):
        demo = Demo("--variant", variant, *arguments)
        demos.append(demo)
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.goto(demo.url)
        person = Person(page, expect, variant, tmp_path)
        people.append(person)
        person.sees("turn")
        return person

    yield start
    for person in people:
        sys.stderr.write(f"{person.moves()} {person.state()}\n")  # shown when the test has failed
        person.picture("last")
    for context in contexts:
        context.close()
    ends = [demo.end() for demo in demos]
    assert complaints == []
    assert ends == [(0, "")] * len(ends)


def choose_players(person, white, black):
    """Ask for a new game in the page's dialog."""
    page = person.page
    page.click("#new-game")
    page.select_option("#choose-white", white)
    page.select_option("#choose-black", black)
    page.click("#new-game-start")
    person.expect(page.locator("#new-game-dialog")).to_be_hidden()


# --- two persons ---


def test_two_persons_play_a_whole_game_and_begin_another(sit_down):
    person = sit_down("russian")
    choose_players(person, "person", "person")
    person.expect(person.page.locator("#player-black .who")).to_have_text("Black: Person")
    person.sees("turn", "White to move.")
    for ply, text in enumerate(RUSSIAN.split(), 1):
        if ply == 3:
            break_the_rule(person)
        if ply == 5:
            take_back_on_the_board(person, text)
        person.play(person.find(text))
        person.sees_moves(ply)
        if ply == 7:
            crown_with_a_second_man(person)
    assert person.moves()[6] == "b4:f8"
    see_the_end(person)
    set_up_for_another_game(person)


def break_the_rule(person):
    """A move while there is a capture: the sentence names the rule, the lamps lead back."""
    person.drag("a3", "b4")
    reason = "There is a capture, and it must be made. (Russian draughts, 1.5) Legal instead: f4:d6."
    person.sees("illegal", f"{reason} Move the piece from b4 to a3.")
    person.expect(person.page.locator(wood("b4"))).to_have_attribute("data-lamp", "lift")
    person.expect(person.page.locator(wood("a3"))).to_have_attribute("data-lamp", "place")
    person.picture("illegal")
    person.drag("b4", "a3")
    person.sees("turn", "White to move.")
    person.sees_moves(2)


def take_back_on_the_board(person, text):
    """A move is made, and its piece is put back where it came from."""
    move = person.find(text)
    person.play(move)
    person.sees_moves(5)
    person.drag(person.names[move.to_square], person.names[move.from_square])
    person.sees_moves(4)
    person.sees("turn", "White to move.")


def crown_with_a_second_man(person):
    """The belief knows the king at once; hands put a second man on it, by which the tray has two less."""
    page = person.page
    person.expect(page.locator('#belief-board [data-square="f8"]')).to_have_attribute("data-content", "white_king")
    person.expect(page.locator(wood("f8"))).to_have_attribute("data-content", "white_man")
    person.sees("crown", "Black to move. Crown the man on f8: put a second man on it.")
    before = int(page.locator(tray("white")).get_attribute("data-count"))
    person.from_tray("white", "f8")
    person.expect(page.locator(wood("f8"))).to_have_attribute("data-content", "white_king")
    person.expect(page.locator(tray("white"))).to_have_attribute("data-count", str(before - 1))


def see_the_end(person):
    """The sentence, the result, and a record that others can read."""
    page = person.page
    person.sees("over", "White has won: no piece is left. Set up the pieces for a new game.")
    person.expect(page.locator("#phase")).to_have_text("Game over")
    person.expect(page.locator("#result")).to_have_text(re.compile(r"^Result: [12]-[01]$"))
    person.expect(page.locator(".player[data-turn]")).to_have_count(0)
    with page.expect_download() as download:
        page.click("#pdn")
    (game,) = read_pdn(download.value.path().read_text(), person.ruleset)
    assert game.is_legal
    assert len(game.moves) == len(RUSSIAN.split())
    person.picture("over")


def set_up_for_another_game(person):
    """The start position, set up by hand, is a new game; nothing needs to be pressed."""
    person.set_up(person.rules.start())
    person.sees("turn", "White to move.")
    person.sees_moves(0)
    person.expect(person.page.locator("#result")).to_be_hidden()
    person.play(person.find("c3-d4"))
    person.sees_moves(1)


# --- a person and the engine ---


def test_O87_a_person_plays_the_engine_to_the_end(sit_down):
    person = sit_down("english")
    choose_players(person, "engine:1", "person")
    person.expect(person.page.locator("#player-white .who")).to_have_text("White: Computer, level 1")
    person.sees("turn", "Black to move.")
    incidents = {2: reply_wrongly_first, 6: pull_the_cable, 10: take_back_by_the_button}
    ply = 0
    while ply < MOST_PLIES and (now := wait_for_the_next_thing(person)) != "over":
        ply = len(person.moves()) + 1
        if now == "turn":
            own_move(person)
            continue
        if incident := incidents.pop(ply, None):
            incident(person)
        if person.state()["prompt"] == "reply":
            carry_out_reply(person, ply)
    assert not incidents
    person.sees("over", re.compile(r"^(White has won|Black has won|Draw): .+\. Set up the pieces for a new game\.$"))
    person.expect(person.page.locator("#result")).to_be_visible()
    person.picture("over")
    person.page.click("#hand-set-up")
    person.sees_moves(0)
    person.sees("turn", "Black to move.")


def wait_for_the_next_thing(person):
    """`turn`, `reply` or `over`; a man to be crowned stands in nobody's way."""
    person.page.wait_for_function(READY, arg="black", timeout=PATIENCE_MS)
    prompt = person.state()["prompt"]
    return "turn" if prompt == "crown" else prompt


def own_move(person):
    """The move after which the engine takes most, so that the game ends soon."""
    position, before = person.position(), len(person.moves())

    def lost(move):
        replies = person.rules.legal_moves(position.after(move))
        return max((len(reply.captured) for reply in replies), default=99) - len(move.captured)

    move = max(person.rules.legal_moves(position), key=lost)
    person.play(move)
    person.sees_moves(before + 1)
    crown_what_was_promoted(person)


def crown_what_was_promoted(person):
    """Where the game has a king and a man stands on the wooden board, it is crowned by a double click."""
    shown = person.state()
    for square, content in shown["wood"].items():
        king = shown["belief"].get(square, "empty")
        if king != content and king.endswith("_king"):
            person.page.dblclick(wood(square))
            person.expect(person.page.locator(wood(square))).to_have_attribute("data-content", king)


def carry_out_reply(person, ply):
    """What the lamps say, step by step: lift, place, take off; then the move stands in the list."""
    said = re.fullmatch(r"Play (\S+) for White\.", person.state()["sentence"])
    person.follow_lamps_until(ply)
    assert person.moves()[-1] == said[1]
    crown_what_was_promoted(person)


def reply_wrongly_first(person):
    """The lit piece goes elsewhere: the lamps lead it from there, to its home or to where it was to go."""
    asked = person.state()
    lamps = asked["lamps"]
    (start,) = [name for name, role in lamps.items() if role == "lift"]
    (end,) = [name for name, role in lamps.items() if role == "place"]
    wrong = next(name for name in reversed(person.names) if asked["wood"].get(name) is None and name != end)
    person.picture("reply")
    person.drag(start, wrong)
    person.expect(person.page.locator("#advice")).to_have_attribute("data-prompt", re.compile("differs|illegal"))
    person.expect(person.page.locator(wood(wrong))).to_have_attribute("data-lamp", "lift")
    person.picture("wrong")
    (goal,) = [name for name, role in person.state()["lamps"].items() if role == "place"]
    assert goal in (start, end)
    person.follow_lamps()
    if goal == start:
        person.sees("reply", asked["sentence"])
        person.sees_lamps(lamps)


def pull_the_cable(person):
    """The board goes, the page says so, its lamps go dark by themselves; it comes back, and so does the reply."""
    page, asked = person.page, person.state()
    page.get_by_role("button", name="Pull the cable").click()
    person.sees("lost", re.compile(r"^The board does not answer\."))
    person.expect(page.locator("#banner")).to_be_visible()
    person.sees_lamps({})
    person.picture("lost")
    page.get_by_role("button", name="Plug it in").click()
    person.sees("reply", asked["sentence"])
    person.expect(page.locator("#banner")).to_be_hidden()
    person.sees_lamps(asked["lamps"])


def take_back_by_the_button(person):
    """While the engine's reply is shown, the move before it is taken back; the lamps lead the pieces back."""
    before = person.moves()
    person.page.click("#take-back")
    person.sees("set_up")
    person.sees_moves(len(before) - 1)
    person.picture("take-back")
    while person.state()["prompt"] == "set_up":
        person.follow_lamps()
    # A king of the game may stand there as a man: set up from men, or crowned by the move before.
    crown_what_was_promoted(person)
    person.sees("turn", "Black to move.")
    assert person.moves() == before[:-1]


# --- a board without lamps ---


def test_where_the_board_has_no_lamps_the_page_marks_the_squares(sit_down):
    person = sit_down("brazilian", "--driver", "dgt")
    person.expect(person.page.locator("#wood-title")).to_contain_text("without lamps")
    for ply in (1, 3):
        own_move(person)
        person.sees("reply", re.compile(r"^Play \S+ for Black\.$"))
        person.follow_lamps_until(ply + 1)
        person.sees("turn", "White to move.")
