"""What the conformance suite has to know of each kind of board: how it is met, its lamps, its devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from firmware_bridge.pins import Pins
from firmware_bridge.simulator import CertaboBoard, DgtBus, GpioBoard, MillenniumBoard, SimulatedBoard, device_for


def _usual(name: str) -> dict[str, Callable[[int, int], SimulatedBoard]]:
    return {name: partial(device_for, name, seed=3)}


def _wired(columns: int, rows: int) -> SimulatedBoard:
    """A contact under every cell; on the big board under the playing squares alone."""
    half = Pins(rows=tuple(range(2, 12)), columns=tuple(range(12, 17)), confirm=17, lamp=18)
    return GpioBoard(columns, rows, seed=3, pins=half if columns == 10 else None)


@dataclass(frozen=True)
class Kind:
    greeting: bytes
    """What its driver begins a conversation with; nothing: it only listens until the board has told something."""
    devices: dict[str, Callable[[int, int], SimulatedBoard]]
    """By name: a board of so many columns and rows."""
    tells_id: bool = True
    """Whether the board has a number and a version of its own."""
    view_ms: int = 1000
    """A view follows what a hand does within this time."""
    lamps_ms: int = 500
    """Lamps follow cues within this time."""
    has_line: bool = True
    """Whether there is a line whose bytes may be spoilt."""
    called: str = ""
    """Which of the boards on its line a driver is told to be at."""
    plain: frozenset[str] = field(default_factory=frozenset)
    """Devices whose lamps are lit or dark, and show no roles."""


KINDS = {
    "matrix": Kind(b"\x81", _usual("matrix")),
    "dgt": Kind(b"\x40", _usual("dgt")),
    "dgt_bus": Kind(
        b"\x87",
        {
            "dgt-bus": lambda columns, rows: DgtBus([(columns, rows)], seed=3),
            "dgt-bus-of-four": lambda columns, rows: DgtBus([(columns, rows), (8, 8), (10, 10), (8, 8)], seed=3),
        },
        called="10247",
    ),
    "gpio_matrix": Kind(b"\xc1", {"gpio_matrix": _wired}, has_line=False),
    "millennium": Kind(
        b"\xd6\xb5\xb6",  # V and its check, with odd parity
        {
            "millennium": lambda *_: MillenniumBoard(seed=3),
            "millennium-changes": lambda *_: MillenniumBoard(seed=3, chatty=False),
            "millennium-asked": lambda *_: MillenniumBoard(seed=3, reports=False),
        },
        tells_id=False,
    ),
    "certabo": Kind(
        b"",
        {
            "certabo": lambda *_: CertaboBoard(seed=3, breaks_lines=True),
            "tabutronic": lambda *_: CertaboBoard(seed=3, chips=False, coloured_lamps=True),
        },
        tells_id=False,
        view_ms=1300,
        lamps_ms=700,
        plain=frozenset({"certabo"}),
    ),
}
