"""Where boards are plugged in: a path or a pattern, a USB serial number, or whichever configured port has the board."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import Listing, is_pattern, path_of, paths_like, ports
from station.config import BoardTable


class Places:
    """The ports that may be opened for each board, and which board was met at which of them; used by all threads.

    A port is never opened, let alone written to, unless the configuration names it.
    """

    def __init__(self, tables: Sequence[BoardTable], listing: Callable[[], Listing] = ports) -> None:
        self._tables, self._listing = tuple(tables), listing
        self._lock = threading.Lock()
        self._met: dict[str, str | None] = {}
        """The unique id of the board that was met at a path last, None where none answered; the latest meeting last."""

    def meet(self, path: str, unique_id: str | None, table: BoardTable | None = None) -> None:
        """Note that this board answers at this path, or that none does: none for this table where others are too."""
        place = self._place(path, table)
        with self._lock:
            self._met.pop(place, None)
            self._met[place] = unique_id

    def _place(self, path: str, table: BoardTable | None) -> str:
        """What is remembered as one place: a path, or on a line with several boards what each of them is at it."""
        if table is None or not any(shares_line(table, other) for other in self._tables):
            return path
        return f"{path} {table.unique_id}"

    def paths(self, table: BoardTable) -> tuple[str, ...]:
        """Where to look for a board, the likeliest path first; PortLost when nothing is plugged in where it may be."""
        with self._lock:
            met = dict(self._met)
        found: list[str] = []
        missing: list[PortLost] = []
        for place in (table, *(other for other in self._tables if _may_be_swapped(table, other))):
            try:
                found += paths_of(place, self._listing, self._tables)
            except PortLost as lost:
                missing.append(lost)
        if not found:
            raise missing[0]
        order = list(met)
        places = {path: self._place(path, table) for path in found}
        return tuple(sorted(places, key=lambda path: _rank(places[path], table.unique_id, met, order)))


def paths_of(
    table: BoardTable, listing: Callable[[], Listing] = ports, others: Sequence[BoardTable] = ()
) -> tuple[str, ...]:
    """The ports that a table names, but for those that other tables name outright; PortLost when there is none."""
    if is_pattern(table.port):
        taken = {other.port for other in others}
        return paths_like(table.port, tuple(port for port in listing() if port[0] not in taken))
    return (table.port or path_of(table.usb_serial, listing()),)


def shares_line(table: BoardTable, other: BoardTable) -> bool:
    """Whether two boards are configured to be at one port."""
    is_named = (bool(table.port) and not is_pattern(table.port)) or bool(table.usb_serial)
    return other.id != table.id and is_named and (other.port, other.usb_serial) == (table.port, table.usb_serial)


def _may_be_swapped(table: BoardTable, other: BoardTable) -> bool:
    """Whether a board known by its id may stand at another board's place: only where that one is known likewise."""
    return bool(table.unique_id and other.unique_id) and other is not table and other.driver == table.driver


def _rank(place: str, unique_id: str, met: dict[str, str | None], order: list[str]) -> tuple[int, int]:
    """Where the board was met comes first, then where none was; then where others were, the longest ago first."""
    if place not in met:
        return (1, 0)
    return (0, 0) if met[place] == unique_id else (2, order.index(place))
