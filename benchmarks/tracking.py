"""How well moves are read: Dambord and three baselines, the same hands, boards and cables; writes tracking.md.

    python benchmarks/tracking.py --corpora ../shared/corpora --moves 2000 --seed 400

The baselines are played at by people who take nothing back and sweep nothing off, and after each move their record is
put right; Dambord gets no such help. Seeds from 5000 up are for the figures of a release.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from baselines.pairing import Pairing
from baselines.settle import Settle
from baselines.table import REPAIRED_MS, BaselineTable, Judge, Reader

from engine.pdn import read_pdn_bytes
from engine.position import Position
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset
from station.runtime.boards import driver_class
from station.runtime.made_games import Game, mixed_games
from station.runtime.measuring import summary_of
from station.runtime.simulate import STATE_PERIOD_MS, Setup, board_with, perform, play_until
from station.runtime.witness import GameReport
from station.simulation.habits import PRESETS

VARIANTS = ("international", "russian", "english", "italian", "turkish")
SETTINGS = (("real", "worn"), ("blitz", "clean"))
SENSORS = {
    "matrix, occupancy": Setup("matrix"),
    "matrix, colour": Setup("matrix", colour=True),
    "dgt": Setup("dgt"),
}
METHODS = ("Dambord", "settle 250 ms", "settle 500 ms", "lift/place pairing")
HEAD = (
    "| rules | board | method | moves | wrong at the end | wrong seen | withdrawn | after the reply was shown | missed "
    "| needless prompts a game | last contact to record, ms |"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of the table."""

    variant: str
    hands: str
    noise: str
    sensor: str
    method: str

    @property
    def setup(self) -> Setup:
        """What is simulated."""
        return replace(SENSORS[self.sensor], hands=self.hands, noise=self.noise)


@cache
def recorded(corpora: Path | None, ruleset: Ruleset) -> tuple[Game, ...]:
    """The legal games of a folder's file for a variant; none where there is no such file."""
    path = corpora / f"{ruleset.name}.pdn" if corpora else None
    if path is None or not path.exists():
        return ()
    found = read_pdn_bytes(path.read_bytes(), ruleset, path.stem)
    return tuple(game for game in found if game.moves and not game.faults and game.ruleset.name == ruleset.name)


def reader_for(method: str, rules: Rules, start: Position) -> Reader:
    """The baseline of a name."""
    if method == "lift/place pairing":
        return Pairing(rules, start)
    return Settle(rules, start, int(method.split()[1]))


def play_baseline(game: Game, setup: Setup, method: str, seed: int) -> GameReport:
    """One game between two people before a baseline."""
    ruleset, rules = game.ruleset, rules_for(game.ruleset)
    start = rules.opened(game.start)
    board = board_with(game.start, ruleset, setup, seed, STATE_PERIOD_MS)
    driver = driver_class(setup.driver)(ruleset.geometry, rules.start().contents)
    reader, judge = reader_for(method, rules, start), Judge(start, game.moves, REPAIRED_MS[setup.driver])
    table = BaselineTable(board, driver, reader, judge, ruleset.geometry.cells)
    table.until_ready()
    habits = replace(PRESETS[setup.hands], regret=0.0, sweep=0.0)
    perform(table, game.start, game.moves, ruleset, habits, Random(seed))
    return table.end()


def reports(cell: Cell, games: Iterator[Game], moves: int, seed: int) -> Iterator[GameReport]:
    """Reports of games until so many moves are made."""
    if cell.method == "Dambord":
        yield from play_until(moves, games, cell.setup, seed, "mixed" if cell.hands == "real" else None)
        return
    made = 0
    for number, game in enumerate(games, 1):
        report = play_baseline(game, cell.setup, cell.method, seed * 100_003 + number)
        made += report.moves
        yield report
        if made >= moves:
            return


