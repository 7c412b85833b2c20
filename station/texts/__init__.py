"""What people read and hear, one TOML file a language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from station.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of one language, by key; places in braces are filled in."""

    language: str
    sentences: Mapping[str, str]

    def __hash__(self) -> int:
        return hash(self.language)

    def say(self, key: str, **values: str) -> str:
        """A sentence with its places filled in; KeyError for a key that no language has."""
        return self.sentences[key].format(**values)

    def rule(self, rule: str, **values: str) -> str:
        """The sentence that says which rule forbids a move."""
        known = f"rule.{rule}" in self.sentences
        return self.say(f"rule.{rule}" if known else "rule.no_such_move", **values)


@cache
def languages() -> tuple[str, ...]:
    """Languages there are texts for, in alphabetical order."""
    files = resources.files("station.texts").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@cache
def load_texts(language: str) -> Texts:
    """The texts of a language; ConfigError names the languages there are."""
    if language not in languages():
        raise ConfigError(f"language = {language!r}: expected one of {', '.join(languages())}")
    text = (resources.files("station.texts") / f"{language}.toml").read_text(encoding="utf-8")
    return Texts(language, _flat(tomllib.loads(text)))


def _flat(table: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = str(value)
    return flat
