"""Commands that measure: simulate and replay."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.ruleset import Ruleset
from firmware_bridge.simulator.firmwares import FIRMWARES
from station.errors import ConfigError
from station.journal import as_read, read_journal, resumed_in
from station.runtime.boards import misfit
from station.runtime.game_commands import print_json, read_games
from station.runtime.house_rules import configuration_folder, ruleset_named
from station.runtime.intervals import poisson, wilson
from station.runtime.made_games import Game, made_games
from station.runtime.realtime import play_side_by_side
from station.runtime.simulate import Setup, play, replies_in
from station.runtime.witness import GameReport
from station.session import begin, step
from station.texts import load_texts


def simulate(options: argparse.Namespace) -> int:
    """Let hands play games; exit code 1 when a record is not what they played."""
    games = _games(options)
    for fault in filter(None, {_misfit(options, game.ruleset) for game in games}):
        raise ConfigError(f"{_name(options)}: {fault}")
    folder = _recordings(options)
    setup = Setup(driver=options.driver, hands=options.hands, noise=options.noise, colour=options.colour)
    began = time.perf_counter()
    if options.realtime:
        if options.replies:
            raise ConfigError("--replies with --realtime: expected one of them")
        reports = play_side_by_side(games, setup, options.seed, folder)
    else:
        reports = list(_progress(_in_simulated_time(games, setup, options, folder), len(games)))
    summary = summary_of(reports, time.perf_counter() - began, folder)
    if options.json:
        print_json(summary)
    else:
        _print_summary(summary)
    return 0 if summary["records_equal"] == summary["games"] and not summary["wrong"] else 1


def _misfit(options: argparse.Namespace, ruleset: Ruleset) -> str | None:
    """Why this cannot be simulated with the board that is asked for, in one sentence; None when it can."""
    if options.driver == "camera" and (options.realtime or options.noise not in ("clean", "none")):
        return "--driver camera: expected neither --realtime nor --noise, pictures have faults of their own"
    if options.driver not in FIRMWARES:
        return misfit(options.driver, ruleset)
    if not options.realtime:
        return f"--driver {options.driver}: expected --realtime with it, a firmware keeps its own time"
    if options.noise not in ("clean", "none"):
        return f"--driver {options.driver} with --noise {options.noise}: expected clean, its faults are its own"
    try:
        FIRMWARES[options.driver].command(ruleset.columns, ruleset.rows, options.colour)
    except ValueError as error:
        return str(error)
    return None


def _games(options: argparse.Namespace) -> list[Game]:
    """As many games as are asked for: the file's, again and again if need be; without a file, games made from the seed.

    The hands play each of them by other chance, also the second time.
    """
    if options.file is None:
        ruleset = ruleset_named(options.variant or "international", configuration_folder())
        return list(itertools.islice(made_games(ruleset, options.seed), options.games or 1))
    recorded = [game for game in read_games(Path(options.file), options.variant) if game.moves and not game.faults]
    if not recorded:
        raise ConfigError(f"{options.file}: found no legal game with moves, expected at least one")
    return list(itertools.islice(itertools.cycle(recorded), options.games or len(recorded)))


def _name(options: argparse.Namespace) -> str:
    return options.file or options.variant or "international"


def _in_simulated_time(
    games: Sequence[Game], setup: Setup, options: argparse.Namespace, folder: Path
) -> Iterator[GameReport]:
    for number, game in enumerate(games, 1):
        journal = folder / f"game-{number:04d}.jsonl"
        setup = replace(setup, replies=replies_in(number, options.replies))
        yield play(game.start, game.moves, game.ruleset, setup, options.seed * 100_003 + number, journal)


def _recordings(options: argparse.Namespace) -> Path:
    """A folder of its own for this run's recordings."""
    if options.record:
        base = Path(options.record)
    else:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        base = Path(state) / "dambord" / "recordings"
    timing = "realtime" if options.realtime else "simulated"
    stem = f"{Path(_name(options)).stem}-{options.driver}-{options.hands}-{timing}-seed-{options.seed}"
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
        "withdrawn_shown": sum(report.withdrawn_shown for report in reports),
        "missed": sum(report.missed for report in reports),
        "needless_prompts": sum(report.needless_prompts for report in reports),
        "latency_ms": {f"p{share}": _quantile(latencies, share) for share in (50, 95, 99)},
        "per_10000_moves": {
            "wrong": _share(sum(report.wrong for report in reports), moves),
            "wrong_seen": _share(sum(report.wrong_seen for report in reports), moves),
            "withdrawn": _share(sum(report.withdrawn for report in reports), moves),
            "withdrawn_shown": _share(sum(report.withdrawn_shown for report in reports), moves),
            "missed": _share(sum(report.missed for report in reports), moves),
        },
        "needless_prompts_per_game": _rate(sum(report.needless_prompts for report in reports), len(reports)),
        "seconds": round(seconds, 2),
        "moves_per_second": round(moves / seconds, 1),
        "recordings": str(folder),
    }


def _share(count: int, moves: int) -> dict[str, float]:
    """So many of 10,000 moves, with Wilson's 95 % interval."""
    low, high = wilson(count, moves)
    return {"rate": round(10_000 * count / moves, 2), "low": round(10_000 * low, 2), "high": round(10_000 * high, 2)}


def _rate(count: int, games: int) -> dict[str, float]:
    """So many a game, with the exact 95 % interval of a Poisson count."""
    low, high = poisson(count)
    return {"rate": round(count / games, 3), "low": round(low / games, 3), "high": round(high / games, 3)}


def _quantile(ordered: Sequence[int], share: int) -> int | None:
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)] if ordered else None


def _print_summary(summary: dict[str, Any]) -> None:
    latency = summary["latency_ms"]
    print(f"{summary['games']} games, {summary['moves']} moves at {summary['moves_per_second']} moves/s")
    print(f"records equal to what was played: {summary['records_equal']} of {summary['games']}")
    for name, share in summary["per_10000_moves"].items():
        print(f"{name.replace('_', ' ')}: {summary[name]}, of 10,000 {share['low']} to {share['high']} (95 %)")
    prompts = summary["needless_prompts_per_game"]
    print(f"needless prompts: {summary['needless_prompts']}, a game {prompts['low']} to {prompts['high']} (95 %)")
    print(f"last contact to record: p50 {latency['p50']} ms, p95 {latency['p95']} ms, p99 {latency['p99']} ms")
    print(f"recordings: {summary['recordings']}")


def replay(options: argparse.Namespace) -> int:
    """Feed recordings to the core again; exit code 1 when anything else comes out."""
    from station.runtime.report import journals_in

    different = False
    for name, data in (found for given in options.recordings for found in journals_in(Path(given))):
        answer = replay_journal(data, name)
        different |= not answer["equal"]
        if options.json:
            print_json({"file": name, **answer})
        elif answer["equal"]:
            print(f"{name}: equal, {answer['events']} events, {answer['effects']} effects")
        else:
            print(f"{name}: different at line {answer['difference']['line']}: {answer['difference']}")
    return 1 if different else 0


def replay_journal(data: bytes, name: str) -> dict[str, Any]:
    """Whether the core does with a recording's events what it did then; the first difference if not."""
    header, lines = read_journal(data, name)
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
