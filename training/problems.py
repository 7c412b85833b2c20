"""Problems of our own making: shots found in games that the engine plays against itself, carelessly.

    python -m training.problems VARIANT [--number 40] [--seed 1]

writes `engine/problems/VARIANT.toml`. A shot begins where nothing can be captured: the solver offers a piece, every
answer is the only legal one, every move of the solver is better than all others by more than a man, and in the end it
is at least a man up. Each is searched once more, ten times as long, before it is taken.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.fen import write_fen
from engine.game import Game, new_game
from engine.notation import full_move_text
from engine.position import Move, Position, Side, is_king, side_of
from engine.ruleset import Ruleset, load_ruleset
from engine.thinking import MOST_DEPTH, Thinker

FOLDER = Path(__file__).parents[1] / "engine" / "problems"
CARELESS_NODES, LOOK_NODES, PROOF_NODES = 300, 10_000, 100_000
CARELESS = 40
"""Moves within so many hundredths of the best are played."""
CLEAR = 120
"""By so much, in hundredths of a man, a move of the solver is better than all others."""
LONGEST = 11
"""Plies; longer ones are for other evenings."""


def shots(ruleset: Ruleset, seed: int) -> Iterator[tuple[Position, tuple[Move, ...]]]:
    """Positions with the line that wins, one a game at most, without end."""
    thinker, chance = Thinker(ruleset, 4 << 20), random.Random(f"problems {ruleset.name} {seed}")
    while True:
        game = new_game(ruleset)
        thinker.forget()
        opening = chance.randrange(4, 9)
        while game.outcome() is None and game.ply < 90:
            line = shot(thinker, game, LOOK_NODES) if game.ply >= opening else ()
            if line and shot(thinker, game, PROOF_NODES) == line:
                yield game.position, line
                break
            moves = game.legal_moves
            game = game.play(chance.choice(moves if game.ply < opening else near_best(thinker, game, CARELESS_NODES)))


def near_best(thinker: Thinker, game: Game, nodes: int) -> tuple[Move, ...]:
    """The moves that a careless player may make."""
    return tuple(move for move, _ in _choices(thinker, game, nodes, CARELESS)[1])


def shot(thinker: Thinker, game: Game, nodes: int) -> tuple[Move, ...]:
    """The line of a shot for the side to move, empty where there is none that can be shown so."""
    solver, began = game.position.turn, balance(game.position, game.position.turn)
    if game.legal_moves[0].captured or len(game.legal_moves) < 3:
        return ()
    line: list[Move] = []
    while len(line) < LONGEST:
        move = only_good(thinker, game, nodes)
        if move is None:
            return ()
        line.append(move)
        game = game.play(move)
        answers = {answer.effect: answer for answer in game.legal_moves}
        is_quiet = not any(answer.captured for answer in answers.values())
        if len(line) > 1 and is_quiet and balance(game.position, solver) > began:
            return tuple(line)
        if len(answers) != 1 or (len(line) == 1 and is_quiet):
            return ()
        (answer,) = answers.values()
        line.append(answer)
        game = game.play(answer)
    return ()


def only_good(thinker: Thinker, game: Game, nodes: int) -> Move | None:
    """The move that is clearly better than all others and does not lose; the only one there is, too."""
    effects = {move.effect for move in game.legal_moves}
    if len(effects) == 1:
        return game.legal_moves[0]
    if not effects:
        return None
    score, choices = _choices(thinker, game, nodes, CLEAR)
    return choices[0][0] if len(choices) == 1 and score > 0 else None


def balance(position: Position, side: Side) -> int:
    """What a side is up, a king as three men."""
    own = 0
    for piece in position.contents:
        owner = side_of(piece)
        if owner is not None:
            own += (3 if is_king(piece) else 1) * (1 if owner is side else -1)
    return own


def _choices(thinker: Thinker, game: Game, nodes: int, margin: int) -> tuple[int, tuple[tuple[Move, int], ...]]:
    """The best score, and the moves within a margin of it, as the deepest whole iteration has them."""
    thinker.begin(game, nodes, margin)
    best = None
    for depth in range(1, MOST_DEPTH):
        found = thinker.iterate(depth)
        assert found is not None
        if best is None or found.complete:
            best = found
        if not found.complete:
            break
    assert best is not None
    return best.score, best.choices or ((best.line[0], best.score),)


def main() -> int:
    """Make a file of problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ruleset, known, tables = load_ruleset(options.variant), set[str](), list[str]()
    for position, line in shots(ruleset, options.seed):
        fen = write_fen(position, ruleset)
        if fen in known:
            continue
        known.add(fen)
        game, texts = new_game(ruleset, position), []
        for move in line:
            texts.append(full_move_text(move, ruleset))
            game = game.play(move)
        tables.append(f'[[problems]]\nfen = "{fen}"\nline = {str(texts).replace(chr(39), chr(34))}\n')
        print(f"{len(tables)}: {fen} {' '.join(texts)}", flush=True)
        if len(tables) == options.number:
            break
    made = (
        f"# Made by `python -m training.problems {options.variant} --number {options.number} --seed {options.seed}`.\n"
    )
    FOLDER.joinpath(f"{options.variant}.toml").write_text(made + "\n".join(tables), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
