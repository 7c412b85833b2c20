"""The C firmware as machine code in simavr, on a wooden board: how such a board is built and started.

Needs the sources beside this package (a clone, not a wheel), avr-gcc with avr-libc, simavr with its headers, and make.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

SOURCES = Path(__file__).parents[1] / "firmware" / "avr"
BOARDS: Mapping[tuple[int, int, bool, int], tuple[str, str]] = MappingProxyType(
    {
        (8, 8, False, 0): ("nano-64", "atmega328p"),
        (8, 8, False, 1): ("nano-32", "atmega328p"),
        (8, 8, True, 0): ("nano-64-colours", "atmega328p"),
        (10, 10, False, 0): ("mega-100", "atmega2560"),
        (10, 10, False, 1): ("mega-50", "atmega2560"),
        (10, 10, True, 0): ("mega-100-colours", "atmega2560"),
        (10, 8, False, 0): ("mega-80", "atmega2560"),
    }
)
"""Columns, rows, tells colours, sensors (as HELLO numbers them): the board's name in the Makefile, its controller."""

_TOOLS = ("make", "cc", "avr-gcc", "avr-size")
_HEADERS = (Path("/usr/include/simavr/sim_avr.h"), Path("/usr/lib/avr/include/avr/io.h"))
_INSTALL = "apt-get install make gcc libc6-dev gcc-avr avr-libc simavr libsimavr-dev"


def missing() -> str | None:
    """Why the firmware cannot be built and started here, in one sentence; None when it can."""
    if not (SOURCES / "Makefile").exists():
        return f"the sources of the firmware are not at {SOURCES}: the AVR board needs a clone of the project."
    absent = [tool for tool in _TOOLS if shutil.which(tool) is None]
    absent += [str(header) for header in _HEADERS if not header.exists()]
    return f"the AVR board needs {', '.join(absent)} (Debian: {_INSTALL})." if absent else None


def command(columns: int, rows: int, *, colour: bool = False, sensors: int = 0) -> list[str]:
    """The command line of a board of this size, all but its `--path`; builds what is not built yet.

    ValueError with one sentence where it cannot be built here, or no such board exists.
    """
    if reason := missing():
        raise ValueError(reason)
    if (columns, rows, colour, sensors) not in BOARDS:
        known = ", ".join(f"{name} ({columns}x{rows})" for (columns, rows, *_), (name, _) in BOARDS.items())
        raise ValueError(f"no AVR board of {columns}x{rows}{' with colours' if colour else ''}, only {known}.")
    board, controller = BOARDS[columns, rows, colour, sensors]
    build = SOURCES / "build"
    build.mkdir(exist_ok=True)
    # Two programs may want the same board at the same time.
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make = ["make", "-s", "-C", str(SOURCES), f"BOARD={board}", f"build/{board}.elf", "simulator"]
        made = subprocess.run(make, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise ValueError(f"the firmware cannot be built: {made.stderr.strip()}")
    elf = build / f"{board}.elf"
    program = [str(build / "wooden-board"), "--mcu", controller, "--elf", str(elf), "--size", f"{columns}x{rows}"]
    program += ["--sensors", str(sensors)]
    return [*program, "--colour"] if colour else program
