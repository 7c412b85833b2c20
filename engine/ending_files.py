"""Ending files: endgame tables on the disk, mapped into memory; reading only."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path

from engine.endings import Ending, EndingsError, EndingTables, fingerprint, read
from engine.ruleset import Ruleset


def tables_folder(folder: Path, ruleset: Ruleset) -> Path:
    """Where the tables of a rule set lie in a folder of tables; EndingsError where there can be none."""
    return folder / fingerprint(ruleset)


def map_ending(path: Path, rules: str) -> Ending:
    """The table in a file, which stays mapped while it is in use; OSError, or EndingsError when it is not whole."""
    with path.open("rb") as file:
        try:
            content = mmap(file.fileno(), 0, access=ACCESS_READ)
        except ValueError as error:  # an empty file
            raise EndingsError(str(error)) from error
    return read(content, rules)


def open_tables(folder: Path, ruleset: Ruleset) -> EndingTables:
    """The tables there are for a rule set in a folder of tables; what is missing or not whole is as if not made yet.

    EndingsError where there can be none.
    """
    rules = fingerprint(ruleset)
    endings = []
    for path in sorted(tables_folder(folder, ruleset).glob("*.ending")):
        try:
            endings.append(map_ending(path, rules))
        except (OSError, EndingsError):
            continue
    return EndingTables(ruleset, endings)
