"""Why a move is not legal: the one rule that forbids it, its article, and what is allowed instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from engine.draughts import DraughtsRules
from engine.errors import TooManyCapturesError
from engine.geometry import Direction, Square
from engine.notation import fitting_moves
from engine.position import EMPTY, KINGS, MEN, Effect, Move, Position, side_of
from engine.rules import Rules, rules_for
from engine.ruleset import Directions, Ruleset

_PRECEDENCE_RULES = {
    "most pieces": "must_take_most",
    "highest value": "must_take_highest_value",
    "with a king": "must_take_with_king",
    "most kings": "must_take_most_kings",
    "kings first": "must_take_kings_first",
}

_CROWNING_RULES = {
    "end": "crowned_only_at_end",
    "stop": "crowning_ends_move",
    "passing": "crowned_goes_on_as_king",
}

FACT_OF_RULE: dict[str, str] = {
    "wrong_side": "turns",
    "must_capture": "capture",
    **dict.fromkeys(_PRECEDENCE_RULES.values(), "precedence"),
    "capture_unfinished": "whole_capture",
    "man_moves_forward": "man_moves",
    "man_captures_forward": "man_captures",
    "king_range": "king_range",
    "king_landing": "king_landing",
    "man_may_not_capture_king": "man_may_capture_king",
    "crowned_only_at_end": "crowning",
    "crowning_ends_move": "crowning",
    "crowned_goes_on_as_king": "crowning",
    "taken_pieces_stay": "removal",
    "no_turn_back": "turn_back",
    "king_must_rest": "king_move_limit",
    "tower_jumped_twice": "second_jump",
    "no_piece_there": "",
    "not_your_piece": "turns",
    "square_occupied": "man_moves",
    "man_moves_one_square": "man_moves",
    "own_piece_jumped": "man_captures",
    "two_pieces_jumped": "man_captures",
    "way_blocked": "king_range",
    "moves_on_diagonals": "man_moves",
    "moves_on_files_and_ranks": "man_moves",
    "not_in_line": "man_moves",
    "no_such_move": "",
    "steps_and_jumps": "man_moves",
    "wrong_piece_taken_off": "removal",
    "one_piece_moves": "turns",
    "off_the_squares": "corner",
}
"""Every rule and the key of the rule set's articles that it is cited by; empty where none states it."""

RULES: tuple[str, ...] = tuple(FACT_OF_RULE)
"""Every rule a violation can name, those found by loosening a rule first, in order of priority."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A move that one rule forbids: the rule and its article, squares worth showing, and legal moves instead."""

    rule: str
    article: str
    move: Move
    squares: tuple[Square, ...]
    legal: tuple[Move, ...]


def violations(rules: Rules, position: Position) -> tuple[Violation, ...]:
    """Every move that would be legal if one rule were loosened, each effect once, under the first such rule."""
    legal = rules.legal_moves(position)
    seen: set[Effect] = {move.effect for move in legal}
    found: list[Violation] = []
    for rule, moves in _loosened(rules, position, legal):
        for move in _listed(moves):
            if move.effect not in seen:
                seen.add(move.effect)
                found.append(_violation(rules.ruleset, rule, move, legal))
    return tuple(found)


def _listed(moves: Callable[[], Iterable[Move]]) -> tuple[Move, ...]:
    """The moves of a loosened rule; none where it would let more captures in than can be listed."""
    try:
        return tuple(moves())
    except TooManyCapturesError:
        return ()


def why_not(rules: Rules, position: Position, squares: tuple[Square, ...]) -> Violation | None:
    """Why no legal move goes over these squares (start first); None when one does."""
    legal = rules.legal_moves(position)
    if len(squares) < 2 or position.contents[squares[0]] is EMPTY:
        rule = "no_such_move" if len(squares) < 2 else "no_piece_there"
        return _violation(rules.ruleset, rule, _as_written(squares), legal)
    if fitting_moves(squares, (move for moves in rules.ways(position).values() for move in moves)):
        return None
    for violation in violations(rules, position):
        if fitting_moves(squares, (violation.move,)):
            return violation
    rule = _geometric_reason(rules.ruleset, position, squares)
    if any(move.is_capture for move in legal) and _would_be_quiet(rules.ruleset, position, squares):
        rule = "must_capture"
    return _violation(rules.ruleset, rule, _as_written(squares), legal)


def violation(
    ruleset: Ruleset, rule: str, move: Move, squares: tuple[Square, ...], legal: tuple[Move, ...]
) -> Violation:
    """A broken rule that only the board shows, with its article."""
    return Violation(rule, ruleset.article(FACT_OF_RULE[rule]), move, squares, legal)


def _violation(ruleset: Ruleset, rule: str, move: Move, legal: tuple[Move, ...]) -> Violation:
    better = _instead(rule, move, legal)
    squares = tuple(dict.fromkeys(other.from_square for other in better)) if _is_choice(rule) else (move.from_square,)
    return Violation(rule, ruleset.article(FACT_OF_RULE[rule]), move, squares, better)


def _is_choice(rule: str) -> bool:
    return rule == "must_capture" or rule in _PRECEDENCE_RULES.values()


def _instead(rule: str, move: Move, legal: tuple[Move, ...]) -> tuple[Move, ...]:
    """The legal moves worth showing: all of them where the choice was wrong, else those of the piece moved."""
    if _is_choice(rule):
        return legal
    own = tuple(other for other in legal if other.from_square == move.from_square)
    if rule == "capture_unfinished":
        longer = tuple(other for other in own if other.captured[: len(move.captured)] == move.captured)
        return longer or own
    return own


def _as_written(squares: tuple[Square, ...]) -> Move:
    return Move(squares[0], squares[1:] or squares[:1])


