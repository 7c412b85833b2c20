"""Drawn openings: which one a ballot asks for, and the game that begins with it.

The tables are files of `engine/openings`. Chance is an argument: the same seed always draws the same opening.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from engine.errors import IllegalMoveError, NotationError
from engine.game import Game, new_game
from engine.geometry import Square
from engine.notation import read_move, read_square, square_name
from engine.pdn import PdnGame
from engine.position import EMPTY, Move, Piece, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names

Only = Literal["all", "moves", "flying"]
"""Which openings of a table take part: all, those made of moves, or those with flying checkers."""

_WORDS = ("moves", "flying", "lost")
_SHORT_MOVE = re.compile(r"([a-l])([a-l]\d{1,2})")
_KEEPS = "---"
_ONE_OF_MANY = "*"


class BallotError(NotationError):
    """A ballot or an opening table that cannot be followed: says what was found, what was expected and where."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One line of a table, its squares and moves as the table writes them.

    `carried` are the men set elsewhere before play, (from, to) in the order of turns, None for a side that keeps its
    start; `taken_off` the men off the board. `lost` marks one that is lost for a side, `free` one that leaves the
    choice to the players. `number` is its place in the table from 1.
    """

    number: int
    label: str
    moves: tuple[str, ...] = ()
    carried: tuple[tuple[str, str] | None, ...] = ()
    taken_off: tuple[str, ...] = ()
    lost: bool = False
    free: bool = False
    note: str = ""

    @property
    def is_flying(self) -> bool:
        """Whether a man starts on another square than usual."""
        return any(self.carried) and not self.taken_off


@dataclass(frozen=True, slots=True)
class Table:
    """An opening table: its openings in the table's own order.

    `rulesets` are the names of the rule sets it was drawn up for. `turn` is who moves next after men were carried or
    taken off; None: each carrying counts as a turn.
    """

    name: str
    title: str
    source: str
    rulesets: tuple[str, ...]
    openings: tuple[Opening, ...]
    turn: Side | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """What to draw: one of a table at random, or the one with this label.

    `only` and `lost` (whether openings lost for one side take part) say what may come at random.
    """

    table: str
    label: str = ""
    only: Only = "all"
    lost: bool = False

    @property
    def text(self) -> str:
        """The ballot as a configuration writes it; `read_ballot` reads it back."""
        words = [self.table, self.label, "" if self.only == "all" else self.only, "lost" if self.lost else ""]
        return " ".join(word for word in words if word)


@dataclass(frozen=True, slots=True)
class DrawnStart:
    """What was drawn, on the board: the position before the first move, and the moves that are not the players' own."""

    ruleset: Ruleset
    table: str
    opening: Opening
    start: Position
    moves: tuple[Move, ...]
    carried: tuple[tuple[Square, Square], ...] = ()
    taken_off: tuple[Square, ...] = ()

    @property
    def text(self) -> str:
        """Table and label, as a ballot and the Opening tag of PDN write them."""
        return f"{self.table} {self.opening.label}"

    @property
    def game(self) -> Game:
        """A game that stands after the drawn moves; its first `len(moves)` moves are the drawn ones."""
        game = new_game(self.ruleset, self.start)
        for move in self.moves:
            game = game.play(move)
        return game


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game of a micro-match: who plays which side from which opening."""

    white: str
    black: str
    drawn: DrawnStart


@cache
def table_names() -> tuple[str, ...]:
    """Names of the opening tables that come with the engine, in alphabetical order."""
    files = resources.files("engine.openings").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@cache
def load_table(name: str) -> Table:
    """A table that comes with the engine; BallotError names the nearest one when there is none of this name."""
    if name not in table_names():
        raise BallotError(f"ballot {name!r}: no such table; known are {', '.join(table_names())}{_nearest(name)}")
    text = (resources.files("engine.openings") / f"{name}.toml").read_text(encoding="utf-8")
    return read_table(text, name)


def _nearest(name: str, known: Iterable[str] | None = None) -> str:
    close = difflib.get_close_matches(name, list(known or table_names()), 1, 0.5)
    return f"; the nearest is {close[0]}" if close else ""


def read_table(text: str, name: str) -> Table:
    """The table that a TOML text states, written as `engine.openings` describes; BallotError names file and line."""
    where = f"{name}.toml"
    try:
        facts = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BallotError(f"{where}: not TOML: {error}") from error
    match facts:
        case {"title": str(title), "source": str(source), "rulesets": list(rulesets), "openings": str(body)}:
            openings = tuple(_openings(body, where))
        case _:
            raise BallotError(f"{where}: expected title, source, rulesets and openings, found {', '.join(facts)}")
    _check_counts(facts, openings, where)
    turn = Side(facts["turn"]) if "turn" in facts else None
    return Table(name, title, source, tuple(map(str, rulesets)), openings, turn)


def _check_counts(facts: Mapping[str, Any], openings: tuple[Opening, ...], where: str) -> None:
    found = {"count": len(openings), "lost": sum(opening.lost for opening in openings)}
    for key, number in found.items():
        if facts.get(key, 0) != number:
            raise BallotError(f"{where}: {key} = {facts.get(key, 0)}: found {number} in the list")
    labels = [opening.label for opening in openings]
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise BallotError(f"{where}: opening {twice} stands there twice, expected each label once")


def _openings(body: str, where: str) -> Iterator[Opening]:
    number = 1
    for line in body.splitlines():
        label, *parts = (part.strip() for part in line.split("|"))
        if not parts or not label:
            raise BallotError(f"{where}: opening {number}: {line!r}: expected label | moves")
        if not label.endswith(".."):
            yield _opening(number, label, parts[0].split(), parts[1] if len(parts) > 1 else "", where)
            number += 1
            continue
        first = label.removesuffix("..")
        if len(parts) != 2 or parts[0].split().count(_ONE_OF_MANY) != 1 or not first.isdecimal():
            raise BallotError(f"{where}: opening {number}: {line!r}: expected number.. | moves with one * | list for *")
        for place, item in enumerate(parts[1].split(), int(first)):
            lost = "!" if item.endswith("!") else ""
            words = parts[0].replace(_ONE_OF_MANY, item.removesuffix("!").replace("/", " ")) + lost
            yield _opening(number, str(place), words.split(), "", where)
            number += 1


def _opening(number: int, label: str, words: list[str], note: str, where: str) -> Opening:
    lost = bool(words) and words[-1].endswith("!")
    words = [*words[:-1], words[-1].removesuffix("!")] if words else []
    moves: list[str] = []
    carried: list[tuple[str, str] | None] = []
    taken_off: list[str] = []
    for word in words:
        start, arrow, end = word.partition(">")
        if word == _KEEPS:
            carried.append(None)
        elif arrow and start and end:
            carried.append((start, end))
        elif word.startswith("-"):
            taken_off.append(word[1:])
        elif word != "free":
            moves.append(word)
    free = words == ["free"]
    if not words or ("free" in words and not free):
        raise BallotError(f"{where}: opening {label}: found {' '.join(words)!r}, expected moves, men carried, or free")
    return Opening(number, label, tuple(moves), tuple(carried), tuple(taken_off), lost, free, note)


def tables_for(ruleset: Ruleset) -> tuple[Table, ...]:
    """The tables drawn up for a rule set, or for the one it is a reading of if both start from the same position."""
    names = {ruleset.name}
    if ruleset.base in variant_names():
        base = load_ruleset(ruleset.base)
        same_start = rules_for(base).start().diagram == rules_for(ruleset).start().diagram
        names |= {base.name} if same_start and base.geometry == ruleset.geometry else set()
    return tuple(table for table in map(load_table, table_names()) if names & set(table.rulesets))


def read_ballot(text: str, ruleset: Ruleset) -> Ballot:
    """The ballot that a text asks for; BallotError says what was found and what is nearest.

    A table's name, whole or without its first word if that is enough (`russian-idf-745`, `3-move`), draws from it at
    random; `moves` or `flying` behind it leaves the others out, `lost` lets in those lost for one side. Or behind it
    stands which one: its label in the table (`XX-18`, `Ayrshire Lassie`) or its place (`#12`).
    """
    name, _, rest = text.strip().partition(" ")
    table = _table_called(name, ruleset)
    words = rest.split()
    if all(word in _WORDS for word in words):
        if {"moves", "flying"} <= set(words):
            raise BallotError(f"ballot {text!r}: found both moves and flying, expected one of them or neither")
        only: Only = "moves" if "moves" in words else "flying" if "flying" in words else "all"
        ballot = Ballot(table.name, only=only, lost="lost" in words)
        _pool(table, ballot)
        return ballot
    return Ballot(table.name, _labelled(table, rest.strip(), text).label)


def _table_called(name: str, ruleset: Ruleset) -> Table:
    tables = tables_for(ruleset)
    wanted = name.lower()
    called = [table for table in tables if wanted == table.name] or [
        table for table in tables if wanted == table.name.partition("-")[2]
    ]
    if len(called) == 1:
        return called[0]
    known = [table.name for table in tables]
    if not known:
        raise BallotError(f"ballot {name!r}: there is no opening table for {ruleset.name}, expected no ballot")
    tails = [known_name.partition("-")[2] for known_name in known]
    raise BallotError(
        f"ballot {name!r}: no such table for {ruleset.name}; known are {', '.join(known)}"
        f"{_nearest(wanted, (*known, *tails))}"
    )


def _labelled(table: Table, label: str, text: str) -> Opening:
    if label.startswith("#"):
        places = {f"#{opening.number}": opening for opening in table.openings}
        if label in places:
            return places[label]
        raise BallotError(f"ballot {text!r}: found {label}, {table.name} has #1 to #{len(table.openings)}")
    wanted = _plain(label)
    for opening in table.openings:
        if _plain(opening.label) == wanted:
            return opening
    labels = {_plain(opening.label): opening.label for opening in table.openings}
    close = difflib.get_close_matches(wanted, list(labels), 1)
    raise BallotError(
        f"ballot {text!r}: {table.name} has no opening {label!r}, expected one from {table.openings[0].label} to "
        f"{table.openings[-1].label}, #number, or a word of {', '.join(_WORDS)}"
        + (f"; the nearest is {labels[close[0]]}" if close else "")
    )


def _plain(label: str) -> str:
    label = label.casefold()
    return label.lstrip("0") if label.isdecimal() else label


def drawn(ballot: Ballot, ruleset: Ruleset, seed: int) -> DrawnStart:
    """What a ballot gives under a rule set: the opening it names, or the one that the seed draws.

    BallotError when a house rule makes the opening impossible.
    """
    table = load_table(ballot.table)
    if ballot.label:
        return start_of(_labelled(table, ballot.label, ballot.text), table, ruleset)
    pool = _pool(table, ballot)
    return start_of(pool[drawn_place(seed, len(pool))], table, ruleset)


def _pool(table: Table, ballot: Ballot) -> tuple[Opening, ...]:
    """The openings that a ballot may draw; BallotError when there are none."""
    pool = tuple(
        opening
        for opening in table.openings
        if (ballot.lost or not opening.lost)
        and (ballot.only == "all" or opening.is_flying == (ballot.only == "flying"))
    )
    if not pool:
        raise BallotError(f"ballot {ballot.text!r}: {table.name} has no opening of this kind, leave the last word out")
    return pool


_MASK = (1 << 64) - 1


def drawn_place(seed: int, count: int) -> int:
    """A place from 0 to count - 1 that depends on nothing but the seed, all places equally likely over all seeds.

    The seed's lowest 64 bits go through the mixing function of SplitMix64 (Steele, Lea, Flood: Fast splittable
    pseudorandom number generators, 2014), so that seeds in a row draw places that have nothing to do with one another;
    the mixed number is scaled to the count.
    """
    mixed = (seed + 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((mixed ^ (mixed >> 31)) * count) >> 64


def start_of(opening: Opening, table: Table, ruleset: Ruleset) -> DrawnStart:
    """An opening on the board; BallotError when the rule set does not allow it.

    All carried men leave their squares before any of them lands.
    """
    try:
        found = _set_up(opening, table, ruleset)
        return replace(found, moves=_moves(opening, found.start, ruleset))
    except (NotationError, IllegalMoveError) as error:
        raise BallotError(f"opening {table.name} {opening.label} under {ruleset.name}: {error}") from error


def _set_up(opening: Opening, table: Table, ruleset: Ruleset) -> DrawnStart:
    start = rules_for(ruleset).start()
    contents = list(start.contents)
    taken_off = tuple(read_square(name, ruleset) for name in opening.taken_off)
    carried = tuple((read_square(way[0], ruleset), read_square(way[1], ruleset)) for way in opening.carried if way)
    for square in taken_off:
        _lift(contents, square, ruleset)
    men = [_lift(contents, source, ruleset) for source, _ in carried]
    for man, (_, target) in zip(men, carried, strict=True):
        if contents[target] is not EMPTY:
            raise BallotError(f"a man is set on {square_name(target, ruleset)}, expected an empty square")
        contents[target] = man
    turn = start.turn.other if len(opening.carried) % 2 else start.turn
    if table.turn is not None and (carried or taken_off):
        turn = table.turn
    start = replace(start, contents=tuple(contents), turn=turn)
    return DrawnStart(ruleset, table.name, opening, start, (), carried, taken_off)


def _lift(contents: list[Piece], square: Square, ruleset: Ruleset) -> Piece:
    piece = contents[square]
    if piece is EMPTY:
        raise BallotError(f"{square_name(square, ruleset)} is empty, expected a man to carry or take off")
    contents[square] = EMPTY
    return piece


def _moves(opening: Opening, start: Position, ruleset: Ruleset) -> tuple[Move, ...]:
    game = new_game(ruleset, start)
    for word in opening.moves:
        game = game.play(_read_word(word, game.position, ruleset))
    return game.moves


def _read_word(word: str, position: Position, ruleset: Ruleset) -> Move:
    """A move as tables write it: `ab4` (from a square of column a to b4) or with both squares."""
    rules = rules_for(ruleset)
    short = _SHORT_MOVE.fullmatch(word)
    if not short:
        ways = [way for ways in rules.ways(position).values() for way in ways]
        return read_move(word, position, ways, ruleset)
    column, target = ord(short[1]) - ord("a"), read_square(short[2], ruleset)
    fitting = [
        move
        for move in rules.legal_moves(position)
        if move.to_square == target and ruleset.geometry.cells[move.from_square][0] == column
    ]
    if len(fitting) != 1:
        raise IllegalMoveError(f"{word!r} fits {len(fitting)} legal moves for {position.turn}, expected one")
    return fitting[0]


def pair(first: str, second: str, drawn_start: DrawnStart) -> tuple[Pairing, Pairing]:
    """A micro-match: the same opening twice, the two players with colours changed."""
    return Pairing(first, second, drawn_start), Pairing(second, first, drawn_start)


def opening_tags(drawn_start: DrawnStart) -> Mapping[str, str]:
    """The tags that tell in PDN what was drawn; a changed start is told by SetUp and FEN as any other is."""
    return {"Opening": drawn_start.text}


def stated_opening(game: PdnGame) -> DrawnStart | None:
    """What a PDN game says was drawn, if its start and its first moves are really those; else None."""
    try:
        ballot = read_ballot(game.tags.get("Opening", ""), game.ruleset)
        found = drawn(ballot, game.ruleset, 0)
    except BallotError:
        return None
    same_start = game.start.diagram == found.start.diagram
    same_moves = [move.effect for move in game.moves[: len(found.moves)]] == [move.effect for move in found.moves]
    return found if ballot.label and same_start and same_moves else None
