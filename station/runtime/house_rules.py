"""House rules: rule sets in the configuration folder, beside those that come with the engine."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.errors import NotationError, RulesetError
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, variant_names

STATION_TABLES = ("station", "web", "mqtt", "boards")
"""A file with one of these tables configures a station."""


def configuration_folder() -> Path:
    """Where a command looks for house rules: $DAMBORD_CONFIG_FOLDER, else /etc/dambord."""
    return Path(os.environ.get("DAMBORD_CONFIG_FOLDER", "/etc/dambord"))


def house_rules(folder: Path) -> Mapping[str, Ruleset]:
    """The house rules in a folder and in its subfolder `variants`, by name; RulesetError for the first wrong one."""
    return {ruleset.name: ruleset for ruleset in map(read_house_rules, _files(folder))}


def ruleset_named(name: str, folder: Path | None) -> Ruleset:
    """A rule set by name, built in or of the house, or by the path of its TOML file; RulesetError when there is none."""
    if name in variant_names():
        return load_ruleset(name)
    if name.endswith(".toml"):
        return read_house_rules(Path(name))
    house = house_rules(folder) if folder is not None else {}
    if name in house:
        return house[name]
    known = [*variant_names(), *house]
    close = difflib.get_close_matches(name, known, 1)
    nearest = f"the nearest is {close[0]}" if close else f"known are {', '.join(known)}"
    raise RulesetError(f"variant {name!r}: no such rule set; {nearest}")


def read_house_rules(path: Path) -> Ruleset:
    """The rule set of one file; RulesetError names file, key, value and reason."""
    name = path.stem
    if not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise RulesetError(f"{path}: a rule set is named by its file, expected small letters, digits and -")
    if name in variant_names():
        raise RulesetError(f"{path}: {name} is a rule set that comes with Dambord, expected a name of its own")
    try:
        ruleset = read_ruleset(path.read_text(encoding="utf-8"), name, str(path))
    except UnicodeDecodeError as error:
        raise RulesetError(f"{path}: byte {error.start + 1} is not UTF-8") from error
    try:
        rules_for(ruleset).start()
    except (NotationError, ValueError) as error:
        raise RulesetError(f"{path}: start_fen = {ruleset.start_fen!r}: {error}") from error
    return ruleset


def _files(folder: Path) -> Iterator[Path]:
    for path in (*sorted(folder.glob("*.toml")), *sorted(folder.glob("variants/*.toml"))):
        if path.parent.name == "variants" or _states_rules(path):
            yield path


def _states_rules(path: Path) -> bool:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
        return False
    is_station = any(key in table for key in STATION_TABLES)
    return not is_station and ("base" in table or {"title", "source"} <= table.keys())
