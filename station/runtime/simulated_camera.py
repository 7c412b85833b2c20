"""A board under a simulated camera: pictures instead of contacts, calibrated as people calibrate theirs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engine.geometry import Geometry
from engine.position import Piece, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.runtime.camera_driver import Driver
from station.simulation.touches import Touch
from vision.calibration import Refused, model_from
from vision.frame import Frame
from vision.model import BoardModel
from vision.simulator.camera_board import CameraBoard, Scene, some_scene
from vision.simulator.reaching import Contact

AIMED = 20
"""So many times at most the camera is put elsewhere when its board cannot be used from there."""


class WatchedBoard(CameraBoard):
    """A board under a camera on which hands play."""

    def coming(self, touches: Sequence[Touch], side: Side) -> None:
        """What a person is about to do: the hand is on its way before it touches anything."""
        cells = self.geometry.cells
        self.expect(
            side,
            [
                Contact(
                    touch.at_ms,
                    cells[touch.square][0] + 0.5,
                    cells[touch.square][1] + 0.5,
                    touch.piece,
                    touch.kind == "take",
                )
                for touch in touches
            ],
        )


def camera_at(ruleset: Ruleset, contents: Sequence[Piece], seed: int) -> tuple[WatchedBoard, Driver]:
    """A board on which a position stands, and the driver of its camera, which has been calibrated."""
    geometry, home = ruleset.geometry, rules_for(ruleset).start().contents
    scene, model = _calibrated(geometry, home, seed)
    driver = Driver(geometry, home)
    driver.recall_model(model)
    return _set_up(WatchedBoard(geometry, scene, seed), contents), driver


@lru_cache(maxsize=4)
def _calibrated(geometry: Geometry, home: tuple[Piece, ...], seed: int) -> tuple[Scene, BoardModel]:
    """A scene, and what the calibration makes of it; one that it refuses is left, as people aim anew."""
    refused = set()
    for attempt in range(AIMED):
        scene = some_scene(geometry, np.random.default_rng((seed, attempt)))
        board = WatchedBoard(geometry, scene, seed)
        empty = Frame(board.picture(0), 0, "simulated")
        start = Frame(_set_up(board, home).picture(0), 0, "simulated")
        model = model_from(empty, start, geometry, home)
        if not isinstance(model, Refused):
            return scene, model
        refused.add(model.reason)
    raise ConfigError(f"no simulated camera could be calibrated: {', '.join(sorted(refused))}")


def _set_up(board: WatchedBoard, contents: Sequence[Piece]) -> WatchedBoard:
    for cell, piece in zip(board.geometry.cells, contents, strict=True):
        if piece is not Piece.EMPTY:
            board.put(cell, piece, 0)
    return board
