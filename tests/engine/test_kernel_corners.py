"""The kernel runs the races as the readable rules do, counts as the tables say, and judges both colours alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corners import camp
from engine.fen import read_fen
from engine.game import Game
from engine.geometry import Direction
from engine.kernel.corners import Corners
from engine.kernel.race_tables import TERMS, race_tables
from engine.position import EMPTY, Position, Side, position_of
from engine.rules import rules_for
from engine.ruleset import DrawRule, Ruleset, load_ruleset, variant_names
from tests.data_files import needs_shared, shared_json
from tests.engine.interpreted import interpreted
from tests.engine.kernel_walks import answers_alike, other_side_up, own_rows, tree_of, walk
from tests.engine.made_up import positions_of, tries

VARIANTS = [name for name in variant_names() if load_ruleset(name).family == "race"]
MOST_LEAVES = 2_000_000
ARRIVED = DrawRule("both have arrived", "made up", both_at_goal=True)


@st.composite
def races(draw: st.DrawFn) -> Ruleset:
    """Any race on any board."""
    columns, rows = draw(st.integers(6, 12)), draw(st.integers(6, 12))
    ways = st.lists(st.sampled_from(Direction), min_size=1, unique=True).map(frozenset)
    return replace(
        load_ruleset("corners"),
        name="house",
        columns=columns,
        rows=rows,
        first_square=draw(st.sampled_from(["top left", "top right", "bottom left", "bottom right"])),
        first=draw(st.sampled_from(Side)),
        man_moves=draw(ways),
        man_captures=draw(ways),
        camp=(draw(st.integers(1, columns // 2)), draw(st.integers(1, rows // 2))),
        home_limit=draw(st.sampled_from([0, 1, 3, 10])),
        last_reply=draw(st.booleans()),
        draws=draw(st.sampled_from([(), (ARRIVED,), (replace(ARRIVED, limit=1),)])),
    )


@st.composite
def race_ends(draw: st.DrawFn, ruleset: Ruleset) -> Position:
    """A position with a few pieces in or beside the corner they run to."""
    geometry, placed = ruleset.geometry, {}
    for side in Side:
        goals = sorted(camp(ruleset, side.other))
        around = {line[0] for square in goals for line in geometry.lines[square] if line}
        places = sorted({*goals, *around} - set(placed))
        for square in draw(st.lists(st.sampled_from(places), min_size=1, max_size=min(3, len(places)), unique=True)):
            placed[square] = side
    white, black = ([square for square, side in placed.items() if side is owner] for owner in Side)
    return position_of(len(geometry), draw(st.sampled_from(Side)), white_men=white, black_men=black)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_are_played_alike(variant):
    rules = rules_for(load_ruleset(variant))
    tree, chance = tree_of(rules.ruleset), Random(1)
    met = [position for _ in range(20) for position in walk(tree, rules, rules.start(), chance, 120)]
    assert len(met) > 2_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_scattered_positions_are_played_alike(variant):
    rules = rules_for(load_ruleset(variant))
    tree = tree_of(rules.ruleset)
    lengths = []

    @tries(200)
    @given(position=positions_of(rules.ruleset), seed=st.integers(0, 999))
    def compare(position, seed):
        met = walk(tree, rules, position, Random(seed), 8)
        lengths.append(max((len(move.path) for move in rules.legal_moves(met[-1])), default=0))

    compare()
    assert max(lengths) >= 3


@tries(150)
@given(ruleset=races(), data=st.data())
def test_house_rules_are_played_alike(ruleset, data):
    rules = rules_for(ruleset)
    start = data.draw(st.one_of(positions_of(ruleset), st.just(rules.start())))
    walk(tree_of(ruleset), rules, start, Random(data.draw(st.integers(0, 999))), 20)


@pytest.mark.parametrize("variant", VARIANTS)
def test_counts_agree_with_the_table_of_this_repository(variant):
    ruleset = load_ruleset(variant)
    tree = tree_of(ruleset)
    rows = own_rows(variant)
    assert rows
    for fen, depth, nodes, ordered in rows:
        tree.set(read_fen(fen, ruleset, by_rows=True))
        assert (tree.perft(depth), tree.perft(depth, ordered=True)) == (nodes, ordered), (fen, depth)


@needs_shared("rules/perft.json")
def test_counts_agree_with_the_reference_table():
    compared = 0
    for row in shared_json("rules/perft.json", {"rows": []})["rows"]:
        if row["variant"] in VARIANTS and row["nodes"] <= MOST_LEAVES:
            assert row["convention"] == "unique (start, end)"
            tree = tree_of(load_ruleset(row["variant"]))
            tree.set(rules_for(load_ruleset(row["variant"])).start())
            assert tree.perft(row["depth"]) == row["nodes"], row
            compared += 1
    assert compared >= 5


@pytest.mark.parametrize("variant", VARIANTS)
def test_interpreted_and_compiled_are_one(variant):
    ruleset = load_ruleset(variant)
    (module,) = interpreted("corners")
    assert module.Corners is not Corners
    slow, fast = module.Corners(race_tables(ruleset)), tree_of(ruleset)
    rules, chance = rules_for(ruleset), Random(2)
    for position in walk(fast, rules, rules.start(), chance, 200)[::5]:
        for tree in (slow, fast):
            tree.set(position, (39, 3))
        assert slow.key_at() == fast.key_at()
        assert slow.features() == fast.features()
        assert slow.worth_at() == fast.worth_at()
        assert slow.decided_at() == fast.decided_at()
        assert slow.drawn_at() == fast.drawn_at()
        assert answers_alike(slow, rules, position) == answers_alike(fast, rules, position)
        assert slow.codes_at() == fast.codes_at()
    for tree in (slow, fast):
        tree.set(rules.start())
    assert slow.perft(2) == fast.perft(2)


@pytest.mark.parametrize("variant", VARIANTS)
def test_codes_tell_the_moves_of_a_position_apart(variant):
    rules = rules_for(load_ruleset(variant))
    tree, chance = tree_of(rules.ruleset), Random(6)
    for position in walk(tree, rules, rules.start(), chance, 100):
        tree.set(position)
        codes = tree.codes_at()
        assert len(set(codes)) == len(codes) == len(rules.legal_moves(position))
        assert 0 not in codes


def _result(game: Game) -> str:
    """How the record says the game stands for the side to move."""
    outcome = game.outcome()
    if outcome is None:
        return "goes on"
    if outcome.winner is None:
        return "drawn"
    return "won" if outcome.winner is game.position.turn else "lost"


def _result_of(tree: Corners) -> str:
    """The same as a search finds it: what is decided, then who cannot move, then what is drawn."""
    if tree.decided_at():
        return "won" if tree.decided_at() > 0 else "lost"
    return "lost" if not tree.effects() else "drawn" if tree.drawn_at() else "goes on"


def _play_out(game: Game, chance: Random, plies: int) -> Iterator[str]:
    """Plays at random in both ways; the results that both gave after each move, the last one that of the game."""
    tree = tree_of(game.ruleset)
    tree.set(game.position)
    for _ in range(plies):
        result = _result(game)
        if not game.legal_moves and result in ("goes on", "drawn"):
            return  # both have arrived and nobody can move: a search would have to ask twice to see it
        assert _result_of(tree) == result, game.position
        yield result
        if result != "goes on":
            return
        number = chance.randrange(len(game.legal_moves))
        assert answers_alike(tree, game.rules, game.position) == len(game.legal_moves)
        tree.play(number)
        game = game.play(game.legal_moves[number])


def test_games_end_as_the_record_says():
    results = []

    @tries(400)
    @given(ruleset=races(), data=st.data())
    def compare(ruleset, data):
        start = data.draw(race_ends(ruleset))
        results.extend(_play_out(Game(ruleset, (start,)), Random(data.draw(st.integers(0, 999))), 12))

    compare()
    assert {"won", "lost", "goes on"} <= set(results)


@pytest.mark.parametrize(("variant", "result"), [("corners", "lost"), ("corners-3x4", "drawn")])
@pytest.mark.parametrize("turn", Side)
def test_both_having_arrived_ends_the_game(variant, result, turn):
    ruleset = load_ruleset(variant)
    white, black = (sorted(camp(ruleset, side.other)) for side in Side)
    position = position_of(64, turn, white_men=white, black_men=black)
    tree = tree_of(ruleset)
    tree.set(position)
    assert _result_of(tree) == _result(Game(ruleset, (position,))) == result


@pytest.mark.parametrize("variant", VARIANTS)
def test_who_stays_at_home_loses_when_the_moves_are_made(variant):
    ruleset = load_ruleset(variant)
    game, chance = Game(ruleset, (rules_for(ruleset).start(),)), Random(7)
    results = list(_play_out(game, chance, 100))
    if ruleset.home_limit:
        assert results[-1] == "won"
        assert 70 < len(results) <= 80
    else:
        assert results == ["goes on"] * 100


def test_moves_made_are_counted_up_to_the_limit():
    ruleset = load_ruleset("corners")
    tree = tree_of(ruleset)
    tree.set(rules_for(ruleset).start(), (39, 12))
    assert tree.made_at() == (39, 12)
    for expected in ((40, 12), (40, 13), (40, 13)):
        tree.play(0)
        assert tree.made_at() == expected


def test_the_key_knows_the_moves_left_for_leaving_home():
    ruleset = load_ruleset("corners")
    tree = tree_of(ruleset)
    start = rules_for(ruleset).start()
    keys = set()
    for made in ((0, 0), (1, 0), (0, 1), (1, 1), (39, 1), (40, 1)):
        tree.set(start, made)
        keys.add(tree.key_at())
    assert len(keys) == 6
    away = read_fen("W:Wd4,e4:Bd5,e5", ruleset)
    tree.set(away, (3, 3))
    key = tree.key_at()
    tree.set(away, (40, 12))
    assert tree.key_at() == key
    tree.set(replace(away, turn=Side.BLACK), (3, 3))
    assert tree.key_at() != key


def test_different_positions_have_different_keys():
    ruleset = load_ruleset("corners-no-limit")
    rules, chance = rules_for(ruleset), Random(8)
    tree = tree_of(ruleset)
    keys: dict[int, Position] = {}
    for _ in range(10):
        for position in walk(tree, rules, rules.start(), chance, 200):
            tree.set(position)
            assert keys.setdefault(tree.key_at(), position) == position
    assert len(keys) > 1_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_colours_are_judged_alike(variant):
    ruleset = load_ruleset(variant)
    tree, scores = tree_of(ruleset), set()
    for made in ((0, 0), (35, 36)):
        for position in walk(tree, rules_for(ruleset), rules_for(ruleset).start(), Random(4), 200):
            tree.set(position, made)
            features, score = tree.features(), tree.worth_at()
            tree.set(other_side_up(position, ruleset), made[::-1])
            assert (tree.features(), tree.worth_at()) == (features, score)
            scores.add(score)
    assert len(scores) > 50


@tries(100)
@given(
    white=st.lists(st.integers(0, 63), min_size=4, max_size=4, unique=True),
    black=st.lists(st.integers(0, 63), min_size=4, max_size=4, unique=True),
)
def test_steps_to_the_goal_are_those_of_the_best_assignment(white, black):
    ruleset = replace(load_ruleset("corners"), camp=(2, 2))
    black = [square for square in range(64) if square in black and square not in white]
    if len(black) < 4:
        return
    tree = tree_of(ruleset)
    tree.set(position_of(64, Side.WHITE, white_men=white, black_men=black))
    cells = ruleset.geometry.cells

    def steps(own, goal):
        return min(
            sum(
                abs(cells[a][0] - cells[b][0]) + abs(cells[a][1] - cells[b][1]) for a, b in zip(own, order, strict=True)
            )
            for order in permutations(sorted(goal))
        )

    expected = steps(white, camp(ruleset, Side.BLACK)) - steps(black, camp(ruleset, Side.WHITE))
    assert dict(zip(TERMS, tree.features(), strict=True))["steps to the goal"] == expected


def test_terms_count_what_their_names_say():
    ruleset = replace(load_ruleset("corners"), camp=(1, 1))
    tree = tree_of(ruleset)
    tree.set(read_fen("W:Wa1:Bb1", ruleset), (35, 0))
    assert {name: value for name, value in zip(TERMS, tree.features(), strict=True) if value} == {
        "steps to the goal": 14 - 1,
        "pieces at home": 1,
        "steps of the farthest piece": 14 - 1,
        "squares of steps": 14 * 14 - 1,
        "pieces at home, the more the fewer moves are left for leaving it": 12 - 5,
        "jumps towards the goal": 1,
        "pieces without a way forward": -1,
        "steps off the line between the corners": -1,
        "to move": 1,
    }


def test_positions_that_do_not_fit_are_refused():
    ruleset = load_ruleset("corners")
    tree = tree_of(ruleset)
    with pytest.raises(ValueError, match="expected 64"):
        tree.set(Position((EMPTY,) * 50, Side.WHITE))
    with pytest.raises(ValueError, match="expected men alone"):
        tree.set(position_of(64, Side.WHITE, white_kings=[3]))
    with pytest.raises(ValueError, match="expected a race game"):
        race_tables(load_ruleset("russian"))
