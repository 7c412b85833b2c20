"""Rule set files: each states its facts with articles, and every mistake is named."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib import resources

import pytest

from engine.errors import RulesetError
from engine.fen import read_fen
from engine.notation import full_move_text
from engine.pdn import game_type
from engine.rules import rules_for
from engine.ruleset import RULES_WITHOUT_FACT, load_ruleset, read_ruleset, variant_names, write_ruleset

NEEDS_NO_ARTICLE = {
    "title",
    "source",
    "base",
    "notation",
    "pdn_type",
    "pdn_game_type",
    "capture_sign",
    "results",
    "articles",
    "draws",
}

WRONG = {
    "title": 3,
    "source": 3,
    "family": "chess",
    "columns": 5,
    "rows": 99,
    "corner": "middle",
    "first_square": "centre",
    "notation": "roman",
    "men_rows": -1,
    "skipped_rows": 3,
    "start_fen": 1,
    "first": "red",
    "man_moves": ["up"],
    "man_captures": "forward",
    "king_moves": ["forward", "forward"],
    "king_captures": [1],
    "king_range": "long",
    "king_landing": "anywhere",
    "king_move_limit": -1,
    "capture": "maybe",
    "precedence": ["fewest pieces"],
    "man_may_capture_king": "yes",
    "crowning": "never",
    "removal": "later",
    "turn_back": 1,
    "second_jump": "no",
    "prisoners": 0,
    "goal": "draw",
    "pdn_type": True,
    "pdn_game_type": 20,
    "capture_sign": 1,
    "results": ["1-0"],
    "camp": [3],
    "home_limit": -1,
    "last_reply": "yes",
    "touch_move": 1,
    "removal_order": "at will",
    "draws": "none",
    "articles": ["1.1"],
}


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(value)


def test_every_key_has_a_wrong_value_here():
    with pytest.raises(RulesetError) as refusal:
        read_ruleset('title = "T"\nsource = "S"\ntitel = "x"', "house")
    assert "titel: no such key; the nearest is title" in str(refusal.value)
    from engine import ruleset  # noqa: PLC0415

    assert set(WRONG) == set(ruleset._READERS)


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_value_is_refused_with_key_value_and_expectation(key):
    table = {"title": "T", "source": "S", key: WRONG[key]}
    text = "\n".join(f"{name} = {_toml(value)}" for name, value in table.items())
    with pytest.raises(RulesetError, match=r"^house\.toml: ") as refusal:
        read_ruleset(text, "house")
    message = str(refusal.value)
    assert key in message
    assert repr(WRONG[key]) in message
    assert "expected" in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("title = ", "not TOML"),
        ('source = "S"', "title: missing"),
        ('base = "rusian"', "base = 'rusian': expected one of"),
        ('base = "russian"\n[articles]\ncrownin = "1"', "articles.crownin: no such key; the nearest is crowning"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"', "either times or limit"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\ntimes = 1', "times = 1"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\nlimit = -1', "limit = -1"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\nlimit = 1\nresult = "win"', "result = 'win'"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\nlimit = 1\nresets = ["x"]', "resets = ['x']"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\nlimit = 1\npieces = [3, 2]', "pieces = [3, 2]"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\nlimit = 1\non = "ask"', "on = 'ask'"),
        ('base = "russian"\n[[draws]]\nname = "n"\narticle = "a"\nlimit = 1\nstronger = { queens = [1, 1] }', "queens"),
        ('base = "russian"\nmen_rows = 5', "rows that leave both sides room"),
        ('base = "russian"\nmen_rows = 0', "men_rows = 0: expected rows of men, or start_fen"),
        ('base = "russian"\nrows = 13', "rows = 13: expected a whole number from 6 to 12"),
        ('base = "russian"\nman_moves = []', "at least one direction"),
        ('base = "russian"\nman_moves = ["forward"]', 'corner = "all"'),
        ('base = "english"\nking_landing = "behind"', 'expected "any", or king_range = "flying"'),
        ('base = "russian"\nsecond_jump = true', "without towers no piece is jumped twice"),
        ('base = "russian"\ngoal = "occupy corner"', '"occupy corner" with family = "race", and only there'),
        ('base = "corners"\ngoal = "normal"', '"occupy corner" with family = "race", and only there'),
        ('base = "corners"\ncamp = [5, 2]', "corners that do not touch on 8x8"),
        ('base = "corners"\ncorner = "left"', '"all" with family = "race"'),
        ('base = "corners"\nprisoners = "men"', '"none", or family = "capture"'),
        ('base = "russian"\ncamp = [3, 3]', 'none, or family = "race"'),
        ('base = "russian"\npdn_game_type = "24,W,8,8,A0,0"', "25,... as pdn_type says"),
        ('base = "russian"\npdn_game_type = "25,B,8,8,A0,0"', "type,W,8,8,... as first, columns and rows say"),
    ],
)
def test_other_mistakes_are_named(text, part):
    with pytest.raises(RulesetError) as refusal:
        read_ruleset(text, "house")
    assert part in str(refusal.value)


def test_an_unknown_variant_names_the_nearest():
    with pytest.raises(RulesetError, match="the nearest is russian"):
        load_ruleset("rusian")


@pytest.mark.parametrize("name", variant_names())
def test_every_fact_has_its_article(name):
    text = (resources.files("engine.variants") / f"{name}.toml").read_text(encoding="utf-8")
    stated = (set(tomllib.loads(text)) - NEEDS_NO_ARTICLE) | set(RULES_WITHOUT_FACT)
    ruleset = load_ruleset(name)
    assert {key for key in stated if not ruleset.article(key)} == set()
    assert all(rule.article for rule in ruleset.draws)


@pytest.mark.parametrize("name", variant_names())
def test_every_variant_can_be_played(name):
    rules = rules_for(load_ruleset(name))
    assert rules.legal_moves(rules.start())
    assert rules.start().turn is rules.ruleset.first


@pytest.mark.parametrize("name", variant_names())
def test_the_game_type_follows_from_the_facts(name):
    ruleset = load_ruleset(name)
    if ruleset.pdn_game_type:
        assert game_type(ruleset) == ruleset.pdn_game_type


def test_a_house_rule_changes_one_fact_and_keeps_the_rest():
    house = read_ruleset('base = "brazilian"\ntitle = "House"\ncrowning = "stop"', "house")
    brazilian = load_ruleset("brazilian")
    assert (house.name, house.title, house.crowning) == ("house", "House", "stop")
    assert house.precedence == brazilian.precedence
    assert house.article("precedence") == brazilian.article("precedence")
    assert house.article("crowning") == ""


def test_rule_sets_can_be_keys():
    assert len({load_ruleset(name) for name in variant_names()}) == len(variant_names())


@pytest.mark.parametrize("variant", variant_names())
def test_written_and_read_again(variant):
    ruleset = load_ruleset(variant)
    assert read_ruleset(write_ruleset(ruleset), variant) == replace(ruleset, base="")


def test_who_captures_though_nobody_must_still_takes_the_most():
    """Brazilian draughts with captures that were agreed to be free: the rule of choice stays among captures."""
    house = read_ruleset('base = "brazilian"\ntitle = "House"\ncapture = "optional"', "house")
    moves = rules_for(house).legal_moves(read_fen("W:Wc3,g1:Bd4,f6,b4", house))
    captures = {full_move_text(move, house) for move in moves if move.is_capture}
    assert captures == {"c3xe5xg7"}
    assert {"g1-f2", "g1-h2"} <= {full_move_text(move, house) for move in moves if not move.is_capture}
