"""Firmwares that run as programs above simulated hardware: which there are, and how a board of a size is started."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from firmware_bridge.simulator import avr, pico


@dataclass(frozen=True, slots=True)
class Firmware:
    """How a firmware is started on this machine."""

    command: Callable[[int, int, bool], list[str]]
    """Columns, rows, tells colours: the command line, all but `--path`; ValueError in one sentence where none is."""
    missing: Callable[[], str | None]
    """Why it cannot be started here, in one sentence; None when it can."""


def _avr(columns: int, rows: int, colour: bool) -> list[str]:
    return avr.command(columns, rows, colour=colour)


FIRMWARES: Mapping[str, Firmware] = MappingProxyType(
    {"avr": Firmware(_avr, avr.missing), "micropython": Firmware(pico.command, pico.missing)}
)
"""By the name that `--driver` has; the driver at the host's end is `matrix`."""
