"""A few games to play in tests, as the engine's moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.notation import read_square
from engine.position import Move, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset

GAMES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "outside" / "games.json").read_text(encoding="utf-8")
)


def game(variant: str, plies: int | None = None) -> tuple[Ruleset, Position, tuple[Move, ...]]:
    """Rules, start and moves of a recorded game, or of its beginning."""
    ruleset = load_ruleset(variant)
    rules = rules_for(ruleset)
    position, moves = rules.start(), []
    for written in GAMES[variant][:plies]:
        names = (written["from"], written["to"], *written["captured"])
        start, end, *captured = (read_square(name, ruleset) for name in names)
        wanted = (start, end, tuple(sorted(captured)), written["promotes"])
        move = next(move for move in rules.legal_moves(position) if move.effect == wanted)
        moves.append(move)
        position = position.after(move)
    return ruleset, rules.start(), tuple(moves)
