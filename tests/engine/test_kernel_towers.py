"""The kernel plays towers as the readable rules do, counts as the tables say, and judges both colours alike."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.draughts import DraughtsRules
from engine.errors import TooManyCapturesError
from engine.fen import read_fen
from engine.game import Game
from engine.kernel.towers import Towers
from engine.kernel.towers_tables import TERMS, towers_tables
from engine.position import EMPTY, WHITE_MAN, Position, Side
from engine.position import Towers as Stacks
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from tests.data_files import needs_shared, shared_json
from tests.engine.interpreted import interpreted
from tests.engine.kernel_walks import answers_alike, effects, other_side_up, own_rows, tree_of, walk
from tests.engine.made_up import house_rules, positions_of, tries

VARIANTS = [name for name in variant_names() if load_ruleset(name).prisoners != "none"]
MOST_LEAVES = 2_000_000

MIDDLE_GAME = "W:Wa1=bw,b2,c1=bbw,d4=wbw,g1=w,h2=ww:Ba5=wb,b6=bb,c7,d8=wwb,f8,g7=bbb,Ke5=wB"


def _house(house):
    """Made-up rules of a game of towers that the kernel knows."""
    ruleset = house.ruleset
    prisoners = "men" if ruleset.prisoners == "none" else ruleset.prisoners
    capture = "optional" if ruleset.capture == "huff" else ruleset.capture
    return replace(ruleset, prisoners=prisoners, capture=capture, king_move_limit=0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_are_played_alike(variant):
    rules = rules_for(load_ruleset(variant))
    tree, chance = tree_of(rules.ruleset), Random(1)
    keys: dict[int, Position] = {}
    for _ in range(40):
        for position in walk(tree, rules, rules.start(), chance, 120):
            tree.set(position)
            assert keys.setdefault(tree.key_at(), position) == position
    assert len(keys) > 2_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_set_up_positions_are_played_alike(variant):
    rules = rules_for(load_ruleset(variant))
    tree = tree_of(rules.ruleset)
    captured = []

    @tries(400)
    @given(position=positions_of(rules.ruleset), seed=st.integers(0, 999))
    def compare(position, seed):
        for met in walk(tree, rules, position, Random(seed), 8)[:-1]:
            captured.append(max(len(move.captured) for move in rules.legal_moves(met)))

    compare()
    assert len(captured) > 400
    assert max(captured) >= 3


@tries(150)
@given(house=house_rules(), second_jump=st.booleans(), data=st.data())
def test_house_rules_are_played_alike(house, second_jump, data):
    ruleset = replace(_house(house), second_jump=second_jump)
    rules = rules_for(ruleset)
    start = data.draw(st.one_of(positions_of(ruleset), st.just(rules.start())))
    walk(tree_of(ruleset), rules, start, Random(data.draw(st.integers(0, 999))), 20)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@tries(5_000, always_the_same=False)
@given(house=house_rules(), second_jump=st.booleans(), data=st.data())
def test_house_rules_are_played_alike_for_long(house, second_jump, data):
    ruleset = replace(_house(house), second_jump=second_jump)
    rules = rules_for(ruleset)
    start = data.draw(st.one_of(positions_of(ruleset), st.just(rules.start())))
    walk(tree_of(ruleset), rules, start, Random(data.draw(st.integers(0, 999))), 30)


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
    rows = [row for row in shared_json("rules/perft.json", {"rows": []})["rows"] if row["variant"] in VARIANTS]
    compared = 0
    for row in rows:
        if row["convention"] == "unique" and row["nodes"] <= MOST_LEAVES:
            tree = tree_of(load_ruleset(row["variant"]))
            tree.set(rules_for(load_ruleset(row["variant"])).start())
            assert tree.perft(row["depth"]) == row["nodes"], row
            compared += 1
    assert compared >= 7


@pytest.mark.parametrize("variant", VARIANTS)
def test_orders_of_capture_are_counted_as_the_readable_rules_do(variant):
    rules = rules_for(load_ruleset(variant))
    tree = tree_of(rules.ruleset)
    more = []

    @tries(150)
    @example(position=read_fen("W:WKh6:Bc3=wb,c5,g5,g7=wb", rules.ruleset))
    @given(position=positions_of(rules.ruleset))
    def compare(position):
        tree.set(position)
        if answers_alike(tree, rules, position) < 0:
            return
        orders = sum(len({way.captured for way in ways}) for ways in rules.ways(position).values())
        assert tree.perft(1, ordered=True) == orders
        more.append(orders - tree.perft(1))

    compare()
    assert max(more) > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_interpreted_and_compiled_are_one(variant):
    ruleset = load_ruleset(variant)
    (module,) = interpreted("towers")
    assert module.Towers is not Towers
    slow, fast = module.Towers(towers_tables(ruleset)), tree_of(ruleset)
    rules, chance = rules_for(ruleset), Random(2)
    for _ in range(4):
        for position in walk(fast, rules, rules.start(), chance, 100)[::5]:
            slow.set(position)
            fast.set(position)
            assert slow.key_at() == fast.key_at()
            assert slow.features() == fast.features()
            assert slow.worth_at() == fast.worth_at()
            assert slow.decided_at() == fast.decided_at()
            assert slow.drawn_at() == fast.drawn_at()
            assert answers_alike(slow, rules, position) == answers_alike(fast, rules, position)
            assert slow.codes_at() == fast.codes_at()
    for tree in (slow, fast):
        tree.set(read_fen(MIDDLE_GAME, ruleset))
    assert slow.perft(3) == fast.perft(3)
    assert slow.perft(3, ordered=True) == fast.perft(3, ordered=True)


def test_too_many_captures_are_refused():
    ruleset = load_ruleset("towers-second-jump")
    position = read_fen("W:WKb8:Bb2=bbb,c5=bbbb,d2=bb,e5=bbbb", ruleset)
    tree = tree_of(ruleset)
    tree.set(position)
    assert answers_alike(tree, rules_for(ruleset), position) == -1
    with pytest.raises(TooManyCapturesError):
        tree.perft(2)
    tree.set(rules_for(ruleset).start())
    assert tree.perft(1) == 7


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("most", [3, 8])
def test_jumps_are_counted_as_the_readable_rules_do(variant, most):
    rules = DraughtsRules(load_ruleset(variant))
    rules._most_jumps = most
    tree = Towers(replace(towers_tables(rules.ruleset), most_jumps=most))
    answers = []

    @tries(200)
    @given(position=positions_of(rules.ruleset))
    def compare(position):
        tree.set(position)
        answers.append(answers_alike(tree, rules, position))

    compare()
    assert min(answers) == -1
    assert max(answers) > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_codes_tell_the_moves_of_a_position_apart(variant):
    rules = rules_for(load_ruleset(variant))
    tree = tree_of(rules.ruleset)
    most = []

    @tries(200)
    @given(position=positions_of(rules.ruleset))
    def look(position):
        tree.set(position)
        if answers_alike(tree, rules, position) >= 0:
            codes = tree.codes_at()
            assert len(set(codes)) == len(codes)
            assert 0 not in codes
            most.append(len(codes))

    look()
    assert max(most) > 10


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("source", ["towers", "russian", "brazilian", "italian"])
def test_games_end_by_count_as_the_record_says(variant, source):
    draws = tuple(replace(rule, limit=min(rule.limit, 3)) for rule in load_ruleset(source).draws if not rule.times)
    ruleset = replace(load_ruleset(variant), draws=draws)
    tree, rules, chance = tree_of(ruleset), rules_for(ruleset), Random(3)
    drawn = 0
    for _ in range(40):
        game = Game(ruleset, (read_fen("W:WKa1,Kc1=bW:BKh8,Kf8=wB", ruleset),))
        tree.set(game.position)
        while game.ply < 60:
            outcome = game.outcome()
            ended = outcome is not None and outcome.winner is None
            assert (tree.decided_at(), tree.drawn_at()) == (0, int(ended)), game.position
            drawn += ended
            if outcome is not None:
                break
            number = chance.randrange(len(game.legal_moves))
            assert answers_alike(tree, rules, game.position) == len(game.legal_moves)
            tree.play(number)
            game = game.play(game.legal_moves[number])
    assert drawn > 3


def test_the_first_king_wins_where_the_goal_says_so():
    ruleset = replace(load_ruleset("towers"), goal="first king")
    tree = tree_of(ruleset)
    for fen, expected in (
        ("W:WKa1:Bh8", 1),
        ("B:WKa1:Bh8", -1),
        ("W:Wa1:BKh8", -1),
        ("B:Wa1:BKh8", 1),
        ("W:Wa1:Bh8", 0),
    ):
        tree.set(read_fen(fen, ruleset))
        assert tree.decided_at() == expected


@pytest.mark.parametrize(
    ("fen", "expected"), [("W:Wc3:Bd4", True), ("B:Wc3:Bd4,e5", False), ("W:Wa1:Bg7,h8", False), ("B:WKa1:Bd4", True)]
)
def test_threats_are_captures_of_the_side_not_to_move(fen, expected):
    ruleset = load_ruleset("towers")
    tree = tree_of(ruleset)
    position = read_fen(fen, ruleset)
    tree.set(position)
    moves = rules_for(ruleset).legal_moves(replace(position, turn=position.turn.other))
    assert any(move.is_capture for move in moves) == tree.threatened_at()
    assert tree.threatened_at() == expected


def _captures(rules, position):
    """Whether the side to move has a capture; None where captures cannot be listed."""
    try:
        return any(move.is_capture for move in rules.legal_moves(position))
    except TooManyCapturesError:
        return None


@tries(300)
@given(house=house_rules(), data=st.data())
def test_captures_and_threats_are_seen_as_the_readable_rules_see_them(house, data):
    ruleset = _house(house)
    rules, tree, position = rules_for(ruleset), tree_of(ruleset), data.draw(positions_of(ruleset))
    tree.set(position)
    assert _captures(rules, position) in (tree.can_capture_at(), None)
    assert _captures(rules, replace(position, turn=position.turn.other)) in (tree.threatened_at(), None)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_colours_are_judged_alike(variant):
    rules = rules_for(load_ruleset(variant))
    tree, chance = tree_of(rules.ruleset), Random(4)
    scores = set()
    for _ in range(10):
        for position in walk(tree, rules, rules.start(), chance, 80):
            tree.set(position)
            features, score = tree.features(), tree.worth_at()
            tree.set(other_side_up(position, rules.ruleset))
            assert (tree.features(), tree.worth_at()) == (features, score)
            scores.add(score)
    assert len(scores) > 100


def _terms(fen):
    ruleset = load_ruleset("towers")
    tree = tree_of(ruleset)
    tree.set(read_fen(fen, ruleset))
    return {name: value for name, value in zip(TERMS, tree.features(), strict=True) if value}


def test_terms_count_what_their_names_say():
    assert _terms("W:Wc3=bbwbww:B") == {
        "men on top": 1,
        "own pieces beneath": 2,
        "prisoners": 3,
        "rows that men have advanced": 2,
        "tops in the centre": 1,
        "free squares next to men": 2,
        "to move": 1,
    }
    assert _terms("B:Wc3=bw:BKh8=wB") == {
        "men on top": -1,
        "kings on top": 1,
        "rows that men have advanced": -2,
        "tops on the own back row": 1,
        "tops in the centre": -1,
        "kings on a longest diagonal": 1,
        "free squares next to men": -2,
        "free squares next to kings": 1,
        "to move": 1,
    }
    assert _terms("W:Wa7=bw:B")["men two rows or less from crowning"] == 1
    assert _terms("W:Wa7=bw:B")["prisoners right beneath a lone top"] == 1
    assert "prisoners right beneath a lone top" not in _terms("W:Wa7=bww:B")


def test_the_score_is_the_weighed_sum_of_the_terms():
    ruleset = load_ruleset("towers")
    tree = tree_of(ruleset)
    tree.set(read_fen("W:Wa1,c1,e1:Bh8", ruleset))
    tree.set_weights([1600] + [0] * (len(TERMS) - 1))
    assert tree.worth_at() == 200
    tree.set(read_fen("B:Wa1,c1,e1:Bh8", ruleset))
    assert tree.worth_at() == -200
    tree.set_weights([1_000_000] + [0] * (len(TERMS) - 1))
    assert tree.worth_at() == -20_000
    with pytest.raises(ValueError, match="expected 13"):
        tree.set_weights([1])


def test_where_losing_wins_pieces_are_a_burden():
    ruleset = replace(load_ruleset("towers"), goal="inverted")
    tree = tree_of(ruleset)
    tree.set(read_fen("W:Wc1,e1=ww:Bh8", ruleset))
    assert tree.worth_at() < 0


@pytest.mark.parametrize("changed", [{"capture": "huff"}, {"king_move_limit": 3}, {"prisoners": "none"}])
def test_what_the_kernel_does_not_know_is_refused(changed):
    with pytest.raises(ValueError, match=f"{next(iter(changed))} = .*"):
        towers_tables(replace(load_ruleset("towers"), **changed))


def test_positions_that_do_not_fit_are_refused():
    ruleset = load_ruleset("towers")
    tree = tree_of(ruleset)
    with pytest.raises(ValueError, match="expected 32"):
        tree.set(Position((EMPTY,) * 50, Side.WHITE))
    beneath = ((WHITE_MAN,) * 255,) + ((),) * 31
    with pytest.raises(ValueError, match="more than 255 pieces"):
        tree.set(Position((WHITE_MAN,) + (EMPTY,) * 31, Side.WHITE, Stacks(beneath)))
    tree.set(rules_for(ruleset).start())
    with pytest.raises(IndexError):
        tree.play(7)
    with pytest.raises(ValueError, match="depth 500"):
        tree.perft(500)
    assert tree.effects() == effects(rules_for(ruleset).legal_moves(rules_for(ruleset).start()))


def test_the_highest_tower_is_carried():
    ruleset = load_ruleset("towers")
    rules = rules_for(ruleset)
    beneath = [()] * 32
    contents = list(read_fen("W:Wa1:Bb2,d4", ruleset).contents)
    start = next(square for square, piece in enumerate(contents) if piece is WHITE_MAN)
    beneath[start] = (WHITE_MAN,) * 250
    position = Position(tuple(contents), Side.WHITE, Stacks(tuple(beneath)))
    walk(tree_of(ruleset), rules, position, Random(5), 40)
