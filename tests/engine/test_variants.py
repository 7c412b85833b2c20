"""The rule sets that come with the engine: what each says, where it differs from its base, and how it begins."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from importlib import resources
from pathlib import Path
from random import Random

import pytest

from engine.geometry import Direction
from engine.pdn import game_type
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Position, Side, Towers
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset, variant_names
from tests.data_files import DATA
from tests.engine.boards import rules_of, turned, turned_move

# Board, corner that plays (L, R or both), men of a side, who begins, king (flying or short), choice, crowning, removal:
# as the survey of the federations' texts and of other programs found them, before any of our files was written.
SURVEY = """
russian           8x8   L 12 W F free     passing end
diagonal          8x8   L 12 W F free     passing end
spantsireti       10x8  L 15 W F free     passing end
brazilian         8x8   L 12 W F max      end     end
international     10x10 L 20 W F max      end     end
canadian          12x12 L 30 W F max      end     end
srilankan         12x12 R 30 W F max      end     end
filipino          8x8   R 12 W F max      end     end
pool              8x8   L 12 B F free     end     end
jamaican          8x8   R 12 W F free     end     end
english           8x8   L 12 B 1 free     stop    end
italian           8x8   R 12 W 1 italian  stop    end
spanish           8x8   R 12 W F spanish  stop    end
portuguese        8x8   R 12 W F spanish  stop    end
argentinian       8x8   R 12 W F spanish  stop    end
czech             8x8   L 12 W F king     stop    end
thai              8x8   L  8 W F free     stop    now
turkish           8x8   * 16 W F max      end     now
armenian          8x8   * 16 W F max      passing now
frisian           10x10 L 20 W F frisian  end     end
frysk             10x10 L  5 W F frisian  end     end
killer            10x10 L 20 W F max      end     end
breakthrough      10x10 L 20 W F max      end     end
antidraughts      10x10 L 20 W F max      end     end
giveaway-russian  8x8   L 12 W F free     passing end
giveaway-english  8x8   L 12 B 1 free     stop    end
russian-majority  8x8   L 12 W F max      passing end
international-80  10x8  L 15 W F max      end     end
towers            8x8   L 12 W F free     passing end
corners           8x8   *  9 W - -        -       -
"""

CHOICES = {
    "free": (),
    "max": ("most pieces",),
    "spanish": ("most pieces", "most kings"),
    "italian": ("most pieces", "with a king", "most kings", "kings first"),
    "king": ("with a king",),
    "frisian": ("highest value", "with a king"),
}

GAME_TYPES = {
    "international": "20,W,10,10,N2,0",
    "english": "21,B,8,8,N1,0",
    "italian": "22,W,8,8,N2,1",
    "pool": "23,B,8,8,N1,0",
    "spanish": "24,W,8,8,N1,1",
    "russian": "25,W,8,8,A0,0",
    "brazilian": "26,W,8,8,A0,0",
    "canadian": "27,W,12,12,N2,0",
    "portuguese": "28,W,8,8,N1,1",
    "czech": "29,W,8,8,A0,0",
    "turkish": "30,W,8,8,A0,0",
    "thai": "31,W,8,8,N2,0",  # B in the standard, which follows programs in which Black begins
    "frisian": "40,W,10,10,N2,0",
    "spantsireti": "41,W,10,8,A0,0",
    "jamaican": "23,W,8,8,A1,1",
    "pool-white-first": "23,W,8,8,A0,0",
}
"""The GameType of the PDN standard (pdn.fmjd.org), for the variants that it knows."""

CAPTURE_SIGNS = {"russian": ":", "spantsireti": ":", "thai": "-"}
"""How the PDN standard writes captures where it is not by an x."""

FIRST_MOVES = {
    "russian": 7,
    "international": 9,
    "canadian": 11,
    "italian": 7,
    "turkish": 8,
    "armenian": 22,
    "towers": 7,
    "corners": 12,
    "diagonal": 6,
    "frysk": 9,
}

_OTHER_COLOUR = {
    EMPTY: EMPTY,
    WHITE_MAN: BLACK_MAN,
    WHITE_KING: BLACK_KING,
    BLACK_MAN: WHITE_MAN,
    BLACK_KING: WHITE_KING,
}

PLIES = 40


def stated(name):
    """What a file itself says."""
    return tomllib.loads((resources.files("engine.variants") / f"{name}.toml").read_text(encoding="utf-8"))


DERIVED = [name for name in variant_names() if load_ruleset(name).base]

every_variant = pytest.mark.parametrize("name", variant_names())


@pytest.mark.parametrize("row", SURVEY.strip().splitlines(), ids=lambda row: row.split()[0])
def test_the_files_say_what_the_survey_found(row):
    name, board, corner, men, first, king, choice, crowning, removal = row.split()
    ruleset, start = load_ruleset(name), rules_of(name).start()
    assert f"{ruleset.columns}x{ruleset.rows}" == board
    assert ruleset.corner == {"L": "left", "R": "right", "*": "all"}[corner]
    assert [len(start.pieces(side)) for side in Side] == [int(men)] * 2
    assert start.turn is ruleset.first is {"W": Side.WHITE, "B": Side.BLACK}[first]
    if ruleset.family == "capture":
        assert ruleset.king_range == {"F": "flying", "1": "short"}[king]
        assert ruleset.precedence == CHOICES[choice]
        assert (ruleset.crowning, ruleset.removal) == (crowning, removal)


def test_the_survey_and_the_derived_rule_sets_are_all_there_is():
    surveyed = {row.split()[0] for row in SURVEY.strip().splitlines()}
    assert surveyed <= set(variant_names())
    assert {name for name in variant_names() if not load_ruleset(name).base} - surveyed <= {"gothic"}


@every_variant
def test_every_rule_set_has_a_title_of_its_own_and_names_its_sources(name):
    assert [load_ruleset(other).title for other in variant_names()].count(load_ruleset(name).title) == 1
    assert load_ruleset(name).source
    table = stated(name)
    assert table["source"] == load_ruleset(name).source, "a rule set names its own sources, not those of its base"
    assert all(article.strip() for article in load_ruleset(name).articles.values())


@pytest.mark.parametrize("name", DERIVED)
def test_a_derived_rule_set_states_only_what_differs(name):
    ruleset, base = load_ruleset(name), load_ruleset(load_ruleset(name).base)
    facts = set(stated(name)) - {"base", "title", "source", "articles"}
    assert {key for key in facts if getattr(ruleset, key) == getattr(base, key)} == set()
    named = {item.name for item in fields(ruleset)} - {"name", "title", "source", "base", "articles", "pdn_game_type"}
    differing = {key for key in named if getattr(ruleset, key) != getattr(base, key)}
    assert differing == facts - {"pdn_game_type"}
    assert differing, "a rule set that differs from its base in nothing"


@pytest.mark.parametrize("name", GAME_TYPES)
def test_game_types_are_those_of_the_standard(name):
    ruleset = load_ruleset(name)
    assert game_type(ruleset) == GAME_TYPES[name]
    assert ruleset.capture_sign == CAPTURE_SIGNS.get(name, "x")
    kind, first, columns, rows, notation, mirrored = game_type(ruleset).split(",")
    assert int(kind) == ruleset.pdn_type
    assert ruleset.first is (Side.WHITE if first == "W" else Side.BLACK)
    assert (int(columns), int(rows)) == (ruleset.columns, ruleset.rows)
    assert (ruleset.notation == "algebraic") == (notation[0] == "A")
    assert (ruleset.corner == "right") == (mirrored == "1")


def test_a_game_type_is_of_one_game():
    """Of all rule sets with one number, only one is no reading of another with that number."""
    numbers = {name: load_ruleset(name).pdn_type for name in variant_names()}
    roots = [name for name in numbers if numbers.get(load_ruleset(name).base) != numbers[name]]
    typed = [numbers[name] for name in roots if numbers[name]]
    assert len(typed) == len(set(typed))


@every_variant
def test_the_start_is_the_first_position_of_its_table(name):
    rules = rules_of(name)
    lines = (DATA / "perft" / f"{name}.perft").read_text(encoding="utf-8").splitlines()
    fen = next(line for line in lines if not line.startswith("#")).split("|")[0].removeprefix("opened ").strip()
    side, *parts = fen.split(":")
    place = dict(enumerate(rules.ruleset.geometry.by_rows, 1))
    contents = [EMPTY] * len(place)
    for part in parts:
        for number in part[1:].split(","):
            contents[place[int(number)]] = WHITE_MAN if part[0] == "W" else BLACK_MAN
    assert rules.start().contents == tuple(contents)
    assert rules.start().turn is (Side.WHITE if side == "W" else Side.BLACK)


@pytest.mark.parametrize("name", FIRST_MOVES)
def test_how_many_moves_there_are_to_begin_with(name):
    assert len(rules_of(name).legal_moves(rules_of(name).start())) == FIRST_MOVES[name]


@every_variant
def test_the_start_is_the_same_for_both_sides(name):
    start = rules_of(name).start()
    assert flipped(start, name).contents == start.contents


@every_variant
@pytest.mark.parametrize("seed", range(3))
def test_flipped_colours_give_flipped_moves_all_through_a_game(name, seed):
    rules, chance = rules_of(name), Random(seed)
    position = rules.start()
    for _ in range(PLIES):
        # What the rules remember of earlier moves is left out on both sides.
        here = replace(position, trail=None)
        moves = {turned_move(move, rules.ruleset).effect for move in rules.legal_moves(here)}
        assert moves == {move.effect for move in rules.legal_moves(flipped(here, name))}
        for move in rules.legal_moves(here):
            after = flipped(here, name).after(turned_move(move, rules.ruleset))
            assert after.diagram == flipped(here.after(move), name).diagram
        legal = rules.legal_moves(position)
        if not legal:
            break
        position = position.after(chance.choice(legal))


def flipped(position, name):
    """The position as the other side sees it, with colours exchanged, towers included."""
    ruleset = load_ruleset(name)
    squares = [turned(square, ruleset) for square in range(len(position.contents))]
    contents = tuple(_OTHER_COLOUR[position.contents[square]] for square in squares)
    if position.towers is None:
        return Position(contents, position.turn.other)
    beneath = [tuple(_OTHER_COLOUR[piece] for piece in position.towers.beneath[square]) for square in squares]
    return Position(contents, position.turn.other, Towers(tuple(beneath), position.towers.keep_rank))


@every_variant
def test_men_go_forward_or_sideways_and_never_backward(name):
    ruleset = load_ruleset(name)
    backward = {Direction.SOUTH, Direction.SOUTH_EAST, Direction.SOUTH_WEST}
    assert ruleset.family == "race" or not ruleset.man_moves & backward
    assert ruleset.family == "race" or ruleset.king_moves >= ruleset.man_moves


def test_a_file_of_facts_is_all_that_a_variant_is():
    for name in variant_names():
        text = (resources.files("engine.variants") / f"{name}.toml").read_text(encoding="utf-8")
        again = read_ruleset(text, name)
        assert again == load_ruleset(name)
        assert rules_for(again).start() == rules_of(name).start()


def test_players_find_every_rule_set_in_the_document():
    text = (Path(__file__).parents[2] / "docs" / "variants.md").read_text(encoding="utf-8")
    assert {name for name in variant_names() if f"`{name}`" not in text} == set()
