"""Every transcript in tests/data/transcripts, replayed: nothing may be left over, nothing may be missing."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import pytest
from transcripts import read, replay, written

from firmware_bridge import boards

pytestmark = pytest.mark.portable

FOLDER = Path(__file__).parents[1] / "data" / "transcripts"
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_is_what_the_driver_does(path):
    transcript = read(path)
    assert written(replay(transcript)) == written(transcript.expected)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("piece", [1, 2, 7])
def test_it_does_the_same_when_bytes_come_in_pieces(path, piece):
    def without_bytes(items):
        return [item for item in items if item.kind == "="]

    transcript = read(path)
    assert written(without_bytes(replay(transcript, piece=piece))) == written(without_bytes(transcript.expected))


def test_every_driver_has_a_transcript():
    drivers = {module.name for module in pkgutil.iter_modules(boards.__path__)}
    assert {read(path).driver for path in TRANSCRIPTS} == drivers
