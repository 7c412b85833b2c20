"""House rules: rule sets that a club writes down in files of its own, beside its configuration."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import NotationError, RulesetError
from engine.game import new_game
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, variant_names

SUBFOLDER = "variants"
"""Where house rules may stand, beside the configuration's own folder."""

CONFIGURATION_FOLDER = "/etc/dambord"
"""Where the configuration stands unless $DAMBORD_CONFIG_FOLDER says otherwise."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_SECTIONS = ("station", "web", "mqtt", "boards")


def configuration_folder() -> Path:
    """Where commands that are given no configuration look for house rules."""
    return Path(os.environ.get("DAMBORD_CONFIG_FOLDER") or CONFIGURATION_FOLDER)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The house rules of a folder by name, which is the file's without `.toml`, and what is wrong with the others.

    A fault names file, key, value and what was expected; it matters to those who play by that file alone.
    """

    rulesets: Mapping[str, Ruleset]
    faults: Mapping[str, str]


def house_rules(folder: Path, config: Path | None = None) -> HouseRules:
    """The house rules of a configuration folder.

    In the folder itself a file is one when it has a top-level `base`, or `title` and `source`, and no section of a
    configuration; in the subfolder `variants` every file is. `config` is the station's own file.
    """
    rulesets: dict[str, Ruleset] = {}
    faults: dict[str, str] = {}
    for path in _files(folder, config):
        name = path.stem
        try:
            if path.parent == folder and not _is_house_rule(path):
                continue
            if name in rulesets:
                raise RulesetError(f"{path}: found {_other(path)} too, expected one file of this name")
            rulesets[name] = read_house_rules(path)
        except (RulesetError, OSError) as error:
            faults[name] = str(error)
            rulesets.pop(name, None)
    return HouseRules(rulesets, faults)


def read_house_rules(path: Path) -> Ruleset:
    """The rule set in a file of house rules, in which a game can be begun; RulesetError says what is wrong."""
    name = path.stem
    if not _NAME.fullmatch(name):
        raise RulesetError(f"{path}: name = {name!r}: expected letters, digits and - only, at most 64")
    if name in variant_names():
        raise RulesetError(f"{path}: name = {name!r}: a rule set of this name is built in, expected another file name")
    ruleset = read_ruleset(_text(path), name, str(path))
    try:
        outcome = new_game(ruleset).outcome()
    except NotationError as error:
        raise RulesetError(f"{path}: start_fen = {ruleset.start_fen!r}: {error}") from error
    if outcome is not None:
        start = f"start_fen = {ruleset.start_fen!r}" if ruleset.start_fen else "start position"
        raise RulesetError(f"{path}: {start}: the game is over there ({outcome.reason}), expected one to be played")
    return ruleset


def ruleset_named(name: str, folder: Path | None) -> Ruleset:
    """The rule set that a name means: built in, else the file that it is the path of, else a folder's house rule.

    RulesetError: none has this name (the nearest is named), or the file is wrong.
    """
    if name in variant_names():
        return load_ruleset(name)
    if name.endswith(".toml"):
        return read_house_rules(Path(name))
    house = house_rules(folder) if folder is not None else HouseRules({}, {})
    if name in house.faults:
        raise RulesetError(house.faults[name])
    if name not in house.rulesets:
        raise RulesetError(f"variant {name!r}: {unknown_name(name, house.rulesets)}")
    return house.rulesets[name]


def unknown_name(name: str, house: Mapping[str, Ruleset]) -> str:
    """What is wrong with a name that no rule set has."""
    close = difflib.get_close_matches(name, [*house, *variant_names()], 3)
    nearest = f"the nearest are {', '.join(close)}" if close else "`dambord variants` lists them"
    own = f", {', '.join(house)}" if house else ""
    return (
        f"no such rule set, expected one that is built in{own or ', a house rule'} or a path ending in .toml; {nearest}"
    )


def _files(folder: Path, config: Path | None) -> Iterator[Path]:
    for path in sorted(folder.glob("*.toml")):
        if config is None or not _is_same(path, config):
            yield path
    yield from sorted((folder / SUBFOLDER).glob("*.toml"))


def _other(path: Path) -> Path:
    """The file of the same name that was found before, in the folder itself."""
    return path.parent.parent / path.name


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def _is_house_rule(path: Path) -> bool:
    try:
        table: dict[str, Any] = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(f"{path}: not TOML: {error}") from error
    if any(section in table for section in _SECTIONS):
        return False
    return "base" in table or ("title" in table and "source" in table)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RulesetError(f"{path}: byte {error.start} is no UTF-8, expected a text") from error
    except OSError as error:
        raise RulesetError(f"{path}: cannot be read: {error.strerror}") from error
