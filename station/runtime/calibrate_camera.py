"""`dambord calibrate camera`: shows a camera its board, step by step, and keeps what it has seen of it."""

from __future__ import annotations

import argparse
import select
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from engine.rules import rules_for
from firmware_bridge.errors import PortLost
from station.config import BoardTable
from station.errors import ConfigError
from station.runtime.camera_driver import differs
from station.runtime.camera_port import CameraPort
from station.runtime.camera_words import LOCK_MS, refusal, to_lock, white_side
from station.runtime.clock import Clock
from station.runtime.known_cameras import KnownCameras
from station.runtime.running import load
from station.texts import Texts, load_texts
from vision.calibration import Aim, Refused, aimed, model_from
from vision.camera import lock_command
from vision.frame import UNTOLD, Frame, Metadata, Unpacker
from vision.known import watching
from vision.locate import Points
from vision.model import BoardModel
from vision.watch import Seen, begun, watch

PATIENCE_MS = 5_000
"""A camera that gives no picture for so long gives none."""
READOUT_MS = 1_000
"""How often it is said how well the camera is aimed."""
HAND_MS = 30_000
"""How long is waited for a hand."""


def calibrate_camera(options: argparse.Namespace) -> int:
    """Show the camera its board and keep what it has seen; 1 when it has seen nothing that can be kept."""
    config = load(options.config)
    table = _chosen(config.boards, options.board)
    texts = load_texts(config.station.language)
    corners = _corners(options.corners)
    try:
        with closing(CameraPort(table.port)) as port:
            steps = Steps(table, port, texts, corners)
            model = steps.model()
            if model is None or not steps.sees_hands(model):
                return 1
            steps.tell("kept", path=str(KnownCameras(Path(config.station.data)).keep(table.id, model)))
            return 0
    except PortLost as lost:
        print(
            f"dambord: {table.id}: {texts.say('camera.silent', place=table.place, reason=lost.reason)}", file=sys.stderr
        )
        return 1


def _chosen(tables: tuple[BoardTable, ...], name: str | None) -> BoardTable:
    cameras = [table for table in tables if table.driver == "camera"]
    found = [table for table in cameras if name in (None, table.id)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(table.id for table in cameras) or "a board with driver = 'camera' in the configuration"
    raise ConfigError(f"--board {name or ''}: expected one of {names}")


def _corners(text: str | None) -> Points | None:
    if text is None:
        return None
    try:
        return np.array([float(number) for number in text.split(",")]).reshape(4, 2)
    except ValueError as error:
        raise ConfigError(f"--corners {text}: expected x,y four times, clockwise: {error}") from error


class Steps:
    """A person, a camera and what it shows."""

    def __init__(self, table: BoardTable, port: CameraPort, texts: Texts, corners: Points | None) -> None:
        self._table, self._port, self._texts, self._corners = table, port, texts, corners
        self._clock = Clock()
        self._geometry = table.ruleset.geometry
        self._home = rules_for(table.ruleset).start().contents

    def tell(self, key: str, **words: str) -> None:
        """Say something to the person."""
        print(self._texts.say(f"camera.{key}", **words), flush=True)

    def model(self) -> BoardModel | None:
        """The board as it was seen empty and with the start position; asks again until both are seen."""
        first = self._frame()
        self.tell("begin", name=self._table.id, camera=first.camera)
        self.tell("aim")
        empty = self._aimed()
        locked = self._lock(empty.metadata)
        empty = self._frame()
        self.tell("empty")
        self.tell("start")
        while True:
            self._until_ready()
            start = self._frame()
            found = model_from(empty, start, self._geometry, self._home, self._corners, locked)
            if isinstance(found, BoardModel):
                self.tell("lies", side=self._texts.say(f"camera.{white_side(found)}"))
                return found
            self._refuse(found)
            if found.reason in {"pushed", "not_empty", "glare"}:
                return None

    def sees_hands(self, model: BoardModel) -> bool:
        """Whether a hand over the board is seen, and that it is gone."""
        self.tell("hand")
        known, memory = watching(model, self._geometry, self._home), begun(model)
        end_ms, was_seen = self._clock.now_ms() + HAND_MS, False
        while self._clock.now_ms() < end_ms:
            frame = self._frame()
            seen, memory = watch(known, memory, frame)
            was_seen = was_seen or (not isinstance(seen, Seen) and seen.reason == "hand")
            if was_seen and isinstance(seen, Seen):
                self.tell("hand_seen")
                return True
        self.tell("no_hand")
        return False

    def _aimed(self) -> Frame:
        """A picture of the empty board, once it can be used and the person says so."""
        said = ""
        while True:
            frame = self._frame()
            found = aimed(frame.image, self._geometry, self._corners)
            words = self._readout(found)
            if words != said:
                print(words, flush=True)
                said = words
            if self._is_ready(READOUT_MS) and isinstance(found, Aim):
                return frame

    def _readout(self, found: Aim | Refused) -> str:
        if isinstance(found, Refused):
            return refusal(found, self._table, self._texts)
        sharp, glare = f"{found.sharpness:.0f}", f"{100 * found.glare:.0f}"
        return self._texts.say("camera.readout", side=f"{found.side_px:.0f}", sharpness=sharp, glare=glare)

    def _lock(self, metadata: Metadata) -> Metadata:
        """Has the camera keep its exposure, white balance and focus; how it takes pictures then."""
        wanted = to_lock(metadata)
        if wanted == UNTOLD:
            self.tell("not_locked")
            return UNTOLD
        self._port.write(lock_command(wanted))
        end_ms = self._clock.now_ms() + LOCK_MS
        while self._clock.now_ms() < end_ms:
            found = self._frame().metadata
        if differs(wanted, found):
            self.tell("not_locked")
            return UNTOLD
        return found

    def _refuse(self, found: Refused) -> None:
        print(refusal(found, self._table, self._texts), self._texts.say("camera.again"), flush=True)

    def _frame(self) -> Frame:
        """The next picture; PortLost when none comes that can be read."""
        end_ms = self._clock.now_ms() + PATIENCE_MS
        while self._clock.now_ms() < end_ms:
            for packet in Unpacker().feed(self._port.read(), self._clock.now_ms()):
                try:
                    return packet.frame()
                except ValueError:
                    continue
        raise PortLost(self._port.path, "no picture")

    def _until_ready(self) -> None:
        while not self._is_ready(READOUT_MS):
            self._frame()

    def _is_ready(self, wait_ms: int) -> bool:
        """Whether the person has pressed Enter; ConfigError when nobody is at the keyboard."""
        ready, _, _ = select.select([sys.stdin], (), (), wait_ms / 1000)
        if not ready:
            return False
        if not sys.stdin.readline():
            raise ConfigError("calibrate: nobody is at the keyboard, expected Enter when the board is ready")
        return True
