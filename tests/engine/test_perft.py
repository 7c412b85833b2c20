"""Perft against published and recomputed counts, in every convention that they were counted in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import accumulate

import pytest

from engine.fen import read_fen
from engine.notation import full_move_text
from engine.perft import divide, perft
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names
from tests.data_files import DATA, needs_shared, shared_json
from tests.engine.boards import rules_of

MOST_NODES = 12_000
"""Rows with more leaves than this are left to a longer run."""

MOST_NODES_IN_A_LONG_RUN = 2_000_000

HOUSE_RULES = {
    "80 squares with international rules (as in the published table)": "international-80",
    "argentinian (king lands right behind; low confidence)": "argentinian",
    "armenian (house rule: captured pieces removed at the end)": "armenian-removal-end",
    "armenian (house rule: crowned only if the move ends there)": "armenian-crowning-end",
    "frisian with the three-move king limit": "frisian",
    "russian-majority (Hungarian block without heading: longest capture, crowned in passing)": "russian-majority",
    "thai with 12 men a side (as in the published table)": "thai-12",
    "turkish (house rule: capture ends on the last row)": "turkish-stop",
    "turkish (house rule: crowned in passing, goes on as king)": "turkish-passing",
}
"""The table's words for games that are not called what our files are called."""

ORDERED_NOT_GIVEN = {
    "W:W23:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
    "W:WK23:B8,9,10,11,17,18,19,20,27,28,29,30,31,38,39,42,44",
    "B:W7,K8,12,K13,K20,23,K26,K38,K46:B4,17,K19,28,29,K47,K49",
    "W:WK3,9,K11,K13,K24,K32,38,K45,50:BK1,K8,K19,K22,K48",
    "W:B12,13,14,16,18,19,21,23,24,26:W25,27,28,30,32,33,34,35,37,38",
    "B:WK49,K12,27,33,36,42:BK2,8,14,19,23,26",
    "B:WK2,K8,41,45,47,50,53:B10,11,15,19,30,K59",
}
"""At these the two conventions differ, and the table does not always give both."""

ORDERS_BEYOND_LISTING = {
    "W:W50:B18,22,23,24,27,29,32,33,34,38,40,42,43,44,K49",
    "W:WK50:B3,7,10,12,13,14,17,20,21,23,25,30,32,36,38,39,41,43,K47",
}
"""At these one capture can be made in tens of thousands of ways."""

DCTL_BOARDS = {
    "rectangular<6, 6>": {"columns": 6, "rows": 6, "men_rows": 2},
    "rectangular<12,10>": {"columns": 12, "rows": 10, "men_rows": 4},
    "rectangular<14, 14>": {"columns": 14, "rows": 14, "men_rows": 6},
    "spantsiretti": {"columns": 10, "rows": 8, "men_rows": 3},
    "ktar< 8, 10>": {"columns": 8, "rows": 10, "men_rows": 4},
    "ktar<10,11>": {"columns": 10, "rows": 11, "men_rows": 4},
    "ktar<10,12>": {"columns": 10, "rows": 12, "men_rows": 5},
}
"""Boards of the published tables that no rule set of ours has."""

DCTL_VARIANTS = {"checkers": "english", "killer<international>": "killer", "thai": "thai-12"}


