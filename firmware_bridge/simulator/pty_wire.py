"""Runs a simulated device on a real pseudo-terminal with the wall clock, so that programs open it as a serial port."""

from __future__ import annotations

import os
import selectors
import threading
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic_ns
from types import TracebackType
from typing import Protocol, Self, TypeVar

_READ_BYTES = 4096
_T = TypeVar("_T")


def _now_ms() -> int:
    return monotonic_ns() // 1_000_000


class WiredDevice(Protocol):
    """What speaks at the far end of a wire; times in ms, never going back."""

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that are due at this time."""

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""


class PtyWire:
    """A device at the other end of `path`, a name that stays the same when the cable is pulled and put back.

    All methods may be called from any thread.
    """

    def __init__(self, device: WiredDevice, path: Path | None = None) -> None:
        self._device = device
        self._folder = TemporaryDirectory(prefix="dambord-") if path is None else None
        self.path = path or Path(self._folder.name if self._folder else "", "board")
        self._zero_ms = _now_ms()
        self._lock = threading.Lock()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._ends: tuple[int, int] | None = None
        self._running = True
        self.plug()
        self._thread = threading.Thread(target=self._run, name=f"pty {self.path.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def touch(self, act: Callable[[int], _T]) -> _T:
        """Does something to the device at the present time (ms), between two turns of its loop; its result."""
        with self._lock:
            result = act(_now_ms() - self._zero_ms)
        self._wake()
        return result

    def unplug(self) -> None:
        """Pulls the cable: whoever has the port open gets an error, and the name is gone."""
        with self._lock:
            self._pull()
        self._wake()

    def plug(self) -> None:
        """Puts the cable back: the same name leads to a new terminal."""
        with self._lock:
            if self._ends is None:
                self._ends = _raw_pair()
                self.path.symlink_to(os.ttyname(self._ends[1]))
        self._wake()

    def close(self) -> None:
        """Ends the device and its thread."""
        self._running = False
        self._wake()
        self._thread.join()
        with self._lock:
            self._pull()
        os.close(self._wake_read)
        os.close(self._wake_write)
        if self._folder is not None:
            self._folder.cleanup()

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            os.write(self._wake_write, b"w")

    def _pull(self) -> None:
        if self._ends is not None:
            self.path.unlink(missing_ok=True)
            for end in self._ends:
                os.close(end)
            self._ends = None

    def _run(self) -> None:
        while self._running:
            with self._lock:
                master = self._ends[0] if self._ends else None
                deadline_ms = self._device.deadline_ms()
                wait_ms = None if deadline_ms is None else max(0, deadline_ms - (_now_ms() - self._zero_ms))
            self._wait(master, wait_ms)
            with self._lock:
                self._turn(master)

    def _wait(self, master: int | None, wait_ms: int | None) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_read, selectors.EVENT_READ)
            if master is not None:
                with suppress(OSError, ValueError):
                    selector.register(master, selectors.EVENT_READ)
            ready = selector.select(None if wait_ms is None else wait_ms / 1000)
            if any(key.fd == self._wake_read for key, _ in ready):
                os.read(self._wake_read, _READ_BYTES)

    def _turn(self, master: int | None) -> None:
        now_ms = _now_ms() - self._zero_ms
        if self._ends is None or self._ends[0] != master:
            self._device.tick(now_ms)
            return
        heard = b""
        with suppress(BlockingIOError):
            heard = os.read(master, _READ_BYTES)
        out = self._device.receive(heard, now_ms) if heard else self._device.tick(now_ms)
        # A full terminal means that nobody reads; a wire without a listener loses what is sent.
        with suppress(BlockingIOError):
            os.write(master, out)


def _raw_pair() -> tuple[int, int]:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    return master, slave
