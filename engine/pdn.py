"""PDN: games of draughts as text, read with every oddity that real files have and written in one canonical form."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from engine.errors import NotationError
from engine.fen import has_captured_pieces, read_fen_pieces, write_fen
from engine.notation import move_text
from engine.pdn_moves import MOST_TEXTS, Effort, MoveReader, Played, Stop, played_by
from engine.pdn_results import RESULTS, canonical_result, is_point_score, read_result, winner_of
from engine.pdn_rulesets import (
    FIRST_SQUARES,
    first_numbered,
    game_type,
    games_that_move_differently,
    named_ruleset,
    number_of,
    numbered_from,
    stated_ruleset,
    variant_in,
    with_first,
)
from engine.pdn_tags import SEVEN_TAGS, tag_name
from engine.pdn_text import decode_text
from engine.pdn_tokens import RawGame, raw_games
from engine.position import Move, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset

__all__ = [
    "SEVEN_TAGS",
    "Fault",
    "PdnGame",
    "canonical_result",
    "game_type",
    "read_pdn",
    "read_pdn_bytes",
    "stated_ruleset",
    "winner_of",
    "write_pdn",
    "write_pdn_file",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a game: its place in the file from 1, the line, the half-move from 1 (0: before the moves)."""

    game: int
    line: int
    ply: int
    reason: str


@dataclass(frozen=True, slots=True)
class PdnGame:
    """A game as far as it is legal: `faults` say where it breaks off, `notes` what was skipped without harm.

    `turn_known` is False when the FEN leaves the side to move open; then no moves are read.
    """

    tags: Mapping[str, str]
    ruleset: Ruleset
    start: Position
    moves: tuple[Move, ...] = ()
    result: str = "*"
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    line: int = 1
    turn_known: bool = True

    @property
    def is_legal(self) -> bool:
        """Whether every half-move of the text was read."""
        return not self.faults


_NO_WORDS = re.compile(r"(?:[^\W\d_]{0,2}(?:[\W\d_]|\Z))*")
_HAS_DIGIT = re.compile(r"[0-9]")

_TELLING = 4
"""Half-moves from an illegal one on that must be legal by another rule set before the game counts as one of that."""

_NOT_READ = "not read, since nearly all games before it have faults; split the file"

_SHORT_GAME = 12
_MOST_SHORT_GAMES = 5000
"""Half-moves of games that are remembered while a file is read, and how many of them."""


def read_pdn(text: str, default_ruleset: Ruleset) -> tuple[PdnGame, ...]:
    """The games of a PDN text; never raises. `default_ruleset` is for games that do not say what is played.

    A game that cannot be played by the rule set it states (or the default) is read by the only other one that can
    play it whole; where several can, the file's other games may decide, and else it stays as far as it was legal.
    """
    games = _read_pdn(text, default_ruleset)
    separated = _with_blanks_for_semicolons(text)
    if separated:
        others = _read_pdn(separated, default_ruleset)
        if _count(others) > _count(games):
            note = Fault(1, 1, 0, "what stands behind ';' is read as moves")
            return (replace(others[0], notes=(note, *others[0].notes)), *others[1:])
    return games


def _count(games: tuple[PdnGame, ...]) -> tuple[int, int]:
    """How well games were read: the fewest faults first, then the most moves."""
    return -sum(not game.is_legal for game in games), sum(len(game.moves) for game in games)


def _with_blanks_for_semicolons(text: str) -> str:
    """The text with blanks for semicolons, where nothing but what may be moves ever stands behind one; else empty."""
    if ";" not in text:
        return ""
    lines = text.splitlines(keepends=True)
    behind = [line.partition(";")[2] for line in lines if ";" in line and not line.lstrip().startswith("[")]
    if not behind or not all(_NO_WORDS.fullmatch(rest) for rest in behind) or not any(map(_HAS_DIGIT.search, behind)):
        return ""
    return "".join(line if line.lstrip().startswith("[") else line.replace(";", " ") for line in lines)


def _read_pdn(text: str, default_ruleset: Ruleset) -> tuple[PdnGame, ...]:
    raws = _with_tags_first(raw_games(text))
    reading = _Reading(default_ruleset)
    for raw in raws:
        reading.take_score(raw)
    attempts = [reading.attempt(raw) for raw in raws]
    common = reading.common_to_undecided()
    if common:
        attempts = [reading.again(raw, attempt, common) for raw, attempt in zip(raws, attempts, strict=True)]
    return tuple(_finished(raw, number, best) for number, (raw, best) in enumerate(zip(raws, attempts, strict=True), 1))


