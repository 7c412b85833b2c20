"""How well pictures are read: boards found, squares and positions right, scenes left out; as a table in Markdown.

python -m benchmarks.pictures [FOLDER] [--copies 8] [--networks 5] [--groups N] [--table FILE]

FOLDER (default: ../shared/vision) holds labels.json and the photographs it names. Squares are read by networks that
saw no picture of the scene; with --groups N scenes are left out in N groups instead of one by one, which is faster.
"Known" adds one picture of the scene whose position is known and reads the others. Exit code 1 when a promise is
missed, 2 when there are no photographs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.instructions import told
from engine.notation import full_move_text
from engine.position import Piece, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from station.runtime.seeing import KIND, UNKNOWN, ranked
from training.reader import Examples, examples, most_pieces, played_cells, train, usable
from vision.appearance import Recalling, tuned
from vision.features import features
from vision.locate import Located, locate
from vision.reader import Network, Reading, judged, trained
from vision.rectify import rectified

NEAR = 0.15
"""A corner is right within so much of a square's side."""
MARGIN = 2.0
"""A move is accepted that explains a picture better than every other by so many nats."""


def main() -> int:
    """Measure all, print and write the table."""
    options = _options()
    if not (options.folder / "labels.json").exists():
        print(f"{options.folder}: no labels.json with photographs there, nothing is measured", file=sys.stderr)
        return 2
    labels = json.loads((options.folder / "labels.json").read_text(encoding="utf-8"))["images"]
    rows = [*_finding(options.folder, labels), *_reading(options, usable(labels))]
    rows.append(("a camera's whole pipeline for a picture of 1280x720", "-", told(), True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table = [
        "# Reading pictures",
        f"Written by `python -m benchmarks.pictures --groups {options.groups}` on {date.today()}, {len(labels)} "
        f"photographs of {len({label['scene'] for label in labels})} scenes, left out "
        f"{f'in {options.groups} groups' if options.groups else 'one by one'}; load {os.getloadavg()[0]:.1f}.",
        "",
        "| measure | promised | measured | |",
        "|---|---|---|---|",
        *(f"| {name} | {promise} | {value} | {'' if kept else 'missed'} |" for name, promise, value, kept in rows),
        "",
        f"The training beside it takes most of the {memory:.0f} MB of this process.",
    ]
    text = "\n".join(table) + "\n"
    print(text)
    if options.table:
        options.table.write_text(text, encoding="utf-8")
    return 0 if all(kept for *_, kept in rows) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/vision"))
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--networks", type=int, default=5)
    parser.add_argument(
        "--groups", type=int, default=0, help="leave scenes out in so many groups (default: one by one)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", type=Path, metavar="FILE")
    return parser.parse_args()


Row = tuple[str, str, str, bool]


def _finding(folder: Path, labels: Sequence[dict[str, Any]]) -> list[Row]:
    found = wrong = 0
    took = []
    for label in labels:
        image = np.asarray(cv2.imread(str(folder / label["file"])), np.uint8)
        began = time.process_time()
        board = locate(image)
        took.append(1000 * (time.process_time() - began))
        if board is None:
            continue
        right = _is_right(board, label)
        found, wrong = found + right, wrong + (not right)
    share, bad = found / len(labels), wrong / len(labels)
    median = float(np.median(took))
    return [
        ("boards found, no hints", "at least 97 %", f"{100 * share:.1f} % ({found} of {len(labels)})", share >= 0.97),
        ("boards wrongly found", "at most 1 %", f"{100 * bad:.1f} %", bad <= 0.01),
        ("time to find one, CPU", "at most 400 ms", f"median {median:.0f}, at most {max(took):.0f} ms", median <= 400),
    ]


def _is_right(board: Located, label: dict[str, Any]) -> bool:
    corners = np.array(label["corners"])
    side = np.mean(np.hypot(*(corners - np.roll(corners, 1, axis=0)).T)) / label["cols"]
    away = min(np.hypot(*(np.roll(board.corners, k, axis=0) - corners).T).max() for k in range(4))
    return bool(away < NEAR * side and (board.columns, board.rows) == (label["cols"], label["rows"]))


def _reading(options: argparse.Namespace, labels: list[dict[str, Any]]) -> list[Row]:
    data = examples(options.folder, labels, options.copies, options.seed)
    scenes = np.unique(data.scenes)
    groups = np.arange(len(scenes)) if not options.groups else np.arange(len(scenes)) % options.groups
    group = dict(zip(scenes, np.random.default_rng(options.seed).permutation(groups), strict=True))
    unseen: dict[int, np.ndarray] = {}
    known: list[tuple[int, np.ndarray]] = []
    for number in np.unique(groups):
        left_out = np.array([group[scene] == number for scene in data.scenes])
        networks = tuple(train(data.where(~left_out), options.seed + which) for which in range(options.networks))
        pictures = np.unique(data.pictures[left_out])
        unseen |= {int(picture): _read(networks, data, int(picture)) for picture in pictures}
        for scene in {labels[picture]["scene"] for picture in pictures}:
            known += _with_one_known(networks, data, [p for p in pictures if labels[p]["scene"] == scene])
    return [
        *_squares("unseen scene", list(unseen.items()), data, 98.0, None),
        *_squares("one picture known", known, data, 99.2, 88.0),
        *_answered(list(unseen.items()), data),
        *_positions(list(unseen.items()), labels, options.seed),
        _speed(options.folder, labels),
        _memory(options.folder, labels),
    ]


def _own(data: Examples, picture: int) -> np.ndarray:
    return np.asarray((data.pictures == picture) & (data.copies == 0))


def _read(networks: Sequence[Reading], data: Examples, picture: int) -> np.ndarray:
    own = _own(data, picture)
    return judged(networks, data.numbers[own], most_pieces(int(own.sum())))


def _with_one_known(networks: tuple[Network, ...], data: Examples, pictures: list[int]) -> list[tuple[int, np.ndarray]]:
    """Each picture of a scene in turn known, all others read."""
    read = []
    for teacher in pictures:
        own = _own(data, teacher)
        taught = tuned(networks, data.numbers[own], data.kinds[own])
        taught = tuple(Recalling(network, data.numbers[own], data.kinds[own]) for network in taught)
        read += [(other, _read(taught, data, other)) for other in pictures if other != teacher]
    return read


def _squares(
    name: str, read: list[tuple[int, np.ndarray]], data: Examples, squares: float, boards: float | None
) -> list[Row]:
    right = [likely.argmax(axis=1) == data.kinds[_own(data, picture)] for picture, likely in read]
    share = 100 * float(np.concatenate(right).mean())
    whole = 100 * float(np.mean([all(board) for board in right]))
    return [
        (f"squares right, {name}", f"at least {squares} %", f"{share:.2f} %", share >= squares),
        (
            f"whole boards right, {name}",
            "-" if boards is None else f"at least {boards} %",
            f"{whole:.1f} %",
            boards is None or whole >= boards,
        ),
    ]


def _answered(read: list[tuple[int, np.ndarray]], data: Examples) -> list[Row]:
    likely = np.concatenate([probabilities for _, probabilities in read])
    kinds = np.concatenate([data.kinds[_own(data, picture)] for picture, _ in read])
    sure, wrong = likely.max(axis=1), likely.argmax(axis=1) != kinds
    level = np.quantile(sure, 0.1)
    among = 100 * float(wrong[sure > level].mean())
    bins = np.clip((sure * 10).astype(int), 0, 9)
    error = sum(
        (bins == place).mean() * abs(sure[bins == place].mean() - (1 - wrong[bins == place].mean()))
        for place in np.unique(bins)
    )
    unknown = 100 * float((sure < UNKNOWN).mean())
    return [
        ("wrong among answered, 10 % unknown", "at most 0.3 %", f"{among:.2f} % (below {level:.2f})", among <= 0.3),
        (
            f"unknown at {UNKNOWN}",
            "-",
            f"{unknown:.1f} %, {100 * float(wrong[sure >= UNKNOWN].mean()):.2f} % wrong",
            True,
        ),
        ("calibration error of the probabilities", "at most 0.05", f"{error:.3f}", bool(error <= 0.05)),
    ]


def _positions(read: list[tuple[int, np.ndarray]], labels: list[dict[str, Any]], seed: int) -> list[Row]:
    """The position of a picture, and two from which a legal move leads to it: which move is seen, or none."""
    chance = np.random.default_rng(seed)
    right = accepted = wrong = trials = 0
    for picture, likely in read:
        ruleset, order = _rules_of(labels[picture])
        stands = [_piece(labels[picture], row, column) for row, column in played_cells(labels[picture])]
        contents = tuple(stands[place] for place in order)
        seen = likely[order]
        for before, text in _trials(contents, ruleset, chance):
            moves = ranked(before, ruleset, seen, by_rows=True)
            first = moves[0]
            trials += 1
            good = first["text"] == text
            right += good
            if first["margin"] >= MARGIN:
                accepted += 1
                wrong += not good
    share, taken, bad = 100 * right / trials, 100 * accepted / trials, 100 * wrong / trials
    return [
        ("position right, with the rules", "at least 99.3 %", f"{share:.2f} % of {trials}", share >= 99.3),
        ("accepted at 2 nats", "at least 98 %", f"{taken:.1f} %", taken >= 98),
        ("accepted and wrong", "at most 0.3 %", f"{bad:.2f} %", bad <= 0.3),
    ]


def _rules_of(label: dict[str, Any]) -> tuple[Ruleset, list[int]]:
    """Rules of a board of this size, and where each of their squares is among the played cells.

    The lower left square plays; a picture in which it does not is taken as turned by a quarter.
    """
    cells, rows = played_cells(label), label["rows"]
    plays = (rows - 1) % 2 == label["playable_parity"]
    ruleset = load_ruleset("russian" if rows == 8 else "international")
    shown = [(row, column) if plays else (column, rows - 1 - row) for column, row in ruleset.geometry.cells]
    return ruleset, [cells.index(cell) for cell in shown]


def _piece(label: dict[str, Any], row: int, column: int) -> Piece:
    return {
        "-": Piece.EMPTY,
        "w": Piece.WHITE_MAN,
        "W": Piece.WHITE_KING,
        "b": Piece.BLACK_MAN,
        "B": Piece.BLACK_KING,
    }[label["cells"][row][column]]


def _trials(contents: tuple[Piece, ...], ruleset: Ruleset, chance: np.random.Generator) -> list[tuple[Position, str]]:
    """Positions with what the picture should be read as: no move yet, and moves that lead to it."""
    rules = rules_for(ruleset)
    trials = [(Position(contents, Side.WHITE), "none yet")]
    empty = [square for square, piece in enumerate(contents) if KIND[piece] == 0]
    movers = [square for square, piece in enumerate(contents) if KIND[piece]]
    chance.shuffle(movers)
    for square in movers:
        if len(trials) == 3:
            break
        side = Side.WHITE if KIND[contents[square]] == 1 else Side.BLACK
        for start in chance.permutation(empty):
            earlier = list(contents)
            earlier[start], earlier[square] = earlier[square], Piece.EMPTY
            before = Position(tuple(earlier), side)
            leads = [move for move in rules.legal_moves(before) if before.after(move).contents == contents]
            if leads:
                trials.append((before, full_move_text(leads[0], ruleset, by_rows=True)))
                break
    return trials


def _speed(folder: Path, labels: list[dict[str, Any]]) -> Row:
    """One reading of a picture of 1280x720, corners known."""
    label = labels[0]
    image = np.asarray(cv2.imread(str(folder / label["file"])), np.uint8)
    scale = np.array([1280 / image.shape[1], 720 / image.shape[0]])
    image = np.asarray(cv2.resize(image, (1280, 720)), np.uint8)
    cells, corners = played_cells(label), np.array(label["corners"]) * scale
    networks = trained()
    took = []
    for _ in range(30):
        began = time.process_time()
        board = rectified(image, corners, label["cols"], label["rows"])
        judged(networks, features(board, cells, label["cols"], label["rows"]), most_pieces(len(cells)))
        took.append(1000 * (time.process_time() - began))
    median = float(np.median(took))
    return ("one reading at 1280x720, CPU", "at most 20 ms", f"{median:.1f} ms", median <= 20)


def _memory(folder: Path, labels: list[dict[str, Any]]) -> Row:
    """What `dambord see` takes for one picture, sought and read, with Python, NumPy and OpenCV; the most of three."""
    # Not by getrusage: there a child begins with the memory of its parent.
    code = (
        "import re, sys; from station.runtime.cli import main; main(['see', sys.argv[1], '--json']); "
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"
    )
    took = []
    for label in labels[:: len(labels) // 3 + 1]:
        command = [sys.executable, "-c", code, str(folder / label["file"])]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        took.append(int(done.stderr.splitlines()[-1]) / 1024)
    return ("memory of one reading", "at most 120 MB", f"{max(took):.0f} MB", max(took) <= 120)


if __name__ == "__main__":
    raise SystemExit(main())
