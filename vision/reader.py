"""What stands on each square, as probabilities: a few small networks over the measures of vision.features.

They were trained by `python -m training.reader` from photographs of many boards, so they read a board never seen
before; what is learned of one board is added by vision.appearance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.features import Cells, Numbers, features
from vision.locate import Image
from vision.plausible import plausible

KINDS = ("empty", "white", "black")
"""What a square is read as, in the order of the columns of all probabilities."""
TRAINED = Path(__file__).parent / "trained" / "squares.npz"

ALIKE = (1, 4, 9, 10, 12, 13)
"""Places of those by which squares of one picture are compared: the same without shades, and against its corners."""
_WEIGHED, _TRUSTED, _SPREAD, _RARE, _LEAST = 2, 0.35, 0.15, 1e-3, 1e-4
"""How often, how far that is trusted, what all looks vary by at least; shares of kinds that were not seen."""
_ROUNDS = 30
"""Halvings of the interval in which a class is made rarer: exact to 1e-8."""


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer: measures, made comparable, times `inner`, what is positive of it times `outer`, softmax."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    inner: NDArray[np.float32]
    inner_bias: NDArray[np.float32]
    outer: NDArray[np.float32]
    outer_bias: NDArray[np.float32]

    def __call__(self, numbers: Numbers) -> Numbers:
        """Logarithms of probabilities. Shapes (squares, measures), (squares, 3)."""
        return log_softmax(np.asarray(self.hidden(numbers) @ self.outer + self.outer_bias, np.float64))

    def hidden(self, numbers: Numbers) -> Numbers:
        """What the layer between says, 0 or more. Shape (squares, hidden)."""
        inner = ((numbers - self.mean) / self.deviation) @ self.inner + self.inner_bias
        return np.asarray(np.maximum(inner, 0), np.float64)


def log_softmax(scores: Numbers) -> Numbers:
    """Scores of classes as logarithms of probabilities, row by row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), np.float64)


class Reading(Protocol):
    """What reads squares by their measures."""

    def __call__(self, numbers: Numbers) -> Numbers:
        """Logarithms of probabilities. Shapes (squares, measures), (squares, 3)."""
        ...


@cache
def trained() -> tuple[Network, ...]:
    """The networks that come with the program."""
    with np.load(TRAINED) as file:
        names = Network.__slots__
        return tuple(Network(*(file[f"{name}{number}"] for name in names)) for number in range(int(file["count"])))


def read(board: Image, cells: Cells, columns: int, rows: int, most: int) -> Numbers:
    """Probabilities of empty, white and black for each cell; `most` pieces of a colour at the most. Shape (cells, 3).

    `board` is as vision.rectify makes it.
    """
    return judged(trained(), features(board, cells, columns, rows), most)


def judged(networks: Sequence[Reading], numbers: Numbers, most: int) -> Numbers:
    """The mean of what the networks say, and no more pieces of a colour than there are."""
    likely = np.asarray(np.mean([np.exp(network(numbers)) for network in networks], axis=0), np.float64)
    likely = plausible(likely, numbers, most)
    return no_more_than(agreed(no_more_than(likely, most), numbers), most)


def agreed(likely: Numbers, numbers: Numbers) -> Numbers:
    """The same probabilities after squares of one picture were held against each other: what is alike looks alike.

    The empty squares of a board, the white pieces and the black ones each have one look, as a picture of it shows:
    that is found from what is read, and each square is then weighed by how far it looks like each of them.
    """
    looks = numbers[:, list(ALIKE)]
    weighed = likely
    for _ in range(_WEIGHED):
        shares = weighed + _RARE
        # A square has no say in what it is compared with: a stain would be a kind of its own.
        others = shares.sum(axis=0) - shares
        usual = ((shares.T @ looks)[None] - shares[..., None] * looks[:, None]) / others[..., None]
        away = (looks[:, None] - usual) ** 2
        spread = (shares[..., None] * away).sum(axis=(0, 1)) / len(looks) + _SPREAD**2
        unlike = (away / spread).sum(axis=2)
        # What few pieces look like is hardly known.
        unlike = (others * unlike + unlike.min(axis=1, keepdims=True)) / (others + 1)
        weighed = np.exp(log_softmax(np.log(np.maximum(likely, _LEAST)) - _TRUSTED / 2 * unlike))
    return weighed


def no_more_than(probabilities: Numbers, most: int) -> Numbers:
    """The same probabilities, a colour made rarer where more than `most` of it are expected."""
    capped = probabilities
    for kind in (1, 2) * 4:  # what one colour loses, the other may gain
        if capped[:, kind].sum() <= most:
            continue
        low, high = 0.0, 12.0
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            low, high = (middle, high) if _rarer(capped, kind, middle)[:, kind].sum() > most else (low, middle)
        capped = _rarer(capped, kind, high)
    return capped


def _rarer(probabilities: Numbers, kind: int, by: float) -> Numbers:
    scaled = probabilities.copy()
    scaled[:, kind] *= np.exp(-by)
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True), np.float64)
