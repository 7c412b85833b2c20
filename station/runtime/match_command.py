"""The command `dambord match`: what was asked for, progress, the games as PDN, and what the results are worth."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TextIO

from engine.elo import METHOD, Estimate, counts, estimate
from engine.pdn import PdnGame, write_pdn
from station.errors import ConfigError
from station.runtime.clock import Clock
from station.runtime.contenders import Contender, Limits, contender
from station.runtime.dxp_player import DxpPlayer
from station.runtime.game_commands import print_json
from station.runtime.house_rules import configuration_folder, ruleset_named
from station.runtime.match import Match, Played, Thought, openings

SECONDS = 1.0
"""What a move may cost where no limit is given."""


def match(options: argparse.Namespace) -> int:
    """Play a match; exit code 1 when it had to be stopped before its last game."""
    planned = _planned(options)
    limits = _limits(options)
    played: list[Played] = []
    try:
        with ExitStack() as stack:
            games = stack.enter_context(closing(planned.played()))
            write = stack.enter_context(_pdn_file(options.pdn, Clock().began.strftime("%Y.%m.%d")))
            for game in _progress(games, planned.games, played):
                write(game)
    finally:
        if played or not planned.stopped:
            _print(summary_of(played, options, limits, planned.stopped), options.json)
    if planned.stopped and not played:
        raise ConfigError(planned.stopped)
    return 1 if planned.stopped else 0


def _limits(options: argparse.Namespace) -> Limits:
    seconds, nodes, depth = options.seconds, options.nodes, options.depth
    if seconds is None and nodes is None and depth is None:
        seconds = SECONDS
    for name, value in (("seconds", seconds), ("nodes", nodes), ("depth", depth), ("minutes", options.minutes)):
        if value is not None and not 0 < value < 1e9:
            raise ConfigError(f"--{name} {value}: expected more than 0")
    if not 0 <= options.margin < 1e6:
        raise ConfigError(f"--margin {options.margin}: expected 0 or more seconds")
    return Limits(seconds, nodes, depth, options.margin, options.minutes)


def _planned(options: argparse.Namespace) -> Match:
    limits = _limits(options)
    for name in ("games", "moves_limit", "concurrency"):
        if getattr(options, name) < 1:
            raise ConfigError(f"--{name.replace('_', '-')} {getattr(options, name)}: expected 1 or more")
    ruleset = ruleset_named(options.variant, configuration_folder())
    settings = [_settings(words) for words in (options.white_set, options.black_set)]

    def make_pair() -> tuple[Contender, Contender]:
        first = contender(options.white, ruleset, limits, settings[0])
        return first, contender(options.black, ruleset, limits, settings[1])

    pair = make_pair()  # nothing is started yet: says at once what is wrong
    if options.concurrency > 1 and any(isinstance(player, DxpPlayer) for player in pair):
        raise ConfigError(f"--concurrency {options.concurrency}: expected 1 with a program over DamExchange")
    begun = openings(ruleset, options.openings, (options.games + 1) // 2, options.seed)
    return Match(make_pair, begun, options.games, options.moves_limit, options.concurrency)


def _settings(words: Sequence[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    for name, sign, value in pairs:
        if not name or not sign:
            raise ConfigError(f"{name}{sign}{value}: expected a parameter as NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _progress(games: Iterable[Played], total: int, played: list[Played]) -> Iterator[Played]:
    """The games, each put to those that are `played`; on a terminal a line says how the match stands."""
    if not sys.stderr.isatty():
        for game in games:
            played.append(game)
            yield game
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("playing", total=total)
        for game in games:
            played.append(game)
            progress.update(task, advance=1, description=standing(played))
            yield game


def standing(played: Sequence[Played]) -> str:
    """How a match stands, in a few words."""
    wins, draws, losses = wins_draws_losses(played)
    return f"+{wins} ={draws} -{losses}, Elo {elo_text(estimate_of(played))}"


def wins_draws_losses(played: Sequence[Played]) -> tuple[int, int, int]:
    """The first player's games by their points."""
    points = [game.points for game in played]
    return points.count(1.0), points.count(0.5), points.count(0.0)


def estimate_of(played: Sequence[Played]) -> Estimate:
    """What the games say about the first player's strength; games of an opening belong together."""
    return estimate(_by_pair(played))


def _by_pair(played: Iterable[Played]) -> list[list[float]]:
    pairs: dict[int, list[float]] = {}
    for game in played:
        pairs.setdefault(game.pair, []).append(game.points)
    return list(pairs.values())


def elo_text(found: Estimate) -> str:
    """An Elo difference and its interval; `-` where there is no bound."""
    middle, low, high = ("-" if elo is None else f"{elo:+.0f}" for elo in (found.elo, found.elo_low, found.elo_high))
    return f"{middle} [{low}, {high}]"


