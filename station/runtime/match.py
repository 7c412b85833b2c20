"""A match: two players, pairs of games from drawn openings with both colours, one player thinking at a time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from engine.ballot import BallotError, Table, start_of, tables_for
from engine.game import Game, Outcome, new_game
from engine.position import Side, side_of
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.openings import Opened
from station.runtime.contenders import Contender
from station.runtime.dxp_player import DxpPlayer, GivenUpError
from station.runtime.hub_process import Answer
from station.runtime.player_errors import EndedError, IllegalAnswerError, PlayerError, SilentError

MOST_PLIES = 200
RANDOM_PLIES = 6
_TRIES = 10_000


@dataclass(frozen=True, slots=True)
class Thought:
    """What a player's moves cost: positions looked at and milliseconds of the moves that told them, depths told."""

    moves: int = 0
    took_ms: float = 0.0
    slowest_ms: float = 0.0
    depths: int = 0
    depth_sum: float = 0.0
    nodes: int = 0
    nodes_ms: float = 0.0

    def after(self, answer: Answer) -> Thought:
        """With one more answer."""
        told = replace(
            self,
            moves=self.moves + 1,
            took_ms=self.took_ms + answer.took_ms,
            slowest_ms=max(self.slowest_ms, answer.took_ms),
        )
        info = answer.info
        if info is not None and info.depth is not None:
            told = replace(told, depths=told.depths + 1, depth_sum=told.depth_sum + info.depth)
        if info is not None and info.nodes is not None:
            told = replace(told, nodes=told.nodes + info.nodes, nodes_ms=told.nodes_ms + answer.took_ms)
        return told

    def __add__(self, other: Thought) -> Thought:
        """Both together."""
        return Thought(
            self.moves + other.moves,
            self.took_ms + other.took_ms,
            max(self.slowest_ms, other.slowest_ms),
            self.depths + other.depths,
            self.depth_sum + other.depth_sum,
            self.nodes + other.nodes,
            self.nodes_ms + other.nodes_ms,
        )

    @property
    def depth(self) -> float | None:
        """The mean depth of the moves that told one."""
        return self.depth_sum / self.depths if self.depths else None

    @property
    def nodes_per_second(self) -> float | None:
        """Positions a second of real time, over the moves that told how many they looked at."""
        return 1000 * self.nodes / self.nodes_ms if self.nodes and self.nodes_ms else None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a player lost a game that was not over: a word (illegal, silent, ended, error), and the whole reason."""

    side: Side
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Played:
    """A game of a match: its number from 0, whether the first player had White, how it ended."""

    number: int
    first_is_white: bool
    opened: Opened
    game: Game
    outcome: Outcome
    fault: Fault | None
    names: tuple[str, str]
    thoughts: tuple[Thought, Thought]
    """The first and the second player's."""

    @property
    def pair(self) -> int:
        """The number of its opening from 0."""
        return self.number // 2

    @property
    def points(self) -> float:
        """What the first player made of it: 1, 1/2 or 0."""
        if self.outcome.winner is None:
            return 0.5
        return float((self.outcome.winner is Side.WHITE) is self.first_is_white)

    @property
    def fault_of_first(self) -> bool | None:
        """Whether the first player is at fault; None where nobody is."""
        return None if self.fault is None else (self.fault.side is Side.WHITE) is self.first_is_white


def openings(ruleset: Ruleset, wanted: str, number: int, seed: int) -> tuple[Opened, ...]:
    """So many different openings as long as there are, the same for the same seed; ConfigError says what is wrong.

    `wanted` is the name of an opening table, `random:PLIES` for random moves, or empty: the tables drawn up for the
    rule set, lost openings left out, or random moves where it has none.
    """
    kind, _, plies = wanted.partition(":")
    tables = tables_for(ruleset)
    if kind == "random" or (not wanted and not tables):
        if plies and not (plies.isascii() and plies.isdigit() and int(plies) <= 40):
            raise ConfigError(f"openings {wanted!r}: expected random:PLIES with at most 40 plies")
        return _random_openings(ruleset, int(plies) if plies else RANDOM_PLIES, number, seed)
    chosen = [table for table in tables if wanted in ("", table.name)]
    if not chosen:
        known = ", ".join(table.name for table in tables) or "none"
        raise ConfigError(f"openings {wanted!r}: expected random:PLIES or a table for {ruleset.name}: {known}")
    return _drawn_openings(ruleset, chosen, number, seed)


