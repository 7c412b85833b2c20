"""`dambord see`: what the camera would read in a picture."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.fen import read_fen
from engine.notation import full_move_text, square_names
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.runtime.game_commands import print_json
from station.runtime.house_rules import configuration_folder, ruleset_named

if TYPE_CHECKING:
    from vision.features import Numbers
    from vision.observe import Observed
    from vision.reader import Reading

UNKNOWN = 0.9
"""A square whose likeliest kind is less probable than this counts as unknown."""
BOARDS = {"8x8": "russian", "10x10": "international", "10x8": "international-80"}
"""Rule sets whose squares are named where only the size of the board is given."""
KIND = {EMPTY: 0, WHITE_MAN: 1, WHITE_KING: 1, BLACK_MAN: 2, BLACK_KING: 2}
"""Place in vision.reader.KINDS of what stands on a square."""

_LEAST = 1e-4
"""No kind is held less probable than this: no single square outweighs all others."""
_CORNERS = (3, 2, 0, 1)
"""The command line's order (White's left and right, Black's left and right) among those of a board seen from above."""
_REASONS = {
    "small": "the picture is too small: expected at least 64 pixels a side",
    "dark": "the picture is too dark: more light, or a longer exposure",
    "no_board": "no board found: the whole board must be in the picture, seen from above; or give --corners",
    "other_size": "a board of {found} squares was found, expected {expected}: choose another --variant or --board",
    "screen": "the board seems to be a picture on a screen: every square is of one colour, no camera sees it like that",
}
_STRANGE = (
    "something stands or lies on many squares that are not played on: other men than those of draughts, or a hand; "
    "clear the board of it"
)


def see(options: argparse.Namespace) -> int:
    """Read pictures; one line each. Exit code 1 when a board was not found in one of them."""
    try:
        from vision.reader import trained
    except ImportError as error:
        raise ConfigError(f"dambord see needs {error.name}: pip install 'dambord[vision]'") from error
    ruleset = ruleset_named(options.variant or BOARDS[options.board], configuration_folder())
    position = read_fen(options.position, ruleset, options.rows) if options.position else None
    corners = _corners_given(options.corners) if options.corners else None
    networks = _taught(options.known, ruleset, corners, options.rows) if options.known else trained()
    missed = False
    for name in options.images:
        seen, took_ms = _observed(Path(name), ruleset, corners, position, networks)
        line: dict[str, Any] = {"image": name, "found": not isinstance(seen, str), "corners": [], "squares": {}}
        if isinstance(seen, str):
            missed = True
            line["reason"] = seen
        else:
            line["corners"] = [[round(float(x), 1) for x in seen.corners[place]] for place in _CORNERS]
            if seen.strange:
                missed = True
                line["reason"] = _STRANGE
            else:
                line["squares"] = _squares(seen, ruleset, options.rows)
            if position is not None and not seen.strange:
                line["moves"] = ranked(position, ruleset, seen.probabilities, options.rows)
        line |= {"hand": not isinstance(seen, str) and seen.hand, "ms": round(took_ms, 1)}
        if options.json:
            print_json(line)
        else:
            _tell(line, ruleset)
    return 1 if missed else 0


def _corners_given(text: str) -> list[float]:
    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 8:
        raise ConfigError(
            f"--corners {text}: expected x,y four times: White's left, White's right, Black's left, Black's right"
        )
    return numbers


def _observed(
    file: Path, ruleset: Ruleset, corners: list[float] | None, expected: Position | None, networks: Sequence[Reading]
) -> tuple[Observed | str, float]:
    """What was read, or why nothing was; and how long that took, in milliseconds, without reading the file."""
    import numpy as np

    from vision.observe import Unread, observe
    from vision.pictures import read_picture

    given = None
    if corners is not None:
        points = np.array(corners).reshape(4, 2)
        given = np.empty((4, 2))
        given[list(_CORNERS)] = points
    try:
        image = read_picture(file)
    except ValueError as error:
        return str(error), 0.0
    likely = None if expected is None else np.eye(3)[_kinds(expected)]
    began = time.perf_counter()
    seen = observe(image, ruleset.geometry, _most(ruleset), given, likely, networks)
    took_ms = 1000 * (time.perf_counter() - began)
    if not isinstance(seen, Unread):
        return seen, took_ms
    found = f"{seen.found.columns}x{seen.found.rows}" if seen.found else ""
    return _REASONS[seen.reason].format(found=found, expected=f"{ruleset.columns}x{ruleset.rows}"), took_ms


