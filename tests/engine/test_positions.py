"""The rules on positions that exercise one fine point each, from the federations' texts and from games."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.draughts import DraughtsRules
from engine.fen import read_fen, write_fen
from engine.notation import read_move, read_move_squares, read_square
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Side, position_of
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from tests.data_files import DATA, needs_shared, shared_json, shared_rows
from tests.engine.boards import VARIANTS, position_in, rules_of

LISTED_PATHS = 16
"""The table lists at most so many ways of a move, and says how many there are."""

LETTERS = {WHITE_MAN: "w", WHITE_KING: "W", BLACK_MAN: "b", BLACK_KING: "B"}

OTHER_READINGS = {
    "other_house_rule_king_keeps_rank": "towers-keep-rank",
    "other_house_rule_second_jump_allowed": "towers-second-jump",
    "other_house_rule_emptied_square_free": "towers-emptied-free",
}
"""What a position of the game of towers is worth by another reading: the key of the table, our preset."""


SERVER_RULES = {
    "english-playstrategy": replace(load_ruleset("english"), first=Side.WHITE),
    "portuguese": replace(load_ruleset("portuguese"), corner="left", first_square="top left"),
}
"""Rules as the server played them where these games come from: White first, the left corner plays."""


def rows(path, key, name, variants=VARIANTS):
    return pytest.mark.parametrize("row", shared_rows(path, key, variants, name))


def by_rows(ruleset, number):
    return read_square(str(number), ruleset, by_rows=True)


def _own_positions():
    """Fine points of every variant as this repository states them: (variant, point, FEN, moves)."""
    found = []
    for file in sorted((DATA / "rules").glob("*.rules")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                point, fen, moves = (part.strip() for part in line.split("|"))
                found.append(pytest.param(file.stem, fen, moves.split(), id=f"{file.stem}: {point}"))
    return found


@pytest.mark.parametrize(("variant", "fen", "expected"), _own_positions())
def test_fine_points(variant, fen, expected):
    ruleset = load_ruleset(variant)
    place = {square: number for number, square in enumerate(ruleset.geometry.by_rows, 1)}
    moves = []
    for move in rules_of(variant).legal_moves(read_fen(fen, ruleset, by_rows=True)):
        taken = ",".join(str(number) for number in sorted({place[square] for square in move.captured}))
        ends = f"{place[move.from_square]}{'x' if taken else '-'}{place[move.to_square]}"
        moves.append(f"{ends}{f'({taken})' if taken else ''}{'=K' if move.promotes else ''}")
    assert sorted(moves) == sorted(expected)


@needs_shared("rules/positions.json")
def test_there_are_positions_for_every_variant_of_the_table():
    table = shared_json("rules/positions.json")
    found = {row["variant"] for key in ("positions", "towers", "corners", "results") for row in table[key]}
    assert found <= set(variant_names())
    assert found >= {"russian", "italian", "spanish", "turkish", "frisian", "killer", "towers", "corners"}


@rows("rules/positions.json", "positions", lambda row: row["id"])
def test_legal_moves_are_exactly_these(row):
    ruleset, rules = load_ruleset(row["variant"]), rules_of(row["variant"])
    position = read_fen(row["fen"], ruleset, by_rows=True)
    moves = {
        (move.from_square, move.to_square, tuple(sorted(move.captured)), move.promotes)
        for move in rules.legal_moves(position)
    }
    expected = set()
    for legal in row["legal"]:
        start, *_, end = read_move_squares(legal["move"], ruleset, by_rows=True)
        captured = tuple(sorted(by_rows(ruleset, number) for number in legal["captured"]))
        expected.add((start, end, captured, legal["promotes"]))
    assert moves == expected
    assert len(rules.legal_moves(position)) == row["moves"]


@rows("rules/positions.json", "positions", lambda row: row["id"])
def test_each_move_leaves_this_position_by_these_ways(row):
    ruleset, rules = load_ruleset(row["variant"]), rules_of(row["variant"])
    position = read_fen(row["fen"], ruleset, by_rows=True)
    moves = {move.effect: move for move in rules.legal_moves(position)}
    for legal in row["legal"]:
        start, *_, end = read_move_squares(legal["move"], ruleset, by_rows=True)
        captured = sorted(by_rows(ruleset, number) for number in legal["captured"])
        effect = (start, end, tuple(captured), legal["promotes"])
        ways = rules.ways(position)[effect]
        after = {position.after(way) for way in ways}
        assert after == {read_fen(legal["after"], ruleset, by_rows=True)}, write_fen(after.pop(), ruleset, by_rows=True)
        if "path_count" in legal:
            paths = {way.path for way in ways}
            assert len(paths) == legal["path_count"]
            assert len({way.captured for way in ways}) == legal["capture_orders"]
            stated = {tuple(by_rows(ruleset, number) for number in path[1:]) for path in legal["paths"]}
            assert stated <= paths
            if legal["path_count"] <= LISTED_PATHS:
                assert moves[effect].path in stated
                assert stated == paths


@rows("rules/positions.json", "positions", lambda row: row["id"])
def test_squares_have_these_names_by_files_and_ranks(row):
    ruleset = load_ruleset(row["variant"])
    for legal in row["legal"]:
        assert read_move_squares(legal["alg"], ruleset) == read_move_squares(legal["move"], ruleset, by_rows=True)


@rows("rules/positions.json", "towers", lambda row: row["id"])
def test_towers(row):
    ruleset, rules, position = load_ruleset("towers"), rules_of("towers"), _tower_position("towers", row)
    assert _tower_moves("towers", row) == _stated_tower_moves(row)
    assert len(rules.legal_moves(position)) == row["moves"]
    ways = {(way.from_square, *way.path, way.captured) for found in rules.ways(position).values() for way in found}
    for legal in row["legal"]:
        path = [read_square(name, ruleset) for name in legal["path"]]
        assert (*path, tuple(read_square(name, ruleset) for name in legal["taken_from"])) in ways


@pytest.mark.parametrize("key", OTHER_READINGS)
@rows("rules/positions.json", "towers", lambda row: row["id"])
def test_other_readings_of_the_rules_of_towers(row, key):
    stated = [text.split(" ") for text in row.get(key, [])]
    # A position without this key is worth the same by both readings.
    expected = {(text, frozenset(after.split(";"))) for text, after in stated} or _stated_tower_moves(row)
    assert _tower_moves(OTHER_READINGS[key], row) == expected


def _tower_position(variant, row):
    return read_fen(f"{row['side']}:{row['towers']}", load_ruleset(variant))


def _stated_tower_moves(row):
    return {(legal["alg"], frozenset(legal["after"].split(";"))) for legal in row["legal"]}


def _tower_moves(variant, row):
    """Legal moves, each with the towers it leaves, in the words of the table."""
    position = _tower_position(variant, row)
    names = [f"{'abcdefgh'[column]}{8 - line}" for column, line in load_ruleset(variant).geometry.cells]
    found = set()
    for move in rules_of(variant).legal_moves(position):
        after = position.after(move)
        towers = frozenset(
            f"{names[square]}={''.join(LETTERS[piece] for piece in (*after.towers.beneath[square], top))}"
            for square, top in enumerate(after.contents)
            if top is not EMPTY
        )
        sign = "x" if move.captured else "-"
        found.add((f"{names[move.from_square]}{sign}{names[move.to_square]}", towers))
    return found


@rows("rules/positions.json", "corners", lambda row: row["id"], variants=("corners",))
def test_corners(row):
    ruleset, rules = load_ruleset("corners"), rules_of("corners")
    white = [read_square(name, ruleset) for name in row["white"]]
    black = [read_square(name, ruleset) for name in row["black"]]
    turn = Side.WHITE if row["side"] == "W" else Side.BLACK
    position = position_of(len(ruleset.geometry), turn, white_men=white, black_men=black)
    if row["id"] == "corners:initial":
        assert position == rules.start()
    moves = {(move.from_square, move.to_square) for move in rules.legal_moves(position)}
    assert moves == {read_move_squares(text, ruleset) for text in row["legal"]}
    assert len(rules.legal_moves(position)) == row["moves"]
    assert not any(move.captured or move.promotes for move in rules.legal_moves(position))


@rows("problems/rule-positions.json", "positions", lambda row: f"{row['variant']}-{row['case']}")
def test_the_federations_own_examples(row):
    ruleset = load_ruleset(row["variant"])
    moves = rules_of(row["variant"]).legal_moves(position_in(row["variant"], row["fen"]))
    found = sorted((move.from_square, move.to_square) for move in moves)
    assert found == sorted(
        (squares[0], squares[-1]) for squares in (read_move_squares(text, ruleset) for text in row["legal"])
    )


@rows(
    "problems/captures-from-games.json",
    "positions",
    lambda row: f"{row['variant']}-{row['game']}-{row['ply']}",
    variants=(*VARIANTS, *SERVER_RULES),
)
def test_captures_met_in_games(row):
    ruleset = SERVER_RULES.get(row["variant"]) or load_ruleset(row["variant"])
    position = read_fen(row["fen"], ruleset)
    expected = set()
    for capture in row["captures"]:
        path = [read_square(str(number), ruleset) for number in capture["path"]]
        taken = frozenset(read_square(str(number), ruleset) for number in capture["taken"])
        expected.add((path[0], path[-1], taken))
    moves = rules_for(ruleset).legal_moves(position)
    assert {(move.from_square, move.to_square, frozenset(move.captured)) for move in moves} == expected


@rows("problems/gcheckers-puzzles.json", "positions", lambda row: row["id"])
def test_lines_of_puzzles_are_legal(row):
    ruleset, rules = load_ruleset(row["variant"]), rules_of(row["variant"])
    position = position_in(row["variant"], row["fen"])
    longest = 0
    for text in row["line"]:
        ways = [way for found in rules.ways(position).values() for way in found]
        move = read_move(text, position, ways, ruleset)
        longest = max(longest, len(move.captured))
        position = position.after(move)
    assert longest == row["longest"]


@rows("rules/positions.json", "results", lambda row: f"{row['variant']}-{row['fen']}")
def test_who_has_won(row):
    position = read_fen(row["fen"], load_ruleset(row["variant"]), by_rows=True)
    winner = rules_of(row["variant"]).winner(position)
    assert winner is {"white wins": Side.WHITE, "black wins": Side.BLACK}.get(row["result"])


def test_every_beginning_of_a_capture_when_asked_for():
    rules = rules_of("international")
    assert isinstance(rules, DraughtsRules)
    beginnings = rules.unfinished_captures(position_in("international", "W:W32:B28,19"))
    assert {move.path for move in beginnings} == {(22,), (22, 13)}
