"""Commands about rules and games: variants, moves, perft, explain, pdn."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from engine import perft as counting
from engine.explain import why_not
from engine.fen import read_fen
from engine.game import Game, new_game
from engine.notation import full_move_text, move_text, read_square, square_name
from engine.pdn import Fault, PdnGame, game_type, read_pdn_bytes, write_pdn_file
from engine.position import Move, Position
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names
from station.breaking import sentence
from station.errors import ConfigError
from station.runtime.house_rules import configuration_folder, house_rules, ruleset_named
from station.texts import load_texts

MOST_PERFT_DEPTH = 100


def print_json(document: object) -> None:
    """One JSON document on a line of standard output."""
    sys.stdout.write(msgspec.json.encode(document).decode() + "\n")


def variants(options: argparse.Namespace) -> int:
    """List the rule sets, built in and of the house."""
    found = house_rules(configuration_folder())
    house = found.rulesets
    for fault in found.faults.values():
        print(f"dambord: {fault}", file=sys.stderr)
    known = [*map(load_ruleset, variant_names()), *house.values()]
    if options.json:
        print_json([_plain_ruleset(ruleset, ruleset.name in house) for ruleset in known])
        return 0
    _print_rulesets(known, house, "", "")
    return 0


def _print_rulesets(known: list[Ruleset], house: Mapping[str, Ruleset], base: str, indent: str) -> None:
    """The rule sets that follow from a base, each with those that follow from it."""
    for ruleset in known:
        if ruleset.base == base:
            kind = f" (GameType {ruleset.pdn_type})" if ruleset.pdn_type else ""
            remark = " (house rules)" if ruleset.name in house else ""
            board = f"{ruleset.columns}x{ruleset.rows}"
            print(f"{indent + ruleset.name:28} {board:6} {ruleset.title}{kind}{remark}")
            _print_rulesets(known, house, ruleset.name, indent + "  ")


def _plain_ruleset(ruleset: Ruleset, house: bool) -> dict[str, Any]:
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "board": f"{ruleset.columns}x{ruleset.rows}",
        "GameType": game_type(ruleset) if ruleset.pdn_type else "",
        "base": ruleset.base,
        "house": house,
        "source": ruleset.source,
    }


def moves(options: argparse.Namespace) -> int:
    """List the legal moves of a position."""
    ruleset, rules, position = _where(options)
    legal = rules.legal_moves(position)
    if options.json:
        print_json({"moves": [plain_move(move, legal, ruleset, options.rows) for move in legal]})
        return 0
    for move in legal:
        print(move_text(move, legal, ruleset, options.rows))
    return 0


def plain_move(move: Move, legal: tuple[Move, ...], ruleset: Ruleset, by_rows: bool) -> dict[str, Any]:
    """A move with squares as the variant writes them, or numbered by rows."""

    def name(square: int) -> str:
        return square_name(square, ruleset, by_rows)

    return {
        "text": move_text(move, legal, ruleset, by_rows),
        "from": name(move.from_square),
        "path": [name(square) for square in move.path],
        "captured": [name(square) for square in move.captured],
        "to": name(move.to_square),
        "promotes": move.promotes,
    }


def perft(options: argparse.Namespace) -> int:
    """Count leaves, in both conventions."""
    ruleset, rules, position = _where(options)
    if options.king_limit:
        position = rules.opened(position)
    elif position.trail is not None:
        position = replace(position, trail=None)
    if not 1 <= options.depth <= MOST_PERFT_DEPTH:
        raise ConfigError(f"--depth {options.depth}: expected 1 to {MOST_PERFT_DEPTH}")
    fast = None if options.reference else counting.kernel_perft(rules)
    if fast is None and not options.reference:
        print("dambord: the compiled generator is not installed, counting by the readable one", file=sys.stderr)
    began = time.perf_counter()
    below = [
        (full_move_text(move, ruleset, options.rows), count)
        for move, count in (counting.divide(rules, position, options.depth, fast) if options.divide else ())
    ]
    total = fast(position, options.depth) if fast else counting.perft(rules, position, options.depth)
    seconds = round(time.perf_counter() - began, 3)
    answer: dict[str, Any] = {
        "nodes": total.nodes,
        "ordered": total.ordered,
        "seconds": seconds,
        "generator": "compiled" if fast else "readable",
    }
    if options.divide:
        answer["divide"] = {text: {"nodes": count.nodes, "ordered": count.ordered} for text, count in below}
    if options.json:
        print_json(answer)
        return 0
    for text, count in below:
        print(f"{text:12} {count.nodes}")
    apart = (
        "too many orders of capture to list"
        if total.ordered is None
        else f"{total.ordered} with orders of capture apart"
    )
    print(f"{total.nodes} positions ({apart}) in {seconds} s, counted by the {answer['generator']} generator")
    return 0


def explain(options: argparse.Namespace) -> int:
    """Say which rule forbids a move; exit code 1 when one does."""
    ruleset, rules, position = _where(options)
    if not options.squares:
        return _explain_position(options, new_game(ruleset, position))
    squares = tuple(read_square(text, ruleset, options.rows) for text in options.squares)
    violation = why_not(rules, position, squares)
    texts = load_texts(options.language)
    if violation is None:
        if options.json:
            print_json({"legal": True})
        else:
            print(texts.say("explain.legal"))
        return 0
    instead = [full_move_text(move, ruleset, options.rows) for move in violation.legal]
    told = sentence(texts, violation, ruleset, options.rows)
    if options.json:
        named = [square_name(square, ruleset, options.rows) for square in violation.squares]
        print_json(
            {
                "legal": False,
                "rule": violation.rule,
                "article": violation.article,
                "sentence": told,
                "squares": named,
                "instead": instead,
            }
        )
        return 1
    print(told)
    return 1


def _explain_position(options: argparse.Namespace, game: Game) -> int:
    """Say how the game stands here: over, or which rules of draws count; exit code 0."""
    outcome = game.outcome(claimed=True)
    texts = load_texts(options.language)
    rules = [
        {
            "name": counter.rule.name,
            "article": counter.rule.article,
            "limit": counter.limit,
            "counts": "times" if counter.rule.times else counter.rule.counts,
            "on": counter.rule.on,
        }
        for counter in game.counters()
    ]
    if options.json:
        ended = outcome and {
            "winner": str(outcome.winner) if outcome.winner else None,
            "reason": outcome.reason,
            "article": outcome.article,
            "result": game.result_text(outcome),
        }
        print_json({"outcome": ended, "moves": len(game.legal_moves), "draws": rules})
        return 0
    if outcome:
        key = f"reason.{outcome.reason}"
        known = texts.sentences.get(key) or texts.say("reason.rule", name=outcome.reason, article=outcome.article)
        winner = f"over.{outcome.winner or 'draw'}"
        print(f"{texts.say(winner)}: {known}.")
        return 0
    print(texts.say("explain.moves", number=str(len(game.legal_moves))))
    for rule in rules:
        print(texts.say(f"explain.draw_{rule['counts']}", **{key: str(value) for key, value in rule.items()}))
    return 0


_MOST_NOTES = 10
"""How many notes a person wants to see for each file."""


def pdn_check(options: argparse.Namespace) -> int:
    """Read PDN files; one line each. Exit code 1 when a fault was found."""
    faulty = False
    for name in options.files:
        games = read_games(Path(name), options.variant)
        notes = [note for game in games for note in game.notes]
        faults = [fault for game in games for fault in game.faults]
        faulty |= bool(faults)
        played = [game for game in games if game.moves]
        legal = sum(1 for game in played if not game.faults)
        if options.json:
            plain = {"faults": [_plain_fault(f) for f in faults], "notes": [_plain_fault(n) for n in notes]}
            print_json({"file": name, "games": len(played), "legal": legal, **plain})
            continue
        print(f"{name}: {len(played)} games with moves, {legal} without a fault")
        for fault in faults:
            print(f"  game {fault.game}, line {fault.line}, ply {fault.ply}: {fault.reason}")
        for note in notes[:_MOST_NOTES]:
            print(f"  note: game {note.game}, line {note.line}: {note.reason}")
        if len(notes) > _MOST_NOTES:
            print(f"  and {len(notes) - _MOST_NOTES} notes more; --json has them all")
    return 1 if faulty else 0


def _plain_fault(fault: Fault) -> dict[str, Any]:
    return {"game": fault.game, "line": fault.line, "ply": fault.ply, "reason": fault.reason}


def pdn_convert(options: argparse.Namespace) -> int:
    """Write what a PDN file holds as canonical PDN; faults are named on standard error."""
    games = read_games(Path(options.source), options.variant)
    Path(options.target).write_text(write_pdn_file(games), encoding="utf-8")
    faults = [fault for game in games for fault in game.faults]
    for fault in faults:
        print(f"{options.source}: line {fault.line}, ply {fault.ply}: {fault.reason}", file=sys.stderr)
    return 1 if faults else 0


@contextmanager
def _keeping_everything() -> Iterator[None]:
    """What a file's games are made of is kept to the end, so looking for what could be thrown away is in vain."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def read_games(path: Path, variant: str | None) -> tuple[PdnGame, ...]:
    """The games of a PDN file in whatever encoding it is; `variant` where the file itself states none."""
    named = ruleset_named(variant, configuration_folder()) if variant else None
    with _keeping_everything():
        return read_pdn_bytes(path.read_bytes(), named, path.stem)


def _where(options: argparse.Namespace) -> tuple[Ruleset, Rules, Position]:
    ruleset = ruleset_named(options.variant, configuration_folder())
    rules = rules_for(ruleset)
    position = read_fen(options.fen, ruleset, options.rows) if options.fen else rules.start()
    return ruleset, rules, position
