"""Catalogues say what English says, with the same places to fill in and the forms that their grammar has."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter

import pytest
from babel import Locale

from engine.ruleset import load_ruleset
from station.texts import SOURCE, VARIANT, languages, load_texts
from station.texts.__main__ import FOLDER
from station.texts.catalogue import text_of, to_do, translated, updated

ENGLISH = load_texts(SOURCE)
OTHERS = [language for language in languages() if language != SOURCE]


def places(sentence):
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def test_the_languages_are_those_promised():
    assert {"de", "el", "es", "fr", "hu", "it", "nl", "pt", "ru", "tr"} <= set(OTHERS)


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_missing_or_outdated(language):
    assert list(to_do(updated(language))) == []


@pytest.mark.parametrize("language", OTHERS)
def test_places_are_those_of_english(language):
    texts = load_texts(language)
    for key, english in ENGLISH.sentences.items():
        for said in (texts.sentences[key], *texts.forms.get(key, {}).values()):
            assert places(said) == places(english), (key, said)
            assert said.strip() == said, key
            assert bool(said) == bool(english), key


@pytest.mark.parametrize("language", OTHERS)
def test_forms_are_chosen_as_the_language_does(language):
    """Gettext's expression in the catalogue and CLDR's rule name the same form, so that page and station agree."""
    texts, form_of = load_texts(language), Locale.parse(language).plural_form
    assert set(texts.forms) == set(ENGLISH.forms)
    for number in range(1000):
        assert texts.form_of(number) == form_of(number), number
    assert all(set(forms) == {form_of(number) for number in range(200)} for forms in texts.forms.values())


def test_a_number_decides_the_form():
    said = [load_texts("ru").say("explain.moves", number=str(number)) for number in (1, 3, 5, 11, 22)]
    assert [text.split()[-2] for text in said] == ["возможный", "возможных", "возможных", "возможных", "возможных"]
    assert [text.split()[-1] for text in said] == ["ход.", "хода.", "ходов.", "ходов.", "хода."]
    assert ENGLISH.say("explain.moves", number="1").endswith("1 legal move.")
    assert ENGLISH.say("explain.moves", number="0").endswith("0 legal moves.")


def test_what_english_says_otherwise_now_is_said_in_english():
    changed = replace(ENGLISH, sentences={**ENGLISH.sentences, "prompt.paused": "Stopped.", "prompt.new": "New."})
    texts = translated(changed, "nl")
    assert (texts.say("prompt.paused"), texts.say("prompt.new")) == ("Stopped.", "New.")
    assert texts.say("prompt.turn", side="Wit") == "Wit is aan zet."


def test_a_message_that_changed_is_to_be_done_again():
    catalogue = updated("nl")
    message = catalogue.get(ENGLISH.sentences["prompt.paused"], context="prompt.paused")
    message.flags.add("fuzzy")
    assert list(to_do(catalogue)) == ["prompt.paused"]


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_is_kept_as_the_command_writes_it(language):
    """So that a change of one sentence is a change of its lines alone."""
    assert (FOLDER / f"{language}.po").read_bytes() == text_of(updated(language))


def test_variants_are_called_by_names_of_the_language():
    russian = load_ruleset("russian")
    assert load_texts("de").title(russian) == "Russische Dame"
    assert ENGLISH.title(russian) == russian.title
    assert load_texts("de").title(replace(russian, name="of-this-house", title="Ours")) == "Ours"
    assert VARIANT + "russian" not in ENGLISH.sentences