@cache
def _reference() -> dict[str, dict[tuple[str, int], dict[str, int]]]:
    """Counts by convention, by FEN and depth, by the table's name of the game."""
    table: dict[str, dict[tuple[str, int], dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in shared_json("rules/perft.json", {"rows": []})["rows"]:
        convention = row["convention"].removesuffix(" (start, end)")
        table[row["variant"]][row["fen"], row["depth"]][convention] = row["nodes"]
    return table


def _games():
    """Games of the table that we have rules for; one that skips where the table is missing."""
    games = [game for game in _reference() if HOUSE_RULES.get(game, game) in variant_names()]
    return games or [pytest.param("", id="none", marks=needs_shared("rules/perft.json"))]


def _counts_agree(game: str, least: int, most: int) -> int:
    """Compares all rows with more than `least` and at most `most` leaves; how many there were."""
    ruleset = load_ruleset(HOUSE_RULES.get(game, game))
    rules = rules_for(ruleset)
    compared = 0
    for (fen, depth), counts in _reference()[game].items():
        if "unique" not in counts or not least < counts["unique"] <= most:
            continue
        position = rules.start() if fen.startswith("initial") else read_fen(fen, ruleset, by_rows=True)
        if game.endswith("king limit"):
            position = rules.opened(position)
        count = perft(rules, position, depth)
        assert count.nodes == counts["unique"], _report(rules, position, fen, depth)
        # The table gives the orders where they matter, but not for every long count.
        if "ordered" in counts or (
            counts["unique"] <= MOST_NODES and fen not in (ORDERED_NOT_GIVEN | ORDERS_BEYOND_LISTING)
        ):
            assert count.ordered == counts.get("ordered", counts["unique"]), _report(rules, position, fen, depth)
        compared += 1
    return compared


@needs_shared("rules/perft.json")
@pytest.mark.parametrize("game", _games())
def test_counts_agree_with_the_reference_table(game):
    assert _counts_agree(game, 0, MOST_NODES) > 0


@pytest.mark.soak
@pytest.mark.timeout(7200)
@needs_shared("rules/perft.json")
@pytest.mark.parametrize("game", _games())
def test_large_counts_agree_with_the_reference_table(game):
    _counts_agree(game, MOST_NODES, MOST_NODES_IN_A_LONG_RUN)


@needs_shared("rules/perft.json")
def test_no_game_of_the_reference_table_is_forgotten():
    assert {HOUSE_RULES.get(game, game) for game in _reference()} <= {*variant_names(), "gothic"}


@needs_shared("rules/perft.json")
def test_turkish_counts_of_paths_agree_with_the_reference_table():
    """Every list of landing squares counts, and a node without moves counts one at any depth."""
    ruleset = load_ruleset("turkish")
    rules = rules_for(ruleset)
    known: dict[tuple[Position, int], int] = {}

    def paths(position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        if (position, depth) not in known:
            ways = {(way.from_square, way.path): way for found in rules.ways(position).values() for way in found}
            known[position, depth] = sum(paths(position.after(way), depth - 1) for way in ways.values()) or 1
        return known[position, depth]

    compared = 0
    for (fen, depth), counts in _reference()["turkish"].items():
        if counts.get("path+terminal", MOST_NODES + 1) <= MOST_NODES:
            assert paths(read_fen(fen, ruleset, by_rows=True), depth) == counts["path+terminal"], (fen, depth)
            compared += 1
    assert compared > 20


def _published_sets():
    found = [
        pytest.param(row, id=f"{row['case']}-{row['board'] or row['variant']}")
        for row in (shared_json("problems/perft-positions.json") or {}).get("sets", [])
    ]
    return found or [pytest.param(None, id="none", marks=needs_shared("problems/perft-positions.json"))]


def _published_ruleset(row) -> Ruleset:
    """The rules and the board of a published set of counts; its men stand two or three rows apart."""
    ruleset = load_ruleset(DCTL_VARIANTS.get(row["variant"], row["variant"]))
    return replace(ruleset, **DCTL_BOARDS.get(row["board"], {}))


@needs_shared("problems/perft-positions.json")
@pytest.mark.parametrize("row", _published_sets())
def test_counts_agree_with_the_published_tables(row):
    ruleset = _published_ruleset(row)
    rules = rules_for(ruleset)
    position = rules.start() if row["fen"] == "initial" else read_fen(row["fen"], ruleset, by_rows=True)
    # These tables do not know the Frisian limit for kings.
    position = replace(position, trail=None)
    drop, keep = row["leafs"].get("drop_duplicates"), row["leafs"].get("keep_duplicates")
    for depth, leaves in enumerate(drop or keep, 1):
        if leaves > MOST_NODES:
            break
        count = perft(rules, position, depth)
        assert drop is None or count.nodes == leaves, _report(rules, position, row["fen"], depth)
        assert keep is None or count.ordered == keep[depth - 1], _report(rules, position, row["fen"], depth)


def _own_rows():
    rows = []
    for file in sorted((DATA / "perft").glob("*.perft")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                fen, depth, nodes, ordered, _source = (part.strip() for part in line.split("|"))
                rows.append((file.stem, fen, int(depth), int(nodes), int(ordered)))
    return rows


@pytest.mark.parametrize("variant", variant_names())
def test_counts_agree_with_the_table_of_this_repository(variant):
    ruleset = load_ruleset(variant)
    rules = rules_for(ruleset)
    rows = [row[1:] for row in _own_rows() if row[0] == variant]
    assert rows, f"tests/data/perft/{variant}.perft: expected rows"
    for text, depth, nodes, ordered in rows:
        # Without the word, what the rules remember (Frisian kings, huffing) has not begun.
        fen = text.removeprefix("opened ")
        position = read_fen(fen, ruleset, by_rows=True)
        count = perft(rules, position if fen == text else rules.opened(position), depth)
        assert (count.nodes, count.ordered) == (nodes, ordered), _report(rules, position, fen, depth)


def test_there_is_no_table_without_its_variant():
    assert {row[0] for row in _own_rows()} == set(variant_names())


@pytest.mark.parametrize("variant", variant_names())
def test_divide_adds_up(variant):
    rules = rules_of(variant)
    parts = divide(rules, rules.start(), 2)
    assert [move for move, _ in parts] == list(rules.legal_moves(rules.start()))
    assert sum(count.nodes for _, count in parts) == perft(rules, rules.start(), 2).nodes
    assert sum(count.ordered for _, count in parts) == perft(rules, rules.start(), 2).ordered


@pytest.mark.parametrize("variant", variant_names())
def test_no_moves_to_make_is_one_leaf(variant):
    rules = rules_of(variant)
    assert perft(rules, rules.start(), 0).nodes == 1


def test_orders_of_one_capture_count_apart_and_its_effect_once():
    rules = rules_of("international")
    position = read_fen("W:W23:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40", rules.ruleset)
    count = perft(rules, position, 1)
    assert count.nodes == 12
    assert count.ordered == 56
    assert list(accumulate(part.ordered for _, part in divide(rules, position, 1)))[-1] == 56


def _report(rules, position, fen, depth):
    lines = [f"{full_move_text(move, rules.ruleset)} {count}" for move, count in divide(rules, position, depth)]
    return f"{rules.ruleset.name} {fen} depth {depth}\n" + "\n".join(lines)
