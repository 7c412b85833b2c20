"""Boards under simulated cameras, as the tests of vision need them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.position import Piece
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from vision.simulator.arm import Arm
from vision.simulator.camera_board import CameraBoard, Scene, some_scene
from vision.simulator.lens import camera_over
from vision.simulator.pieces import Standing


def scene(ruleset: Ruleset, seed: int = 1, **places) -> Scene:
    """Some scene; its camera placed as `camera_over` takes it, if told."""
    made = some_scene(ruleset.geometry, np.random.default_rng(seed))
    if not places:
        return made
    return replace(made, camera=camera_over(ruleset.columns, ruleset.rows, **places))


def board_under(
    variant: str = "international", seed: int = 1, contents: tuple[Piece, ...] | None = None, **places
) -> CameraBoard:
    """A board on which a position stands, by default the start position."""
    ruleset = load_ruleset(variant)
    board = CameraBoard(ruleset.geometry, scene(ruleset, seed, **places), seed)
    stands = rules_for(ruleset).start().contents if contents is None else contents
    for cell, piece in zip(ruleset.geometry.cells, stands, strict=True):
        if piece:
            board.put(cell, piece, 0)
    return board


def arm(x: float, y: float, z: float = 0.3, holding: Piece | None = None, **looks) -> Arm:
    """White's arm over the board."""
    held = None if holding is None else Standing(holding, x, y, z)
    return Arm(x, y, z, (x + 1, y + 14), holding=held, **looks)
