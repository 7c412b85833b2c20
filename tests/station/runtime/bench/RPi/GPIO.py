"""Wires and diodes where a Pi has its pins; which contacts are closed stands in a file, one row a line."""

from __future__ import annotations

import os
from pathlib import Path

from firmware_bridge.simulator.wires import Wires

_FILE = Path(os.environ["DAMBORD_BENCH"])
_WIRES = Wires((2, 3, 4, 17, 27, 22, 10, 9), (11, 5, 6, 13))
BCM, IN, OUT, LOW, HIGH, PUD_OFF, PUD_UP, VERSION = 11, 1, 0, 0, 1, 20, 22, "of a bench"
setmode, setwarnings, setup, output, cleanup = (
    _WIRES.setmode,
    _WIRES.setwarnings,
    _WIRES.setup,
    _WIRES.output,
    _WIRES.cleanup,
)


def input(channel):
    rows = _FILE.read_text().split()
    _WIRES.closed[:] = bytes(int(contact) for row in rows[:8] for contact in row)
    _WIRES.down = {int(pin) for pin in rows[8:]}
    return _WIRES.input(channel)
