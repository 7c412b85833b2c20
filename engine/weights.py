"""Weights: what the evaluation of a rule set has learned, read from engine/weights; plain ones where nothing is."""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from dataclasses import dataclass
from functools import cache
from importlib import resources

from engine.errors import RulesetError
from engine.features import SCALARS, Layout, layout_of
from engine.ruleset import Ruleset, load_ruleset

_MAGIC = b"dambord weights 1\n"
_MOST = 32_767


@dataclass(frozen=True, slots=True)
class Learned:
    """Weights and where they come from: `numbers` in tenths of a hundredth of a man, laid out as Layout says."""

    variant: str
    made: dict[str, object]
    numbers: tuple[int, ...]


def weights_for(ruleset: Ruleset) -> Learned:
    """The weights of a rule set: its own, else those of its nearest relative that has some, else plain ones."""
    for name in _relatives(ruleset):
        learned = _read(name)
        if len(learned.numbers) == layout_of(ruleset).weights:
            return learned
    return Learned("", {"generation": 0}, plain_weights(ruleset))


def write_weights(variant: str, made: dict[str, object], numbers: tuple[int, ...]) -> bytes:
    """Weights as a file: a line that names the format, a line of JSON, then 16-bit numbers, compressed."""
    words = array("h", (max(-_MOST, min(_MOST, number)) for number in numbers))
    if sys.byteorder == "big":
        words.byteswap()
    head = json.dumps({"variant": variant, "weights": len(words), **made}, sort_keys=True).encode()
    return _MAGIC + head + b"\n" + zlib.compress(words.tobytes(), 9)


def read_weights(data: bytes, where: str) -> Learned:
    """The weights of a file; RulesetError says what is wrong with it."""
    if not data.startswith(_MAGIC):
        raise RulesetError(f"{where}: expected a file that begins with {_MAGIC.decode().strip()!r}")
    head, _, body = data[len(_MAGIC) :].partition(b"\n")
    try:
        made = json.loads(head)
        words = array("h", zlib.decompress(body))
    except (ValueError, zlib.error) as error:
        raise RulesetError(f"{where}: damaged: {error}") from error
    if sys.byteorder == "big":
        words.byteswap()
    if len(words) != made.pop("weights"):
        raise RulesetError(f"{where}: {len(words)} weights, expected as many as its head says")
    return Learned(made.pop("variant"), made, tuple(words))


def plain_weights(ruleset: Ruleset) -> tuple[int, ...]:
    """Weights from general knowledge alone: pieces, how far men have come, some freedom; the first to learn from."""
    layout = layout_of(ruleset)
    numbers = [0] * layout.weights
    inverted = ruleset.goal == "inverted"
    king = 3000 if ruleset.king_range == "flying" else 1400
    geometry = ruleset.geometry
    for square in range(layout.squares):
        ahead = ruleset.rows - 1 - geometry.row(square)
        man = 1000 + (120 if ruleset.goal == "first king" else 25) * ahead + (60 if ahead == 0 else 0)
        for phase in range(2):
            numbers[layout.men + 2 * square + phase] = -1000 if inverted else man
            numbers[layout.kings + 2 * square + phase] = -1200 if inverted else king
    for phase in range(2):
        numbers[2 * SCALARS.index("turn") + phase] = 30
        numbers[2 * SCALARS.index("man moves") + phase] = 10
        numbers[2 * SCALARS.index("king moves") + phase] = 20
    return tuple(numbers)


def _relatives(ruleset: Ruleset) -> list[str]:
    """Names of the rule sets that have weights and the same board, the most alike first; itself before all."""
    known = [load_ruleset(name) for name in trained()]
    same = [other for other in known if _same_board(layout_of(other), layout_of(ruleset)) and _same_aim(other, ruleset)]
    same.sort(key=lambda other: -_likeness(other, ruleset))
    return [other.name for other in same]


def _same_board(one: Layout, other: Layout) -> bool:
    return one.squares == other.squares and one.weights == other.weights


def _same_aim(one: Ruleset, other: Ruleset) -> bool:
    return (one.family, one.goal, one.prisoners == "none") == (other.family, other.goal, other.prisoners == "none")


def _likeness(one: Ruleset, other: Ruleset) -> int:
    """How many facts that change the play two rule sets share, those that change it most counted most."""
    facts = (
        ("name", 100),
        ("king_range", 16),
        ("man_captures", 8),
        ("man_moves", 8),
        ("king_moves", 8),
        ("precedence", 4),
        ("king_landing", 4),
        ("man_may_capture_king", 4),
        ("crowning", 2),
        ("removal", 2),
        ("corner", 1),
    )
    return sum(weight for name, weight in facts if getattr(one, name) == getattr(other, name)) + 50 * (
        one.name == other.base
    )


@cache
def trained() -> tuple[str, ...]:
    """Names of the rule sets that have weights of their own."""
    folder = resources.files("engine") / "trained"
    if not folder.is_dir():
        return ()
    return tuple(sorted(f.name.removesuffix(".weights") for f in folder.iterdir() if f.name.endswith(".weights")))


@cache
def _read(name: str) -> Learned:
    file = resources.files("engine") / "trained" / f"{name}.weights"
    return read_weights(file.read_bytes(), str(file))