def _drawn_openings(ruleset: Ruleset, tables: Sequence[Table], number: int, seed: int) -> tuple[Opened, ...]:
    pool = [(table, opening) for table in tables for opening in table.openings if not (opening.lost or opening.free)]
    Random(seed).shuffle(pool)
    found: dict[object, Opened] = {}
    for table, opening in pool:
        try:
            start = start_of(opening, table, ruleset)
        except BallotError:  # house rules may forbid what the table's own rules allow
            continue
        found.setdefault(start.game.position.diagram, Opened(start.game, len(start.moves), start.text))
        if len(found) == number:
            break
    return _as_many(tuple(found.values()), number) or _random_openings(ruleset, RANDOM_PLIES, number, seed)


def _random_openings(ruleset: Ruleset, plies: int, number: int, seed: int) -> tuple[Opened, ...]:
    """Random moves from the start, as long as both sides have as many pieces and nothing is to be captured."""
    chance = Random(seed)
    found: dict[object, Opened] = {}
    for _ in range(_TRIES):
        game = new_game(ruleset)
        while game.ply < plies and game.outcome() is None:
            game = game.play(chance.choice(game.legal_moves))
        if _is_level(game):
            found.setdefault(game.position.diagram, Opened(game, game.ply, f"random {len(found) + 1}"))
        if len(found) == number:
            break
    if not found:
        raise ConfigError(f"openings random:{plies}: found no level position of {ruleset.name}, expected fewer plies")
    return _as_many(tuple(found.values()), number)


def _is_level(game: Game) -> bool:
    pieces = [side_of(piece) for piece in game.position.contents]
    even = pieces.count(Side.WHITE) == pieces.count(Side.BLACK)
    return even and game.outcome() is None and not any(move.captured for move in game.legal_moves)


def _as_many(found: Sequence[Opened], number: int) -> tuple[Opened, ...]:
    return tuple(found[place % len(found)] for place in range(number if found else 0))


def referee(game: Game, most_plies: int) -> Outcome | None:
    """How a game has ended by its rules, draws that may be claimed included, or by its length; None: it goes on."""
    outcome = game.outcome(claimed=True)
    if outcome is None and game.ply >= most_plies:
        return Outcome(None, f"{most_plies} plies", on_board=False)
    return outcome


Pair = tuple[Contender, Contender]


def play_game(number: int, opened: Opened, pair: Pair, most_plies: int, last: bool) -> Played:
    """Game `number` between two players; the first has White in games of even number.

    Where one of them asks for the games itself, opening and colours are what it asks for. UnfitError: one of them
    cannot be made to play at all. Whatever else goes wrong loses the game.
    """
    first_is_white = number % 2 == 0
    asking = next((player for player in pair if isinstance(player, DxpPlayer) and player.follows), None)
    if asking is not None:
        invitation = asking.invited()
        opened = Opened(invitation.game)
        first_is_white = (invitation.side is Side.WHITE) is (pair[0] is asking)
    colours = (Side.WHITE, Side.BLACK) if first_is_white else (Side.BLACK, Side.WHITE)
    course = _Course(opened.game, dict(zip(colours, pair, strict=True)), {side: Thought() for side in Side})
    # Processes first: they take a moment to start, and the clock of a program at the other end runs at once.
    for side, player in sorted(course.players.items(), key=lambda item: isinstance(item[1], DxpPlayer)):
        if player is not asking:
            player.new_game(opened.game, side)
    outcome = course.play(most_plies)
    for player in pair:
        player.finish(course.game, outcome.winner, last)
    names = (pair[0].name, pair[1].name)
    thoughts = (course.thoughts[colours[0]], course.thoughts[colours[1]])
    return Played(number, first_is_white, opened, course.game, outcome, course.fault, names, thoughts)