@contextmanager
def _pdn_file(name: str | None, date: str) -> Iterator[Any]:
    """What writes each game to a file as soon as it has ended; nothing where there is no file."""
    if name is None:
        yield lambda game: None
        return
    with Path(name).open("w", encoding="utf-8") as file:
        yield lambda game: _write(file, game, date)


def _write(file: TextIO, played: Played, date: str) -> None:
    file.write(("\n" if file.tell() else "") + write_pdn(as_pdn(played, date)))
    file.flush()


def as_pdn(played: Played, date: str) -> PdnGame:
    """A game of a match with its tags; the drawn opening belongs to the moves."""
    first, second = played.names
    game = played.game
    tags = {
        "Event": "dambord match",
        "Date": date,
        "Round": f"{played.pair + 1}.{played.number % 2 + 1}",
        "White": first if played.first_is_white else second,
        "Black": second if played.first_is_white else first,
        "Opening": played.opened.opening,
        "Termination": played.outcome.reason,
    }
    named = {name: value for name, value in tags.items() if value}
    return PdnGame(named, game.ruleset, game.start, game.moves, game.result_text(played.outcome))


def summary_of(
    played: Sequence[Played], options: argparse.Namespace, limits: Limits, stopped: str = ""
) -> dict[str, Any]:
    """A match as one JSON document; `wins`, `elo` and all else are the first player's."""
    wins, draws, losses = wins_draws_losses(played)
    reasons = [game.outcome.reason for game in played if game.fault is None]
    summary: dict[str, Any] = {
        "variant": options.variant,
        "games": len(played),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        **_worth(played),
        "pairs": counts(_by_pair(played)),
        "plies": sum(game.game.ply for game in played),
        "ended_by": {reason: reasons.count(reason) for reason in sorted(set(reasons))},
        "faults": [_plain_fault(game) for game in played if game.fault is not None],
        "limits": {"seconds": limits.seconds, "nodes": limits.nodes, "depth": limits.depth},
        "seed": options.seed,
        "stopped": stopped,
    }
    for number, side in enumerate(("white", "black")):
        names = [game.names[number] for game in played]
        thought = sum((game.thoughts[number] for game in played), Thought())
        summary[side] = {"command": getattr(options, side), "name": names[-1] if names else "", **_plain(thought)}
    return summary


def _worth(played: Sequence[Played]) -> dict[str, Any]:
    """Points and Elo difference; null where there is no game or no bound."""
    found = estimate_of(played) if played else None
    elos = (found.elo, found.elo_low, found.elo_high) if found else (None, None, None)
    rounded = [None if elo is None else round(elo, 1) for elo in elos]
    return {
        "points": sum(game.points for game in played),
        "share": round(found.share, 4) if found else None,
        **dict(zip(("elo", "elo_low", "elo_high"), rounded, strict=True)),
        "method": METHOD,
    }


def _plain(thought: Thought) -> dict[str, Any]:
    return {
        "moves": thought.moves,
        "mean_ms": round(thought.took_ms / thought.moves, 1) if thought.moves else None,
        "slowest_ms": round(thought.slowest_ms, 1),
        "depth": None if thought.depth is None else round(thought.depth, 2),
        "nodes_per_second": None if thought.nodes_per_second is None else round(thought.nodes_per_second),
    }


def _plain_fault(game: Played) -> dict[str, Any]:
    assert game.fault is not None
    by = "white" if game.fault_of_first else "black"
    return {"game": game.number + 1, "by": by, "kind": game.fault.kind, "reason": game.fault.reason}


def _print(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(summary)
        return
    white, black = summary["white"], summary["black"]
    print(f"{white['name'] or white['command']} - {black['name'] or black['command']}, {summary['variant']}")
    print(f"{summary['games']} games: +{summary['wins']} ={summary['draws']} -{summary['losses']}")
    if summary["share"] is not None:
        elos = ["-" if summary[key] is None else f"{summary[key]:+.0f}" for key in ("elo", "elo_low", "elo_high")]
        print(f"{100 * summary['share']:.1f} % of points, Elo {elos[0]} [{elos[1]}, {elos[2]}]: {summary['method']}")
    for side in (white, black):
        depth = "not told" if side["depth"] is None else side["depth"]
        speed = "not told" if side["nodes_per_second"] is None else f"{side['nodes_per_second'] / 1e6:.3f} M"
        print(f"{side['name']}: depth {depth}, nodes a second {speed}, {side['mean_ms']} ms a move")
    for fault in summary["faults"]:
        print(f"game {fault['game']}: lost by {summary[fault['by']]['name']}: {fault['reason']}")
    if summary["stopped"]:
        print(f"stopped: {summary['stopped']}")
