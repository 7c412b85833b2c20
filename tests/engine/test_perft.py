"""Perft against published and recomputed counts, in both conventions."""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate

import pytest

from engine.notation import full_move_text
from engine.perft import divide, perft
from tests.data_files import DATA, needs_shared, shared_json
from tests.engine.boards import VARIANTS, position_in, rules_of

MOST_NODES = 200_000
"""Rows with more leaves than this are left to a longer run."""

# At these two the table gives only one of the two conventions, though they differ.
ORDERED_NOT_GIVEN = {
    "W:W23:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
    "W:WK23:B8,9,10,11,17,18,19,20,27,28,29,30,31,38,39,42,44",
}


def _reference(variant: str) -> dict[tuple[str, int], dict[str, int]]:
    rows: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    for row in shared_json("rules/perft.json", {"rows": []})["rows"]:
        if row["variant"] == variant:
            rows[row["fen"], row["depth"]][row["convention"]] = row["nodes"]
    return {key: counts for key, counts in rows.items() if max(counts.values()) <= MOST_NODES and "unique" in counts}


def _own_rows() -> list[tuple[str, str, int, int, int]]:
    rows = []
    for file in sorted((DATA / "perft").glob("*.perft")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                fen, depth, nodes, ordered, _source = (part.strip() for part in line.split("|"))
                rows.append((file.stem, fen, int(depth), int(nodes), int(ordered)))
    return rows


@needs_shared("rules/perft.json")
@pytest.mark.parametrize("variant", VARIANTS)
def test_counts_agree_with_the_reference_table(variant):
    rules = rules_of(variant)
    rows = _reference(variant)
    assert rows, f"no rows for {variant}"
    for (fen, depth), counts in rows.items():
        position = position_in(variant, fen, by_rows=True)
        count = perft(rules, position, depth)
        assert count.nodes == counts["unique"], _report(rules, position, fen, depth)
        if fen not in ORDERED_NOT_GIVEN:
            assert count.ordered == counts.get("ordered", counts["unique"]), _report(rules, position, fen, depth)


@pytest.mark.parametrize(("variant", "fen", "depth", "nodes", "ordered"), _own_rows())
def test_counts_agree_with_the_table_of_this_repository(variant, fen, depth, nodes, ordered):
    count = perft(rules_of(variant), position_in(variant, fen, by_rows=True), depth)
    assert (count.nodes, count.ordered) == (nodes, ordered)


def test_every_variant_has_a_table_in_this_repository():
    assert {row[0] for row in _own_rows()} == set(VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_divide_adds_up(variant):
    rules = rules_of(variant)
    parts = divide(rules, rules.start(), 3)
    assert [move for move, _ in parts] == list(rules.legal_moves(rules.start()))
    assert sum(count.nodes for _, count in parts) == perft(rules, rules.start(), 3).nodes
    assert sum(count.ordered for _, count in parts) == perft(rules, rules.start(), 3).ordered


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_moves_to_make_is_one_leaf(variant):
    rules = rules_of(variant)
    assert perft(rules, rules.start(), 0).nodes == 1


def test_orders_of_one_capture_count_apart_and_its_effect_once():
    rules = rules_of("international")
    position = position_in("international", "W:W23:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40")
    count = perft(rules, position, 1)
    assert count.nodes == 12
    assert count.ordered == 56
    assert list(accumulate(part.ordered for _, part in divide(rules, position, 1)))[-1] == 56


def _report(rules, position, fen, depth):
    lines = [f"{full_move_text(move, rules.ruleset)} {count}" for move, count in divide(rules, position, depth)]
    return f"{rules.ruleset.name} {fen} depth {depth}\n" + "\n".join(lines)
