"""What can go wrong on a simulated board, how often, and the dice that decide it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

STALL_MS = (200, 3000)


@dataclass(frozen=True, slots=True)
class Faults:
    """The probability of each fault, 0 to 1."""

    lost_byte: float = 0.0
    """Per byte, both ways."""
    flipped_bit: float = 0.0
    """Per byte, both ways."""
    extra_byte: float = 0.0
    """Per byte, both ways."""
    duplicated_message: float = 0.0
    """Per message of the board."""
    stall: float = 0.0
    """Per message of the board: 0.2 to 3 s of silence, nothing is lost."""
    weak_piece: float = 0.0
    """Per piece put down: its sensor goes off and on while it stands there."""
    wrong_code: float = 0.0
    """Per piece put down on a board that tells kinds apart: it is read as something else for one scan."""
    power_cycle: float = 0.0
    """Per message of the board."""


NONE = Faults()
NORMAL = Faults(
    lost_byte=0.0001, flipped_bit=0.0001, extra_byte=0.0001, duplicated_message=0.001, stall=0.0002, wrong_code=0.001
)
BAD = Faults(
    lost_byte=0.001,
    flipped_bit=0.001,
    extra_byte=0.001,
    duplicated_message=0.01,
    stall=0.001,
    weak_piece=0.001,
    wrong_code=0.01,
    power_cycle=0.0002,
)

PRESETS: dict[str, Faults] = {"none": NONE, "normal": NORMAL, "bad": BAD}


class Noise:
    """Seeded dice for one board."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self.faults = faults
        self.random = Random(seed)
        self._clean = not (faults.lost_byte or faults.flipped_bit or faults.extra_byte)

    def happens(self, rate: float) -> bool:
        """Whether a fault of this rate happens now."""
        return rate > 0.0 and self.random.random() < rate

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they come out of the cable."""
        if self._clean:
            return data
        return b"".join(self._spoilt(byte) for byte in data)

    def stall_ms(self) -> int:
        """How long a stall lasts that begins with this message; 0 for none."""
        return self.random.randint(*STALL_MS) if self.happens(self.faults.stall) else 0

    def _spoilt(self, byte: int) -> bytes:
        if self.happens(self.faults.lost_byte):
            return b""
        if self.happens(self.faults.flipped_bit):
            byte ^= 1 << self.random.randrange(8)
        spoilt = bytes((byte,))
        return spoilt + self.random.randbytes(1) if self.happens(self.faults.extra_byte) else spoilt
