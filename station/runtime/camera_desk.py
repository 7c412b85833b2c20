"""Cameras shown their boards from the page: the steps of `dambord calibrate camera`, one request after the other."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from station.config import BoardTable
from station.runtime.album import Album
from station.runtime.camera_driver import differs
from station.runtime.camera_words import LOCK_MS, refusal, to_lock, white_side
from station.runtime.clock import Clock
from station.texts import Texts
from vision.calibration import Aim, Refused, aimed, model_from, shown_again
from vision.frame import UNTOLD, Frame, Metadata
from vision.known import Watching, watching
from vision.locate import Points
from vision.model import BoardModel
from vision.watch import Memory, Seen, begun, watch

QUALITY = 80
"""Of the pictures sent to the page, 0 to 100."""


@dataclass(slots=True)
class _Progress:
    """How far a board has come: `empty`, `locking`, `start`, `hand`, `saved`; `moved` while it lies elsewhere."""

    step: str = "empty"
    since_ms: int = 0
    is_anew: bool = False
    """Whether the board is to be shown from the beginning, wherever it lies."""
    empty: Frame | None = None
    wanted: Metadata = UNTOLD
    """How the camera was asked to take its pictures."""
    locked: Metadata = UNTOLD
    """How it takes them since; UNTOLD where it does not keep to that."""
    model: BoardModel | None = None
    known: Watching | None = None
    memory: Memory | None = None
    hand_was_seen: bool = False
    looked_at: Frame | None = None


class CameraDesk:
    """Used by the page's threads; one request at a time."""

    def __init__(self, albums: Mapping[str, Album], tables: Mapping[str, BoardTable], texts: Texts) -> None:
        self._albums, self._tables, self._texts = albums, tables, texts
        self._progress = {board: _Progress() for board in albums}
        self._clock, self._lock = Clock(), threading.Lock()

    def boards(self) -> tuple[str, ...]:
        """The boards that have a camera."""
        return tuple(self._albums)

    def picture(self, board: str) -> bytes | None:
        """The newest picture as a JPEG; None when there is none."""
        frame = self._albums[board].newest()
        if frame is None:
            return None
        made, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        return data.tobytes() if made else None

    def ask(self, board: str, act: str, corners: list[list[float]] | None) -> dict[str, Any]:
        """Look at the newest picture, or go a step on: `look`, `next`, `again`. What the page is to show.

        ValueError where the corners are none.
        """
        with self._lock:
            if act == "again":
                self._progress[board] = _Progress(is_anew=True)
            frame = self._albums[board].newest()
            if frame is None:
                reason = self._say("silent", place=self._tables[board].place, reason="")
                return {"step": self._progress[board].step, "sentence": reason, "fits": False, "corners": None}
            return self._shown(board, frame, act == "next", _points(corners))

    def _shown(self, board: str, frame: Frame, goes_on: bool, corners: Points | None) -> dict[str, Any]:
        progress, album = self._progress[board], self._albums[board]
        if album.moved is not None and progress.step in {"empty", "saved"} and not progress.is_anew:
            progress.step = "moved"
        match progress.step:
            case "moved":
                answer = self._of_moved(board, frame, goes_on, corners)
            case "empty":
                answer = self._of_empty(board, frame, goes_on, corners)
            case "locking":
                if self._clock.now_ms() - progress.since_ms >= LOCK_MS:
                    progress.step, progress.empty = "start", frame
                    keeps_to_it = progress.wanted != UNTOLD and not differs(progress.wanted, frame.metadata)
                    progress.locked = frame.metadata if keeps_to_it else UNTOLD
                answer = {"sentence": self._say("empty"), "fits": False}
            case "start":
                remark = self._say("not_locked") if progress.locked == UNTOLD else ""
                answer = self._of_start(board, frame, corners) if goes_on else {"sentence": remark, "fits": True}
            case "hand":
                answer = self._of_hand(board, frame)
            case _:
                answer = {"sentence": self._say("kept", path=str(album.path)), "fits": True}
        if answer.get("corners") is None:
            model = progress.model
            answer["corners"] = None if model is None else np.round(model.corners, 1).tolist()
        height, width = frame.image.shape[:2]
        size = [album.geometry.columns, album.geometry.rows]
        return {"step": progress.step, "picture": [width, height], "board": size, **answer}

    def _of_empty(self, board: str, frame: Frame, goes_on: bool, corners: Points | None) -> dict[str, Any]:
        progress, album = self._progress[board], self._albums[board]
        found = aimed(frame.image, album.geometry, corners)
        if isinstance(found, Refused):
            return {"sentence": refusal(found, self._tables[board], self._texts), "fits": False}
        if goes_on:
            progress.wanted = to_lock(frame.metadata)
            if progress.wanted != UNTOLD:
                album.lock(progress.wanted)
            progress.step, progress.since_ms = "locking", self._clock.now_ms()
        told = {
            "side": f"{found.side_px:.0f}",
            "sharpness": f"{found.sharpness:.0f}",
            "glare": f"{100 * found.glare:.0f}",
        }
        return {"sentence": self._say("readout", **told), "fits": True, "corners": _rounded(found)}

    def _of_moved(self, board: str, frame: Frame, goes_on: bool, corners: Points | None) -> dict[str, Any]:
        """The board where it lies now; it is watched there once that was said to be right."""
        progress, album = self._progress[board], self._albums[board]
        model = album.moved
        if model is None:  # it was put back
            progress.step = "empty"
            return {"sentence": "", "fits": False}
        found = shown_again(model, frame.image, album.geometry, corners)
        if isinstance(found, Refused):
            return {"sentence": refusal(found, self._tables[board], self._texts), "fits": False}
        if goes_on:
            path = album.save(found)
            progress.step, progress.model = "saved", found
            return {"sentence": self._say("kept", path=str(path)), "fits": True}
        return {"sentence": self._say("moved"), "fits": True, "corners": np.round(found.corners, 1).tolist()}

    def _of_start(self, board: str, frame: Frame, corners: Points | None) -> dict[str, Any]:
        progress, album = self._progress[board], self._albums[board]
        found = model_from(progress.empty, frame, album.geometry, album.home, corners, progress.locked)
        if isinstance(found, Refused):
            if found.reason in {"pushed", "not_empty"}:
                self._progress[board] = _Progress(is_anew=progress.is_anew)
            return {"sentence": refusal(found, self._tables[board], self._texts), "fits": True}
        progress.step, progress.model = "hand", found
        progress.known, progress.memory = watching(found, album.geometry, album.home), begun(found)
        return {"sentence": self._say("lies", side=self._say(white_side(found))), "fits": True}

    def _of_hand(self, board: str, frame: Frame) -> dict[str, Any]:
        progress = self._progress[board]
        assert progress.known is not None
        assert progress.memory is not None
        assert progress.model is not None
        if progress.looked_at is None or frame.at_ms != progress.looked_at.at_ms:
            seen, progress.memory = watch(progress.known, progress.memory, frame)
            progress.looked_at = frame
            if isinstance(seen, Seen) and progress.hand_was_seen:
                path = self._albums[board].save(progress.model)
                progress.step = "saved"
                return {"sentence": self._say("kept", path=str(path)), "fits": True}
            progress.hand_was_seen |= not isinstance(seen, Seen) and seen.reason == "hand"
        return {"sentence": self._say("hand").partition(" ")[2], "fits": False}

    def _say(self, key: str, **words: str) -> str:
        return self._texts.say(f"camera.{key}", **words)


def _points(corners: list[list[float]] | None) -> Points | None:
    if corners is None:
        return None
    points = np.array(corners, np.float64)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise ValueError(f"corners = {corners!r}: expected four pairs of numbers, clockwise")
    return points


def _rounded(found: Aim) -> list[list[float]]:
    rounded: list[list[float]] = np.round(found.corners, 1).tolist()
    return rounded
