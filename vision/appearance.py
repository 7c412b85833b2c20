"""What a known position teaches about one board: its pieces, its squares, its light.

The last layer of each network is drawn towards reading that board right, and held back by what it knew of others; so
a single picture helps at once, more pictures help more, and forgetting them gives the old networks back.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.features import Numbers
from vision.reader import Network, log_softmax

_STEPS, _RATE = 300, 0.5
_HARDER_AT, _HARDER, _LEARNED = (100, 160, 220), 3.0, 0.6
"""Steps at which squares count more that are less probable than this."""
HOLD = 0.003
"""How strongly a network is held to what it was, against the mean error on the known squares."""


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
