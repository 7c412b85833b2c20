"""What outlives a start, in the Pico's flash: how often the board has started, and its calibration.

Wear: the flash bears 100,000 erasures of each sector (data sheet of the W25Q16JV). The file system spreads what is
written over all free sectors; were each start to erase the same one, ten starts a day would take 27 years. The
calibration is written only when somebody asks for it. A file is written beside the old one and then takes its name, so
that power may go at any moment.
"""

import os

import wire

STARTS, CALIBRATION = "starts", "calibration"


def count_start() -> int:
    """How often the board has started before, modulo 256; this start is counted."""
    kept = _read(STARTS)
    starts = (kept[0] + 1) & 0xFF if kept else 0
    _write(STARTS, bytes((starts,)))
    return starts


def read_calibration(size: int) -> bytes | None:
    """The calibration that was kept, None when there is none of this size or it is spoilt."""
    kept = _read(CALIBRATION)
    return kept if kept is not None and len(kept) == size else None


def write_calibration(data: bytes) -> None:
    """Keeps a calibration; nothing means that none is kept."""
    _write(CALIBRATION, data)


def _read(name: str) -> bytes | None:
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError:
        return None
    if len(data) < 2 or wire.checksum(data[:-2]) != data[-2] | data[-1] << 8:
        return None
    return data[:-2]


def _write(name: str, data: bytes) -> None:
    crc = wire.checksum(data)
    with open(name + ".new", "wb") as file:
        file.write(data + bytes((crc & 0xFF, crc >> 8)))
    os.rename(name + ".new", name)
