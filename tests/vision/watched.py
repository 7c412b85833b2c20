"""A board under a simulated camera and the driver that reads it, in simulated time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from engine.position import Piece, Side, side_of
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from engine.view import BoardView
from station.runtime.camera_driver import Driver
from tests.vision.scenes import scene
from vision.calibration import Refused, model_from
from vision.frame import Frame, Metadata, packed
from vision.model import BoardModel
from vision.simulator.arm import Arm
from vision.simulator.camera_board import CameraBoard, Scene

PERIOD_MS = 150
Retouch = Callable[[np.ndarray], np.ndarray]


def untouched(picture: np.ndarray) -> np.ndarray:
    return picture


def set_up(ruleset: Ruleset, where: Scene, contents: Sequence[Piece], seed: int = 1) -> CameraBoard:
    board = CameraBoard(ruleset.geometry, where, seed)
    for cell, piece in zip(ruleset.geometry.cells, contents, strict=True):
        if piece:
            board.put(cell, piece, 0)
    return board


def calibrated(
    ruleset: Ruleset, where: Scene, retouch: Retouch = untouched, corners: np.ndarray | None = None
) -> BoardModel | Refused:
    """What calibration makes of a scene, each picture retouched as a whole."""
    home = rules_for(ruleset).start().contents
    empty, start = (
        Frame(retouch(set_up(ruleset, where, stands).picture(0)), 0, "simulated")
        for stands in ([Piece.EMPTY] * len(home), home)
    )
    return model_from(empty, start, ruleset.geometry, home, corners)


@cache
def usual(variant: str = "international", seed: int = 1, tilt: float = 15, azimuth: float = 90):
    """A scene in which the calibration succeeds, and its model."""
    ruleset = load_ruleset(variant)
    return ruleset, *in_some_scene(ruleset, lambda where: where, seed, tilt=tilt, azimuth=azimuth)


def in_some_scene(
    ruleset: Ruleset, changed: Callable[[Scene], Scene], seed: int, retouch: Retouch = untouched, **places: float
) -> tuple[Scene, BoardModel]:
    """A scene, changed as told, in which the calibration succeeds; people whose board it refuses aim anew."""
    refused = []
    for attempt in range(6):
        where = changed(scene(ruleset, seed + 10 * attempt, **places))
        model = calibrated(ruleset, where, retouch)
        if isinstance(model, BoardModel):
            return where, model
        refused.append(model)
    raise AssertionError(refused)


@dataclass
class Watched:
    """Pictures go to the driver every 150 ms; `views` is what came of them."""

    board: CameraBoard
    driver: Driver
    now_ms: int = 0
    retouch: Retouch = untouched
    metadata: Metadata = field(default_factory=Metadata)
    arms: tuple[Arm, ...] = ()
    views: list[tuple[int, BoardView]] = field(default_factory=list)
    online: list[tuple[int, bool]] = field(default_factory=list)

    def run(self, duration_ms: int, camera: bool = True) -> list[BoardView]:
        """Lets time pass; the views that came meanwhile."""
        before, until_ms = len(self.views), self.now_ms + duration_ms
        while self.now_ms < until_ms:
            self.now_ms += PERIOD_MS
            if camera:
                self._hear(self.driver.receive(self.packet(), self.now_ms))
            due = self.driver.deadline_ms()
            if due is not None and due <= self.now_ms:
                self._hear(self.driver.tick(self.now_ms))
        return [view for _, view in self.views[before:]]

    def packet(self, age_ms: int = 0) -> bytes:
        pieces = (*self.board._standing.values(), *self.board._beside)
        picture = (
            self.board.seen.picture(pieces, self.arms, self.now_ms) if self.arms else self.board.picture(self.now_ms)
        )
        return packed(self.retouch(picture), age_ms, "simulated", self.metadata)

    def _hear(self, output):
        self.views += [(self.now_ms, view) for view in output.views]
        if output.online is not None:
            self.online.append((self.now_ms, output.online))

    @property
    def contents(self) -> tuple[Piece, ...]:
        return tuple(self.board.contents(cell) for cell in self.board.geometry.cells)


def watched(
    contents: Sequence[Piece] | None = None,
    variant: str = "international",
    seed: int = 1,
    tilt: float = 15,
    azimuth: float = 90,
) -> Watched:
    """A board on which a position stands, by default the start position, before its camera sees it."""
    ruleset, where, model = usual(variant, seed, tilt, azimuth)
    home = rules_for(ruleset).start().contents
    return watched_in(ruleset, where, model, home if contents is None else contents)


def watched_in(ruleset: Ruleset, where: Scene, model: BoardModel, contents: Sequence[Piece]) -> Watched:
    driver = Driver(ruleset.geometry, rules_for(ruleset).start().contents)
    driver.recall_model(model)
    driver.start(0)
    return Watched(set_up(ruleset, where, contents), driver)


def middle_game(variant: str = "international") -> tuple[Piece, ...]:
    """Men of both sides all over the board, kings among them."""
    ruleset = load_ruleset(variant)
    kinds = [Piece.EMPTY, Piece.WHITE_MAN, Piece.EMPTY, Piece.BLACK_MAN, Piece.EMPTY, Piece.BLACK_MAN, Piece.WHITE_MAN]
    stands = [kinds[square * 5 % 7] for square in range(len(ruleset.geometry))]
    stands[7], stands[-9] = Piece.WHITE_KING, Piece.BLACK_KING
    return tuple(stands)


def side_likeliest(view: BoardView, square: int) -> Side | None:
    """Whose piece is likeliest on a square; None for nobody's."""
    evidence = view.seen[square]
    best = max(range(5), key=evidence.__getitem__)
    return None if best == 0 else Side.WHITE if best < 3 else Side.BLACK


SURE = 4.5
"""Nats by which something must be likelier to be believed against all else (station.tracking.weighing)."""


def wrong(view: BoardView, contents: Sequence[Piece]) -> list[int]:
    """Squares of which the view rules out what stands there; what it only doubts is settled by the rules."""
    places = {None: 0, Side.WHITE: 1, Side.BLACK: 3}
    return [
        square
        for square, piece in enumerate(contents)
        if max(view.seen[square]) - view.seen[square][places[side_of(piece)]] >= SURE
    ]


def is_unknown(view: BoardView, square: int) -> bool:
    evidence = view.seen[square]
    return max(evidence) - min(evidence) < 2.0


def unknown(view: BoardView) -> list[int]:
    return [square for square in range(len(view.seen)) if is_unknown(view, square)]


def all_unknown(view: BoardView) -> bool:
    return len(unknown(view)) == len(view.seen)
