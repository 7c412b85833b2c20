"""Every counter of every rule set: no draw one move before its limit, a draw at it; the limits stand in the data."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from engine.fen import read_fen
from engine.game import Game, Outcome, new_game
from engine.geometry import Square
from engine.position import KINGS, MEN, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names

FOLDER = Path(__file__).parents[1] / "data" / "draws"


@dataclass(frozen=True)
class Case:
    variant: str
    rule: str
    fen: str
    moves: int
    whose: str
    stays: Mapping[str, list[int]]
    avoids: Mapping[str, list[int]]
    men_move: bool = False
    winner: str = ""


def cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.toml")):
        for case in tomllib.loads(path.read_text())["case"]:
            yield Case(path.stem, **{"stays": {}, "avoids": {}, **case})


CASES = tuple(cases())


def by_rows(ruleset: Ruleset, numbers: list[int]) -> set[Square]:
    return {ruleset.geometry.by_rows[number - 1] for number in numbers}


def fits(case: Case, position: Position, ruleset: Ruleset) -> bool:
    """Whether nothing can be taken and each side stands where the case wants it."""
    rules = rules_for(ruleset)
    for side in Side:
        if any(move.is_capture for move in rules.legal_moves(replace(position, turn=side))):
            return False
        own = set(position.pieces(side))
        if side in case.stays and not own & by_rows(ruleset, case.stays[side]):
            return False
        if side in case.avoids and own & by_rows(ruleset, case.avoids[side]):
            return False
    return True


def walk(case: Case, game: Game, plies: int, seen: set[object]) -> Game | None:
    """The game after so many quiet moves that never repeat a position and change nothing the rule asks for."""
    if game.ply == plies:
        return game
    for move in game.legal_moves:
        piece = game.position.contents[move.from_square]
        if move.promotes or (piece is MEN[game.position.turn] and not case.men_move):
            continue
        following = game.play(move)
        if following.position.diagram in seen or not fits(case, following.position, game.ruleset):
            continue
        seen.add(following.position.diagram)
        whole = walk(case, following, plies, seen)
        if whole is not None:
            return whole
    return None


def plies_to_limit(case: Case, position: Position) -> int:
    """When the last of the counted moves has been made."""
    if case.whose == "each":
        return 2 * case.moves
    stronger = max(Side, key=lambda side: len(position.pieces(side)))
    if len(position.pieces(stronger)) == len(position.pieces(stronger.other)):
        stronger = max(Side, key=lambda side: 3 * position.count(KINGS[side]) + position.count(MEN[side]))
    return 2 * case.moves - 1 if position.turn is stronger else 2 * case.moves


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.variant}: {case.rule}: {case.fen}")
def test_drawn_at_the_limit_and_not_before(case):
    ruleset = load_ruleset(case.variant)
    (rule,) = (rule for rule in ruleset.draws if rule.name == case.rule)
    alone = replace(ruleset, draws=(rule,), king_move_limit=0)
    start = new_game(alone, read_fen(case.fen, alone, by_rows=True))
    plies = plies_to_limit(case, start.position)
    assert plies == 0 or fits(case, start.position, alone)
    game = walk(case, start, plies, {start.position.diagram})
    assert game is not None, "no such line of play was found"
    winner = Side(case.winner) if case.winner else None
    for ply in range(plies):
        assert game.back(plies - ply).outcome(claimed=True) is None, f"too early, at ply {ply}"
    assert game.outcome(claimed=True) == Outcome(winner, rule.name, rule.article)
    assert rule.article
    assert (game.outcome() is None) == (rule.on == "claim")


@pytest.mark.parametrize("variant", variant_names())
def test_every_counter_has_a_case(variant):
    ruleset = load_ruleset(variant)
    if ruleset.base and ruleset.draws == load_ruleset(ruleset.base).draws:
        return
    counted = {rule.name for rule in ruleset.draws if not rule.times}
    assert counted == {case.rule for case in CASES if case.variant == variant}


@pytest.mark.parametrize("variant", variant_names())
def test_repetition(variant):
    """The position with the same side to move, for the third (in Italian draughts the fourth) time."""
    ruleset = load_ruleset(variant)
    rules = [rule for rule in ruleset.draws if rule.times]
    if not rules:
        assert variant in ("breakthrough", "brazilian-national") or ruleset.family == "race"
        return
    (rule,) = rules
    alone = replace(ruleset, draws=(rule,), king_move_limit=0)
    times = 4 if "italian" in variant else 3
    corner = len(ruleset.geometry)
    game = new_game(alone, read_fen(f"W:WK{corner},K{corner - 1}:BK1,K2", alone, by_rows=True))
    cycle = there_and_back(game)
    for round_number in range(1, times):
        assert game.outcome(claimed=True) is None
        for move in cycle:
            assert game.outcome(claimed=True) is None
            game = game.play(move)
        assert (game.outcome(claimed=True) is not None) == (round_number == times - 1)
    assert game.outcome(claimed=True) == Outcome(None, "repetition", rule.article)


def there_and_back(game: Game):
    """Four moves after which the position stands again."""
    for white in game.legal_moves:
        for black in game.play(white).legal_moves:
            now = game.play(white).play(black)
            for home in now.legal_moves:
                for back in now.play(home).legal_moves:
                    moves = (white, black, home, back)
                    if now.play(home).play(back).position.diagram == game.position.diagram and not any(
                        move.is_capture for move in moves
                    ):
                        return moves
    raise AssertionError("no king can go and come back")


def test_a_capture_and_a_mans_move_start_the_count_anew():
    ruleset = load_ruleset("international")
    (rule,) = (rule for rule in ruleset.draws if rule.name == "kings only")
    alone = replace(ruleset, draws=(rule,))
    start = new_game(alone, read_fen("W:W16,K26,K33:B15,K18,K27", alone, by_rows=True))
    case = Case("international", "kings only", "", 24, "each", {}, {})
    game = walk(case, start, 48, {start.position.diagram})
    assert game is not None
    assert game.outcome() is None
    man = next(move for move in game.legal_moves if game.position.contents[move.from_square] is MEN[Side.WHITE])
    game = game.play(man)
    assert [counter.count for counter in game.counters()] == [0]


def test_who_has_not_left_the_corner_in_time_has_lost():
    """Forty own moves (allforchildren.ru, corners): a piece still at home loses, one move earlier it does not."""
    ruleset = load_ruleset("corners")
    game = new_game(ruleset)
    # One piece of each side goes up and down outside the corners, the others stay at home.
    for text in ("c1-d1", "f8-e8", *("d1-d2", "e8-e7", "d2-d1", "e7-e8") * 19):
        game = play(game, text)
    assert game.ply == 78
    assert game.outcome() is None
    game = play(replace(game, ruleset=replace(ruleset, draws=())), "d1-d2")
    assert game.ply == 79
    assert game.outcome() == Outcome(Side.BLACK, "home not left in time", ruleset.article("home_limit"))


def play(game: Game, text: str) -> Game:
    from engine.notation import read_move  # noqa: PLC0415

    ways = [way for ways in game.rules.ways(game.position).values() for way in ways]
    return game.play(read_move(text, game.position, ways, game.ruleset))
