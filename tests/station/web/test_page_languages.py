"""The page in every language: chosen by a menu and kept, said in the display's own words, and fitting its boxes."""

from __future__ import annotations

import re

import pytest

from station.texts import SOURCE, languages, load_texts

FILLED = {
    "side": "side.black",
    "by": "side.white",
    "next": "do.fetch",
    "reason": "reason.home not left in time",
    "result": "over.white",
}
"""Places that are filled with other sentences; the rest are moves, squares and numbers."""
PLAIN = {
    "count": "24",
    "seconds": "5",
    "most": "20",
    "number": "4",
    "opening": "IDF-745 b4 d6 312",
    "moves": "32x23x14, 32x21x12, 33x22x13",
    "sets": "23, 24 / 27, 28",
    "pieces": "pieces.white_king",
}
SIZES = {"phone": (360, 740), "tablet": (1280, 800), "wall": (1920, 1080)}

MEASURE = """async (sentences) => {
  const { showSentence } = await import("/static/sentence.js");
  const box = document.getElementById("guidance");
  return sentences.filter((sentence) => {
    showSentence(box, sentence);
    return box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
  });
}"""


def filled(texts, key, depth=0):
    """A sentence with something as long as it gets in each place."""

    def value(match):
        place = match[1]
        if place in FILLED and depth < 2:
            return filled(texts, FILLED[place], depth + 1)
        if place == "piece":
            return texts.sentences["piece.black_king"]
        if place == "pieces":
            return texts.sentences[PLAIN[place]]
        return PLAIN.get(place, "46")

    return re.sub(r"\{(\w+)\}", value, texts.sentences[key])


def guidance(language):
    texts = load_texts(language)
    return [filled(texts, key) for key in texts.sentences if key.startswith("prompt.")]


def test_a_language_is_chosen_by_the_menu_and_kept(serve, table, open_page, expect):
    page = open_page(serve(table))
    assert load_texts("ru").language == "ru", "read before the page asks, so that the page alone is waited for"
    expect(page.locator("#guidance")).to_have_text("White to move.")
    page.locator("#language").select_option("ru")
    page.wait_for_url("**/?lang=ru")
    page.wait_for_selector("#wood-board .cell", state="attached")
    expect(page.locator("#guidance")).to_have_text("Ходят: Белые.")
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    expect(page.locator("#new-game")).to_have_text("Новая партия")
    page.goto(page.url.split("?")[0])
    page.wait_for_selector("#wood-board .cell", state="attached")
    expect(page.locator("#new-game")).to_have_text("Новая партия")


def test_O66_two_displays_of_a_station_speak_two_languages(serve, table, open_page, expect):
    assert {load_texts(language).language for language in ("nl", "hu")} == {"nl", "hu"}
    server = serve(table, language="nl")
    station, guest = open_page(server), open_page(server, path="?lang=hu")
    expect(station.locator("#guidance")).to_have_text("Wit is aan zet.")
    expect(guest.locator("#guidance")).to_have_text("Világos lép.")
    expect(guest.locator("#variant")).to_have_text("Nemzetközi dáma")


@pytest.mark.parametrize("size", SIZES)
def test_every_sentence_of_guidance_fits_its_box_in_every_language(serve, table, open_page, size):
    page = open_page(serve(table), *SIZES[size])
    cut = {language: page.evaluate(MEASURE, guidance(language)) for language in languages()}
    assert {language: sentences for language, sentences in cut.items() if sentences} == {}


@pytest.mark.parametrize("language", [language for language in languages() if language != SOURCE])
def test_nothing_is_wider_than_a_phone(serve, table, open_page, language):
    page = open_page(serve(table), *SIZES["phone"], path=f"?lang={language}")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    narrow = "nodes => nodes.filter(n => n.offsetParent && n.scrollWidth > n.clientWidth + 1).map(n => n.textContent)"
    assert page.locator("button, select, #phase, #variant").evaluate_all(narrow) == []
