"""Commands that measure: simulate and replay."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.pdn import PdnGame
from engine.position import Side
from station.errors import ConfigError
from station.journal import as_read, read_journal, resumed_in
from station.runtime.boards import misfit
from station.runtime.game_commands import print_json, read_games
from station.runtime.realtime import play_side_by_side
from station.runtime.simulate import GameReport, Setup, play
from station.session import begin, step
from station.texts import load_texts


def simulate(options: argparse.Namespace) -> int:
    """Let hands play a file's games; exit code 1 when a record is not what they played."""
    games = [game for game in read_games(Path(options.file), options.variant) if game.moves and not game.faults]
    if not games:
        raise ConfigError(f"{options.file}: found no legal game with moves, expected at least one")
    games = games[: options.games]
    for fault in filter(None, (misfit(options.driver, game.ruleset) for game in games)):
        raise ConfigError(f"{options.file}: {fault}")
    folder = _recordings(options)
    setup = Setup(
        driver=options.driver,
        hands=options.hands,
        noise=options.noise,
        colour=options.colour,
        replies=Side(options.replies) if options.replies else None,
    )
    began = time.perf_counter()
    if options.realtime:
        if setup.replies:
            raise ConfigError("--replies with --realtime: expected one of them")
        reports = play_side_by_side(games, setup, options.seed, folder)
    else:
        reports = list(_progress(_in_simulated_time(games, setup, options.seed, folder), len(games)))
    summary = summary_of(reports, time.perf_counter() - began, folder)
    if options.json:
        print_json(summary)
    else:
        _print_summary(summary)
    return 0 if summary["records_equal"] == summary["games"] and not summary["wrong"] else 1


def _in_simulated_time(games: Sequence[PdnGame], setup: Setup, seed: int, folder: Path) -> Iterator[GameReport]:
    for number, game in enumerate(games, 1):
        journal = folder / f"game-{number:04d}.jsonl"
        yield play(game.start, game.moves, game.ruleset, setup, seed * 100_003 + number, journal)


def _recordings(options: argparse.Namespace) -> Path:
    """A folder of its own for this run's recordings."""
    if options.record:
        base = Path(options.record)
    else:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        base = Path(state) / "dambord" / "recordings"
    timing = "realtime" if options.realtime else "simulated"
    stem = f"{Path(options.file).stem}-{options.driver}-{options.hands}-{timing}-seed-{options.seed}"
    for number in itertools.count(1):
        folder = base / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise AssertionError("unreachable")


def _progress(reports: Iterable[GameReport], total: int) -> Iterator[GameReport]:
    if not sys.stderr.isatty():
        yield from reports
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(reports, description="playing", total=total, console=Console(stderr=True))


def summary_of(reports: Sequence[GameReport], seconds: float, folder: Path) -> dict[str, Any]:
    """What the interface promises of a simulation, and its speed."""
    latencies = sorted(latency for report in reports for latency in report.latencies_ms)
    moves = sum(report.moves for report in reports)
    return {
        "games": len(reports),
        "moves": moves,
        "records_equal": sum(report.equal for report in reports),
        "wrong": sum(report.wrong for report in reports),
        "wrong_seen": sum(report.wrong_seen for report in reports),
        "withdrawn": sum(report.withdrawn for report in reports),
        "missed": sum(report.missed for report in reports),
        "needless_prompts": sum(report.needless_prompts for report in reports),
        "latency_ms": {f"p{share}": _quantile(latencies, share) for share in (50, 95, 99)},
        "seconds": round(seconds, 2),
        "moves_per_second": round(moves / seconds, 1),
        "recordings": str(folder),
    }


def _quantile(ordered: Sequence[int], share: int) -> int | None:
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)] if ordered else None


def _print_summary(summary: dict[str, Any]) -> None:
    latency = summary["latency_ms"]
    print(f"{summary['games']} games, {summary['moves']} moves at {summary['moves_per_second']} moves/s")
    print(f"records equal to what was played: {summary['records_equal']} of {summary['games']}")
    print(f"wrong {summary['wrong']}, missed {summary['missed']}, withdrawn {summary['withdrawn']}")
    print(f"last contact to record: p50 {latency['p50']} ms, p95 {latency['p95']} ms, p99 {latency['p99']} ms")
    print(f"recordings: {summary['recordings']}")


def replay(options: argparse.Namespace) -> int:
    """Feed recordings to the core again; exit code 1 when anything else comes out."""
    different = False
    for name in options.recordings:
        answer = replay_file(Path(name))
        different |= not answer["equal"]
        if options.json:
            print_json({"file": name, **answer})
        elif answer["equal"]:
            print(f"{name}: equal, {answer['events']} events, {answer['effects']} effects")
        else:
            print(f"{name}: different at line {answer['difference']['line']}: {answer['difference']}")
    return 1 if different else 0


def replay_file(path: Path) -> dict[str, Any]:
    """Whether the core does with a recording's events what it did then; the first difference if not."""
    header, lines = read_journal(path.read_bytes(), str(path))
    session = begin(header.settings, load_texts(header.language), header.boot, resumed_in(header))
    expected: list[Mapping[str, Any]] = []
    events = effects = 0
    for number, line in enumerate(lines, 2):
        if line.event is None:
            assert line.effect is not None
            wanted = expected.pop(0) if expected else None
            effects += 1
            if wanted != line.effect:
                return _different(number, line.effect, wanted, events, effects)
            continue
        if expected:
            return _different(number, None, expected[0], events, effects)
        session, came = step(session, line.event)
        expected = [as_read(effect) for effect in came]
        events += 1
    return {"equal": True, "events": events, "effects": effects}


def _different(line: int, recorded: object, now: object, events: int, effects: int) -> dict[str, Any]:
    difference = {"line": line, "recorded": recorded, "now": now}
    return {"equal": False, "events": events, "effects": effects, "difference": difference}
