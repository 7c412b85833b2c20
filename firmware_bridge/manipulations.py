"""What an arm can be asked to do, in cells of the board and slots of its tray: no millimetres, no rules."""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry import Cell

Slot = int
"""Number of a place in the tray, from 0."""

Spot = tuple[float, float]
"""(column, row) in pitches: a cell's centre has whole numbers; outside the board lie its rim and the tray."""


@dataclass(frozen=True, slots=True)
class Home:
    """Find out where the tool is, upwards first, and stay up."""


@dataclass(frozen=True, slots=True)
class Lift:
    """Take up what stands on a cell, from the piece that has `level` others beneath it upwards."""

    cell: Cell
    level: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Put down what is held on a cell where `level` pieces stand already."""

    cell: Cell
    level: int = 0


@dataclass(frozen=True, slots=True)
class Remove:
    """Carry what stands on a cell, from `level` upwards, to a slot of the tray."""

    cell: Cell
    slot: Slot
    level: int = 0


@dataclass(frozen=True, slots=True)
class Fetch:
    """Carry what lies in a slot to a cell where `level` pieces stand already."""

    slot: Slot
    cell: Cell
    level: int = 0


@dataclass(frozen=True, slots=True)
class Slide:
    """Draw the piece on the first spot along straight lines from spot to spot, with a magnet under the board."""

    way: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """Turn over the piece on a cell."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Park:
    """Go where nobody is in the way and nothing falls on the board when the power fails."""


Act = Home | Lift | Place | Remove | Fetch | Slide | Flip | Park
