"""Thinking: one engine for every rule set, without a clock: the kernel where it can play, else the readable search.

Whatever the kernel says is held to the readable rules: before every search its list of moves must be theirs, effect by
effect. Where it is not, the kernel is left aside for that position and `Thinker.refusals` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.endings import EndingTables
from engine.errors import TooManyCapturesError
from engine.fen import write_fen
from engine.game import Game
from engine.position import Effect, Move, Position
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset
from engine.search import WIN, Iteration, Search, evaluation_of

try:
    from engine.kernel import hashing, trees
    from engine.kernel import search as searching

    HAS_KERNEL = not any(str(module.__file__).endswith(".py") for module in (hashing, searching))
except ImportError:
    HAS_KERNEL = False

TABLE_BYTES = 16 << 20
"""The table's size when nobody says another: it leaves the process under 64 MB."""

MOST_DEPTH = 120
"""The deepest iteration of the kernel."""

MOST_LINE = 16
"""How many moves of a line are told."""

_JUDGING_BYTES = 1 << 18

_GLANCE = 1_000
"""How many positions are looked at before a search may be stopped; among many kings a ply deep can be millions."""

_ON_THE_WAY_OUT = 3
"""So many positions more the kernel may enter before it notices that its limit is reached."""

_SLOWER = 20
"""The readable search looks at so many times fewer positions for a level, it is slow."""

_PROVEN = WIN - 1_000
"""Scores beyond this are wins or losses at the end of a line."""

_SURE = 29_000
"""Kernel scores beyond this are wins: 30,000 less the plies to go."""


def readable_score(score: int) -> int:
    """A kernel's score as engine.search gives it: hundredths of a man, a win n plies away WIN - n."""
    if score > _SURE:
        return score + WIN - 30_000
    return score - WIN + 30_000 if score < -_SURE else score


def is_decided(score: int, depth: int) -> bool:
    """Whether a score is a win or a loss that lies within the depth, so that searching on changes nothing."""
    return WIN - abs(score) <= depth