def _taught(texts: Sequence[str], ruleset: Ruleset, corners: list[float] | None, by_rows: bool) -> Sequence[Reading]:
    """The networks after pictures (IMAGE=FEN) of which the positions are known."""
    import numpy as np

    from vision.appearance import Recalling, tuned
    from vision.reader import trained

    networks, recalled = trained(), []
    for text in texts:
        name, _, fen = text.partition("=")
        known = read_fen(fen, ruleset, by_rows)
        seen, _ = _observed(Path(name), ruleset, corners, known, networks)
        if isinstance(seen, str):
            raise ConfigError(f"--known {name}: {seen}")
        kinds = np.array(_kinds(known))
        networks = tuned(networks, seen.numbers, kinds)
        recalled.append((seen.numbers, kinds))
    readers: list[Reading] = list(networks)
    for numbers, kinds in recalled:
        readers = [Recalling(reader, numbers, kinds) for reader in readers]
    return readers


def _kinds(position: Position) -> list[int]:
    return [KIND[piece] for piece in position.contents]


def _most(ruleset: Ruleset) -> int:
    """How many pieces of a colour there are at the most."""
    kinds = _kinds(rules_for(ruleset).start())
    return max(kinds.count(1), kinds.count(2))


def _squares(seen: Observed, ruleset: Ruleset, by_rows: bool) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "empty": round(float(likely[0]), 4),
            "white": round(float(likely[1]), 4),
            "black": round(float(likely[2]), 4),
            "king": None,
            "unknown": bool(likely.max() < UNKNOWN),
        }
        for name, likely in zip(square_names(ruleset, by_rows), seen.probabilities, strict=True)
    }


def ranked(position: Position, ruleset: Ruleset, probabilities: Numbers, by_rows: bool) -> list[dict[str, Any]]:
    """The legal moves, and none, by how well what they leave explains the picture.

    `margin` is by how many nats a move explains it better than the best other one: below 0 for all but the first.
    """
    import numpy as np

    logs = np.log(np.maximum(probabilities, _LEAST))
    squares = np.arange(len(logs))
    legal = {
        full_move_text(move, ruleset, by_rows): position.after(move)
        for move in rules_for(ruleset).legal_moves(position)
    }
    after = {"none yet": position, **legal}
    explains = {text: float(logs[squares, _kinds(then)].sum()) for text, then in after.items()}
    order = sorted(explains, key=lambda text: -explains[text])
    first, second = explains[order[0]], explains[order[1]] if len(order) > 1 else -np.inf
    return [
        {"text": text, "margin": round(explains[text] - (second if text == order[0] else first), 2)} for text in order
    ]


def _tell(line: dict[str, Any], ruleset: Ruleset) -> None:
    """The board as text: what stands there, `?` where it is unknown."""
    print(f"{line['image']}: {line.get('reason', 'board found')} ({line['ms']} ms)")
    if "reason" in line:
        return
    signs = {}
    for cell, square in zip(ruleset.geometry.cells, line["squares"].values(), strict=True):
        kind = max(("empty", "white", "black"), key=lambda name: square[name])
        signs[cell] = "?" if square["unknown"] else {"empty": ".", "white": "w", "black": "b"}[kind]
    for row in range(ruleset.rows):
        print("  " + " ".join(signs.get((column, row), " ") for column in range(ruleset.columns)))
    for move in line.get("moves", [])[:3]:
        print(f"  {move['text']}: {move['margin']:+.1f} nats")
