"""Matches of our engine against engines of others, as a table in Markdown.

python benchmarks/matches.py --dame "dame hub" --py-draughts PYTHON [--only dame] [--games 20] [--seconds 0.2]

`--dame` is the command line of dame-rs (PyPI: dame-rs), `--py-draughts` the Python of an environment that has
py-draughts; which of them is not given is named and left out. Openings are random ones of six plies or from the rule
set's tables, each with both colours; one engine thinks at a time, on one thread. With `--table FILE` the table goes
to a file as well, written anew after every match. Exit code 1 when a match of full length misses its aim.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

WRAPPER = Path(__file__).parent / "peers" / "py_draughts_hub.py"
HEAD = (
    "opponent",
    "variant",
    "time a move",
    "games",
    "points",
    "won-drawn-lost",
    "Elo [95 %]",
    "depth ours / theirs",
    "M nodes/s ours / theirs",
    "ms a move ours / theirs",
    "faults",
    "load",
    "aim",
)


@dataclass(frozen=True, slots=True)
class Planned:
    """A match: which peer, by which rules, how long, and the percentage of points that is aimed at."""

    peer: str
    variant: str
    games: int
    seconds: float
    aim: int


PLAN = (
    Planned("dame", "international", 100, 0.2, 85),
    Planned("dame", "international", 20, 1.0, 85),
    Planned("py-draughts", "international", 40, 0.2, 97),
    Planned("py-draughts", "russian", 40, 0.2, 97),
    Planned("py-draughts", "brazilian", 40, 0.2, 97),
    Planned("py-draughts", "frisian", 40, 0.2, 97),
)
MARGIN_S = 3.0
"""How late a move may come: py-draughts looks at the clock every 2048 positions only."""


def main() -> int:
    """Play the matches asked for and print the table."""
    options = _options()
    peers = _peers(options)
    for name in sorted({planned.peer for planned in PLAN} - set(peers)):
        print(f"{name}: not given, left out (see --help)", file=sys.stderr)
    rows: list[tuple[str, ...]] = []
    kept = True
    for planned in PLAN:
        if planned.peer not in peers or not _is_wanted(planned, options):
            continue
        match = replace(planned, games=options.games or planned.games, seconds=options.seconds or planned.seconds)
        load = os.getloadavg()[0]
        found = _play(match, peers[match.peer], options)
        rows.append(_row(match, found, (load, os.getloadavg()[0])))
        kept = kept and (match.games < planned.games or 100 * (found["share"] or 0) >= match.aim)
        _write(rows, options.table)
    if rows:
        print(_table(rows))
    return 0 if kept else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dame", metavar="CMD", help="command line of dame-rs")
    parser.add_argument("--py-draughts", metavar="PYTHON", help="the Python of an environment that has py-draughts")
    parser.add_argument("--ours", default="dambord", metavar="CMD", help="our engine (default: %(default)s)")
    parser.add_argument("--only", metavar="PEER", help="only matches against this peer")
    parser.add_argument("--variant", help="only matches in this variant")
    parser.add_argument("--games", type=int, help="games a match (default: as planned)")
    parser.add_argument("--seconds", type=float, help="time a move (default: as planned)")
    parser.add_argument("--seed", type=int, default=1, help="which openings are drawn (default: %(default)s)")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table to this file as well")
    parser.add_argument("--pdn", type=Path, metavar="FOLDER", help="write the games of each match to a file there")
    return parser.parse_args()


def _peers(options: argparse.Namespace) -> dict[str, str]:
    """Command lines of the peers that are given."""
    peers = {}
    if options.dame:
        peers["dame"] = options.dame
    if options.py_draughts:
        peers["py-draughts"] = shlex.join([options.py_draughts, str(WRAPPER)])
    return peers


def _is_wanted(planned: Planned, options: argparse.Namespace) -> bool:
    return options.only in (None, planned.peer) and options.variant in (None, planned.variant)


def _play(match: Planned, command: str, options: argparse.Namespace) -> dict[str, Any]:
    """What `dambord match` says of it."""
    arguments = {
        "--variant": match.variant,
        "--white": options.ours,
        "--black": command,
        "--games": match.games,
        "--seconds": match.seconds,
        "--margin": MARGIN_S,
        "--seed": options.seed,
    }
    if options.pdn:
        options.pdn.mkdir(parents=True, exist_ok=True)
        arguments["--pdn"] = options.pdn / f"{match.peer}-{match.variant}-{match.seconds:g}.pdn"
    words = [str(word) for pair in arguments.items() for word in pair]
    ran = subprocess.run(
        [sys.executable, "-m", "station.runtime.cli", "match", *words, "--json"], stdout=subprocess.PIPE, check=False
    )
    if not ran.stdout:
        raise SystemExit(f"{match.peer}: no result, see above")
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _row(match: Planned, found: dict[str, Any], load: tuple[float, float]) -> tuple[str, ...]:
    ours, theirs = found["white"], found["black"]
    faults = [fault["by"] for fault in found["faults"]]
    elos = ["-" if found[key] is None else f"{found[key]:+.0f}" for key in ("elo", "elo_low", "elo_high")]
    speeds = [_number(side["nodes_per_second"] and side["nodes_per_second"] / 1e6, 3) for side in (ours, theirs)]
    return (
        theirs["name"],
        match.variant,
        f"{match.seconds:g} s",
        str(found["games"]),
        f"{100 * (found['share'] or 0):.1f} %",
        f"{found['wins']}-{found['draws']}-{found['losses']}",
        f"{elos[0]} [{elos[1]}, {elos[2]}]",
        " / ".join(_number(side["depth"], 1) for side in (ours, theirs)),
        " / ".join(speeds),
        " / ".join(_number(side["mean_ms"], 0) for side in (ours, theirs)),
        f"{faults.count('white')} / {faults.count('black')}",
        f"{load[0]:.1f}-{load[1]:.1f}",
        f"{match.aim} %",
    )


def _number(value: float | None, digits: int) -> str:
    return "not told" if value is None else f"{value:.{digits}f}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [HEAD, ("---",) * len(HEAD), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _write(rows: Sequence[Sequence[str]], path: Path | None) -> None:
    if path is None:
        return
    remark = (
        f"Written by `python benchmarks/matches.py` on a machine with {os.cpu_count()} processors, "
        f"{time.strftime('%Y-%m-%d', time.gmtime())}. Elo: 95 % Wilson interval over pairs of games.\n"
    )
    path.write_text(f"# Matches\n{remark}\n{_table(rows)}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
