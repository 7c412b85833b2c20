"""Hands that do what they are told: they read the sentence and the lamps, see the pieces, and know nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

from engine.notation import read_square
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece
from firmware_bridge.driver import Role
from station.guidance import Guidance
from station.texts import load_texts

from .table import Table

ENGLISH = load_texts("en")
PIECES = {
    ENGLISH.say(f"piece.{name}"): piece
    for name, piece in (
        ("white_man", WHITE_MAN),
        ("white_king", WHITE_KING),
        ("black_man", BLACK_MAN),
        ("black_king", BLACK_KING),
    )
}
WITH_ACTION = ("differs", "illegal", "set_up", "set_up_start", "set_up_opening")
"""Prompts that end with the next thing to do."""
ACTIONS = ("move", "fetch", "swap", "remove", "replace", "place")
SILENT = ("turn", "invite", "thinking", "moving", "capturing", "settling", "cleared", "crown")
"""Prompts that ask for nothing to be done on the board."""


def pattern(key: str) -> re.Pattern[str]:
    """What a sentence of this key looks like, its places as groups."""
    parts = []
    for text, name, _, _ in Formatter().parse(ENGLISH.sentences[key]):
        parts.append(re.escape(text) + (f"(?P<{name}_>.+)" if name else ""))
    return re.compile("".join(parts), re.IGNORECASE)


def places(key: str, sentence: str) -> dict[str, str] | None:
    """What fills the places of a sentence; None when the sentence is another one."""
    found = pattern(key).fullmatch(sentence)
    return {name.removesuffix("_"): value for name, value in found.groupdict().items()} if found else None


def action_in(shown: Guidance) -> tuple[str, dict[str, str]]:
    """The action that a prompt ends with, and the words in its places."""
    sentence = shown.sentence.removesuffix(".")
    for start in (0, *(place.end() for place in re.finditer(r"[.:)] ", sentence))):
        for action in ACTIONS:
            words = places(f"do.{action}", sentence[start:])
            if words is not None:
                return action, words
    raise AssertionError(f"nothing to do in {shown.sentence!r}")


def piece_named(words: str) -> Piece:
    """The piece that is asked for; of a tower, its top."""
    tower = places("piece.tower", words)
    return PIECES[tower["piece"] if tower else words]


class Obedient:
    """A person beside the board, with spare pieces in a box; `home` is what they remember of the board."""

    def __init__(self, table: Table, home: list[Piece], taken: Mapping[int, Piece] | None = None) -> None:
        self.table = table
        self.home = list(home)
        self.taken = dict(taken or {})
        """What has just been taken off, by its square."""

    @property
    def is_told(self) -> bool:
        """Whether lamps or sentence ask for something to be done."""
        return self.table.guidance.key not in SILENT

    def squares(self, text: str) -> list[int]:
        return [read_square(name, self.table.ruleset) for name in text.split(", ")]

    def obey(self) -> None:
        """Do the one thing that is asked for."""
        shown = self.table.guidance
        match shown.key:
            case key if key in WITH_ACTION:
                self._act(shown, *action_in(shown))
            case "remove" | "reply_remove":
                told = places(f"prompt.{shown.key}", shown.sentence)
                for square in self.squares(told["squares"]):
                    self.table.touch(square, self._beneath(square))
            case "put_down":
                (square,) = [square for square, role in shown.cues if role is Role.HINT]
                self.table.touch(square, self.home[square])
            case "continue":
                self._carry_on(places("prompt.continue", shown.sentence)["moves"].split(", ")[0])
            case "reply":
                self._carry_on(places("prompt.reply", shown.sentence)["move"])
            case "uncrown":
                (square,) = self.squares(places("prompt.uncrown", shown.sentence)["square"])
                king = self.table.stands[square]
                self.table.touch(square, EMPTY)
                self.table.touch(square, {WHITE_KING: WHITE_MAN, BLACK_KING: BLACK_MAN}[king])
            case "which":
                assert self.table.ask("choose", number=1) is None
            case other:
                raise AssertionError(f"nobody knows what to do about {other}: {shown}")

    def _act(self, shown: Guidance, action: str, words: dict[str, str]) -> None:
        lit = dict(shown.cues)
        match action:
            case "move":
                (start,), (end,) = self.squares(words["from"]), self.squares(words["to"])
                assert lit[end] is Role.PLACE
                if start in self.taken and self.table.stands[start] is EMPTY:
                    self.table.touch(end, self.taken[start])  # it is in the hand already
                    return
                assert lit[start] is Role.LIFT
                self._carry(start, end)
            case "fetch":
                (end,) = self.squares(words["to"])
                piece = piece_named(words["piece"])
                starts = [square for square in self.squares(words["from"]) if self.table.stands[square] is piece]
                assert lit[end] is Role.PLACE
                if starts:
                    self._carry(starts[0], end)
                else:
                    self.table.touch(end, piece)
            case "swap":
                (one,), (other,) = self.squares(words["one"]), self.squares(words["other"])
                assert lit[one] is lit[other] is Role.WRONG
                first, second = self.table.stands[one], self.table.stands[other]
                self.table.touch(one, EMPTY)
                self.table.touch(other, EMPTY)
                self.table.touch(other, first)
                self.table.touch(one, second)
            case "remove":
                for square in self.squares(words["square"]):
                    assert lit[square] is Role.REMOVE
                    self.table.touch(square, EMPTY)
            case "place" | "replace":
                piece = piece_named(words["piece"])
                for square in self.squares(words["square"]):
                    assert lit[square] is (Role.PLACE if action == "place" else Role.WRONG)
                    if action == "replace":
                        self.table.touch(square, EMPTY)
                    self.table.touch(square, piece)

    def _carry(self, start: int, end: int) -> None:
        piece = self.table.stands[start]
        assert piece is not EMPTY, f"nothing stands on {start}"
        assert self.table.stands[end] is EMPTY, f"{end} is occupied"
        self.table.touch(start, EMPTY)
        self.table.touch(end, piece)

    def _carry_on(self, text: str) -> None:
        """The moving piece goes to the last square of a move, from where it stands or out of the hand."""
        way = [read_square(name, self.table.ruleset) for name in re.split(r"[-x:]", text.split("/", maxsplit=1)[0])]
        here = next((square for square in way[:-1] if self.table.stands[square] is not EMPTY), None)
        piece = self.home[way[0]] if here is None else self.table.stands[here]
        if here is not None:
            self.table.touch(here, EMPTY)
        self.table.touch(way[-1], piece)

    def _beneath(self, square: int) -> Piece:
        """What shows when a captured piece goes off: of a tower, the next one."""
        towers = self.table.session.game.position.towers
        beneath = towers.beneath[square] if towers else ()
        return beneath[-1] if beneath and self.table.stands[square] is self.home[square] else EMPTY