def line(cell: Cell, summary: dict[str, Any]) -> str:
    """The line of the table for a cell."""
    rates, latency = summary["per_10000_moves"], summary["latency_ms"]
    prompts = summary["needless_prompts_per_game"]
    shares = [interval(rates[name]) for name in ("wrong", "wrong_seen", "withdrawn", "withdrawn_shown", "missed")]
    if cell.method == "Dambord":
        told = interval(prompts)
    else:
        told, shares[3] = "-", "-"
    times = " / ".join(str(latency[share]) for share in ("p50", "p95", "p99"))
    texts = (cell.variant, cell.sensor, cell.method, str(summary["moves"]), *shares, told, times)
    return f"| {' | '.join(texts)} |"


def interval(rate: dict[str, float]) -> str:
    """A rate with its interval."""
    return f"{rate['rate']:g} ({rate['low']:g}-{rate['high']:g})"


def document(lines: dict[Cell, str], command: str, moves: int, seed: int, cpu_s: float) -> str:
    """The whole of tracking.md."""
    text = [
        "# Reading moves: Dambord and three baselines",
        "",
        f"Written on {datetime.now().date()} by `{command}`; at least {moves} moves a line, seed {seed}, "  # noqa: TID251
        f"{cpu_s:.0f} s of CPU time in all.",
        "",
        "Rates are of 10,000 moves with Wilson's 95 % interval; prompts are per game with the exact Poisson interval; "
        "times are p50 / p95 / p99. What is simulated and counted: [docs/hands.md](../docs/hands.md). Recorded and "
        "made games alternate; where none are recorded (Italian, Turkish), all are made.",
        "",
        "The baselines are written from how they are described (`baselines/`). They are helped: nobody takes moves "
        "back or sweeps the board at theirs, and as soon as the next move has begun (100 ms on a matrix, 300 ms on a "
        "slow scan) a record that is not right counts as missed and is put right. Dambord plays with everything, two "
        "of three `real` games with replies carried out by hand, and nobody repairs its record. With `blitz` it plays "
        "at the blitz pace.",
    ]
    for hands, noise in SETTINGS:
        chosen = [lines[cell] for cell in lines if (cell.hands, cell.noise) == (hands, noise)]
        if chosen:
            text += ["", f"## {hands} hands, {noise} noise", "", HEAD, "|" + "---|" * 11, *chosen]
    return "\n".join(text) + "\n"


def cells(options: argparse.Namespace) -> list[Cell]:
    """The lines that are asked for."""
    return [
        Cell(variant, hands, noise, sensor, method)
        for (hands, noise), variant, sensor, method in itertools.product(SETTINGS, VARIANTS, SENSORS, METHODS)
        if options.only in f"{variant} {hands} {noise} {sensor} {method}"
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="How well moves are read, beside three baselines.")
    parser.add_argument("--corpora", type=Path, help="folder of recorded games, VARIANT.pdn (default: all are made)")
    parser.add_argument("--moves", type=int, default=2000, help="at least so many a line (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=400, help="chance that can be repeated (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose words hold this text")
    parser.add_argument("--write", type=Path, default=Path(__file__).with_suffix(".md"), help="where the table goes")
    options = parser.parse_args(arguments)
    command = "python benchmarks/tracking.py " + " ".join(arguments or sys.argv[1:])
    lines: dict[Cell, str] = {}
    for cell in cells(options):
        ruleset = load_ruleset(cell.variant)
        games = mixed_games(recorded(options.corpora, ruleset), ruleset, options.seed)
        began = process_time()
        found = list(reports(cell, games, options.moves, options.seed))
        lines[cell] = line(cell, summary_of(found, process_time() - began, Path()))
        print(cell.hands, cell.noise, lines[cell], flush=True)
        text = document(lines, command, options.moves, options.seed, process_time())
        options.write.write_text(text, encoding="utf-8")  # after each line: what is measured is there, whatever comes


if __name__ == "__main__":
    main()