def read_pdn_bytes(data: bytes, ruleset: Ruleset | None = None, file_name: str = "") -> tuple[PdnGame, ...]:
    """The games of a PDN file; never raises. A note of the first game names an encoding that had to be guessed.

    Games that do not say what is played are read by what the file says, else by `ruleset`, else by the rule set that
    `file_name` names, else by the first rule set that PDN numbers.
    """
    decoded = decode_text(data)
    default = ruleset or stated_ruleset(decoded.text) or variant_in(file_name) or first_numbered()
    games = read_pdn(decoded.text, default)
    if decoded.sure or not games:
        return games
    note = Fault(1, 1, 0, f"read as {decoded.encoding}, which its letters look like")
    return (replace(games[0], notes=(note, *games[0].notes)), *games[1:])


def _with_tags_first(raws: tuple[RawGame, ...]) -> tuple[RawGame, ...]:
    """The games of a file in which every game has its tags after its moves, each with its own tags."""
    if len(raws) < 2 or raws[0].tags or not raws[0].tokens or raws[-1].tokens or not raws[-1].tags:
        return raws
    if raws[-1].result or "FEN" in raws[-1].tags:
        return raws
    for raw, following in pairwise(raws):
        raw.tags = following.tags
        raw.note(raw.line, "the tags stand after the moves")
    return raws[:-1]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A game read by one rule set: its start and its moves.

    `reason` says why none were read; `fen_read` is False where the start is not the one that the FEN should state.
    """

    ruleset: Ruleset
    start: Position
    turn_known: bool
    stop: Stop
    reason: str = ""
    fen_read: bool = True
    notes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.fen_read and self.turn_known and not self.stop.left


@dataclass(slots=True)
class _Reading:
    """What the games of one file share: the rule set where they state none, what may be spent, what was recognised."""

    default: Ruleset
    effort: Effort = field(default_factory=Effort)
    recognised: Ruleset | None = None
    named: dict[tuple[str, str], Ruleset | None] = field(default_factory=dict)
    undecided: list[frozenset[str]] = field(default_factory=list)
    played: dict[int, Played] = field(default_factory=dict)
    short_games: dict[tuple[str, ...], _Attempt] = field(default_factory=dict)
    unread: dict[int, _Attempt] = field(default_factory=dict)

    def take_score(self, raw: RawGame) -> None:
        """Makes the last text of the moves the result, where it is the score that the Result tag states."""
        score = _score_at_the_end(raw)
        if score:
            raw.tokens.pop()
            raw.result = score

    def common_to_undecided(self) -> Ruleset | None:
        """The one rule set that fits all games of the file which fit several and not the one they should.

        One that another game of the file needs comes first.
        """
        common = frozenset.intersection(*self.undecided) if self.undecided else frozenset()
        if self.recognised and self.recognised.name in common:
            return self.recognised
        found = [ruleset for ruleset in games_that_move_differently() if ruleset.name in common]
        return found[0] if len(found) == 1 else None

    def again(self, raw: RawGame, attempt: _Attempt, ruleset: Ruleset) -> _Attempt:
        """A game that could not be read, by a rule set that fits others of the file; as it was if that fails too."""
        if attempt.is_whole or not raw.tokens or attempt.stop.is_ambiguous or raw.broken:
            return attempt
        other = self._attempt(raw, ruleset)
        reason = f"not legal as {attempt.ruleset.name}, read as {ruleset.name}, which fits the games of this file"
        return replace(other, notes=(reason,)) if other.is_whole else attempt

    def _named(self, tags: Mapping[str, str]) -> Ruleset | None:
        key = (tags.get("Variant", ""), tags.get("GameType", ""))
        if key not in self.named:
            self.named[key] = named_ruleset(tags, self.default)
        return self.named[key]

    def attempt(self, raw: RawGame) -> _Attempt:
        """The game by the rule set it states or, where that cannot be, by the only one that fits.

        Short games are remembered: files of nothing but beginnings have the same ones again and again.
        """
        if self.effort.hopes <= 0:
            return self._unread(len(raw.tokens))
        best = self._remembered(raw)
        self.effort.learn(best.is_whole)
        return best

    def _unread(self, texts: int) -> _Attempt:
        if texts not in self.unread:
            start = self._played(self.default).start
            self.unread[texts] = _Attempt(self.default, start, True, Stop((), 0, texts, _NOT_READ))
        return self.unread[texts]

    def _remembered(self, raw: RawGame) -> _Attempt:
        if len(raw.tokens) > _SHORT_GAME or len(self.short_games) > _MOST_SHORT_GAMES:
            return self._best(raw)
        tags = raw.tags
        stated = (tags.get("Variant", ""), tags.get("GameType", ""), tags.get("FEN", ""), str(len(raw.broken)))
        key = (*stated, *(token.text for token in raw.tokens))
        if key not in self.short_games:
            self.short_games[key] = self._best(raw)
        return self.short_games[key]

    def _best(self, raw: RawGame) -> _Attempt:
        stated = self._named(raw.tags) or self.default
        first = self._attempt(raw, stated)
        if first.is_whole or not raw.tokens or first.stop.is_ambiguous or not first.turn_known or raw.broken:
            return first
        if not first.stop.moves and _tells_rulesets_apart(raw, first.stop):
            plain = self._by_default(raw, stated)
            if plain:
                return plain
        turned = self._turned(raw, first)
        if turned.is_whole:
            return turned
        if not _tells_rulesets_apart(raw, first.stop):
            return turned
        renumbered = self._renumbered(raw, stated)
        if renumbered:
            return renumbered
        plain = self._by_default(raw, stated)
        if plain:
            return plain
        found = self._recognised(raw, stated)
        likely = _as_written(found, self._is_numeric(raw, stated))
        if len(likely) == 1:
            (other,) = likely
            self.recognised = other.ruleset
            less = ", ".join(sorted(attempt.ruleset.name for attempt in found if attempt is not other))
            why = f"which is written so ({less} would fit too)" if less else "the one rule set here that fits"
            return replace(other, notes=(f"not legal as {stated.name}, read as {other.ruleset.name}, {why}",))
        if found:
            self.undecided.append(frozenset(other.ruleset.name for other in found))
            names = ", ".join(sorted(self.undecided[-1]))
            return replace(turned, notes=(*turned.notes, f"not legal as {stated.name}; these rule sets fit: {names}"))
        return turned

    def _by_default(self, raw: RawGame, stated: Ruleset) -> _Attempt | None:
        """The whole game by the rule set of games that state none; None where it cannot be played so."""
        if stated == self.default:
            return None
        plain = self._attempt(raw, self.default)
        note = f"not legal as {stated.name}, read as {self.default.name}"
        return replace(plain, notes=(note,)) if plain.is_whole else None

    def _attempt(self, raw: RawGame, ruleset: Ruleset) -> _Attempt:
        nothing = Stop((), 0, len(raw.tokens))
        played = self._played(ruleset)
        if not raw.tags.get("FEN"):
            start = played.start
        else:
            try:
                position, turn = read_fen_pieces(raw.tags["FEN"], ruleset)
            except NotationError as error:
                return _Attempt(ruleset, played.start, True, nothing, str(error), fen_read=False)
            start = played.rules.opened(position)
            if turn is None:
                return _Attempt(ruleset, start, False, nothing, "the FEN does not say which side is to move")
        return _Attempt(ruleset, start, True, self._reader(raw, ruleset).read(start))

    def _played(self, ruleset: Ruleset) -> Played:
        """What a rule set needs; found by identity, since comparing rule sets takes longer than reading a move."""
        if id(ruleset) not in self.played:
            self.played[id(ruleset)] = played_by(ruleset)
        return self.played[id(ruleset)]

    def _reader(self, raw: RawGame, ruleset: Ruleset) -> MoveReader:
        return MoveReader(self._played(ruleset), [token.text for token in raw.tokens[: MOST_TEXTS + 1]], self.effort)

    def _turned(self, raw: RawGame, attempt: _Attempt) -> _Attempt:
        """The attempt with the other side beginning, where nothing says who does and its first move cannot be read."""
        if attempt.stop.moves or not attempt.fen_read:
            return attempt
        first = attempt.start.turn.other
        if raw.tags.get("FEN"):
            ruleset = attempt.ruleset
            start = replace(attempt.start, turn=first)
        else:
            # A rule set that GameType can describe is described; another only starts from another position.
            ruleset = with_first(attempt.ruleset, first) if attempt.ruleset.pdn_type else attempt.ruleset
            start = replace(self._played(ruleset).start, turn=first)
        stop = self._reader(raw, ruleset).read(start)
        is_open = not raw.tags.get("FEN") and not raw.tags.get("GameType")
        if not stop.moves or (stop.left and not is_open):
            return attempt
        return _Attempt(ruleset, start, True, stop, notes=(f"{first} moves first here",))

    def _is_numeric(self, raw: RawGame, stated: Ruleset) -> bool:
        """Whether the squares of the moves are numbers."""
        return all(text.isdecimal() for text in self._played(stated).squares.parts_of(raw.tokens[0].text))

    def _renumbered(self, raw: RawGame, stated: Ruleset) -> _Attempt | None:
        """The whole game with squares numbered from the one other corner with which it can be played; else None."""
        if self.effort.recognitions <= 0 or not stated.pdn_type or not self._is_numeric(raw, stated):
            return None
        others = [numbered_from(stated, corner) for corner in FIRST_SQUARES if corner != stated.first_square]
        whole = [attempt for ruleset in others if (attempt := self._attempt(raw, ruleset)).is_whole]
        if len(whole) != 1:
            return None
        return replace(whole[0], notes=(f"the squares are numbered from the {whole[0].ruleset.first_square} here",))

    def _recognised(self, raw: RawGame, stated: Ruleset) -> list[_Attempt]:
        """Every reading of the whole game by another rule set."""
        if self.recognised and self.recognised != stated:
            again = self._attempt(raw, self.recognised)
            if again.is_whole:
                return [again]
        if self.effort.recognitions <= 0:
            return []
        self.effort.recognitions -= 1
        others = [
            ruleset
            for ruleset in games_that_move_differently()
            if ruleset != stated and self._reader(raw, ruleset).can_be_read()
        ]
        attempts = [self._attempt(raw, ruleset) for ruleset in others]
        whole = [attempt for attempt in attempts if attempt.is_whole]
        if whole:
            return whole
        return [turned for attempt in attempts if (turned := self._turned(raw, attempt)).is_whole]


def _tells_rulesets_apart(raw: RawGame, stop: Stop) -> bool:
    """Whether another rule set that can play the whole game is likelier than a slip in its last moves.

    A game that fails at its first move is of another kind; a set-up position with only one move says too little.
    """
    if stop.moves:
        return stop.left >= _TELLING
    return len(raw.tokens) > 1 or not raw.tags.get("FEN")


def _as_written(attempts: list[_Attempt], numeric: bool) -> list[_Attempt]:
    """Those readings by rule sets that name squares as the text does, and of these those that PDN has a number for."""
    named = [attempt for attempt in attempts if (attempt.ruleset.notation == "numeric") == numeric] or attempts
    return [attempt for attempt in named if attempt.ruleset.pdn_type] or named


def _score_at_the_end(raw: RawGame) -> str:
    """The score that ends the moves where it equals the Result tag and is no result that every game may have."""
    if not raw.tokens or raw.result or "Result" not in raw.tags:
        return ""
    stated, last = read_result(raw.tags.get("Result", "")), read_result(raw.tokens[-1].text)
    return last if last == stated and last not in ("*", *RESULTS) else ""


def _finished(raw: RawGame, number: int, best: _Attempt) -> PdnGame:
    """The game with its faults and notes."""
    stop, result = best.stop, _result(raw)
    if stop.reason == _NOT_READ:
        fault = Fault(number, raw.line, 0, _NOT_READ)
        return PdnGame(raw.tags, best.ruleset, best.start, (), result, (fault,), (), raw.line)
    about = (*_about_tags(raw, best.ruleset), *best.notes) if raw.tags else best.notes
    notes = [Fault(number, raw.line, 0, reason) for reason in about]
    notes += [Fault(number, note.line, note.tokens_before + 1, note.reason) for note in raw.notes]
    for place in stop.skipped:
        token = raw.tokens[place]
        notes.append(Fault(number, raw.line_of(token), place + 1, f"{token.text[:60]!r} is no move"))
    faults = [
        Fault(number, broken.line, len(stop.moves) + 1, broken.reason)
        for broken in raw.broken
        if broken.tokens_before <= stop.place
    ]
    if not best.fen_read or (not best.turn_known and raw.tokens):
        faults.append(Fault(number, raw.line, 0, best.reason))
    elif stop.left:
        token = raw.tokens[stop.place]
        score = read_result(token.text)
        if stop.left == 1 and not raw.result and "Result" not in raw.tags and is_point_score(score):
            notes.append(Fault(number, raw.line_of(token), len(stop.moves) + 1, f"{score} is read as the score"))
            result = score
        else:
            faults.append(Fault(number, raw.line_of(token), len(stop.moves) + 1, stop.reason))
    return PdnGame(
        tags=raw.tags,
        ruleset=best.ruleset,
        start=best.start,
        moves=stop.moves,
        result=result,
        faults=tuple(faults),
        notes=tuple(notes),
        line=raw.line,
        turn_known=best.turn_known,
    )


def _about_tags(raw: RawGame, ruleset: Ruleset) -> Iterator[str]:
    """What the tags say that the game as it is read does not."""
    stated = raw.tags.get("GameType", "")
    if stated and number_of(stated) != str(ruleset.pdn_type):
        named = named_ruleset({"GameType": stated}, None)
        meaning = named.name if named else "not known here"
        if meaning != ruleset.name:
            yield f"GameType {stated[:60]!r} is {meaning}; read as {ruleset.name}"
    if has_captured_pieces(raw.tags.get("FEN", ""), ruleset):
        yield "the FEN has captured pieces that still stand on the board; they are left out"
    result = read_result(raw.tags.get("Result", ""))
    if raw.result and "*" not in (raw.result, result) and _differ(raw.result, result, ruleset):
        yield f"the Result tag says {result}, the moves end with {raw.result}, which counts"


def _differ(one: str, other: str, ruleset: Ruleset) -> bool:
    return canonical_result(one, ruleset) != canonical_result(other, ruleset)


def _result(raw: RawGame) -> str:
    """The terminator after the moves, or what the Result tag says where there is none."""
    if raw.result and raw.result != "*":
        return raw.result
    return read_result(raw.tags.get("Result", ""))


def write_pdn(game: PdnGame) -> str:
    """A game as canonical PDN 3.0: tags, an empty line, moves in lines of at most 80 characters."""
    return "\n".join([*_tag_lines(game), "", *_move_lines(game), ""])


def write_pdn_file(games: Iterable[PdnGame]) -> str:
    """Games one after the other, an empty line between them."""
    return "\n".join(write_pdn(game) for game in games)


def _tag_lines(game: PdnGame) -> list[str]:
    ruleset = game.ruleset
    tags = {name: game.tags.get(name) or "?" for name in SEVEN_TAGS}
    tags["Date"] = game.tags.get("Date") or "????.??.??"
    tags["Result"] = canonical_result(game.result, ruleset)
    if ruleset.pdn_type:
        tags["GameType"] = game_type(ruleset)
    if named_ruleset(tags, None) != ruleset:
        tags["Variant"] = ruleset.name
    if not game.turn_known or game.start != rules_for(ruleset).start():
        fen = write_fen(game.start, ruleset)
        tags |= {"SetUp": "1", "FEN": fen if game.turn_known else "?" + fen[1:]}
    own = {*tags, "GameType", "Variant", "SetUp", "FEN"}
    for name, value in game.tags.items():
        if name not in own:
            tags[_tag_word(name, tags, own)] = value
    return [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]


def _tag_word(name: str, written: Collection[str], own: Collection[str]) -> str:
    """A tag's name as one word that is not read as one of those `written`, nor as one of the writer's own."""
    word = re.sub(r"\W+", "_", name)[:60] or "_"
    while tag_name(word, written) in (*written, *own):
        word = f"X{word}"
    return word


def _escaped(value: str) -> str:
    plain = re.sub(r"[\s\x00]+", " ", value).strip().replace("\\", "\\\\").replace('"', '\\"')
    # What looks like an entity would be read as the sign it stands for.
    return re.sub(r"&(?=[#\w])", "&amp;", plain)


def _move_lines(game: PdnGame) -> list[str]:
    rules = rules_for(game.ruleset)
    position = game.start
    words: list[str] = []
    number = 1
    for place, move in enumerate(game.moves):
        is_first = position.turn is game.ruleset.first
        if is_first or place == 0:
            words.append(f"{number}." if is_first else f"{number}...")
        ends = rules.moves_between(position, move.from_square, move.to_square)
        words.append(move_text(move, ends, game.ruleset))
        number += not is_first
        position = position.after(move)
    result = canonical_result(game.result, game.ruleset)
    words.append(result if result in RESULTS else "*")
    return textwrap.wrap(" ".join(words), 80, break_long_words=False, break_on_hyphens=False)