def _loosened(
    rules: Rules, position: Position, legal: tuple[Move, ...]
) -> Iterator[tuple[str, Callable[[], Iterable[Move]]]]:
    """(rule, the moves that become possible without it), in order of priority."""
    ruleset = rules.ruleset
    other = replace(position, turn=position.turn.other)
    yield "wrong_side", lambda: rules.legal_moves(other)
    if ruleset.family == "race":
        return
    captures = tuple(move for move in legal if move.is_capture)
    if captures and ruleset.capture == "obligatory":
        free = rules_for(replace(ruleset, capture="optional"))
        yield "must_capture", lambda: (move for move in free.legal_moves(position) if not move.is_capture)
    if captures:
        yield from _other_captures(rules, position)
        yield "capture_unfinished", lambda: _unfinished(rules, position)
    for rule, loose in _loose_rulesets(ruleset):
        yield rule, partial(rules_for(loose).legal_moves, position)


def _other_captures(rules: Rules, position: Position) -> Iterator[tuple[str, Callable[[], Iterable[Move]]]]:
    """Captures that only the rules of choice forbid; the last precedence first loosened names the rule."""
    precedence = rules.ruleset.precedence
    for kept in range(len(precedence) - 1, -1, -1):
        loose = rules_for(replace(rules.ruleset, precedence=precedence[:kept]))
        yield _PRECEDENCE_RULES[precedence[kept]], partial(loose.legal_moves, position)


def _unfinished(rules: Rules, position: Position) -> Iterator[Move]:
    """Captures that end before a legal capture does."""
    if not isinstance(rules, DraughtsRules):
        return
    beginnings = {
        (way.from_square, way.captured[:length])
        for ways in rules.ways(position).values()
        for way in ways
        for length in range(1, len(way.captured) + 1)
    }
    for move in rules.unfinished_captures(position):
        if (move.from_square, move.captured) in beginnings:
            yield move


@lru_cache(maxsize=64)
def _loose_rulesets(ruleset: Ruleset) -> tuple[tuple[str, Ruleset], ...]:
    """The rule set with one fact loosened, by the rule that fact makes."""
    loose = [
        ("man_moves_forward", replace(ruleset, man_moves=_both_ways(ruleset.man_moves))),
        ("man_captures_forward", replace(ruleset, man_captures=_both_ways(ruleset.man_captures))),
        ("man_may_not_capture_king", replace(ruleset, man_may_capture_king=True)),
        (_CROWNING_RULES[ruleset.crowning], replace(ruleset, crowning=_other_crowning(ruleset))),
        ("taken_pieces_stay", replace(ruleset, removal="now")),
        ("king_range", replace(ruleset, king_range="flying")),
        ("king_landing", replace(ruleset, king_landing="any")),
        ("no_turn_back", replace(ruleset, turn_back=True)),
        ("king_must_rest", replace(ruleset, king_move_limit=0)),
        ("tower_jumped_twice", replace(ruleset, second_jump=ruleset.prisoners != "none")),
    ]
    return tuple((rule, changed) for rule, changed in loose if changed != ruleset)


def _both_ways(directions: Directions) -> Directions:
    return directions | {direction.opposite for direction in directions}


def _other_crowning(ruleset: Ruleset) -> str:
    return "end" if ruleset.crowning == "passing" else "passing"


def _would_be_quiet(ruleset: Ruleset, position: Position, squares: tuple[Square, ...]) -> bool:
    """Whether the move breaks the duty to capture and one more rule besides."""
    free = rules_for(replace(ruleset, capture="optional"))
    return any(fitting_moves(squares, (violation.move,)) for violation in violations(free, position))


def _geometric_reason(ruleset: Ruleset, position: Position, squares: tuple[Square, ...]) -> str:
    """What is wrong with a move that no single loosened rule explains."""
    start, end = squares[0], squares[-1]
    man = position.contents[start] is MEN[position.turn]
    if not man and position.contents[start] is not KINGS[position.turn]:
        return "not_your_piece"
    if position.contents[end] is not EMPTY and start != end:
        return "square_occupied"
    if ruleset.family == "race":
        return "steps_and_jumps"
    lines = ruleset.geometry.lines[start]
    line = next((lines[way] for way in _ways(ruleset, man) if end in lines[way]), None)
    if line is None:
        return _other_lines(ruleset, start, end)
    between = [position.contents[square] for square in line[: line.index(end)]]
    jumped = [side_of(piece) for piece in between if piece is not EMPTY]
    if man and jumped and len(jumped) < len(between):
        return "man_moves_one_square"
    if position.turn in jumped:
        return "own_piece_jumped"
    if jumped:
        return "two_pieces_jumped" if len(jumped) > 1 else "way_blocked"
    if not any(end in lines[way] for way in _both_ways(ruleset.man_moves if man else ruleset.king_moves)):
        return _other_lines(ruleset, start, end)
    return "man_moves_one_square" if man and between else "no_such_move"


def _other_lines(ruleset: Ruleset, start: Square, end: Square) -> str:
    """What is wrong with a move along no line on which its piece moves."""
    if not any(end in line for line in ruleset.geometry.lines[start]):
        return "not_in_line"
    diagonal = any(way < Direction.NORTH for way in ruleset.man_moves)
    straight = any(way >= Direction.NORTH for way in ruleset.man_moves)
    if diagonal and straight:
        return "not_in_line"
    return "moves_on_diagonals" if diagonal else "moves_on_files_and_ranks"


def _ways(ruleset: Ruleset, man: bool) -> Directions:
    moves = ruleset.man_moves if man else ruleset.king_moves
    captures = ruleset.man_captures if man else ruleset.king_captures
    return _both_ways(moves | captures)
