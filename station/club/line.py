"""The positions of a game that a club knows, by the rules: what was told is played over again, never believed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from engine.errors import IllegalMoveError, NotationError, RulesetError, TooManyCapturesError
from engine.fen import read_fen, write_fen
from engine.game import Game, new_game
from engine.notation import read_square
from engine.pdn_results import winner_of
from engine.position import Move, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, read_ruleset
from station.announcements import MoveObject
from station.club.record import NO_RESULT, Head, Known


@dataclass(frozen=True, slots=True)
class Line:
    """A game as far as it can be followed: `told` are the moves in it, `texts` how the variant writes them.

    `fault` says why it goes no further, empty when all of it was followed; `ruleset`, `start` and `position` are None
    where the rules are not known. Of the positions between only their keys are kept: a wall has hundreds of games in
    mind, and plays one over again when a move in it has changed.
    """

    ruleset: Ruleset | None = None
    start: Position | None = None
    position: Position | None = None
    keys: tuple[int, ...] = ()
    """The key of every position, the first one's too."""
    told: tuple[MoveObject, ...] = ()
    texts: tuple[str, ...] = ()
    fault: str = ""


def line_of(known: Known, before: Line | None = None) -> Line:
    """The line of a game; where it goes on from an earlier line of the same game, only what is new is played."""
    line = _begun(known.head)
    if before is not None and _goes_on(line, before, known.moves):
        line = replace(before, fault="")
    for told in known.moves[len(line.told) :] if line.ruleset else ():
        try:
            line = _played(line, told)
        except (NotationError, IllegalMoveError, TooManyCapturesError) as error:
            return replace(line, fault=f"move {len(line.told) + 1}: {error}")
    return line


def _goes_on(begun: Line, before: Line, moves: tuple[MoveObject, ...]) -> bool:
    is_same = begun.ruleset is not None and before.ruleset is begun.ruleset and before.start == begun.start
    return is_same and before.told == moves[: len(before.told)]


def _played(line: Line, told: MoveObject) -> Line:
    assert line.ruleset is not None
    assert line.position is not None
    game = Game(line.ruleset, (line.position,)).play(_move(told, line.ruleset))
    return replace(
        line,
        position=game.position,
        keys=(*line.keys, position_key(game.position, line.ruleset)),
        told=(*line.told, told),
        texts=(*line.texts, game.text_of(0)),
    )


def positions_of(line: Line) -> tuple[Position, ...]:
    """Every position of a line, the first one's too; none where the rules are not known."""
    if line.ruleset is None or line.start is None:
        return ()
    game = Game(line.ruleset, (line.start,))
    for told in line.told:
        game = game.play(_move(told, line.ruleset))
    return game.positions


def ruleset_of(head: Head) -> Ruleset:
    """The rules of a game: those that came with it, else the built-in ones of this name; RulesetError if neither."""
    return _stated(head.rules, head.variant) if head.rules else load_ruleset(head.variant)


@lru_cache(maxsize=64)
def _stated(text: str, name: str) -> Ruleset:
    return read_ruleset(text, name)


def _begun(head: Head) -> Line:
    try:
        ruleset = ruleset_of(head)
    except RulesetError as error:
        return Line(fault=f"the rules are not known: {error}")
    start = rules_for(ruleset).start()
    if head.start_fen and head.start_fen != _fen(start, ruleset):
        try:
            start = new_game(ruleset, read_fen(head.start_fen, ruleset)).position
        except NotationError as error:
            return Line(fault=f"the start position cannot be read: {error}")
    return Line(ruleset, start, start, (position_key(start, ruleset),))


@lru_cache(maxsize=64)
def _fen(position: Position, ruleset: Ruleset) -> str:
    return write_fen(position, ruleset)


def _move(told: MoveObject, ruleset: Ruleset) -> Move:
    def squares(names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(read_square(name, ruleset) for name in names)

    return Move(
        from_square=read_square(told.from_square, ruleset),
        path=squares(told.path or (told.to,)),
        captured=squares(told.captured),
        promotes=told.promotes,
        huffed=squares(told.huffed),
    )


def position_key(position: Position, ruleset: Ruleset) -> int:
    """A number for pieces, their places on the wood and the side to move, whatever the variant calls its squares.

    63 bits, so that a database keeps it as an integer; two of a million positions are alike by chance once in ten
    million archives.
    """
    text = bytearray(f"{ruleset.columns}x{ruleset.rows} {position.turn}".encode())
    for square in _by_rows(ruleset.geometry.cells):
        text.append(int(position.contents[square]))
        if position.towers:
            text += bytes(int(piece) for piece in position.towers.beneath[square]) + b"/"
    return int.from_bytes(hashlib.blake2b(bytes(text), digest_size=8).digest(), "big") >> 1


@lru_cache(maxsize=64)
def _by_rows(cells: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(cells)), key=lambda square: (cells[square][1], cells[square][0])))


def facts(known: Known, line: Line) -> Mapping[str, Any]:
    """What can be searched for in a game."""
    head = known.head
    return {
        "variant": head.variant,
        "rules": head.rules,
        "start_fen": head.start_fen,
        "white": head.white,
        "black": head.black,
        "white_key": head.white.casefold(),
        "black_key": head.black.casefold(),
        "players": f"{head.white}\n{head.black}".casefold(),
        "opening": head.opening,
        "opening_key": head.opening.casefold(),
        "clock": head.clock,
        "players_as_of": head.as_of,
        "result": known.result,
        "outcome": _outcome(known, line),
        "reason": known.reason[1],
        "reason_seq": known.reason[0],
        "began": known.began,
        "last": known.last,
        "day": known.began[:10],
        "seq": known.seq,
        "plies": len(known.moves),
        "moves": " ".join(line.texts),
        "fault": line.fault,
    }


def _outcome(known: Known, line: Line) -> str:
    """Who won: `white`, `black`, `draw`, or `none` for nobody yet."""
    if known.result in (NO_RESULT, "0-0") or line.ruleset is None:
        return "none"
    winner = winner_of(known.result, line.ruleset)
    return str(winner) if winner else "draw"
