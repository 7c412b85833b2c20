"""What is known of a board under a camera, made ready: the networks it has taught, the board as it was empty.

With it one picture of the board is read; what several of them tell is for vision.evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Geometry
from engine.position import Piece
from vision.appearance import tuned
from vision.features import Cells, Numbers, features
from vision.ground import places
from vision.height import eye, raised
from vision.locate import Image, Points
from vision.model import BoardModel, Sample
from vision.reader import Network, judged, trained
from vision.rectify import rectified
from vision.reference import Reference, combined, reference

WELL_KNOWN = 0.9
"""Networks that are as sure of a square as this know it well."""
LEAST = 1e-4
"""No kind is held less probable than this."""
_ALONE = 3.0
"""The reference counts so much more where it alone tells whether something stands there."""


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A small picture that later ones are compared with; the same only as itself."""

    picture: Image


@dataclass(frozen=True, slots=True, eq=False)
class Watching:
    """A board that is watched: what is known of it, made ready."""

    model: BoardModel
    geometry: Geometry
    most: int
    """How many pieces of a colour there are at the most."""
    networks: tuple[Network, ...]
    stills: tuple[Still, ...]
    """The board as it was calibrated."""
    reference: Reference | None
    """The board as it was empty, where that helps."""
    stained: NDArray[np.bool_]
    """Squares that look taken when nothing stands there; the reference alone tells that. Shape (squares,)."""


def watching(model: BoardModel, geometry: Geometry, home: tuple[Piece, ...]) -> Watching:
    """What is needed to watch a board; ValueError where the model is of a board of another size."""
    if (model.columns, model.rows) != (geometry.columns, geometry.rows):
        found, expected = f"{model.columns}x{model.rows}", f"{geometry.columns}x{geometry.rows}"
        raise ValueError(f"the camera was calibrated with a board of {found} squares, expected {expected}")
    stills = tuple(Still(picture) for picture in (model.empty, model.start) if picture is not None)
    empty = None if model.empty is None else _reference(model, model.empty, geometry, home)
    most = most_of_a_colour(home)
    return Watching(model, geometry, most, taught(model), stills, empty, _stained(model, geometry, most))


def _stained(model: BoardModel, geometry: Geometry, most: int) -> NDArray[np.bool_]:
    """Squares whose stains, cracks or mirrored lamps the networks took for pieces on the board as it was empty."""
    first = next((sample for sample in _comparable(model)[:1] if not sample.kinds.any()), None)
    if first is None:
        return np.zeros(len(geometry), np.bool_)
    return np.asarray(judged(trained(), first.numbers, most)[:, 0] < WELL_KNOWN, np.bool_)


def _comparable(model: BoardModel) -> list[Sample]:
    """The boards that taught something, measured as they are today."""
    measures = trained()[0].mean.shape[0]
    return [sample for sample in model.samples if sample.numbers.shape[1] == measures]


def _reference(model: BoardModel, empty: Image, geometry: Geometry, home: tuple[Piece, ...]) -> Reference | None:
    where = eye(model.corners, model.columns, model.rows, model.width, model.height)
    return reference(empty, model.start, kinds_of(home), places(geometry, where).free, geometry)


def taught(model: BoardModel, insists: bool = True) -> tuple[Network, ...]:
    """The networks with what known boards have taught of this one; see vision.appearance.tuned for `insists`."""
    samples = _comparable(model)
    if not samples:
        return trained()
    numbers = np.concatenate([sample.numbers for sample in samples])
    return tuned(trained(), numbers, np.concatenate([sample.kinds for sample in samples]), insists=insists)


def most_of_a_colour(home: tuple[Piece, ...]) -> int:
    """How many pieces of a colour there are at the most, by the position games start from."""
    return max(sum(bool(piece & kinds) for piece in home) for kinds in (Piece(6), Piece(24)))


def kinds_of(contents: tuple[Piece, ...]) -> NDArray[np.int64]:
    """Places in vision.reader.KINDS of what stands on each square."""
    return np.array([0 if piece is Piece.EMPTY else 1 if piece & Piece(6) else 2 for piece in contents])


def read_frame(known: Watching, numbers: Numbers, picture: Image) -> Numbers:
    """Empty, white, black for each square in official order, by their measures and the small picture of the board.

    Shape (squares, 3).
    """
    likely = judged(known.networks, numbers, known.most)
    if known.reference is None:
        return likely
    stained, favour = known.stained, known.reference.favour(picture)
    taken = likely[:, 1:] / np.maximum(likely[:, 1:].sum(axis=1, keepdims=True), LEAST)
    undecided = np.concatenate([np.ones((len(likely), 1)), taken], axis=1) / 2
    likely = np.where(stained[:, None], undecided, likely)
    return combined(likely, np.where(stained, _ALONE * favour, favour))


def measured(model: BoardModel, geometry: Geometry, corners: Points, image: Image) -> Numbers:
    """The measures of the squares of a board that lies there in a picture, seen at half the height of its men."""
    where = eye(corners, model.columns, model.rows, model.width, model.height)
    at = raised(corners, model.columns, model.rows, where)
    board = rectified(image, at, geometry.columns, geometry.rows)
    cells: Cells = tuple((row, column) for column, row in geometry.cells)
    return features(board, cells, geometry.columns, geometry.rows)
