"""Transcripts: what went over the wire between a driver and its board, and what the driver made of it.

One item a line; `#` begins a comment; an indented line continues the one before.
    driver NAME / board COLUMNSxROWS / home yes|no     the head
    @MS start                                          the port has been opened
    @MS < HEX                                          the board sends; `00*16` is sixteen times 00, "a"*3 is aaa
    @MS show SQUARE ROLE, ...                          cues (squares by their index)
    @MS end                                            nothing more happens until then
    @MS > HEX                                          the driver sends
    @MS = online | offline | pressed BUTTON | problem SENTENCE
    @MS = firm|soft VIEW                               a view, one letter a square, a group a row
In a view: `.` empty, `w W b B` man and king, `o` white, `x` black, `?` a piece, `-` anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from wiring import driver_of, home_of

from engine.geometry import Geometry, geometry
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from engine.view import ANYTHING, BLACK, OCCUPIED, WHITE, BoardView
from firmware_bridge.driver import Output, Role

LETTERS = {
    EMPTY: ".",
    WHITE_MAN: "w",
    WHITE_KING: "W",
    BLACK_MAN: "b",
    BLACK_KING: "B",
    WHITE: "o",
    BLACK: "x",
    OCCUPIED: "?",
    ANYTHING: "-",
}


@dataclass(frozen=True)
class Item:
    at_ms: int
    kind: str
    text: str


@dataclass(frozen=True)
class Transcript:
    driver: str
    board: Geometry
    home: bool
    items: tuple[Item, ...]

    @property
    def expected(self) -> list[Item]:
        return [item for item in self.items if item.kind in ">="]


def read(path: Path) -> Transcript:
    text = re.sub(r"\s*#.*", "", path.read_text(encoding="utf-8"))
    lines = [line.strip() for line in re.sub(r"\n[ \t]+", " ", text).splitlines() if line.strip()]
    head = dict(line.split() for line in lines if not line.startswith("@"))
    columns, rows = map(int, head["board"].split("x"))
    items = tuple(map(_item, (line for line in lines if line.startswith("@"))))
    return Transcript(head["driver"], geometry(columns, rows), head["home"] == "yes", items)


def _item(line: str) -> Item:
    at, kind, *rest = line.split(maxsplit=2)
    text = rest[0] if rest else ""
    if kind in "<>":
        text = re.sub(r'"([^"]*)"(?:\*(\d+))?', lambda match: match[1].encode().hex() * int(match[2] or 1), text)
        text = re.sub(r"([0-9a-f]{2})\*(\d+)", lambda match: match[1] * int(match[2]), text).replace(" ", "")
    return Item(int(at[1:]), kind, text)


def replay(transcript: Transcript, *, piece: int = 10_000) -> list[Item]:
    """What the driver does when the board's bytes arrive in pieces of at most this size."""
    board = transcript.board
    driver = driver_of(transcript.driver, board, home_of(board) if transcript.home else None)
    heard: list[Item] = []
    problem: str | None = None
    now_ms = 0

    def note(output: Output) -> None:
        nonlocal problem
        texts = [] if output.online is None else ["online" if output.online else "offline"]
        if driver.problem not in (None, problem):
            texts.append(f"problem {driver.problem}")
        problem = driver.problem
        texts += [described(view, board) for view in output.views] + [f"pressed {button}" for button in output.pressed]
        heard.extend(Item(now_ms, "=", text) for text in texts)
        if output.send:
            heard.append(Item(now_ms, ">", output.send.hex()))

    for item in transcript.items:
        if item.kind in ">=":
            continue
        while (due := driver.deadline_ms()) is not None and due < item.at_ms:
            now_ms = max(now_ms, due)
            note(driver.tick(now_ms))
        now_ms = item.at_ms
        if item.kind == "start":
            note(driver.start(now_ms))
        elif item.kind == "show":
            note(driver.show(_cues(item.text), now_ms))
        elif item.kind == "<":
            data = bytes.fromhex(item.text)
            for at in range(0, len(data), piece):
                note(driver.receive(data[at : at + piece], now_ms))
    return heard


def _cues(text: str) -> tuple[tuple[int, Role], ...]:
    pairs = (pair.split() for pair in text.split(",") if pair.strip())
    return tuple((int(square), Role(role)) for square, role in pairs)


def described(view: BoardView, board: Geometry) -> str:
    rows = groupby(range(len(board)), key=board.row)
    groups = ("".join(LETTERS[view.possible(square)] for square in squares) for _, squares in rows)
    stray = "".join(f" stray {column},{row}" for column, row in view.stray)
    return ("firm " if view.firm else "soft ") + " ".join(groups) + stray


def written(items: list[Item]) -> str:
    return "\n".join(f"@{item.at_ms} {item.kind} {item.text}" for item in items)
