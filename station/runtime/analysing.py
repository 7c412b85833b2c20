"""The command `analyse`: what the engine thinks of a position, deeper and deeper."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.ending_files import open_tables
from engine.endings import EndingsError
from engine.fen import read_fen
from engine.game import Game, new_game
from engine.notation import move_text
from engine.position import Move, Side
from engine.rules import rules_for
from engine.search import WIN, Iteration
from engine.thinking import MOST_DEPTH, Thinker, think
from station.errors import ConfigError
from station.runtime.endings import endings_folder
from station.runtime.game_commands import print_json
from station.runtime.house_rules import configuration_folder, ruleset_named

DEFAULT_SECONDS = 5.0
MOST_SECONDS = 7 * 24 * 3600.0
MOST_THREADS = 64
_NEAR_WIN = WIN - 1_000

Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to analyse; every limit named holds."""

    seconds: float | None
    depth: int | None
    nodes: int | None


def analyse(options: argparse.Namespace) -> int:
    """Print what the engine finds; exit code 0 also where the game is over, with no best move."""
    limits = _limits(options)
    ruleset = ruleset_named(options.variant, configuration_folder())
    rules = rules_for(ruleset)
    position = rules.opened(read_fen(options.fen, ruleset, options.rows)) if options.fen else rules.start()
    game = new_game(ruleset, position)
    for side in Side:
        pieces, most = len(position.pieces(side)), len(rules.start().pieces(side))
        if position.towers is None and pieces > most:
            raise ConfigError(f"--fen: {pieces} pieces of {side}, expected at most {most}")
    thinker = Thinker(ruleset, options.hash_size << 20, options.threads)
    if thinker.uses_kernel:
        with suppress(EndingsError):
            folder = Path(options.endings) if options.endings else endings_folder()
            thinker.use_endings(open_tables(folder, ruleset))
    with _reporting(options.json) as report:
        last = search(thinker, game, limits, options.rows, report)
    for sentence in thinker.refusals:
        print(f"dambord: {sentence}", file=sys.stderr)
    final = {**last, "done": True}
    if options.json:
        print_json(final)
    else:
        print(_sentence(final))
    return 0


def _limits(options: argparse.Namespace) -> Limits:
    for name, value, most in (
        ("seconds", options.seconds, MOST_SECONDS),
        ("depth", options.depth, MOST_DEPTH),
        ("nodes", options.nodes, 2**62),
        ("threads", options.threads, MOST_THREADS),
        ("hash-size", options.hash_size, 1 << 16),
    ):
        if value is not None and not 0 < value <= most:
            raise ConfigError(f"--{name} {value}: expected more than 0 and at most {most:g}")
    if options.seconds is None and options.depth is None and options.nodes is None:
        return Limits(DEFAULT_SECONDS, None, None)
    return Limits(options.seconds, options.depth, options.nodes)


def search(thinker: Thinker, game: Game, limits: Limits, by_rows: bool, report: Report) -> dict[str, Any]:
    """Search a position, report every iteration, and return what the last one found."""
    began = time.perf_counter()

    def told(found: Iteration) -> dict[str, Any]:
        return plain(found, game, by_rows, time.perf_counter() - began)

    helpers: list[threading.Thread] = []

    def on_iteration(found: Iteration) -> None:
        if not helpers:
            helpers.extend(threading.Thread(target=thinker.help, args=(n + 1,)) for n in range(thinker.helpers))
            for helper in helpers:
                helper.start()
        report(told(found))

    def deepen() -> Iteration | None:
        found = think(thinker, game, limits.nodes or 0, limits.depth or MOST_DEPTH, on_iteration=on_iteration)
        return found and thinker.by_endings(found)

    timer = threading.Timer(limits.seconds or 0, thinker.stop)
    # A thread of its own, so that Ctrl-C is heard while the kernel searches; what was found until then is told.
    with ThreadPoolExecutor(1) as pool:
        searching = pool.submit(deepen)
        if limits.seconds is not None:
            timer.start()
        with suppress(KeyboardInterrupt):
            wait([searching])
        timer.cancel()
        thinker.stop()
    for helper in helpers:
        helper.join()
    last = searching.result()
    return told(last) if last is not None else _nothing(game, time.perf_counter() - began)


def plain(found: Iteration, game: Game, by_rows: bool, seconds: float) -> dict[str, Any]:
    """An iteration as plain values: squares and moves as the variant writes them, the score in men."""
    line = list(_line_texts(game, found.line, by_rows))
    near = abs(found.score) > _NEAR_WIN
    return {
        "depth": found.depth,
        "deepest": found.deepest,
        "best": line[0] if line else None,
        "score": round(found.score / 100, 2),
        "plies_to_end": WIN - abs(found.score) if near else None,
        "line": line,
        "nodes": found.nodes,
        "hash_hits": found.hash_hits,
        "table_hits": found.table_hits,
        "seconds": round(seconds, 3),
        "done": False,
    }


def _nothing(game: Game, seconds: float) -> dict[str, Any]:
    outcome = game.outcome(claimed=True)
    empty = plain(Iteration(0, 0, (), 0), game, False, seconds)
    return {**empty, "score": None, "reason": outcome.reason if outcome else "no move left"}


def _line_texts(game: Game, line: Sequence[Move], by_rows: bool) -> Iterator[str]:
    """The moves of a line as texts, as far as they are legal."""
    position = game.position
    for move in line:
        legal = game.rules.legal_moves(position)
        found = next((known for known in legal if known.effect == move.effect), None)
        if found is None:
            return
        yield move_text(found, legal, game.ruleset, by_rows)
        position = position.after(found)


def _sentence(found: dict[str, Any]) -> str:
    if found["best"] is None:
        return f"no move to find: {found['reason']}"
    worth = f"{found['score']:+.2f}"
    if found["plies_to_end"] is not None:
        worth = f"{'wins' if found['score'] > 0 else 'loses'} in {found['plies_to_end']} plies"
    return (
        f"{found['best']}  {worth}  depth {found['depth']}/{found['deepest']}  {found['nodes']:,} positions, "
        f"{found['table_hits']:,} in endgame tables, {found['seconds']} s\n{' '.join(found['line'])}"
    )


@contextmanager
def _reporting(as_json: bool) -> Iterator[Report]:
    """How iterations are told: JSON lines, a live line on a terminal, or not at all where neither is."""
    if as_json:
        yield print_json
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
            yield lambda found: live.update(_sentence(found), refresh=True)
    else:
        yield lambda found: None
