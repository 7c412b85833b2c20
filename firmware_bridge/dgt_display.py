"""Texts on the clock at a DGT-compatible board (unofficial): one command at a time, until it is acknowledged.

A DGT3000 shows eight characters. A clock that acknowledges none of three tries shows none, and is told no more.
"""

from __future__ import annotations

CHARACTERS = 8
ACK_MS = 2000
"""A command is sent again that has not been acknowledged for so long."""
TRIES = 3
MESSAGE, BEGIN, ASCII_TEXT, END_TEXT, SILENT, END = 0x2B, 0x03, 0x0C, 0x03, 0x00, 0x00
DONE = 0x10
"""First byte of an acknowledgement whose command was carried out."""


def command(text: str) -> bytes:
    """The clock command that shows a text of up to eight characters, or for an empty one the times again.

    No character is from 0x40 to 0x60: those are commands to boards that take no clock commands. ValueError otherwise.
    """
    if not text:
        return bytes((MESSAGE, 3, BEGIN, END_TEXT, END))
    shown = text.ljust(CHARACTERS).encode()
    if not text.isascii() or len(shown) > CHARACTERS or any(0x40 <= byte <= 0x60 for byte in shown):
        raise ValueError(f"found {text!r}, expected up to {CHARACTERS} digits, small letters and signs")
    return bytes((MESSAGE, len(shown) + 4, BEGIN, ASCII_TEXT, *shown, SILENT, END))


def acknowledged(payload: bytes) -> int | None:
    """The first byte of the acknowledgement that a clock message amounts to; None where it tells times."""
    if payload[0] & 0x0F != 0x0A and payload[3] & 0x0F != 0x0A:
        return None
    return payload[1] & 0x7F | payload[3] << 3 & 0x80


class Display:
    """What the clock is to show and what it shows."""

    def __init__(self) -> None:
        self._wanted = self._shown = self._sent = ""
        self._sent_ms: int | None = None
        self._tries = 0

    @property
    def is_waiting(self) -> bool:
        """Whether a command has not been acknowledged yet."""
        return self._sent_ms is not None and self._tries < TRIES

    def want(self, text: str) -> None:
        """From now on this is to be shown; the times for an empty text."""
        self._wanted = text

    def clear(self) -> None:
        """The board may have started anew: its clock shows times, and may answer now."""
        self._shown, self._sent_ms, self._tries = "", None, 0

    def due_ms(self) -> int | None:
        """When the next command is due; None for never."""
        if self._tries >= TRIES or (self._wanted == self._shown and self._sent_ms is None):
            return None
        return 0 if self._sent_ms is None else self._sent_ms + ACK_MS

    def send(self, now_ms: int) -> bytes:
        """The command that is due."""
        self._sent, self._sent_ms = self._wanted, now_ms
        self._tries += 1
        return command(self._sent)

    def take(self, payload: bytes) -> None:
        """Takes a clock message: an acknowledgement says what is shown now."""
        if self._sent_ms is not None and acknowledged(payload) == DONE:
            self._shown, self._sent_ms, self._tries = self._sent, None, 0
