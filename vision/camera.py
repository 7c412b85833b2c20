"""Cameras: the one place where vision opens them. Each source gives one picture after the other, as they are taken.

| port | camera |
|---|---|
| `/dev/v4l/by-id/...` or `/dev/video0` | a USB camera (V4L2); the first stays, whichever socket it is plugged into |
| `pi:0` | the Raspberry Pi's own camera, by its number (picamera2) |
| `unix:/run/camera.sock` | a program that sends packets (vision.frame) to whoever connects |
| `/home/pi/frames` | a folder of pictures: one that was recorded, or any others, five a second |
"""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
import time
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from vision.frame import Metadata, Packet, Unpacker
from vision.locate import Image
from vision.recording import Recording

WIDTH, HEIGHT = 1280, 720
"""What a camera is asked for; it may give others."""
OPEN_S = 2.0
"""A camera that gives no picture for so long is lost."""
RATE = 5.0
"""Pictures a second from a folder that has no times."""
INSTALL_PI = "picamera2 is not installed: `sudo apt install python3-picamera2`, in an environment with system packages"

Picture = tuple[Image | bytes, Metadata, int]
"""An image or the bytes of a JPEG, how it was taken, and how many ms ago."""


class CameraLost(OSError):
    """A camera cannot be opened, or has gone away."""


class Source(Protocol):
    """A camera that is open."""

    camera: str
    """Its id."""

    def picture(self) -> Picture:
        """The next picture, waiting for it; CameraLost when none comes for OPEN_S."""
        ...

    def lock(self, wanted: Metadata) -> None:
        """Take all pictures in this way from now on, as far as the camera can."""
        ...

    def close(self) -> None:
        """Let go of it; never fails."""
        ...


def open_source(port: str) -> Source:
    """The camera at a port; CameraLost, with a sentence, when there is none."""
    if port.startswith("unix:"):
        return StreamSource(port.removeprefix("unix:"))
    if port.startswith("pi:"):
        return PiSource(port)
    if Path(port).is_dir():
        return FolderSource(Path(port))
    return VideoSource(port)


def is_there(port: str) -> bool:
    """Whether something is at a port, as far as can be told without opening it."""
    return port.startswith("pi:") or Path(port.removeprefix("unix:")).exists()


class VideoSource:
    """A USB camera."""

    def __init__(self, path: str) -> None:
        self.camera, self._path = os.path.basename(path), path
        try:
            is_device = stat.S_ISCHR(os.stat(path).st_mode)
        except OSError as error:
            raise CameraLost(error.errno, f"no camera: {error.strerror}") from error
        if not is_device:
            raise CameraLost(f"{path} is no camera: expected a device, a folder of pictures, unix:PATH or pi:NUMBER")
        self._capture = cv2.VideoCapture(os.path.realpath(path), cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CameraLost("the camera cannot be opened: another program may have it")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def picture(self) -> Picture:
        """The next picture. One that is unplugged may go on to give pictures: its path is gone, though."""
        taken, image = self._capture.read()
        if not taken or image is None or not os.path.exists(self._path):
            raise CameraLost("the camera is unplugged")
        return np.asarray(image, np.uint8), self._metadata(), 0

    def _metadata(self) -> Metadata:
        exposure, gain, focus = (
            self._told(name) for name in (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN, cv2.CAP_PROP_FOCUS)
        )
        # V4L2 counts exposure in units of 100 microseconds.
        return Metadata(None if exposure is None else 100 * exposure, gain, lens=focus)

    def _told(self, name: int) -> float | None:
        value = self._capture.get(name)
        return value if value > 0 else None

    def lock(self, wanted: Metadata) -> None:
        """Exposure, gain, white balance and focus by hand."""
        self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)
        self._capture.set(cv2.CAP_PROP_AUTO_WB, 0)
        self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 0)
        if wanted.exposure_us is not None:
            self._capture.set(cv2.CAP_PROP_EXPOSURE, wanted.exposure_us / 100)
        if wanted.gain is not None:
            self._capture.set(cv2.CAP_PROP_GAIN, wanted.gain)
        if wanted.lens is not None:
            self._capture.set(cv2.CAP_PROP_FOCUS, wanted.lens)

    def close(self) -> None:
        """Let go of the camera."""
        self._capture.release()


