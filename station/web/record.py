"""The game of a snapshot as PDN, the variants that can be played on its board, and problems to show there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from engine.errors import NotationError
from engine.game import new_game
from engine.notation import move_text, square_name
from engine.pdn import PdnGame, read_pdn, write_pdn
from engine.position import Position
from engine.problem_sets import count, problem
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, variant_names
from station.announcements import fen_of
from station.status import contents, geometry
from station.texts import Texts


def pdn_of(snapshot: Mapping[str, Any]) -> str:
    """The record as PDN; NotationError when its moves cannot be followed from its start (`start_fen`, if it has one).

    The loop is not asked for it with every snapshot: a page wants it once a game, and it costs more than a move.
    """
    state = snapshot["state"]
    ruleset = ruleset_of(snapshot)
    players, result = state["players"], state["result"]
    tags = {"Event": snapshot["board"], "White": players["white"], "Black": players["black"]}
    if "opening" in snapshot:
        tags["Opening"] = snapshot["opening"]
    fen = snapshot.get("start_fen")
    text = f'[FEN "{fen}"]\n' if fen else ""
    (game,) = read_pdn(f'{text}[Result "{result}"]\n\n{" ".join(snapshot["moves"])} {result}\n', ruleset)
    end = reduce(Position.after, game.moves, game.start)
    if not game.is_legal or fen_of(end, ruleset) != snapshot["position"]["fen"]:
        reasons = "; ".join(fault.reason for fault in game.faults) or "the moves do not lead to the position"
        raise NotationError(f"the record cannot be written: {reasons}")
    return write_pdn(PdnGame(tags, ruleset, game.start, game.moves, result))


def ruleset_of(snapshot: Mapping[str, Any]) -> Ruleset:
    """The rules of a snapshot's game: those that it states itself, else the built-in ones of the variant's name."""
    name = snapshot["state"]["variant"]
    return read_ruleset(snapshot["rules"], name) if "rules" in snapshot else load_ruleset(name)


def variants_for(snapshot: Mapping[str, Any], texts: Texts) -> list[dict[str, str | int]]:
    """Name, title and number of problems of every variant played on a snapshot's squares, in alphabetical order.

    House rules that the snapshot lists are among them.
    """
    cells = [tuple(cell) for cell in snapshot["geometry"]["squares"].values()]
    rulesets = [load_ruleset(name) for name in variant_names()]
    fitting = [ruleset for ruleset in rulesets if list(ruleset.geometry.cells) == cells]
    named = [
        {"name": ruleset.name, "title": texts.title(ruleset), "problems": count(ruleset.name)} for ruleset in fitting
    ]
    return sorted([*named, *snapshot.get("house_rules", ())], key=lambda one: one["title"])


def problem_for(snapshot: Mapping[str, Any], number: int, texts: Texts) -> dict[str, Any] | None:
    """A problem of a snapshot's variant with all its positions; numbers beyond the last begin again. None: no problems.

    `geometry` as in snapshots, `positions` (contents by square, the start first), `moves` (`text`, `from`, `to`).
    """
    variant = snapshot["state"]["variant"]
    if not count(variant):
        return None
    found = problem(variant, number % count(variant) + 1)
    ruleset = load_ruleset(variant)
    game = new_game(ruleset, found.position)
    moves = []
    for move in found.line:
        moves.append(
            {
                "text": move_text(move, game.legal_moves, ruleset),
                "from": square_name(move.from_square, ruleset),
                "to": square_name(move.to_square, ruleset),
            }
        )
        game = game.play(move)
    return {
        "number": found.number,
        "solver": str(found.solver),
        "title": texts.title(ruleset),
        "geometry": geometry(ruleset),
        "positions": [contents(position, ruleset) for position in game.positions],
        "moves": moves,
    }
