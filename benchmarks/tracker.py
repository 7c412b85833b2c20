"""What the tracker costs: views remembered and read each second on a board of 100 squares, and its share of a core.

python benchmarks/tracker.py [SECONDS]

At 100 frames/s: a board on which nothing changes, a game played on it, and one marginal square that flickers beside a
move under way. Exit code 1 when one of them takes more than the promised share of a core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import cycle
from random import Random

from engine.position import EMPTY, Piece, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, read_ruleset
from engine.view import BLACK, OCCUPIED, WHITE, BoardView, view_of
from station.tracker import Context, Memory, expect, forget, read, remember

PROMISED_PERCENT = 1.0
FRAMES_PER_SECOND = 100
MOVE_FRAMES = 100
"""A move a second, which is blitz: its piece is in the hand for a third of it."""

RULES = """
base = "turkish"
title = "A full board of 100 squares"
source = "made for this benchmark"
columns = 10
rows = 10
"""

Scene = Sequence[tuple[Position, BoardView]]


def view(contents: Sequence[Piece], colour: bool) -> BoardView:
    """What a board says of its contents, with or without colours."""
    return view_of(
        content if content is EMPTY else (WHITE if content & WHITE else BLACK) if colour else OCCUPIED
        for content in contents
    )


def still(position: Position, colour: bool) -> Scene:
    """A second in which nothing happens."""
    return [(position, view(position.contents, colour))] * FRAMES_PER_SECOND


def playing(ruleset: Ruleset, colour: bool, moves: int) -> Scene:
    """Moves by chance, one a second: lifted, put down, taken off."""
    rules, chance = rules_for(ruleset), Random(7)
    position, frames = rules.start(), []
    for _ in range(moves):
        move = chance.choice(rules.legal_moves(position))
        lifted, after = list(position.contents), position.after(move)
        lifted[move.from_square] = EMPTY
        frames += [(position, view(position.contents, colour))] * (MOVE_FRAMES // 3)
        frames += [(position, view(lifted, colour))] * (MOVE_FRAMES // 3)
        frames += [(position, view(after.contents, colour))] * (MOVE_FRAMES - 2 * (MOVE_FRAMES // 3))
        position = after
    return frames


def flickering(position: Position, ruleset: Ruleset, colour: bool) -> Scene:
    """A piece in the hand, and a square of the other side that is seen and not seen by turns, ten times a second."""
    move = rules_for(ruleset).legal_moves(position)[0]
    lifted = list(position.contents)
    lifted[move.from_square] = EMPTY
    dark = list(lifted)
    dark[position.pieces(position.turn.other)[0]] = EMPTY
    return [(position, view(dark if place // 5 % 2 else lifted, colour)) for place in range(FRAMES_PER_SECOND)]


def cost_us(scene: Scene, ruleset: Ruleset, seconds: float) -> float:
    """Processor time for a frame in microseconds, over at least so many seconds of it."""
    frames, memory, at_ms, before = 0, Memory(), 0, scene[0][0]
    began = time.process_time()
    for position, seen in cycle(scene):
        if position is not before:
            memory, before = forget(memory), position
        at_ms += 1000 // FRAMES_PER_SECOND
        context = Context(expect(position, ruleset), ruleset, plies=4, now_ms=at_ms, ply_ms=150)
        memory = remember(memory, seen, at_ms, context)
        read(context, memory)
        frames += 1
        if frames % 100 == 0 and time.process_time() - began > seconds:
            break
    return 1e6 * (time.process_time() - began) / frames


def main() -> int:
    """Print a line for each scene; exit code 1 when one costs more than promised."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    ruleset = read_ruleset(RULES, "benchmark")
    start = rules_for(ruleset).start()
    worst = 0.0
    for colour in (False, True):
        scenes = {
            "nothing changes": still(start, colour),
            "a move a second": playing(ruleset, colour, 60),
            "a square flickers": flickering(start, ruleset, colour),
        }
        for name, scene in scenes.items():
            cost = cost_us(scene, ruleset, seconds)
            percent = cost * FRAMES_PER_SECOND / 1e4
            worst = max(worst, percent)
            sensors = "colour" if colour else "occupancy"
            print(f"{name}, {sensors}: {1e6 / cost:,.0f} frames/s, {percent:.2f} % of a core at {FRAMES_PER_SECOND}/s")
    print(f"worst {worst:.2f} % (promised {PROMISED_PERCENT})")
    return 0 if worst <= PROMISED_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
