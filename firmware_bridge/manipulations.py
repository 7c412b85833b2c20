"""What an arm can be asked to do, in cells of the board and slots of its tray: no millimetres, no rules."""

from __future__ import annotations

import msgspec

from engine.geometry import Cell

Slot = int
"""Number of a place in the tray, from 0."""

Spot = tuple[float, float]
"""(column, row) in pitches: a cell's centre has whole numbers; outside the board lie its rim and the tray."""


class Home(msgspec.Struct, frozen=True):
    """Find out where the tool is, upwards first, and stay up."""


class Lift(msgspec.Struct, frozen=True):
    """Take up what stands on a cell, from the piece that has `level` others beneath it upwards."""

    cell: Cell
    level: int = 0


class Place(msgspec.Struct, frozen=True):
    """Put down what is held on a cell where `level` pieces stand already."""

    cell: Cell
    level: int = 0


class Remove(msgspec.Struct, frozen=True):
    """Carry what stands on a cell, from `level` upwards, to a slot of the tray."""

    cell: Cell
    slot: Slot
    level: int = 0


class Fetch(msgspec.Struct, frozen=True):
    """Carry what lies in a slot to a cell where `level` pieces stand already."""

    slot: Slot
    cell: Cell
    level: int = 0


class Slide(msgspec.Struct, frozen=True):
    """Draw the piece on the first spot along straight lines from spot to spot, with a magnet under the board."""

    way: tuple[Spot, ...]


class Flip(msgspec.Struct, frozen=True):
    """Turn over the piece on a cell."""

    cell: Cell


class Park(msgspec.Struct, frozen=True):
    """Go where nobody is in the way and nothing falls on the board when the power fails."""


Act = Home | Lift | Place | Remove | Fetch | Slide | Flip | Park
