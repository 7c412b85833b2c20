"""What can go wrong on a simulated board, how often, and the dice that decide it.

All numbers are assumptions (boards research, sections 8 and 9) until somebody measures worn boards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

STALL_MS = (200, 3000)
BOUNCE_MS = (20, 60)
FLIP_MS = (30, 90)
"""How long a flip lasts behind the debounce of a matrix; on a board that scans slowly it is one scan."""
MARGINAL_HOLD_MS = 3500
"""Mean time between two dropouts of a marginal piece: 15 % of the scans of 10 ms miss it, three in a row are needed."""
MARGINAL_GONE_MS = (30, 70)
"""How long such a dropout lasts behind the debounce."""
MARGINAL_SCAN = 0.02
"""The share of slow scans that miss a marginal piece."""
GHOST_MS = (30, 120)
"""How long a free cell shows the piece that passes it."""


@dataclass(frozen=True, slots=True)
class Faults:
    """How often each fault happens; probabilities from 0 to 1 unless another unit is named."""

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
    marginal_piece: float = 0.0
    """Per piece put down: it stands off its sensor's centre, and drops out for a moment every few seconds."""
    flips_per_minute: float = 0.0
    """On the whole board: one cell shows the opposite of what stands there for a moment."""
    ghost: float = 0.0
    """Per contact, on a matrix: a free cell beside it shows the magnet that passes."""
    bounce_ms: tuple[int, int] = BOUNCE_MS
    """How long a contact of a matrix bounces."""
    longest_gap_ms: int = 15
    """The longest time a bouncing contact rests: longer than the debounce, the rest is seen."""
    dead_squares: int = 0
    """Playing squares whose sensors always read empty; whoever sets the board up breaks so many."""


NONE = Faults()
NORMAL = Faults(
    lost_byte=0.0001, flipped_bit=0.0001, extra_byte=0.0001, duplicated_message=0.001, stall=0.0002, wrong_code=0.001
)
WORN = Faults(marginal_piece=0.02, flips_per_minute=0.6, ghost=0.01, bounce_ms=(20, 90), longest_gap_ms=40)
BAD = Faults(
    lost_byte=0.001,
    flipped_bit=0.001,
    extra_byte=0.001,
    duplicated_message=0.01,
    stall=0.001,
    weak_piece=0.001,
    wrong_code=0.01,
    power_cycle=0.0002,
    marginal_piece=0.06,
    flips_per_minute=6.0,
    ghost=0.05,
    bounce_ms=(20, 120),
    longest_gap_ms=50,
    dead_squares=1,
)

PRESETS: dict[str, Faults] = {"clean": NONE, "normal": NORMAL, "worn": WORN, "bad": BAD, "none": NONE}
"""`clean`: none; `normal`: the cable alone; `worn`: sensors alone; `bad`: both, with a dead square. `none`: clean."""


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

    def until_flip_ms(self) -> int | None:
        """How long it is to the next flip; None when there is none."""
        rate = self.faults.flips_per_minute
        return math.ceil(self.random.expovariate(rate / 60_000)) if rate else None

    def holds_ms(self) -> int:
        """How long a marginal piece is seen before it drops out again."""
        return math.ceil(self.random.expovariate(1 / MARGINAL_HOLD_MS))

    def _spoilt(self, byte: int) -> bytes:
        if self.happens(self.faults.lost_byte):
            return b""
        if self.happens(self.faults.flipped_bit):
            byte ^= 1 << self.random.randrange(8)
        spoilt = bytes((byte,))
        return spoilt + self.random.randbytes(1) if self.happens(self.faults.extra_byte) else spoilt