@dataclass(slots=True)
class _Course:
    """A game that is being played."""

    game: Game
    players: dict[Side, Contender]
    thoughts: dict[Side, Thought]
    fault: Fault | None = None

    def play(self, most_plies: int) -> Outcome:
        """Let both play until the game is over."""
        while self.fault is None:
            outcome = referee(self.game, most_plies)
            if outcome is not None:
                return outcome
            side = self.game.position.turn
            try:
                answer = self.players[side].choose(self.game)
            except GivenUpError as given_up:
                if given_up.wrongly:
                    self.fault = Fault(side, "ended", given_up.wrongly)
                return given_up.outcome
            except PlayerError as error:
                self.fault = Fault(side, _kind(error), str(error))
                self.players[side].drop()
                continue
            self.thoughts[side] = self.thoughts[side].after(answer)
            self.game = self.game.play(answer.move)
        return Outcome(self.fault.side.other, self.fault.reason, on_board=False)


def _kind(error: PlayerError) -> str:
    kinds = {SilentError: "silent", EndedError: "ended", IllegalAnswerError: "illegal"}
    return kinds.get(type(error), "error")


@dataclass(slots=True)
class Match:
    """Games `0 .. games - 1`, an opening for each two; `side_by_side` of them at a time, each with players of its own.

    `stopped` says why the match ended early; empty when it did not.
    """

    make_pair: Callable[[], Pair]
    openings: Sequence[Opened]
    games: int
    most_plies: int = MOST_PLIES
    side_by_side: int = 1
    stopped: str = ""
    _next: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: list[tuple[Contender, ...]] = field(default_factory=list)
    _results: queue.SimpleQueue[Played | None] = field(default_factory=queue.SimpleQueue)

    def played(self) -> Generator[Played, None, None]:
        """The games as they end; closing the iterator ends the players."""
        threads = [
            threading.Thread(target=self._work, name=f"match {number}", daemon=True)
            for number in range(max(1, min(self.side_by_side, len(self.openings))))
        ]
        for thread in threads:
            thread.start()
        working = len(threads)
        try:
            while working:
                played = self._results.get()
                if played is None:
                    working -= 1
                else:
                    yield played
        finally:
            self._stop("interrupted" if working else "")
            for thread in threads:
                thread.join(timeout=5)

    def _stop(self, why: str) -> None:
        with self._lock:
            self._next = len(self.openings)
            self.stopped = self.stopped or why
            for pair in self._running:
                for player in pair:
                    player.close()

    def _take(self) -> int | None:
        """The number of the next opening; None when there is none left."""
        with self._lock:
            if self._next >= len(self.openings):
                return None
            self._next += 1
            return self._next - 1

    def _work(self) -> None:
        pair: tuple[Contender, ...] = ()
        try:
            pair = first, second = self.make_pair()
            with self._lock:
                self._running.append(pair)
            while (place := self._take()) is not None:
                self._play_both(place, (first, second))
        except PlayerError as error:
            self._stop(str(error))
        except Exception as error:
            self._stop(f"{type(error).__name__}: {error}")
            raise
        finally:
            for player in pair:
                player.close()
            self._results.put(None)

    def _play_both(self, place: int, pair: Pair) -> None:
        """The games of one opening; what players that were closed made of theirs is no result."""
        for number in range(2 * place, min(2 * place + 2, self.games)):
            played = play_game(number, self.openings[place], pair, self.most_plies, number == self.games - 1)
            if self.stopped:
                return
            self._results.put(played)
