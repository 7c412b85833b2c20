"""What people read and hear: English in `en.toml`, every other language in a gettext catalogue, `LANG.po`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from engine.ruleset import Ruleset
from station.errors import ConfigError

SOURCE = "en"
"""The language that the others are translated from."""

NUMBERS = ("count", "number", "limit", "most", "minutes")
"""Places whose number decides the form of a sentence that has several; the first that is in the sentence."""

VARIANT = "variant."
"""Before a variant's name: the key of its title."""

FORMS = {1: ("other",), 2: ("one", "other"), 3: ("one", "few", "many")}
"""CLDR's names of gettext's forms, by how many a language has for whole numbers."""


def _english_form(number: int) -> str:
    return "one" if number == 1 else "other"


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of one language, by key; places in braces are filled in."""

    language: str
    sentences: Mapping[str, str]
    """Of a sentence with several forms, the last one."""
    forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The forms of those whose wording depends on a number, by plural category."""
    form_of: Callable[[int], str] = _english_form
    """Plural category of a whole number."""

    def __hash__(self) -> int:
        return hash(self.language)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Texts) and other.language == self.language

    def say(self, key: str, **values: str) -> str:
        """A sentence with its places filled in; KeyError for a key that English has not."""
        text = self.sentences[key]
        if key in self.forms:
            number = int(values[number_in(text)])
            text = self.forms[key].get(self.form_of(number), text)
        return text.format(**values)

    def rule(self, rule: str, **values: str) -> str:
        """The sentence that says which rule forbids a move."""
        known = f"rule.{rule}" in self.sentences
        return self.say(f"rule.{rule}" if known else "rule.no_such_move", **values)

    def title(self, ruleset: Ruleset) -> str:
        """What a variant is called; as its own file says where the language has no name for it."""
        return self.sentences.get(VARIANT + ruleset.name, ruleset.title)


def number_in(sentence: str) -> str:
    """The place whose number decides a sentence's form."""
    return next(place for place in NUMBERS if f"{{{place}}}" in sentence)


@cache
def languages() -> tuple[str, ...]:
    """Languages there are texts for, in alphabetical order."""
    names = (file.name for file in resources.files("station.texts").iterdir())
    return tuple(sorted([SOURCE, *(name.removesuffix(".po") for name in names if name.endswith(".po"))]))


@cache
def load_texts(language: str) -> Texts:
    """The texts of a language, in English where a sentence is not translated; ConfigError names the languages."""
    if language not in languages():
        raise ConfigError(f"language = {language!r}: expected one of {', '.join(languages())}")
    if language != SOURCE:
        from station.texts.catalogue import translated

        return translated(load_texts(SOURCE), language)
    tables = tomllib.loads((resources.files("station.texts") / f"{SOURCE}.toml").read_text(encoding="utf-8"))
    sentences: dict[str, str] = {}
    forms: dict[str, Mapping[str, str]] = {}
    _read(tables, "", sentences, forms)
    return Texts(SOURCE, sentences, forms)


def _read(
    table: Mapping[str, object], prefix: str, sentences: dict[str, str], forms: dict[str, Mapping[str, str]]
) -> None:
    for name, value in table.items():
        key = prefix + name
        if not isinstance(value, Mapping):
            sentences[key] = str(value)
        elif set(value) == {"one", "other"}:
            forms[key], sentences[key] = value, value["other"]
        else:
            _read(value, f"{key}.", sentences, forms)
