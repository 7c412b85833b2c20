"""A board for each test, of each kind that can be started here."""

from __future__ import annotations

import pytest
from firmware_devices import KINDS, Board


@pytest.fixture(params=sorted(KINDS))
def start(request, tmp_path):
    """Starts boards of one kind; they end with the test."""
    kind = KINDS[request.param]
    reason = kind.missing()
    if reason is not None:
        pytest.skip(reason)
    boards = []

    def started(columns=8, rows=8, *, colour=False):
        program = kind.command(columns, rows, colour)
        boards.append(Board(program, tmp_path / f"board-{len(boards)}", keeps_time=kind.keeps_time))
        return boards[-1]

    yield started
    for board in boards:
        board.close()


@pytest.fixture
def board(start):
    """A board of 8x8 cells that does not tell colours, on which nothing stands."""
    return start()
