"""Fit: weights by logistic regression on the results (and scores) of self-play."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from engine.features import CONTENTS, SCALARS, layout_of
from engine.kernel.trees import judged_tree
from engine.ruleset import Ruleset
from engine.weights import plain_weights
from training.selfplay import Positions

HUNDREDTHS_A_LOGIT = 100.0
"""A man up is one logit, before the scale is set: about three quarters of the points."""

PENALTY_PATTERNS = 100.0
PENALTY_OTHERS = 2.0


@dataclass(frozen=True, slots=True)
class Features:
    """Features of n positions.

    `phase` (n,) from 1 at the beginning to 0, `scalars` (n, S), men and kings by square (n, squares) sparse, `indices`
    (2 * tables, n): what each pattern holds as White and as Black sees it.
    """

    phase: np.ndarray
    scalars: np.ndarray
    men: csr_matrix
    kings: csr_matrix
    indices: np.ndarray


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights in tenths of a hundredth of a man, and the log loss on positions that were held out."""

    numbers: tuple[int, ...]
    loss: float
    loss_before: float
    positions: int


def fit(
    ruleset: Ruleset, positions: Positions, before: tuple[int, ...], share_of_result: float, iterations: int = 60
) -> Fitted:
    """Weights that predict the points of the games; `share_of_result` of the target is the result, the rest the score.

    One position in 20 is held out, whole stretches of games at a time.
    """
    layout = layout_of(ruleset)
    features = features_of(ruleset, positions)
    target = positions.points * share_of_result + (1 - share_of_result) * _sigmoid(positions.score / HUNDREDTHS_A_LOGIT)
    held = (np.arange(len(positions)) // 200) % 20 == 0
    train = _part(features, ~held)
    problem = model_of(ruleset)
    penalty = np.full(layout.weights, PENALTY_OTHERS)
    penalty[layout.tables :] = PENALTY_PATTERNS
    # What is not learned from stays what is known beforehand.
    prior = np.array(plain_weights(ruleset), dtype=np.float64) / (10 * HUNDREDTHS_A_LOGIT)
    goal = target[~held]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logit = problem.logits(train, weights)
        error = _sigmoid(logit) - goal
        away = weights - prior
        value = np.sum(np.logaddexp(0, logit) - goal * logit) + np.sum(penalty * away * away)
        return float(value), problem.gradient(train, error) + 2 * penalty * away

    start = np.array(before, dtype=np.float64) / (10 * HUNDREDTHS_A_LOGIT)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": iterations, "maxcor": 12})
    test = _part(features, held)
    numbers = _scaled(found.x, problem, train, ruleset)
    return Fitted(
        numbers,
        _log_loss(problem.logits(test, found.x), positions.points[held]),
        _log_loss(problem.logits(test, start), positions.points[held]),
        len(positions),
    )


class Model:
    """The linear model: a number for each position, and the gradient of a sum over positions."""

    def __init__(self, squares: int, tables: int) -> None:
        self.squares, self.tables = squares, tables

    def logits(self, features: Features, weights: np.ndarray) -> np.ndarray:
        """(n,): the sum of weights times features; a logit where the weights are logits."""
        early, late = self._by_phase(features, weights[0::2]), self._by_phase(features, weights[1::2])
        return early * features.phase + late * (1 - features.phase)

    def _by_phase(self, features: Features, weights: np.ndarray) -> np.ndarray:
        scalars, men, kings, patterns = np.split(weights, self._cuts())
        total = features.scalars @ scalars + features.men @ men + features.kings @ kings
        for table, values in enumerate(patterns.reshape(self.tables, CONTENTS)):
            total += values[features.indices[2 * table]]
            total -= values[features.indices[2 * table + 1]]
        return np.asarray(total)

    def gradient(self, features: Features, error: np.ndarray) -> np.ndarray:
        """(weights,): the derivative of a sum over positions whose derivative by each logit is `error`."""
        result = np.empty(2 * (len(SCALARS) + 2 * self.squares + self.tables * CONTENTS))
        result[0::2] = self._gradient_by_phase(features, error * features.phase)
        result[1::2] = self._gradient_by_phase(features, error * (1 - features.phase))
        return result

    def _gradient_by_phase(self, features: Features, error: np.ndarray) -> np.ndarray:
        parts = [features.scalars.T @ error, features.men.T @ error, features.kings.T @ error]
        for table in range(self.tables):
            plus = np.bincount(features.indices[2 * table], weights=error, minlength=CONTENTS)
            minus = np.bincount(features.indices[2 * table + 1], weights=error, minlength=CONTENTS)
            parts.append(plus - minus)
        return np.concatenate(parts)

    def _cuts(self) -> list[int]:
        first = len(SCALARS)
        return [first, first + self.squares, first + 2 * self.squares]


def model_of(ruleset: Ruleset) -> Model:
    """The model of a rule set's evaluation."""
    layout = layout_of(ruleset)
    return Model(layout.squares, len(layout.patterns))


def features_of(ruleset: Ruleset, positions: Positions) -> Features:
    """The features of positions, as engine.kernel.evaluate sees them."""
    layout = layout_of(ruleset)
    tree = judged_tree(ruleset, plain_weights(ruleset))
    bits = np.array(tree.tables.bits)
    boards = np.unpackbits(positions.boards, axis=2, bitorder="little")[:, :, bits].astype(np.int8)
    white_men, white_kings, black_men, black_kings = (boards[:, kind, :] for kind in range(4))
    turned = np.array(layout.turned)
    phase = np.minimum(1.0, boards.sum(axis=(1, 2), dtype=np.int32) / layout.pieces)
    indices = []
    for pattern in layout.patterns:
        squares = np.array(pattern)
        powers = 3 ** np.arange(len(pattern))
        for own, other, seen in ((white_men, black_men, squares), (black_men, white_men, turned[squares])):
            indices.append((own[:, seen].astype(np.int32) + 2 * other[:, seen].astype(np.int32)) @ powers)
    sets = [[int.from_bytes(row.tobytes(), "little") for row in position] for position in positions.boards]
    scalars = np.array(
        [tree.scalars_at(*four, int(side)) for four, side in zip(sets, positions.side, strict=True)], dtype=np.float64
    )
    return Features(
        phase,
        scalars,
        csr_matrix((white_men - black_men[:, turned]).astype(np.float64)),
        csr_matrix((white_kings - black_kings[:, turned]).astype(np.float64)),
        np.array(indices, dtype=np.int32),
    )


def _part(features: Features, rows: np.ndarray) -> Features:
    return Features(
        features.phase[rows],
        features.scalars[rows],
        features.men[rows],
        features.kings[rows],
        np.ascontiguousarray(features.indices[:, rows]),
    )


def _scaled(weights: np.ndarray, problem: Model, features: Features, ruleset: Ruleset) -> tuple[int, ...]:
    """The weights with a man worth 100 hundredths on the average, as whole tenths of a hundredth."""
    men = np.asarray(features.men.sum(axis=1)).ravel()
    level = np.asarray(np.abs(features.kings).sum(axis=1)).ravel() == 0
    logits = problem.logits(features, weights)
    slope = float(logits[level] @ men[level] / max(1.0, men[level] @ men[level]))
    scale = 1000.0 / max(0.2, abs(slope))
    return tuple(int(number) for number in np.clip(np.rint(weights * scale), -32_000, 32_000))


def _sigmoid(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(logit, -30, 30)))


def _log_loss(logit: np.ndarray, points: np.ndarray) -> float:
    return float(np.mean(np.logaddexp(0, logit) - points * logit))
