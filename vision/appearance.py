"""What a known position teaches about one board: its pieces, its squares, its light.

The last layer of each network is drawn towards reading that board right, and held back by what it knew of others; so
a single picture helps at once, more pictures help more, and forgetting them gives the old networks back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.features import Numbers
from vision.reader import Network, Reading, log_softmax

_STEPS, _RATE = 300, 0.5
_HARDER_AT, _HARDER, _LEARNED = (100, 160, 220), 3.0, 0.6
"""Steps at which squares count more that are less probable than this."""
HOLD = 0.003
"""How strongly a network is held to what it was, against the mean error on the known squares."""

_COMPARED = (0, 2, 4, 6, 9, 10, 12, 13, 14, 15, 20, 21, 24, 28)
"""Places of the measures by which a square is compared with itself: lightness, colours, texture, its round edge."""
_USUAL = (0.07, 0.16, 0.07, 0.06, 0.09, 0.11, 0.09, 0.1, 0.08, 0.11, 0.19, 0.12, 0.19, 0.05)
"""By how much each differs from picture to picture where the same stands there; of 322 pairs of photographs."""
_SAME, _OTHER = (-0.54, 0.57), (1.21, 0.35)
"""Mean and deviation of the logarithm of all that together, where the same stands there and where something else."""
_MOST_USUAL, _LEAST_UNLIKE, _MOST_ALIKE = 6.0, 0.05, 0.25
SUREST = 1.5
"""A square's own look speaks for or against what it held by no more nats than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Recalling:
    """A network that remembers one picture of which was known what stood there: what looks as it did is what it was.

    So film, stains and cracks are known even where a piece stood on most squares that have some.
    """

    network: Reading
    numbers: Numbers
    """Of the known picture. Shape (squares, measures)."""
    kinds: NDArray[np.int64]

    def __call__(self, numbers: Numbers) -> Numbers:
        """Logarithms of probabilities, as the network gives them, of the squares in the same order."""
        compared = list(_COMPARED)
        unlike = np.abs(numbers[:, compared] - self.numbers[:, compared]) / np.array(_USUAL)
        away = np.log(np.minimum(unlike, _MOST_USUAL).mean(axis=1) + _LEAST_UNLIKE)
        # Where even what is most alike is not, light or camera are not what they were.
        unfit = (np.quantile(away, _MOST_ALIKE) - _SAME[0]) / (_OTHER[0] - _SAME[0])
        away = np.clip(away, _SAME[0], _OTHER[0])
        same, other = (-0.5 * ((away - mean) / spread) ** 2 - np.log(spread) for mean, spread in (_SAME, _OTHER))
        favour = np.clip(1 - unfit, 0, 1) * np.clip(same - other, -SUREST, SUREST)
        return log_softmax(self.network(numbers) + favour[:, None] * (np.eye(3)[self.kinds] - 0.5))


def tuned(
    networks: tuple[Network, ...], numbers: Numbers, kinds: NDArray[np.int64], hold: float = HOLD, insists: bool = True
) -> tuple[Network, ...]:
    """The same networks for one board, of which squares are known. Shapes (squares, measures), (squares,).

    `kinds` are places in vision.reader.KINDS. What goes on being misread counts more and more, unless it is not
    certain that the squares are known (`insists` false): then it goes on being misread.
    """
    return tuple(_tuned(network, numbers, kinds, hold, insists) for network in networks)


def _tuned(network: Network, numbers: Numbers, kinds: NDArray[np.int64], hold: float, insists: bool) -> Network:
    hidden = network.hidden(numbers)
    # Every kind counts alike, however few pieces are left.
    counts = np.bincount(kinds, minlength=3)
    weights = (1 / np.maximum(counts, 1))[kinds]
    weights = weights / weights.sum()
    wanted = np.eye(3)[kinds]
    scale = np.sqrt((hidden**2).mean(axis=0).sum()) + 1e-6
    hidden = hidden / scale
    outer, bias = network.outer * scale, network.outer_bias.astype(np.float64)
    old_outer, old_bias = outer.copy(), bias.copy()
    for step in range(_STEPS):
        likely = np.exp(log_softmax(hidden @ outer + bias))
        if insists and step in _HARDER_AT:
            # What is still misread, as a stain that looks like a piece, is learned until it is not.
            weights = np.where(likely[np.arange(len(kinds)), kinds] < _LEARNED, _HARDER * weights, weights)
        error = (likely - wanted) * weights[:, None]
        outer = outer - _RATE * (hidden.T @ error + hold * (outer - old_outer))
        bias = bias - _RATE * (error.sum(axis=0) + hold * (bias - old_bias))
    return replace(network, outer=np.asarray(outer / scale, np.float32), outer_bias=np.asarray(bias, np.float32))
