"""The kernel as it is built: compiled here, used by perft, and left aside where it is not there."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import engine.kernel
from engine.kernel.counting import counting_tree
from engine.perft import divide, kernel_perft, perft
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from station.runtime.cli import main

KERNEL = Path(engine.kernel.__file__).parent


def test_every_module_of_the_kernel_is_compiled():
    written = {path.stem for path in KERNEL.glob("*.pxd")}
    compiled = {path.name.split(".")[0] for path in KERNEL.glob("*.so")}
    assert "moves" in written
    assert written <= compiled, f"not compiled: {written - compiled}; make again"


@pytest.mark.portable
@pytest.mark.parametrize("variant", variant_names())
def test_the_kernel_counts_as_the_readable_rules(variant):
    rules = rules_for(load_ruleset(variant))
    count = kernel_perft(rules)
    assert count is not None
    for depth in (1, 2):
        assert count(rules.start(), depth) == perft(rules, rules.start(), depth)
    assert divide(rules, rules.start(), 2, count) == divide(rules, rules.start(), 2)


@pytest.mark.portable
def test_deep_counts_are_split_at_the_first_move_and_are_the_same():
    rules = rules_for(load_ruleset("russian"))
    count = kernel_perft(rules)
    assert count(rules.start(), 9).nodes == 4_570_586
    assert count(rules.start(), 9).ordered == 4_570_667


def test_the_kernel_says_what_it_cannot_play():
    everywhere = replace(load_ruleset("turkish"), name="house", columns=12, rows=12)
    with pytest.raises(ValueError, match="144 bits"):
        counting_tree(everywhere)
    assert kernel_perft(rules_for(everywhere)) is None


def told(capsys, *arguments):
    assert main(["perft", "--variant", "russian", "--depth", "5", *arguments]) == 0
    return capsys.readouterr()


@pytest.mark.portable
def test_the_command_says_which_generator_counted(capsys):
    compiled, readable = told(capsys, "--json"), told(capsys, "--json", "--reference")
    for printed, generator in ((compiled, "compiled"), (readable, "readable")):
        answer = json.loads(printed.out)
        assert (answer["nodes"], answer["ordered"], answer["generator"]) == (7482, 7482, generator)
        assert printed.err == ""
    assert "compiled generator" in told(capsys).out
    assert "readable generator" in told(capsys, "--reference").out


def test_the_command_divides_by_either_generator(capsys):
    compiled, readable = told(capsys, "--divide", "--json"), told(capsys, "--divide", "--json", "--reference")
    below = json.loads(compiled.out)["divide"]
    assert below == json.loads(readable.out)["divide"]
    assert sum(count["nodes"] for count in below.values()) == 7482


def test_without_the_kernel_the_readable_generator_counts_and_says_so(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "engine.kernel.counting", None)
    monkeypatch.delattr(engine.kernel, "counting", raising=False)
    printed = told(capsys, "--json")
    assert json.loads(printed.out)["generator"] == "readable"
    assert "not installed" in printed.err
