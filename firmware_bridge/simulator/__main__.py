"""A simulated board on a pseudo-terminal, touched by lines on standard input: for hands that are not ours.

    python -m firmware_bridge.simulator matrix 8x8 --path /tmp/board --noise worn --seed 7

Lines: `put COLUMN ROW PIECE` (white_man, white_king, black_man, black_king), `take COLUMN ROW`, `press BUTTON`,
`break COLUMN ROW` (that sensor reads empty from now on), `unplug`, `plug`, `lamps`. Columns count from the left and
rows from the top as White sees the board, both from 0. `lamps` is answered by one line of `COLUMN ROW ROLE` joined by
commas; what cannot be done by a line that begins with `error`. The program ends with its input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from engine.position import Piece
from firmware_bridge.simulator import PRESETS, device_for
from firmware_bridge.simulator.pty_port import PtyPort


def main(arguments: Sequence[str] | None = None, lines: TextIO = sys.stdin, answers: TextIO = sys.stdout) -> None:
    """Runs a board until its input ends."""
    parser = argparse.ArgumentParser(prog="python -m firmware_bridge.simulator", description=__doc__.splitlines()[0])
    parser.add_argument("driver", choices=("matrix", "dgt"), help="kind of board")
    parser.add_argument("size", metavar="COLUMNSxROWS", help="cells, for example 10x10")
    parser.add_argument("--path", type=Path, required=True, help="name of the port that appears")
    parser.add_argument("--colour", action="store_true", help="a matrix that tells white pieces from black ones")
    parser.add_argument("--measures", action="store_true", help="a matrix that measures how strong a magnet is")
    parser.add_argument("--kings", action="store_true", help="a matrix that measures, and tells kings by it")
    parser.add_argument("--noise", choices=sorted(PRESETS), default="clean", help="faults (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="chance that can be repeated (default: %(default)s)")
    options = parser.parse_args(arguments)
    columns, _, rows = options.size.partition("x")
    faults = PRESETS[options.noise]
    board = device_for(
        options.driver,
        int(columns),
        int(rows),
        seed=options.seed,
        faults=faults,
        colour=options.colour or options.kings,
        measures=options.measures or options.kings,
        kings=options.kings,
    )
    with PtyPort(board, options.path) as port:
        for line in lines:
            answer = _obey(port, line.split())
            if answer is not None:
                answers.write(f"{answer}\n")
                answers.flush()


def _obey(port: PtyPort, words: Sequence[str]) -> str | None:
    try:
        match words:
            case ["put", column, row, piece]:
                port.put((int(column), int(row)), Piece[piece.upper()])
            case ["take", column, row]:
                port.take((int(column), int(row)))
            case ["break", column, row]:
                port.break_sensor((int(column), int(row)))
            case ["press", button]:
                port.press(button)
            case ["unplug"]:
                port.unplug()
            case ["plug"]:
                port.plug()
            case ["lamps"]:
                return ",".join(f"{column} {row} {role}" for (column, row), role in sorted(port.lamps().items()))
            case []:
                pass
            case _:
                return f"error: {' '.join(words)}: no such line"
    except (ValueError, KeyError, IndexError) as error:
        return f"error: {' '.join(words)}: {error}"
    return None


if __name__ == "__main__":
    main()
