"""Move texts of one game followed by the rules: joined, split, shortened and ambiguous ones, whatever files hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import NotationError, TooManyCapturesError
from engine.explain import why_not
from engine.geometry import Square
from engine.notation import fitting_moves, full_move_text, read_move_squares, read_square
from engine.position import Effect, Move, Position
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset

_LONGEST_GAME = 5000
"""Half-moves of one game that are read; no game that was played comes near."""

MOST_TEXTS = 3 * _LONGEST_GAME
"""Texts of one game that are looked at, some of which may be no moves."""

_MOST_STATES = 200
"""Positions that the readings of one ambiguous capture may lead to at a time before it counts as ambiguous."""

_MOST_HOPES = 1000
"""Games with a fault that a file may have, with hardly any other between them, before the rest is not read."""


@dataclass(slots=True)
class Effort:
    """What reading one file may still cost in vain, so that no text makes it endless. Shared by all its games.

    `steps`: positions looked at beyond the moves themselves, of which those that led to something are given back;
    `reasons`: illegal moves of which the rule is named; `recognitions`: games that are tried by all rule sets;
    `hopes`: games with a fault in a row, of which five are forgotten for each game without one.
    """

    steps: int = 5000
    reasons: int = 50
    recognitions: int = 60
    hopes: int = _MOST_HOPES

    def learn(self, is_whole: bool) -> None:
        """Counts a game that was read, whole or with a fault."""
        self.hopes = min(_MOST_HOPES, self.hopes + 5) if is_whole else self.hopes - 1

    def step(self) -> bool:
        """Whether one more position may be looked at; counts it."""
        self.steps -= 1
        return self.steps >= 0


@dataclass(frozen=True, slots=True)
class Stop:
    """Where reading the moves of a game ended, and why it did not go on; no reason at the end.

    `token` is the first one that was not read, `place` the text it belongs to in the file's numbering (the same,
    unless texts were taken apart). `skipped` are places of texts that are no moves and were passed over.
    """

    moves: tuple[Move, ...]
    place: int
    left: int
    reason: str = ""
    is_ambiguous: bool = False
    skipped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Option:
    """One reading of the next token or tokens: the move, whether every landing square is named, the token after."""

    move: Move
    exact: bool
    following: int


_Columns = frozenset[Square]
_Step = Square | _Columns
"""A square, or all squares of the column that a short text names."""

_SHORT = re.compile(r"[a-l](?:[0-9]{1,2})?(?:[-x:]?[a-l](?:[0-9]{1,2})?)*[-x:]?[a-l][0-9]{1,2}\Z")
_SHORT_STEP = re.compile(r"[a-l](?:[0-9]{1,2})?")
_BARE = re.compile(r"(?:[a-l][0-9]{1,2}|[0-9]{1,3})\Z")
_SIGNED = re.compile(r"(?:(?:[a-l][0-9]{1,2}|[0-9]{1,3})[-x:*]{1,2})+(?:[a-l][0-9]{1,2}|[0-9]{1,3})\Z")
_UNSIGNED = re.compile(r"(?:[a-l][0-9]{1,2}){2,}\Z")
_NAME = re.compile(r"[a-l][0-9]{1,2}")
_SIGN = re.compile(r"[-x:*]{1,2}")
_NUMBER = re.compile(r"[0-9]{1,3}(?:\.+|[:,)])")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?\Z")
_SQUARE_LENGTHS = (2, 1, 3)
_FILLING = ",.;/+#!?*"


class Squares:
    """The names of a rule set's squares, and move texts as squares; each text is read once."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.by_name = _names(ruleset)
        self._read: dict[str, tuple[Square, ...] | None] = {}
        self._columns: dict[str, _Columns] = {}
        for name, square in self.by_name.items():
            if name[0].isalpha():
                self._columns[name[0]] = self._columns.get(name[0], frozenset()) | {square}

    def of(self, text: str) -> tuple[Square, ...] | None:
        """The squares a move text lists, start first; None when it is not written so."""
        if text in self._read:
            return self._read[text]
        if len(self._read) > 20_000:
            self._read.clear()
        found = self._read[text] = self._squares_of(text.lower())
        return found

    def _squares_of(self, text: str) -> tuple[Square, ...] | None:
        if len(text) > 200 or not _SIGNED.match(text):
            return self._unsigned(text)
        return self._known(_SIGN.split(text))

    def _unsigned(self, text: str) -> tuple[Square, ...] | None:
        """Algebraic squares without signs between them."""
        if len(text) > 200 or not _UNSIGNED.match(text):
            return None
        return self._known(_NAME.findall(text))

    def _known(self, names: list[str]) -> tuple[Square, ...] | None:
        squares = [self.by_name.get(name) for name in names]
        known = tuple(square for square in squares if square is not None)
        return known if len(known) == len(squares) else None

    def parts_of(self, text: str) -> list[str]:
        """The names between the signs of a move text."""
        return _SIGN.split(text.lower()[:60])

    def steps(self, text: str) -> tuple[_Step, ...] | None:
        """What a short algebraic text (`cd4`, `c:e5`) names, in order; None when it is none."""
        text = text.lower()
        if len(text) > 40 or not _SHORT.match(text):
            return None
        steps: list[_Step] = []
        for name in _SHORT_STEP.findall(text):
            step = self.by_name.get(name) if len(name) > 1 else self._columns.get(name)
            if step is None:
                return None
            steps.append(step)
        return tuple(steps)

    def bare(self, text: str) -> Square | None:
        """The one square a text names; None when it names none or more."""
        return self.by_name.get(text.lower()) if len(text) < 4 and _BARE.match(text.lower()) else None


