"""The bus side of a simulated DGT-compatible board (unofficial): addressed commands in, checked messages out."""

from __future__ import annotations

COMMAND_BYTES = 4
STORED_BYTES = 0x1F00


class BusEnd:
    """What one board keeps for the bus: half a command, the changes that nobody has asked for, those told last."""

    def __init__(self, address: int) -> None:
        self.address = address
        self.repeated = b""
        """The changes that were told last."""
        self._command = bytearray()
        self._changes = bytearray()
        self._is_hushed = False
        self.is_taking = False
        """Whether the byte that came last was part of a bus command."""

    def restart(self) -> None:
        """The power was gone; the changes begin with that."""
        self._command.clear()
        self._changes = bytearray(b"\x6a")
        self.repeated, self._is_hushed = b"", False

    def note(self, record: bytes) -> None:
        """Something has changed on the board."""
        self._changes += record
        del self._changes[:-STORED_BYTES]

    def take(self, byte: int) -> tuple[int, int] | None:
        """Takes a byte from the host; command and address where it is the last one of a good bus command."""
        if byte & 0x80:
            self._command = bytearray((byte,))
            self.is_taking = True
            return None
        self.is_taking = bool(self._command)
        if not self._command:
            return None
        self._command.append(byte)
        if len(self._command) < COMMAND_BYTES:
            return None
        command, high, low, check = self._command
        self._command.clear()
        return (command, high * 128 + low) if (command + high + low) % 128 == check else None

    def changes(self) -> bytes:
        """All changes since this was asked last."""
        self.repeated, self._changes = bytes(self._changes), bytearray()
        return self.repeated

    def hush(self) -> bytes:
        """The next ping to all boards is not answered; nothing is told of that but a ping."""
        self._is_hushed = True
        return b""

    def leaves_out_ping(self) -> bool:
        """Whether this ping to all boards is the one that is not answered."""
        was, self._is_hushed = self._is_hushed, False
        return was

    def message(self, kind: int, data: bytes) -> bytes:
        """A message as it goes over the line: its length counts all of it."""
        length = len(data) + 6
        body = bytes((kind, length // 128, length % 128, self.address // 128, self.address % 128)) + data
        return body + bytes((sum(body) % 128,))
