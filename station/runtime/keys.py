"""Single keys of a terminal, by name; from a pipe, bytes stand for keys."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from contextlib import ExitStack
from types import TracebackType

from station.errors import ConfigError

ESCAPE_MS = 50
"""So long the rest of a key's sequence may take."""
_SEQUENCES = {"[A": "up", "[B": "down", "[C": "right", "[D": "left", "[5~": "page_up", "[6~": "page_down"}


class Keys:
    """The keyboard, while somebody steers with it; a terminal is as it was afterwards."""

    def __init__(self, file: int | None = None) -> None:
        self._file = sys.stdin.fileno() if file is None else file
        self.is_terminal = os.isatty(self._file)
        self._after = ExitStack()

    def __enter__(self) -> Keys:
        with ExitStack() as stack:
            if self.is_terminal:
                stack.callback(termios.tcsetattr, self._file, termios.TCSADRAIN, termios.tcgetattr(self._file))
                tty.setcbreak(self._file)
            self._after = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._after.close()

    def read(self, wait_ms: int) -> str:
        """The next key, empty when none is pressed in time; ConfigError when nobody is at the keyboard."""
        if not self._is_ready(wait_ms):
            return ""
        byte = os.read(self._file, 1)
        if not byte:
            raise ConfigError("calibrate: nobody is at the keyboard, expected the keys that move the tool")
        if byte == b"\x1b":
            return self._sequence()
        return "enter" if byte in b"\r\n" else byte.decode("ascii", "replace").lower()

    def forget(self) -> None:
        """Drop what a key that was held down has left: motion ends when it is let go."""
        if self.is_terminal:
            termios.tcflush(self._file, termios.TCIFLUSH)

    def _sequence(self) -> str:
        text = ""
        while text not in _SEQUENCES and len(text) < 3 and self._is_ready(ESCAPE_MS):
            text += os.read(self._file, 1).decode("ascii", "replace")
        return _SEQUENCES.get(text, "")

    def _is_ready(self, wait_ms: int) -> bool:
        ready, _, _ = select.select([self._file], [], [], wait_ms / 1000)
        return bool(ready)
