"""A simulated board as a program of its own: touched by lines, read through its port."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from contextlib import contextmanager

import pytest


@contextmanager
def running(*arguments):
    command = [sys.executable, "-m", "firmware_bridge.simulator", *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        yield process
        process.stdin.close()
        assert process.wait(20) == 0


def ask(process, line):
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return process.stdout.readline().rstrip("\n")


def dump(port):
    """The fields of a DGT-compatible board of 64."""
    os.write(port, b"\x42")
    heard = b""
    while len(heard) < 67:
        ready, _, _ = select.select([port], [], [], 20)
        assert ready
        heard += os.read(port, 100)
    return heard[3:67]


def dump_with(port, field, code):
    """Dumps until a field reads as expected: a slow scan comes round."""
    for _ in range(100):
        fields = dump(port)
        if fields[field] == code:
            return fields
    pytest.fail(f"field {field} never read {code}")


def test_hands_from_outside_touch_the_board_and_a_host_reads_it(tmp_path):
    path = tmp_path / "board"
    with running("dgt", "8x8", "--path", path) as process:
        assert ask(process, "lamps") == ""
        port = os.open(path, os.O_RDWR | os.O_NOCTTY)
        try:
            process.stdin.write("put 1 0 black_man\nput 2 7 white_king\n")
            dump_with(port, 58, 7)
            fields = dump_with(port, 1, 4)
            assert fields[58] == 7
            assert sum(code > 0 for code in fields) == 2
            process.stdin.write("take 1 0\n")
            assert dump_with(port, 1, 0)[58] == 7
            process.stdin.write("break 2 7\n")
            dump_with(port, 58, 0)
        finally:
            os.close(port)


@pytest.mark.parametrize(("driver", "begins"), [("millennium", b"s"), ("certabo", b":")])
def test_boards_that_tell_by_themselves_do_so_on_their_port(tmp_path, driver, begins):
    path = tmp_path / "board"
    with running(driver, "8x8", "--path", path) as process:
        assert ask(process, "lamps") == ""
        port = os.open(path, os.O_RDWR | os.O_NOCTTY)
        try:
            heard = b""
            while begins not in bytes(byte & 0x7F for byte in heard):
                ready, _, _ = select.select([port], [], [], 20)
                assert ready
                heard += os.read(port, 1000)
        finally:
            os.close(port)
        assert ask(process, "press confirm").startswith("error: press confirm: ")


def test_what_cannot_be_done_is_said_and_nothing_else_happens(tmp_path):
    with running("matrix", "10x10", "--path", tmp_path / "board") as process:
        for line in ("put 1 0 horse", "put x 0 white_man", "press doorbell", "dance"):
            assert ask(process, line).startswith(f"error: {line}: ")
        assert ask(process, "lamps") == ""