@lru_cache(maxsize=64)
def _names(ruleset: Ruleset) -> dict[str, Square]:
    """Squares by every name that is read for them."""
    names: dict[str, Square] = {}
    count = len(ruleset.geometry)
    numbers = [form for number in range(1, count + 1) for form in (str(number), f"{number:02}")]
    algebraic = [f"{column}{row}" for column in "abcdefghijkl" for row in range(1, ruleset.rows + 1)]
    for name in numbers + algebraic:
        try:
            names[name] = read_square(name, ruleset)
        except NotationError:
            continue
    return names


@dataclass(frozen=True, slots=True)
class Played:
    """What reading the games of one rule set needs."""

    rules: Rules
    squares: Squares
    start: Position


@lru_cache(maxsize=128)
def played_by(ruleset: Ruleset) -> Played:
    """What reading the games of a rule set needs."""
    rules = rules_for(ruleset)
    return Played(rules, Squares(ruleset), rules.start())


class MoveReader:
    """Reads the move texts of one game, looking ahead where a text fits more than one capture."""

    def __init__(self, played: Played, texts: list[str], effort: Effort) -> None:
        self._rules = played.rules
        self._huffs = played.squares.ruleset.capture == "huff"
        self._any_way = played.squares.ruleset.family == "race"
        self._squares = played.squares
        self._cut = len(texts) > MOST_TEXTS
        self._texts = texts[:MOST_TEXTS]
        self._places: Sequence[int] = range(len(self._texts))
        self._effort = effort

    def read(self, position: Position) -> Stop:
        """All moves from a position on, up to the end or to the first text that cannot be read."""
        moves: list[Move] = []
        skipped: list[int] = []
        token, texts = 0, self._texts
        while token < len(texts):
            try:
                options = self.options(token, position)
                if not options and self._take_apart(token, position):
                    continue
                if not options and self._is_noise(token, position):
                    skipped.append(self._places[token])
                    token += 1
                    continue
                chosen = self._choose(options, position) if options else None
            except TooManyCapturesError as error:
                return self._stop(moves, token, f"move {texts[token][:60]} cannot be checked: {error}", skipped)
            if chosen is None:
                reason = self._ambiguous(token, options) if options else self._illegal(token, position)
                return self._stop(moves, token, reason, skipped, is_ambiguous=bool(options))
            if len(moves) >= _LONGEST_GAME:
                reason = f"more than {_LONGEST_GAME} half-moves in one game; split the file"
                return self._stop(moves, token, reason, skipped)
            moves.append(chosen.move)
            position = position.after(chosen.move)
            token = chosen.following
        if self._cut:
            self._texts.append("")
            self._places = (*self._places, MOST_TEXTS)
            return self._stop(moves, token, f"more than {MOST_TEXTS} texts in one game; split the file", skipped)
        return Stop(tuple(moves), len(self._texts), 0, skipped=tuple(skipped))

    def _stop(self, moves: list[Move], token: int, reason: str, skipped: list[int], is_ambiguous: bool = False) -> Stop:
        left = len(self._texts) - token
        return Stop(tuple(moves), self._places[token], left, reason, is_ambiguous, tuple(skipped))

    def can_be_read(self) -> bool:
        """Whether every text names squares of this board (asked before rules are, because it is quick)."""
        return all(
            self._squares.of(text) or self._squares.steps(text) or not _SIGNED.match(text.lower())
            for text in self._texts[:40]
        )

    def options(self, token: int, position: Position) -> tuple[_Option, ...]:
        """Readings of the text at `token`: of it alone, or, where it is the first jump of a capture, of the jumps."""
        text = self._texts[token]
        if self._huffs and "/" in text:
            return self._with_huff(text, token + 1, position)
        squares = self._squares.of(text)
        if squares is None:
            return self._odd_options(token, position)
        # Nobody moves from where the other side has just landed, so such a text goes on with the same capture.
        following = self._squares.of(self._texts[token + 1]) if token + 1 < len(self._texts) else None
        if following and following[0] == squares[-1]:
            joined = self._joined(squares, position, token + 1)
            if joined:
                return joined
        return self._fitting(squares, position, token + 1)

    def _with_huff(self, text: str, following: int, position: Position) -> tuple[_Option, ...]:
        """Readings of a move after which, behind a slash, stands the piece that was taken off for not capturing."""
        text, _, name = text.partition("/")
        square, squares = self._squares.bare(name), self._squares.of(text)
        return () if square is None or squares is None else self._fitting(squares, position, following, (square,))

    def _joined(self, squares: tuple[Square, ...], position: Position, following: int) -> tuple[_Option, ...]:
        """A capture whose jumps are written as texts of their own."""
        found: list[_Option] = []
        for place in range(following, min(len(self._texts), following + 24)):
            further = self._squares.of(self._texts[place])
            if further is None or further[0] != squares[-1]:
                break
            squares = (*squares, *further[1:])
            found.extend(self._fitting(squares, position, place + 1))
        return tuple(found)

    def _odd_options(self, token: int, position: Position) -> tuple[_Option, ...]:
        """Readings of a short text (column and square), or of two squares with a blank between them."""
        text = self._texts[token]
        steps = self._squares.steps(text)
        if steps:
            return tuple(self._short(steps, position, token + 1))
        start = self._squares.bare(text)
        if start is None or token + 1 == len(self._texts):
            return ()
        end = self._squares.bare(self._texts[token + 1])
        return self._fitting((start, end), position, token + 2) if end is not None else ()

    def _short(self, steps: tuple[_Step, ...], position: Position, following: int) -> Iterator[_Option]:
        first, *between, last = steps
        for effect, ways in self._rules.ways(position).items():
            if _is_at(effect[0], first) and _is_at(effect[1], last):
                fitting = [way for way in ways if not way.huffed and _in_order(between, way.path[:-1])]
                if fitting:
                    yield _Option(fitting[0], not between, following)

    def _fitting(
        self, squares: tuple[Square, ...], position: Position, following: int, huffed: tuple[Square, ...] = ()
    ) -> tuple[_Option, ...]:
        ends = self._rules.moves_between(position, squares[0], squares[-1])
        if self._huffs:
            ends = tuple(move for move in ends if move.huffed == huffed)
        if not ends and len(squares) > 2:
            return self._by_captured(squares, position, following)
        # In a race any chain of jumps between two squares is the same move.
        if not ends or (len(ends) == 1 and (len(squares) == 2 or self._any_way)):
            return tuple(_Option(move, False, following) for move in ends)
        ways = self._rules.ways(position)
        by_effect: dict[Effect, _Option] = {}
        for move in ends:
            fitting = fitting_moves(squares, ways[move.effect])
            if fitting:
                by_effect[move.effect] = _Option(fitting[0], fitting[0].path == squares[1:], following)
        return tuple(by_effect.values())

    def _by_captured(self, squares: tuple[Square, ...], position: Position, following: int) -> tuple[_Option, ...]:
        """Readings of a capture as engines write it: both ends, then every piece that is captured."""
        start, end, *captured = squares
        ends = self._rules.moves_between(position, start, end)
        return tuple(_Option(move, True, following) for move in ends if sorted(move.captured) == sorted(captured))

    # Texts that are several moves, or none

    def _take_apart(self, token: int, position: Position) -> bool:
        """Puts the moves of a text that is several run together into its place; False when it is not."""
        text = self._texts[token]
        if len(text) < 4 or self._squares.bare(text) is not None or (len(text) < 7 and _SIGNED.match(text)):
            return False
        before = self._effort.steps
        parts = self._parts(text, position)
        if not parts or parts[0] == text:
            return False
        self._effort.steps = before
        self._texts[token : token + 1] = parts
        places = self._places
        self._places = (*places[:token], *[places[token]] * len(parts), *places[token + 1 :])
        return True

    def _parts(self, text: str, position: Position) -> list[str]:
        """The longest row of legal moves that a text begins with, and what is left of it; depth first."""
        best: tuple[int, tuple[str, ...]] = (0, ())
        open_: list[tuple[int, Position, tuple[str, ...]]] = [(0, position, ())]
        seen: set[tuple[int, Position]] = set()
        while open_:
            at, position, parts = open_.pop()
            while at < len(text) and text[at] in _FILLING:
                at += 1
            if at > best[0] or not best[1]:
                best = (at, parts)
            if at >= len(text):
                break
            if (at, position) in seen or not self._effort.step():
                continue
            seen.add((at, position))
            ahead = [*self._moves_at(text, at, position, parts)]
            number = _NUMBER.match(text, at)
            if number:
                ahead.append((number.end(), position, parts))
            open_.extend(ahead)
        at, parts = best
        rest = text[at:]
        return [*parts, rest] if rest and parts else list(parts)

    def _moves_at(
        self, text: str, at: int, position: Position, parts: tuple[str, ...]
    ) -> Iterator[tuple[int, Position, tuple[str, ...]]]:
        """Legal moves that stand in a text from a place on; the longest last, which is tried first."""
        rows = sorted(self._square_rows(text, at))
        if not rows and text[at].isalpha():
            rows = sorted(self._square_rows(text, at + 1))  # the letter of a king, or of who moves
        for end, squares in rows:
            for option in self._fitting(squares, position, 0)[:3]:
                yield end, position.after(option.move), (*parts, self._name(option.move))

    def _name(self, move: Move) -> str:
        return full_move_text(move, self._squares.ruleset)

    def _square_rows(self, text: str, at: int) -> Iterator[tuple[int, tuple[Square, ...]]]:
        """Every row of two or more squares joined by signs (two of them also without) from a place on."""
        rows: list[tuple[int, tuple[Square, ...]]] = [(at, ())]
        while rows and len(rows) < 500:
            place, squares = rows.pop()
            sign = _SIGN.match(text, place) if squares else None
            if sign is None and len(squares) > 1:
                continue
            begins = sign.end() if sign else place
            for length in _SQUARE_LENGTHS:
                square = self._squares.by_name.get(text[begins : begins + length].lower())
                if square is None or begins + length > len(text):
                    continue
                row = (begins + length, (*squares, square))
                if len(row[1]) > 1 and not _SIGN.match(text, row[0]):
                    yield row
                if len(row[1]) < 24:
                    rows.append(row)

    def _is_noise(self, token: int, position: Position) -> bool:
        """Whether a text that is no move may be passed over: the next one goes on with the game from here."""
        text = self._texts[token].lower()
        following = token + 1
        goes_on = following < len(self._texts) and bool(self.options(following, position))
        before = self._texts[max(0, token - 40) : token]
        if _CLOCK.match(text) and not any(":" in earlier and not _CLOCK.match(earlier) for earlier in before):
            return goes_on or following == len(self._texts)
        is_move = _SIGNED.match(text) or self._squares.steps(text) or text[-1] in "-x:*"
        return goes_on and not is_move

    # Ambiguous captures

    def _choose(self, options: tuple[_Option, ...], position: Position) -> _Option | None:
        """The reading with which the rest of the game gets furthest; None when that leaves several.

        All readings are followed side by side, so that the answer is known as soon as only one is left.
        """
        if len(options) == 1:
            return options[0]
        before = self._effort.steps
        states = {option.move.effect: {(option.following, position.after(option.move))} for option in options}
        alive = options
        while len(alive) > 1:
            if all(token >= len(self._texts) for option in alive for token, _ in states[option.move.effect]):
                break
            if all(states[option.move.effect] == states[alive[0].move.effect] for option in alive):
                break
            ahead = {option.move.effect: self._ahead(states[option.move.effect]) for option in alive}
            if any(len(further) > _MOST_STATES for further in ahead.values()) or self._effort.steps < 0:
                break
            left = tuple(option for option in alive if ahead[option.move.effect])
            if not left:
                alive = self._furthest(alive, states)
                break
            alive, states = left, ahead
        if len(alive) == 1:
            self._effort.steps = before
            return alive[0]
        exact = [option for option in alive if option.exact]
        return exact[0] if len(exact) == 1 else None

    def _furthest(
        self, options: tuple[_Option, ...], states: dict[Effect, set[tuple[int, Position]]]
    ) -> tuple[_Option, ...]:
        reached = {option.move.effect: max(token for token, _ in states[option.move.effect]) for option in options}
        return tuple(option for option in options if reached[option.move.effect] == max(reached.values()))

    def _ahead(self, states: set[tuple[int, Position]]) -> set[tuple[int, Position]]:
        """Where one more move leads from each of some places; those at the end of the text stay."""
        further: set[tuple[int, Position]] = set()
        for token, position in states:
            if token >= len(self._texts):
                further.add((token, position))
            elif self._effort.step():
                further.update(
                    (option.following, position.after(option.move)) for option in self.options(token, position)
                )
        return further

    # Reasons

    def _illegal(self, token: int, position: Position) -> str:
        text = self._texts[token][:60]
        squares = self._squares.of(text)
        if squares is None and self._squares.steps(text) is None:
            try:
                squares = read_move_squares(text, self._squares.ruleset)
            except NotationError as error:
                return str(error)
        if not self._rules.legal_moves(position):
            return f"illegal move {text}: the game is over, {position.turn} has no move"
        self._effort.reasons -= 1
        violation = why_not(self._rules, position, squares) if squares and self._effort.reasons >= 0 else None
        rule = violation.rule.replace("_", " ") if violation else "no such move"
        return f"illegal move {text} for {position.turn}: {rule}"

    def _ambiguous(self, token: int, options: tuple[_Option, ...]) -> str:
        texts = sorted(full_move_text(option.move, self._squares.ruleset) for option in options)
        return f"ambiguous move {self._texts[token][:60]}: fits {', '.join(texts)}"


def _is_at(square: Square, step: _Step) -> bool:
    return square == step if isinstance(step, int) else square in step


def _in_order(wanted: Sequence[_Step], path: tuple[Square, ...]) -> bool:
    remaining = iter(path)
    return all(any(_is_at(square, step) for square in remaining) for step in wanted)
