"""`dambord analyse`: what it prints, how deep it goes, and what it refuses."""

from __future__ import annotations

import json
import time

import pytest

from engine.notation import move_text
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from station.runtime.cli import main


def run(capsys, *arguments):
    try:
        code = main(["analyse", *map(str, arguments)])
    except SystemExit as end:
        code = end.code
    return code, *capsys.readouterr()


def lines(out):
    return [json.loads(line) for line in out.splitlines()]


def test_json_lines_grow_deeper_and_the_last_one_is_done(capsys):
    code, out, err = run(capsys, "--variant", "international", "--depth", 5, "--json")
    found = lines(out)
    assert (code, err) == (0, "")
    assert [line["depth"] for line in found] == [1, 2, 3, 4, 5, 5]
    assert [line["done"] for line in found] == [False] * 5 + [True]
    assert [line["nodes"] for line in found] == sorted(line["nodes"] for line in found)
    last = found[-1]
    assert last["best"] == last["line"][0]
    assert len(last["line"]) >= 4
    assert abs(last["score"]) < 1
    assert last["plies_to_end"] is None
    assert {"hash_hits", "table_hits", "seconds", "deepest"} <= last.keys()


def test_a_win_is_told_with_its_distance(capsys):
    code, out, _ = run(capsys, "--variant", "english", "--fen", "W:W11,K15:B3", "--depth", 8)
    assert code == 0
    assert "wins in 3 plies" in out
    code, out, _ = run(capsys, "--variant", "english", "--fen", "W:W11,K15:B3", "--depth", 8, "--json")
    assert lines(out)[-1]["plies_to_end"] == 3


def test_the_time_is_kept(capsys):
    started = time.monotonic()
    code, out, _ = run(capsys, "--variant", "russian", "--seconds", 0.5, "--threads", 2, "--json")
    assert code == 0
    assert time.monotonic() - started < 6
    assert lines(out)[-1]["depth"] >= 3


def test_the_number_of_positions_is_kept(capsys):
    code, out, _ = run(capsys, "--variant", "russian", "--nodes", 700, "--json")
    assert code == 0
    assert lines(out)[-1]["nodes"] <= 701


def test_a_finished_game_has_no_best_move(capsys):
    code, out, _ = run(capsys, "--variant", "russian", "--fen", "W:W:Bd4", "--json")
    (found,) = lines(out)
    assert code == 0
    assert found["best"] is None
    assert found["score"] is None
    assert found["reason"] == "no piece left"


@pytest.mark.parametrize("variant", variant_names())
def test_every_rule_set_is_analysed_and_its_moves_are_legal(capsys, variant):
    code, out, err = run(capsys, "--variant", variant, "--depth", 2, "--json")
    assert (code, err) == (0, "")
    last = lines(out)[-1]
    rules = rules_for(load_ruleset(variant))
    assert last["depth"] == 2
    legal = rules.legal_moves(rules.start())
    assert last["best"] in {move_text(move, legal, rules.ruleset) for move in legal}


def test_squares_by_rows_are_told_by_rows(capsys):
    _, out, _ = run(capsys, "--variant", "russian", "--fen", "W:W22:B18", "--rows", "--depth", 1, "--json")
    assert lines(out)[-1]["best"] == "22:15"
    _, out, _ = run(capsys, "--variant", "russian", "--fen", "W:Wc3:Bd4", "--depth", 1, "--json")
    assert lines(out)[-1]["best"] == "c3:e5"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--variant", "russian", "--fen", "W:Wz9:Bd4"), "z9"),
        (("--variant", "russian", "--fen", "nonsense"), "nonsense"),
        (("--variant", "rusian"), "russian"),
        (("--variant", "russian", "--depth", "0"), "--depth 0"),
        (("--variant", "russian", "--nodes", "-3"), "--nodes -3"),
        (("--variant", "russian", "--seconds", "-1"), "--seconds -1"),
        (("--variant", "russian", "--seconds", "nan"), "--seconds nan"),
        (("--variant", "russian", "--threads", "100000"), "--threads 100000"),
        (("--variant", "russian", "--fen", "W:W1-20:B32", "--rows"), "20 pieces of white, expected at most 12"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(capsys, arguments, part):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1