class Thinker:
    """Thinks about the positions of games by one rule set, and remembers what it met until `forget`.

    `begin`, then `iterate` deeper and deeper. `stop`, from any thread, ends the iteration that runs; until the next
    `begin` nothing is searched any more. With several threads, `help` runs in each further one while the first
    iterates, and ends with `stop`.
    """

    def __init__(self, ruleset: Ruleset, table_bytes: int = TABLE_BYTES, threads: int = 1) -> None:
        self.rules: Rules = rules_for(ruleset)
        self.refusals: list[str] = []
        """Positions where the kernel's moves were not the rules', each as one sentence."""
        self.tells_lines = True
        """Whether iterations tell the whole line, or only the best move, which is faster."""
        self.nodes = 0
        """Positions that `judge` has looked at since the last `begin`."""
        self._stopped = False
        self._minds: list[_Mind] = []
        self._reader: _Mind | None = None
        self._judging: _Mind | None = None
        self._has_judged = False
        self._endings: EndingTables | None = None
        self._readable: Iterator[Iteration] | None = None
        self._last: Iteration | None = None
        self._legal: tuple[Move, ...] = ()
        self._position = self.rules.start()
        self._history: tuple[Position, ...] = ()
        self._keys: list[int] = []
        self._limit = 0
        if HAS_KERNEL:
            try:
                table = hashing.Table(table_bytes)
                self._minds = [_Mind(ruleset, table) for _ in range(threads)]
                self._reader = _Mind(ruleset, hashing.Table(4096))
            except (ValueError, TypeError):
                self._minds = []  # the kernel does not play this rule set, or is only built in part

    def use_endings(self, tables: EndingTables) -> None:
        """Look positions of few pieces up in these tables, from the next `begin` on."""
        self._endings = tables
        found = tables.for_search()
        for mind in self._minds:
            mind.tree.use_endings(found)

    @property
    def uses_kernel(self) -> bool:
        """Whether the compiled kernel plays this rule set."""
        return bool(self._minds)

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called since the last `begin`."""
        return self._stopped

    @property
    def helpers(self) -> int:
        """How many threads may call `help`."""
        return max(0, len(self._minds) - 1) if self._readable is None else 0

    def forget(self) -> None:
        """Another game begins: nothing is remembered."""
        for mind in self._minds:
            mind.forget()

    def begin(self, game: Game, nodes: int = 0, margin: int = 0) -> tuple[Move, ...]:
        """Get ready to search the position on the board of a game; its legal moves.

        After `nodes` positions the search stops by itself (0: it does not). Moves within `margin` hundredths of the
        best get exact scores, see Iteration.choices.
        """
        self._stopped, self._has_judged, self.nodes = False, False, 0
        self._legal, self._last, self._limit = game.legal_moves, None, nodes
        self._position, self._history = game.position, game.positions[:-1]
        self._readable = None
        if not self._legal:
            return ()
        if not self._minds or not self._agrees(game):
            self._readable = self._read(game, nodes)
            return self._legal
        self._last = self._glance(nodes)
        for number, mind in enumerate(self._minds):
            first = number == 0
            limit = max(1, nodes - _ON_THE_WAY_OUT) if first and nodes else 0
            mind.search.begin(mind.keys, limit, (), margin if first else 0, not first)
        self._keys = [*self._minds[0].keys, self._minds[0].tree.key_at(0)]
        return self._legal

    def _glance(self, nodes: int) -> Iteration:
        """A ply deep, and only so many positions: a fair answer however soon a stop comes."""
        search = self._minds[0].search
        search.begin(self._minds[0].keys, min(nodes, _GLANCE) or _GLANCE, (), 0, True)
        return replace(self._told(search.iterate(1)), depth=0, nodes=0)

    def _agrees(self, game: Game) -> bool:
        """Set up all minds; whether the kernel's moves are those of the readable rules here."""
        try:
            for mind in self._minds:
                mind.place(game)
            agreed = set(self._minds[0].effects) == {move.effect for move in self._legal}
        except (ValueError, IndexError) as error:
            self.refusals.append(f"the kernel cannot follow to {self._where}: {error}")
            return False
        if not agreed:
            self.refusals.append(f"the kernel's moves are not the rules' in {self._where}")
        return agreed

    @property
    def _where(self) -> str:
        return f"{self.rules.ruleset.name} {write_fen(self._position, self.rules.ruleset)}"

    def _read(self, game: Game, nodes: int) -> Iterator[Iteration]:
        search = Search(self.rules, game.position, game.positions[:-1], lambda: self._stopped, nodes or None)
        return search.deepen(MOST_DEPTH)

    def iterate(self, depth: int) -> Iteration | None:
        """What a search `depth` plies deep finds, or the best known when it is cut short; None: no legal move."""
        if not self._legal:
            return None
        if self._readable is not None:
            return self._iterate_readable(depth)
        assert self._last is not None
        if self._last.complete and self._last.depth >= depth:
            return self._last
        if self._stopped:
            return replace(self._last, complete=False)
        found = self._minds[0].search.iterate(depth)
        self._last = self._told(found)
        return self._last

    def _iterate_readable(self, depth: int) -> Iteration | None:
        assert self._readable is not None
        while self._last is None or self._last.depth < depth:
            found = next(self._readable, None)
            if found is None:
                return self._last and replace(self._last, complete=False)
            self._last = replace(found, choices=((found.line[0], found.score),), complete=not self._is_exhausted(found))
        return self._last

    def _is_exhausted(self, found: Iteration) -> bool:
        return self._stopped or bool(self._limit and found.nodes >= self._limit)

    def _told(self, found: searching.Found) -> Iteration:
        """An iteration of the kernel in the engine's terms."""
        effects = self._minds[0].effects
        by_effect = {move.effect: move for move in self._legal}
        choices = tuple(
            (by_effect[effects[choice.index]], readable_score(choice.score))
            for choice in found.moves
            if not choice.bound
        )
        assert found.best is not None, "there are legal moves"
        best = by_effect[effects[found.best.index]]
        return Iteration(
            found.depth,
            readable_score(found.score),
            (best, *self._rest_of(best, found.line[1:MOST_LINE])),
            sum(mind.search.result().nodes for mind in self._minds) if len(self._minds) > 1 else found.nodes,
            found.deepest,
            found.hash_hits,
            found.table_hits,
            found.complete,
            choices,
        )

    def _rest_of(self, best: Move, codes: Sequence[int]) -> tuple[Move, ...]:
        """The moves of a line after its first, as far as the codes can be followed; only their effects are told."""
        if self._reader is None or not self.tells_lines:
            return ()
        return tuple(_plain(effect) for effect in self._reader.follow(self._position.after(best), codes))

    def by_endings(self, found: Iteration) -> Iteration:
        """The iteration, or what endgame tables know better: the quickest way to a win, the longest one to a loss.

        A win or a loss that the search has proven itself is left as it is, for it has reckoned with the draw rules.
        """
        if self._endings is None or abs(found.score) > _PROVEN:
            return found
        verdict = self._endings.verdict(self._position)
        if verdict is None or not verdict.value:
            return found
        moves = self._endings.moves(self._position)
        if not moves:
            return found
        best = {move.effect: move for move in self._legal}[moves[0][0].effect]
        return found if best == found.line[0] else replace(found, line=(best,))

    def help(self, number: int) -> None:
        """Search along with the first thread, as helper 1.. up to `helpers`, until `stop`."""
        mind = self._minds[number]
        depth = 1 + number % 2
        while not self._stopped and depth <= MOST_DEPTH:
            found = mind.search.iterate(depth)
            if not found.complete or is_decided(readable_score(found.score), found.depth):
                return
            depth += 1

    def stop(self) -> None:
        """End the iteration that runs; from any thread, within microseconds for the kernel."""
        self._stopped = True
        for mind in (*self._minds, self._judging):
            if mind is not None:
                mind.search.stop()

    def judge(self, move: Move, depth: int, nodes: int = 0, unseen: Collection[Effect] = ()) -> int | None:
        """What a legal move is worth to who makes it, looking `depth` plies beyond it; None when stopped.

        The replies in `unseen` are not reckoned with. With depth 0, or where no reply is seen, the position after the
        move is judged at rest. Between `begin` and the next one, instead of `iterate`.
        """
        if self._stopped:
            return None
        if not self._minds or self._readable is not None:
            return self._judge_readable(move, depth, nodes, unseen)
        mind = self._judging_mind()
        try:
            mind.place_position(self._position.after(move))
        except TooManyCapturesError:
            return 0
        decided = mind.tree.decided_at(0) or (0 if mind.effects else 1 if mind.tree.no_move_wins else -1)
        if decided:
            return (1 - WIN) * int(decided)
        if mind.tree.key_at(0) in self._keys:
            return 0
        hidden = set(unseen)
        seen = [effect for effect in mind.effects if effect not in hidden]
        if depth == 0 or not seen:
            return -int(mind.tree.worth_at(0))
        codes = mind.tree.codes_at() if hidden else []
        left_out = [code for code, effect in zip(codes, mind.effects, strict=False) if effect in hidden]
        mind.search.begin(self._keys, nodes, left_out, 0, False)
        score: int | None = None
        for plies in range(1, depth + 1):
            if self._stopped:
                return None
            found = mind.search.iterate(plies)
            if found.complete or score is None:
                score = -readable_score(found.score)  # half an iteration knows half the replies
            if not found.complete or is_decided(readable_score(found.score), found.depth):
                break
        self.nodes += mind.search.result().nodes
        return None if self._stopped else score

    def _judging_mind(self) -> _Mind:
        """A mind that remembers nothing of earlier questions, so that the same one has the same answer."""
        if self._judging is None:
            self._judging = _Mind(self.rules.ruleset, hashing.Table(_JUDGING_BYTES))
        elif not self._has_judged:
            self._judging.forget()
        self._has_judged = True
        return self._judging

    def _judge_readable(self, move: Move, depth: int, nodes: int, unseen: Collection[Effect]) -> int | None:
        position = self._position.after(move)
        rules = _Blinkered(self.rules, position, unseen)
        try:
            winner = self.rules.winner(position)
        except TooManyCapturesError:
            return 0  # the game ends there, see Game.outcome
        if winner is not None:
            return WIN - 1 if winner is self._position.turn else 1 - WIN
        if depth == 0 or not rules.legal_moves(position):
            return -evaluation_of(self.rules.ruleset)(position)
        before = (*self._history, self._position)
        if any(position.diagram == earlier.diagram for earlier in before):
            return 0
        limit = max(20, nodes // _SLOWER) if nodes else None
        found = Search(rules, position, before, lambda: self._stopped, limit).best(depth)
        if self._stopped:
            return None
        assert found is not None, "there is a move that is seen"
        self.nodes += found.nodes
        return -found.score


class _Mind:
    """One searcher of the kernel with its tree; `effects` and `codes` are the root's moves in the tree's order."""

    def __init__(self, ruleset: Ruleset, table: hashing.Table) -> None:
        self.table = table
        self.tree: Any = trees.kernel_tree(ruleset)
        self.search: Any = searching.Search(self.tree, table)
        self.effects: list[Effect] = []
        self.keys: list[int] = []
        self._start: Position | None = None
        self._moves: list[Move] = []

    def forget(self) -> None:
        """Remember no position and no habit."""
        self.table.clear()
        self.search = searching.Search(self.tree, self.table)

    def place(self, game: Game) -> None:
        """Let the position on a game's board be the root, with what counts of the moves before it.

        ValueError where a move of the game is none to the kernel.
        """
        known = len(self._moves)
        if self._start != game.start or tuple(self._moves) != game.moves[:known]:
            self.tree.set(game.start)
            self._start, self._moves, self.keys, known = game.start, [], [], 0
        for move in game.moves[known:]:
            number = self.tree.effects().index(move.effect)
            self.keys.append(self.tree.key_at(0))
            self.tree.play(number)
            self._moves.append(move)
        self.effects = self.tree.effects()

    def place_position(self, position: Position) -> None:
        """Let a position be the root, without what was before."""
        self._start = None
        self.tree.set(position)
        self.effects = self.tree.effects()

    def follow(self, position: Position, codes: Sequence[int]) -> Iterator[Effect]:
        """The effects of a line of codes from a position on."""
        self._start = None
        self.tree.set(position)
        for code in codes:
            listed = self.tree.codes_at()
            if code not in listed:
                return
            number = listed.index(code)
            yield self.tree.effect(number)
            self.tree.play(number)


class _Blinkered:
    """The rules as somebody plays who does not see some moves of one position."""

    def __init__(self, rules: Rules, position: Position, exclude: Collection[Effect]) -> None:
        self._rules, self._position, self._exclude = rules, position, frozenset(exclude)
        self.ruleset, self.start, self.opened = rules.ruleset, rules.start, rules.opened
        self.ways, self.moves_between, self.winner = rules.ways, rules.moves_between, rules.winner

    def legal_moves(self, position: Position) -> tuple[Move, ...]:
        """See Rules.legal_moves."""
        legal = self._rules.legal_moves(position)
        if position is not self._position:
            return legal
        return tuple(move for move in legal if move.effect not in self._exclude)


def _plain(effect: Effect) -> Move:
    """A move of which only the effect is known."""
    start, end, off, promotes = effect
    return Move(start, (end,), off, promotes)


def think(
    thinker: Thinker,
    game: Game,
    nodes: int = 0,
    depth: int = MOST_DEPTH,
    margin: int = 0,
    on_iteration: Callable[[Iteration], None] = lambda _: None,
) -> Iteration | None:
    """Search a game's position iteration by iteration, to a depth, a number of positions, or `stop`; None: no move."""
    if not thinker.begin(game, nodes, margin):
        return None
    last: Iteration | None = None
    for plies in range(1, depth + 1):
        found = thinker.iterate(plies)
        if found is None:
            break
        last = found
        if found.complete or found.depth == plies:
            on_iteration(found)
        if not found.complete or is_decided(found.score, found.depth):
            break
    return last
