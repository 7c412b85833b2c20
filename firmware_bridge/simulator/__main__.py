"""A simulated board on a pseudo-terminal, touched by lines on standard input: for hands that are not ours.

    python -m firmware_bridge.simulator matrix 8x8 --path /tmp/board --noise worn --seed 7

Lines: `put COLUMN ROW PIECE` (white_man, white_king, black_man, black_king), `take COLUMN ROW`, `press BUTTON`,
`hold BUTTON`, `release BUTTON`, `break COLUMN ROW` (that sensor reads empty from now on), `reset` (the reset button),
`power` (off and on), `unplug`, `plug`. Columns count from the left and rows from the top as White sees the board, both
from 0. Three lines ask, and are answered by one line: `lamps` by `COLUMN ROW ROLE` joined by commas, `buzzer` by how
often it has sounded, `brightness` by how brightly the lamps are lit (0 to 100). What cannot be done is answered by a
line that begins with `error`. The program ends with its input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from engine.position import Piece
from firmware_bridge.simulator import PRESETS, SIMULATED, MatrixBoard, SimulatedBoard, device_for
from firmware_bridge.simulator.pty_port import PtyPort

A_DAY_MS = 86_400_000


def main(arguments: Sequence[str] | None = None, lines: TextIO = sys.stdin, answers: TextIO = sys.stdout) -> None:
    """Runs a board until its input ends."""
    parser = argparse.ArgumentParser(prog="python -m firmware_bridge.simulator", description=__doc__.splitlines()[0])
    parser.add_argument("driver", choices=SIMULATED, help="kind of board")
    parser.add_argument("size", metavar="COLUMNSxROWS", help="cells, for example 10x10")
    parser.add_argument("--dims", action="store_true", help="a matrix whose lamps can be dimmed")
    parser.add_argument("--path", type=Path, required=True, help="name of the port that appears")
    parser.add_argument("--colour", action="store_true", help="a matrix that tells colours, a Certabo that reads chips")
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
        dims=options.dims,
    )
    with PtyPort(board, options.path) as port:
        for line in lines:
            answer = _obey(port, board, line.split())
            if answer is not None:
                answers.write(f"{answer}\n")
                answers.flush()


def _obey(port: PtyPort, board: SimulatedBoard, words: Sequence[str]) -> str | None:
    try:
        match words:
            case []:
                return None
            case [("lamps" | "buzzer" | "brightness") as question]:
                return _answer(port, board, question)
            case ["put" | "take" | "break", *_]:
                _touch(port, words)
            case [("press" | "hold" | "release") as act, button]:
                _push(port, board, act, button)
            case ["reset" | "power"]:
                port.power_cycle()
            case ["unplug"]:
                port.unplug()
            case ["plug"]:
                port.plug()
            case _:
                return f"error: {' '.join(words)}: no such line"
    except (ValueError, KeyError, IndexError) as error:
        return f"error: {' '.join(words)}: {error}"
    return None


def _touch(port: PtyPort, words: Sequence[str]) -> None:
    """Has a hand do something to a cell."""
    match words:
        case ["put", column, row, piece]:
            port.put((int(column), int(row)), Piece[piece.upper()])
        case ["take", column, row]:
            port.take((int(column), int(row)))
        case ["break", column, row]:
            port.break_sensor((int(column), int(row)))
        case _:
            raise ValueError("no such line")


def _push(port: PtyPort, board: SimulatedBoard, act: str, button: str) -> None:
    """Has a hand do something to a button."""
    if act == "press":
        port.press(button)
    elif act == "hold":
        port.touch(lambda now_ms: _matrix(board).hold(button, A_DAY_MS, now_ms))
    else:
        port.touch(lambda now_ms: _matrix(board).release(button, now_ms))


def _answer(port: PtyPort, board: SimulatedBoard, question: str) -> str:
    """What the eyes and ears of the hands' owner tell."""
    if question == "lamps":
        return ",".join(f"{column} {row} {role}" for (column, row), role in sorted(port.lamps().items()))
    return str(_matrix(board).buzzes if question == "buzzer" else _matrix(board).brightness)


def _matrix(board: SimulatedBoard) -> MatrixBoard:
    if not isinstance(board, MatrixBoard):
        raise ValueError("only a matrix has that")
    return board


if __name__ == "__main__":
    main()
