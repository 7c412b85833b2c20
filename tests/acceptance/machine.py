"""A Debian with systemd as PID 1 in a container, whose power can be cut; and a simulated board plugged into it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from time import monotonic

MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
PACKAGES = "systemd,systemd-sysv,dbus,udev,python3,python3-venv,procps,mosquitto,mosquitto-clients"
OPTIONS = ("--register=no", "--keep-unit", "--private-network", "--console=pipe")
NAMESPACES = ("--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd")
BOOT_S = 90.0


def wait(is_so, seconds, what):
    """Wait until something is so; how long it took."""
    began = monotonic()
    while not (found := is_so()):
        if monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        threading.Event().wait(0.25)
    return monotonic() - began if found is True else found


def first_process(parent: int) -> int:
    """The child of a process that is process 1 of a container of its own; 0 while there is none."""
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            status = Path(f"/proc/{child}/status").read_text()
            if re.search(r"^NSpid:\s+\d+\s+1$", status, re.MULTILINE):
                return int(child)
    return 0


class Machine:
    """One container; its disk outlives cuts of its power."""

    def __init__(self, folder: Path, base: Path, media: Path) -> None:
        self.root, self._bind = folder / "root", f"--bind-ro={media}:/media/dambord"
        if not (base / "complete").exists():
            shutil.rmtree(base, ignore_errors=True)
            made = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", "bookworm", base, MIRROR]
            subprocess.run(made, check=True)
            (base / "complete").touch()
        if self.root.exists():
            shutil.rmtree(self.root)
        subprocess.run(["cp", "-aT", "--reflink=auto", base, self.root], check=True)
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._init = 0

    def power_on(self) -> float:
        """Boot; how long until systemd had started everything."""
        began = monotonic()
        self._nspawn = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--boot", "--directory", self.root, *OPTIONS, self._bind],
            stdin=subprocess.DEVNULL,
            stdout=(self.root.parent / "console.txt").open("ab"),
            stderr=subprocess.STDOUT,
        )
        wait(lambda: first_process(self._nspawn.pid) or self._nspawn.poll() is not None, BOOT_S, "a container")
        self._init = first_process(self._nspawn.pid)
        assert self._init, f"systemd-nspawn ended at once: {self.root.parent}/console.txt"
        wait(lambda: self.ask("systemctl is-system-running --wait") in ("running", "degraded"), BOOT_S, "systemd")
        return monotonic() - began

    def cut_power(self) -> None:
        """Everything is gone at once; what the kernel had not written to the disk stays in its cache, though."""
        if self._nspawn is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._init or self._nspawn.pid, signal.SIGKILL)
            self._nspawn.wait(30)
            self._nspawn, self._init = None, 0

    def command(self, line: str) -> list[str]:
        """What runs a line of shell in the container."""
        return ["nsenter", f"--target={self._init}", *NAMESPACES, "/bin/sh", "-c", line]

    def run(self, line: str) -> tuple[int, str]:
        """Run a line of shell as root: exit code, and all that it said."""
        ran = subprocess.run(
            self.command(line), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return ran.returncode, ran.stdout.decode(errors="replace").strip()

    def ask(self, line: str) -> str:
        """What a line of shell says, whatever its exit code."""
        return self.run(line)[1]


class Board:
    """A simulated board plugged into the machine, and hands that move its pieces."""

    PATH = "/run/board/port"

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._process: subprocess.Popen[str] | None = None
        self._pieces = {
            (column, row): "black_man" if row < 3 else "white_man"
            for row in (0, 1, 2, 5, 6, 7)
            for column in range(8)
            if (column + row) % 2
        }

    def plug(self) -> None:
        """Plug it in, with the pieces that stand on it."""
        self._machine.run("mkdir -p /run/board && chown dambord:dambord /run/board && rm -f /run/board/*")
        simulator = (
            f"/opt/dambord/current/bin/python -m firmware_bridge.simulator matrix 8x8 --colour --path {self.PATH}.wood"
        )
        self._process = subprocess.Popen(
            self._machine.command(f"cd /run/board && exec runuser -u dambord -- {simulator}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for (column, row), piece in self._pieces.items():
            self._say(f"put {column} {row} {piece}")
        self._say("lamps")
        assert self._process.stdout is not None
        self._process.stdout.readline()
        self._machine.run(f"ln -s {self.PATH}.wood {self.PATH}")

    def unplug(self) -> None:
        """Pull it out."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            self._process = None

    def move(self, text: str) -> None:
        """A hand makes a quiet move, as "c3-d4"."""
        start, end = (("abcdefgh".index(name[0]), 8 - int(name[1])) for name in text.split("-"))
        self._pieces[end] = self._pieces.pop(start)
        self._say(f"take {start[0]} {start[1]}")
        threading.Event().wait(0.4)
        self._say(f"put {end[0]} {end[1]} {self._pieces[end]}")

    def _say(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