class PiSource:
    """The Raspberry Pi's own camera."""

    def __init__(self, port: str) -> None:
        try:
            from picamera2 import Picamera2  # noqa: PLC0415 - on a Raspberry Pi alone
        except ImportError as error:
            raise CameraLost(INSTALL_PI) from error
        number = port.removeprefix("pi:")
        known = Picamera2.global_camera_info()
        if not number.isdigit() or int(number) >= len(known):
            raise CameraLost(f"{port}: found {len(known)} cameras, expected pi:0 to pi:{max(len(known) - 1, 0)}")
        self.camera = str(known[int(number)].get("Id", port))
        self._device: Any = Picamera2(int(number))
        settings = {"size": (WIDTH, HEIGHT), "format": "RGB888"}  # libcamera's RGB888 has blue first
        self._device.configure(self._device.create_video_configuration(main=settings, buffer_count=2))
        self._device.start()

    def picture(self) -> Picture:
        """The next picture, with what the camera tells of it."""
        request = self._device.capture_request()
        try:
            image, told = request.make_array("main"), request.get_metadata()
        finally:
            request.release()
        red, blue = told.get("ColourGains", (None, None))
        metadata = Metadata(told.get("ExposureTime"), told.get("AnalogueGain"), red, blue, told.get("LensPosition"))
        taken_ns = told.get("SensorTimestamp")  # of the clock that counts from the start of the machine
        age_ms = 0 if taken_ns is None else max(0, (time.clock_gettime_ns(time.CLOCK_BOOTTIME) - taken_ns) // 1_000_000)
        return np.asarray(image, np.uint8), metadata, int(age_ms)

    def lock(self, wanted: Metadata) -> None:
        """Exposure, gain, white balance and focus by hand."""
        controls: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
        if wanted.exposure_us is not None:
            controls["ExposureTime"] = round(wanted.exposure_us)
        if wanted.gain is not None:
            controls["AnalogueGain"] = wanted.gain
        if wanted.red_gain is not None and wanted.blue_gain is not None:
            controls["ColourGains"] = (wanted.red_gain, wanted.blue_gain)
        if wanted.lens is not None:
            controls |= {"AfMode": 0, "LensPosition": wanted.lens}
        self._device.set_controls(controls)

    def close(self) -> None:
        """Let go of the camera."""
        self._device.close()


class StreamSource:
    """A program that sends packets over a Unix socket; what is to be locked is sent to it."""

    def __init__(self, path: str) -> None:
        self.camera = os.path.basename(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(OPEN_S)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise CameraLost(error.errno, f"no camera answers at {path}: {error.strerror}") from error
        self._unpacker = Unpacker()
        self._waiting: list[Packet] = []

    def picture(self) -> Picture:
        """The next picture, undecoded where it is a JPEG."""
        while not self._waiting:
            try:
                data = self._socket.recv(1 << 20)
            except OSError as error:
                raise CameraLost("the camera sends nothing") from error
            if not data:
                raise CameraLost("the camera is gone")
            self._waiting = self._unpacker.feed(data, 0)
        packet = self._waiting.pop(0)
        head = packet.head
        self.camera = head["camera"] or self.camera
        told = {field.name: head["metadata"].get(field.name) for field in fields(Metadata)}
        picture = packet.data if head["format"] == "jpeg" else packet.frame().image
        return picture, Metadata(**told), head["age_ms"]

    def lock(self, wanted: Metadata) -> None:
        """Ask the program to."""
        self._socket.sendall(lock_command(wanted))

    def close(self) -> None:
        """Let go of the socket."""
        self._socket.close()


class FolderSource:
    """Pictures of a folder, as fast as they were recorded; the last one stays."""

    def __init__(self, folder: Path) -> None:
        self.camera = folder.name
        self._recorded = Recording(folder).pictures(RATE)
        if not self._recorded:
            raise CameraLost(f"{folder}: found no pictures, expected JPEG or PNG")
        self._began_ms: int | None = None
        self._next = 0
        self._closed = threading.Event()

    def picture(self) -> Picture:
        """The next picture when its time has come."""
        now_ms = time.monotonic_ns() // 1_000_000
        if self._began_ms is None:
            self._began_ms = now_ms - self._recorded[0].at_ms
        recorded = self._recorded[min(self._next, len(self._recorded) - 1)]
        wait_ms = self._began_ms + recorded.at_ms - now_ms if self._next < len(self._recorded) else 1000 / RATE
        self._closed.wait(max(wait_ms, 0) / 1000)
        self._next += 1
        return recorded.file.read_bytes(), recorded.metadata, 0

    def lock(self, wanted: Metadata) -> None:
        """Nothing: they are taken."""

    def close(self) -> None:
        """Stop waiting."""
        self._closed.set()


def lock_command(wanted: Metadata) -> bytes:
    """The line by which a camera is asked to take all pictures in this way."""
    told = {key: value for key, value in asdict(wanted).items() if value is not None}
    return json.dumps({"lock": told}, separators=(",", ":")).encode() + b"\n"


def read_lock(line: bytes) -> Metadata | None:
    """What a line asks to be locked; None where it asks for nothing of the kind."""
    try:
        wanted = json.loads(line)["lock"]
        return Metadata(**{field.name: wanted.get(field.name) for field in fields(Metadata)})
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
