"""Marlin: the simulated board is held to recordings of the real one, and the driver speaks with it."""

from __future__ import annotations

import json
import re

import pytest

from firmware_bridge.arm_driver import Done, Failed, FindHome, Found, Go, Grip, Machine
from firmware_bridge.arms.gcode import Driver
from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.marlin_board import MarlinBoard
from tests.data_files import needs_shared, shared

FILES = ("marlin1191-basics-m400-clip-linenumbers", "marlin1191-dwell-busy-m112")
MACHINE = Machine(dialect="marlin", grip_on="M106 S255", grip_off="M107")


def kind(line):
    """A line without what differs from build to build."""
    if line.startswith(("FIRMWARE_NAME:", "echo:Soft endstops: On")):
        return line[:15]
    return re.sub(r"Count .*", "Count", line)


def is_told(line):
    """Not the capabilities, which differ from build to build, but the one that matters."""
    return not line.startswith("Cap:") or "EMERGENCY" in line


@needs_shared(*(f"arms/transcripts/{name}.jsonl" for name in FILES))
@pytest.mark.parametrize("name", FILES)
def test_the_board_says_what_the_real_one_said(name):
    lines = shared(f"arms/transcripts/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines[1:]) if entry["dir"] in "<>"]
    board = MarlinBoard(workshop())
    said = board.opened(0)
    first = next(number for number, entry in enumerate(entries) if entry["dir"] == ">")
    assert said.decode().splitlines()[:2] == [entry["data"] for entry in entries[:2]]
    now_ms, real, done = 0, [], ""
    said = b""
    for entry in [*entries[first:], {"dir": ">", "data": "", "t": entries[-1]["t"] + 4}]:
        if entry["dir"] == "<":
            real.append(entry["data"])
            continue
        until = round(entry["t"] * 1000)
        while now_ms < until:
            now_ms += 10
            said += board.tick(now_ms)
        ours = [kind(line) for line in said.decode().splitlines() if is_told(line)]
        assert ours == [kind(line) for line in real if is_told(line)], done
        said = board.receive(entry["data"].encode() + b"\n", now_ms)
        real, done = [], entry["data"]


def workshop():
    return Workshop(Timber(8, 8), Tool((0.0, 0.0, 0.0)))


class Talk:
    """Driver and board in simulated time."""

    def __init__(self, **board) -> None:
        self.board = MarlinBoard(workshop())
        for name, value in board.items():
            setattr(self.board, name, value)
        self.driver, self.now, self.told = Driver(MACHINE), 0, []
        self.hear(self.driver.start(0))
        self.hear(self.driver.receive(self.board.opened(0), 0))

    def hear(self, output):
        while True:
            self.told += output.told
            answer = self.board.receive(output.send, self.now) if output.send else b""
            if not answer:
                return
            output = self.driver.receive(answer, self.now)

    def run(self, order=None, limit_ms=60_000):
        before, end = len(self.told), self.now + limit_ms
        if order is not None:
            self.hear(self.driver.carry_out(order, self.now))
        while len(self.told) == before and self.now < end:
            self.now += 10
            answer = self.board.tick(self.now)
            if answer:
                self.hear(self.driver.receive(answer, self.now))
            deadline = self.driver.deadline_ms()
            if deadline is not None and deadline <= self.now:
                self.hear(self.driver.tick(self.now))
        return self.told[before:]


def test_it_goes_where_it_is_sent_and_grips():
    talk = Talk()
    assert talk.run() == [Found("Marlin 1.1.9.1")]
    assert talk.run(FindHome()) == [Done()]
    assert talk.run(Go(100, 50, 20, 6000)) == [Done()]
    assert talk.board.workshop.tool.at == (100, 50, 20)
    assert talk.run(Grip(True)) == [Done()]
    assert talk.board.workshop.tool.is_closed


@pytest.mark.parametrize("ok_with_resend", [True, False])
@pytest.mark.parametrize("number", range(2, 14))
def test_a_line_that_is_spoilt_is_sent_again(number, ok_with_resend):
    talk = Talk(spoilt={number}, ok_with_resend=ok_with_resend)
    talk.run()
    assert talk.run(FindHome()) == [Done()]
    assert talk.run(Go(100, 50, 20, 6000)) == [Done()]
    assert talk.board.moves == 1


def test_d15_a_move_that_was_clipped_without_a_word_is_found_out():
    talk = Talk()
    talk.run()
    talk.run(FindHome())
    (failed,) = talk.run(Go(300, 50, 20, 6000))
    assert failed.kind == "missed"
    assert "215" in failed.reason


def test_d16_a_board_that_was_killed_is_switched_off_and_on():
    talk = Talk()
    talk.run()
    talk.run(FindHome())
    talk.hear(talk.driver.receive(talk.board.receive(b"M112\n", talk.now), talk.now))
    assert [said.kind for said in talk.told if isinstance(said, Failed)] == ["killed"]
    assert talk.run(Go(100, 50, 20, 6000))[0].kind == "killed"


def test_d14_done_is_when_it_stands_and_not_when_it_was_taken():
    talk = Talk()
    talk.run()
    talk.run(FindHome())
    began = talk.now
    assert talk.run(Go(100, 0, 0, 3000)) == [Done()]
    assert talk.now - began >= 2000


def test_a_halt_stops_it_at_once_and_home_comes_first():
    talk = Talk()
    talk.run()
    talk.run(FindHome())
    talk.hear(talk.driver.carry_out(Go(200, 0, 0, 3000), talk.now))
    talk.run(limit_ms=500)
    talk.hear(talk.driver.halt(talk.now))
    at = talk.board.workshop.tool.at
    talk.run(limit_ms=2000)
    assert talk.board.workshop.tool.at == at
    assert talk.run(Go(10, 0, 0, 3000))[0].kind == "alarm"
    assert talk.run(FindHome()) == [Done()]


def test_who_wants_it_home_while_it_starts_anew_waits_for_that():
    talk = Talk()
    talk.run()
    talk.run(FindHome())
    talk.hear(talk.driver.receive(talk.board.opened(talk.now), talk.now))
    assert talk.told[-1] == Failed("reset", "")
    assert talk.run(FindHome()) == [Done()]
    assert talk.run(Go(100, 50, 20, 6000)) == [Done()]


def test_an_unknown_word_is_no_success():
    talk = Talk()
    talk.driver = Driver(Machine(dialect="marlin", grip_on="G999", grip_off="M107"))
    talk.hear(talk.driver.start(0))
    talk.hear(talk.driver.receive(talk.board.opened(0), 0))
    talk.run()
    talk.run(FindHome())
    (failed,) = talk.run(Grip(True))
    assert failed.kind == "error"
