"""The simulated controller is held to what the real firmware was recorded to say: same kinds of lines, same order."""

from __future__ import annotations

import json
import re

import pytest

from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.grbl_chip import GrblChip
from tests.data_files import needs_shared, shared

FILES = {
    "grbl11h-hold-reset-errors-jog-door": None,
    "grbl11h-homing-ok-softlimit-holdpin-check-resets": None,
    # Behind it the real chip answers an `$X` with an old `ok`, and greets twice: coincidences in time.
    "grbl11h-softlimit-hardlimit-homingfail-resetpin": "ALARM:9",
}
PACE = 0.15
"""The recorded chip ran at about this share of its speed."""
PINS = {"B1": "limit", "C1": "hold", "C0": "reset"}
TIMED = ("Run", "Idle", "Jog", "Hold:0", "Hold:1", "Home", "Door:0", "Door:3")
"""States that depend on how fast a machine is: the recorded chip ran at a twentieth to half of its speed."""


def kind(line: str) -> str:
    """A line without its numbers of no meaning."""
    status = re.match(r"<([A-Za-z]+(?::\d)?)\|MPos:", line)
    if status:
        return "<>" if status[1] in TIMED else f"<{status[1]}>"
    return re.sub(r"^(\$\d+)=.*", r"\1", line)


def entries(name):
    lines = shared(f"arms/transcripts/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def replayed(name, last):
    """What the recording and the simulated chip say between two things that the host did, one after another."""
    chip = GrblChip(Workshop(Timber(8, 8), Tool((0.0, 0.0, 0.0))))
    chip.faults.quiet_reset = "jog-door" in name
    recorded: list[str] = []
    now_ms, done, before_s = 0, "power on", 0.0
    said = chip.fresh(0)
    for entry in [*entries(name), {"dir": ">", "data": "end"}]:
        if entry["dir"] == "<":
            recorded.append(entry["data"])
        is_pin = entry["dir"] == "#" and entry["data"].startswith("pin ")
        if entry["dir"] != ">" and not is_pin:
            continue
        if name.endswith("resetpin") and entry["data"] == "pin L2=99999999":
            chip.faults.switch_never = True
        if is_pin and entry["data"][4:6] not in PINS:
            continue
        wanted, until = len(recorded), now_ms + 8_000
        while said.count(b"\r\n") < wanted and now_ms < until:
            now_ms += 10
            said += chip.tick(now_ms)
        yield done, [kind(line) for line in recorded], [kind(line) for line in said.decode().splitlines()]
        if last and any(line.startswith(last) for line in recorded):
            return
        recorded, done = [], entry["data"]
        elapsed_ms = round(1000 * PACE * (entry.get("t", before_s) - before_s))
        now_ms, before_s = now_ms + max(10, elapsed_ms), entry.get("t", before_s)
        late = chip.tick(now_ms)
        assert late == b"", f"{late!r} before {done!r}"
        if is_pin:
            said = chip.pin(PINS[entry["data"][4:6]], entry["data"].endswith("=0"), now_ms)
            continue
        text = entry["data"]
        said = chip.receive(bytes([int(text, 16)]) if text.startswith("0x") else text.encode() + b"\n", now_ms)


@needs_shared(*(f"arms/transcripts/{name}.jsonl" for name in FILES))
@pytest.mark.parametrize("name", FILES)
def test_it_says_what_the_real_one_said(name):
    wrong = [(done, real, ours) for done, real, ours in replayed(name, FILES[name]) if real != ours]
    assert wrong == []
