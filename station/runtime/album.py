"""What the station keeps of a board under a camera: its model, its newest picture for the page, what is recorded."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from engine.geometry import Geometry
from engine.position import Piece
from engine.rules import rules_for
from firmware_bridge.driver import NOTHING, Output
from station.config import BoardTable
from station.ports import BoardDriver
from station.runtime.camera_driver import Driver
from station.runtime.camera_port import CameraPort
from station.runtime.known_cameras import KnownCameras
from station.runtime.mailbox import Latest
from vision.camera import lock_command
from vision.frame import Frame, Metadata, Unpacker
from vision.model import BoardModel

NOTED_PX = 2.0
"""A board that has moved by more pixels is written down where it lies now."""


class Album:
    """Used by the board's worker, and by the page where it says so."""

    def __init__(
        self, board: str, geometry: Geometry, home: tuple[Piece, ...], known: KnownCameras, record: Path | None = None
    ) -> None:
        self.board, self.geometry, self.home = board, geometry, home
        self._known, self._record = known, record
        self._newest: tuple[bytes, int] | None = None
        self._made: Latest[BoardModel] = Latest()
        self._wanted: Latest[Metadata] = Latest()
        self._stands: Latest[tuple[Piece, ...]] = Latest()
        self._kept: BoardModel | None = None
        self._moved: BoardModel | None = None

    @property
    def path(self) -> Path:
        """The file in which what is known of the board is kept."""
        return self._known.path(self.board)

    def open(self, driver: BoardDriver) -> None:
        """Give a new driver what is known of its board."""
        assert isinstance(driver, Driver)
        self._recall(driver, self._known.of(self.board))

    def port(self, path: str) -> CameraPort:
        """The camera, opened; PortLost when it cannot be."""
        return CameraPort(path, self._record)

    def turn(self, driver: BoardDriver, data: bytes, now_ms: int) -> Output:
        """After each picture: keep it for the page, take a model that was made there, note where the board lies."""
        assert isinstance(driver, Driver)
        self._newest = data, now_ms
        self._moved = driver.model if driver.is_moved else None
        made = self._made.take()
        if made is not None:
            self._recall(driver, made)
            return driver.start(now_ms)
        wanted = self._wanted.take()
        if wanted is not None:
            return Output(send=lock_command(wanted))
        stands = self._stands.take()
        if stands is not None:
            driver.learn(stands, now_ms)
        model, before = driver.model, self._kept if driver.is_reading else None
        if model is not None and before is not None and _is_news(before, model):
            self._keep(model)
        return NOTHING

    def newest(self) -> Frame | None:
        """The latest picture; from any thread. None before there is one, and where it cannot be read."""
        newest = self._newest
        if newest is None:
            return None
        try:
            return next((packet.frame() for packet in Unpacker().feed(*newest)), None)
        except ValueError:
            return None

    @property
    def moved(self) -> BoardModel | None:
        """What is known of a board that lies elsewhere in the picture by now, while it is so; from any thread."""
        return self._moved

    def save(self, model: BoardModel) -> Path:
        """Keep a model and have the board watched by it from now on; from any thread. OSError when the disk refuses."""
        path = self._known.keep(self.board, model)
        self._moved = None
        self._made.put(model)
        return path

    def teach(self, contents: tuple[Piece, ...]) -> None:
        """Have the camera learn from what stands on its board; from any thread."""
        self._stands.put(contents)

    def lock(self, wanted: Metadata) -> None:
        """Have the camera take all pictures in this way from now on; from any thread."""
        self._wanted.put(wanted)

    def _recall(self, driver: Driver, model: BoardModel | None) -> None:
        self._moved = None
        try:
            driver.recall_model(model)
            self._kept = model
        except ValueError as error:
            print(f"dambord: {self._known.path(self.board)}: set aside: {error}", file=sys.stderr)
            driver.recall_model(None)

    def _keep(self, model: BoardModel) -> None:
        self._kept = model
        try:
            self._known.keep(self.board, model)
        except OSError as error:  # a full disk ends no game
            print(f"{self._known.path(self.board)}: not kept: {error.strerror}", file=sys.stderr)


def _is_news(before: BoardModel, now: BoardModel) -> bool:
    return now.samples != before.samples or bool(np.abs(now.corners - before.corners).max() > NOTED_PX)


def album_of(table: BoardTable, data: Path, boot: str) -> Album:
    """The album of a board under a camera."""
    ruleset = table.ruleset
    record = data / "frames" / table.id / boot if table.record else None
    return Album(table.id, ruleset.geometry, rules_for(ruleset).start().contents, KnownCameras(data), record)
