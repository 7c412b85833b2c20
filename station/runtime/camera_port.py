"""A camera as a port like any other: what is read from it are packets with its newest picture."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from firmware_bridge.errors import PortLost
from vision.camera import CameraLost, Picture, open_source, read_lock
from vision.frame import Frame, Unpacker, packed
from vision.recording import Recording

SILENT_S = 2.0
"""A camera that gives no picture for so long is lost."""


class CameraPort:
    """A thread takes one picture after the other, and only the newest is kept."""

    def __init__(self, path: str, record: Path | None = None) -> None:
        self.path = path
        try:
            self._source = open_source(path)
        except CameraLost as lost:
            raise PortLost(path, lost.strerror or str(lost), lost.errno) from lost
        self._recording = None if record is None else Recording(record)
        self._came = threading.Condition()
        self._newest: tuple[Picture, int] | None = None
        self._heard_ms = _now_ms()
        self._lost = ""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=f"camera {path}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._closed:
            try:
                picture = self._source.picture()
            except (OSError, ValueError, RuntimeError) as error:
                with self._came:
                    self._lost = str(getattr(error, "strerror", None) or error)
                    self._came.notify()
                return
            with self._came:
                self._newest, self._heard_ms = (picture, _now_ms()), _now_ms()
                self._came.notify()

    def read(self, wait_ms: int = 50) -> bytes:
        """A packet with the newest picture, if there is one that was not read yet; nothing otherwise."""
        with self._came:
            if self._newest is None and not self._lost:
                self._came.wait(wait_ms / 1000)
            newest, self._newest = self._newest, None
            lost, silent_ms = self._lost, _now_ms() - self._heard_ms
        if newest is None:
            if lost or silent_ms > 1000 * SILENT_S:
                raise PortLost(self.path, lost or f"the camera has sent no picture for {SILENT_S:.0f} s")
            return b""
        (picture, metadata, age_ms), came_ms = newest
        data = packed(picture, age_ms + _now_ms() - came_ms, self._source.camera, metadata)
        if self._recording is not None:
            self._record(data, came_ms)
        return data

    def _record(self, data: bytes, came_ms: int) -> None:
        assert self._recording is not None
        for packet in Unpacker().feed(data, came_ms):
            try:
                frame = packet.frame()
            except ValueError:
                continue
            self._recording.keep(Frame(frame.image, came_ms, frame.camera, frame.metadata))

    def write(self, data: bytes) -> None:
        """Carry out what the driver asks of the camera: to lock its exposure, white balance and focus."""
        for line in data.splitlines():
            wanted = read_lock(line)
            if wanted is None:
                continue
            try:
                self._source.lock(wanted)
            except (OSError, RuntimeError, ValueError) as error:
                raise PortLost(self.path, f"the camera cannot be locked: {error}") from error

    def close(self) -> None:
        """Let go of the camera."""
        self._closed = True
        self._source.close()
        self._thread.join(timeout=SILENT_S)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
