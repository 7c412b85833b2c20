"""The command `dambord endings`: makes endgame tables, says what there is, and how a position ends.

A table's file is written beside its place and moved there when it is on the disk, so a cut leaves it whole or absent;
what is there already is not made again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.ending_files import map_ending, open_tables, tables_folder
from engine.endings import (
    Ending,
    EndingsError,
    EndingTables,
    Slice,
    Step,
    Verdict,
    default_pieces,
    file_name,
    fingerprint,
    make,
    refusal,
    steps,
)
from engine.fen import read_fen
from engine.notation import move_text
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.runtime.folder import Folder
from station.runtime.game_commands import print_json
from station.runtime.house_rules import configuration_folder, ruleset_named

LOWEST_PRIORITY = 19

BYTES_A_NUMBER = 9
"""About how much memory it takes to compute slices, for each of their numbers (measured: 233 MB for 24.9 million)."""


def endings_folder() -> Path:
    """Where tables lie when no folder is given: in the user's state."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "dambord" / "endings"


def make_tables(
    ruleset: Ruleset, pieces: int, folder: Path, tell: Callable[[Step, bool], None] = lambda step, is_new: None
) -> EndingTables:
    """Make the tables of a rule set that are not there yet, and open all; `tell` hears of each step done.

    ConfigError where there can be none, or while another process makes these.
    """
    reason = refusal(ruleset)
    if reason:
        raise ConfigError(reason)
    rules, place = fingerprint(ruleset), tables_folder(folder, ruleset)

    def known(which: Slice) -> Ending:
        return map_ending(place / file_name(which), rules)

    planned = _steps(ruleset, pieces)
    _check_memory(ruleset, pieces, planned)
    held = Folder(place)
    try:
        for left_over in place.glob("*.part"):
            left_over.unlink()
        for step in planned:
            is_new = not all(_is_whole(place / file_name(which), rules) for which in step.slices)
            if is_new:
                for name, content in make(ruleset, step, known).items():
                    _write(place / name, content)
            tell(step, is_new)
    finally:
        held.let_go()
    return open_tables(folder, ruleset)


def _steps(ruleset: Ruleset, pieces: int) -> tuple[Step, ...]:
    try:
        return tuple(steps(ruleset, pieces))
    except EndingsError as error:
        raise ConfigError(str(error)) from error


def _check_memory(ruleset: Ruleset, pieces: int, planned: Sequence[Step]) -> None:
    needed = BYTES_A_NUMBER * max(step.numbers for step in planned)
    there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there_is:
        raise ConfigError(
            f"{ruleset.name}: endgame tables of {pieces} pieces take about {needed / 1e9:.1f} GB of memory to compute, "
            f"there are {there_is / 1e9:.1f} GB"
        )


def _is_whole(path: Path, rules: str) -> bool:
    try:
        map_ending(path, rules).codes()
    except (OSError, EndingsError):
        return False
    return True


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, whenever the power goes."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    entry = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


# The commands


def make_endings(options: argparse.Namespace) -> int:
    """Make tables; with a progress bar on a terminal."""
    ruleset, folder = _asked(options)
    pieces = default_pieces(ruleset) if options.pieces is None else options.pieces
    if options.background:
        os.nice(LOWEST_PRIORITY)
    began = time.perf_counter()
    made = _Made()
    with _bar(ruleset, pieces) as advance:

        def tell(step: Step, is_new: bool) -> None:
            made.add(step, is_new)
            advance(step.numbers)

        tables = make_tables(ruleset, pieces, folder, tell)
    summary = {
        "variant": ruleset.name,
        "pieces": pieces,
        "made": made.new,
        "were_there": made.old,
        "seconds": round(time.perf_counter() - began, 1),
        **_sizes(tables),
        "folder": str(tables_folder(folder, ruleset)),
    }
    if options.json:
        print_json(summary)
    else:
        print(f"{summary['made']} tables made, {summary['were_there']} were there, in {summary['seconds']} s")
        _print_sizes(summary)
    return 0


def show_endings(options: argparse.Namespace) -> int:
    """What tables there are; with a position, how it and each of its moves ends. Exit code 1 when no table tells."""
    ruleset, folder = _asked(options)
    try:
        tables = open_tables(folder, ruleset)
    except EndingsError as error:
        raise ConfigError(str(error)) from error
    if options.fen is None:
        summary = {"variant": ruleset.name, **_sizes(tables), "folder": str(tables_folder(folder, ruleset))}
        if options.json:
            print_json(summary)
        else:
            _print_sizes(summary)
        return 0
    position = rules_for(ruleset).opened(read_fen(options.fen, ruleset, options.rows))
    told = _told(tables, position, ruleset)
    if options.json:
        print_json(told)
    elif told["value"] is None:
        print("no table tells how this ends")
    else:
        print(_sentence(told))
        for move in told["moves"]:
            print(f"{move['move']}: {_sentence(move)}")
    return 0 if told["value"] is not None else 1


def _asked(options: argparse.Namespace) -> tuple[Ruleset, Path]:
    folder = Path(options.folder) if options.folder else endings_folder()
    return ruleset_named(options.variant, configuration_folder()), folder


@contextmanager
def _bar(ruleset: Ruleset, pieces: int) -> Iterator[Callable[[int], None]]:
    """A progress bar where standard error is a terminal; what is given moves it on by so many positions."""
    if not sys.stderr.isatty() or refusal(ruleset):
        yield lambda numbers: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("computing", total=sum(step.numbers for step in _steps(ruleset, pieces)))
        yield lambda numbers: progress.advance(task, numbers)


def _told(tables: EndingTables, position: Position, ruleset: Ruleset) -> dict[str, Any]:
    legal = rules_for(ruleset).legal_moves(position)
    verdict = tables.verdict(position) if legal else None
    moves = tables.moves(position) if verdict else ()
    return {
        **_verdict(verdict),
        "moves": [{"move": move_text(move, legal, ruleset), **_verdict(each)} for move, each in moves],
    }


def _verdict(verdict: Verdict | None) -> dict[str, Any]:
    if verdict is None:
        return {"value": None, "plies": None}
    value = {1: "won", 0: "drawn", -1: "lost"}[verdict.value]
    return {"value": value, "plies": verdict.plies if verdict.value else None}


def _sentence(told: dict[str, Any]) -> str:
    return told["value"] if told["plies"] is None else f"{told['value']} in {told['plies']} plies"


class _Made:
    """How many tables were made, and how many were there already."""

    def __init__(self) -> None:
        self.new = self.old = 0

    def add(self, step: Step, is_new: bool) -> None:
        """Count a step."""
        if is_new:
            self.new += len(step.slices)
        else:
            self.old += len(step.slices)


def _sizes(tables: EndingTables) -> dict[str, Any]:
    endings = tables.endings.values()
    return {
        "tables": len(endings),
        "most_pieces": tables.most_pieces,
        "positions": sum(ending.numbers for ending in endings),
        "bytes_for_search": sum(len(ending.values) for ending in endings),
        "bytes_of_distances": sum(len(block) for ending in endings for block in ending.distances),
    }


def _print_sizes(summary: dict[str, Any]) -> None:
    if not summary["tables"]:
        print(f"no tables in {summary['folder']}")
        return
    print(
        f"{summary['tables']} tables up to {summary['most_pieces']} pieces, {summary['positions']:,} positions: "
        f"{summary['bytes_for_search'] / 1e6:.1f} MB for the search, {summary['bytes_of_distances'] / 1e6:.1f} MB of "
        f"distances, in {summary['folder']}"
    )
