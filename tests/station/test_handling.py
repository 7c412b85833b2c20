"""The plan for a move: its steps leave what the rules say, in the order of the table beside the board."""

from __future__ import annotations

import math
import time
from itertools import pairwise
from random import Random

import pytest

from engine.fen import read_fen
from engine.notation import read_move, square_name
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Position
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.manipulations import Fetch, Lift, Park, Place, Remove, Slide
from station.handling.arm import ArmSettings
from station.handling.moves import plan_move
from station.handling.plans import Ask, Tool, entry
from station.handling.routes import route
from station.handling.tray import fitting
from station.tracking.masks import masks_of_position

FREE = (EMPTY,) * 12


def plan(variant, fen, text, tool=None, tray=FREE):
    ruleset = load_ruleset(variant)
    position = read_fen(fen, ruleset)
    move = read_move(text, position, rules_for(ruleset).legal_moves(position), ruleset)
    return plan_move(position, move, ruleset, tray, tool or Tool()), position, move, ruleset


def told(found, ruleset):
    """The steps in short, squares as the variant writes them."""

    def name(cell):
        return square_name(ruleset.geometry.squares_by_cell[cell], ruleset)

    short = []
    for step in found.steps:
        match step.what:
            case Lift(cell=cell, level=level) | Place(cell=cell, level=level):
                short.append(f"{type(step.what).__name__.lower()} {name(cell)}" + (f" above {level}" if level else ""))
            case Remove(cell=cell, slot=slot):
                short.append(f"remove {name(cell)} to {slot}")
            case Fetch(cell=cell, slot=slot):
                short.append(f"fetch {slot} to {name(cell)}")
            case Slide(way=way):
                short.append(f"slide {name(way[0])}")
            case Park():
                short.append("park")
            case Ask(reason=reason, why=why):
                short.append(f"ask {reason} {why}".strip())
    return short


def test_c1_the_mover_first_then_what_it_captured_in_that_order():
    found, position, move, ruleset = plan("russian", "W:Wa1:Bb2,d4,f6", "a1:c3:e5:g7")
    assert told(found, ruleset) == ["lift a1", "place g7", "remove b2 to 0", "remove d4 to 1", "remove f6 to 2", "park"]
    assert found.end == position.after(move).contents


def test_c2_a_man_is_swapped_for_a_king_from_the_tray():
    tray = (WHITE_KING, BLACK_KING, *FREE)
    found, position, move, ruleset = plan("russian", "W:Wa7:Bh2", "a7-b8", Tool(crown="swap"), tray)
    assert told(found, ruleset) == ["lift a7", "place b8", "remove b8 to 2", "fetch 0 to b8", "park"]
    assert found.end == position.after(move).contents
    assert found.steps[-1].tray[:3] == (EMPTY, BLACK_KING, WHITE_MAN)


def test_c3_a_second_man_goes_on_top():
    found, position, move, ruleset = plan(
        "russian", "W:Wa7:Bh2", "a7-b8", Tool(crown="stack"), (BLACK_MAN, WHITE_MAN, *FREE)
    )
    assert told(found, ruleset) == ["lift a7", "place b8", "fetch 1 to b8", "park"]
    assert found.steps[-2].what.level == 1
    assert found.end == position.after(move).contents


def test_c4_without_a_spare_king_a_person_crowns_and_play_goes_on():
    found, *_, ruleset = plan("russian", "W:Wa7:Bh2", "a7-b8", Tool(crown="swap"))
    assert told(found, ruleset) == ["lift a7", "place b8", "park"]
    assert found.is_whole
    assert not found.crowned


def test_b6_a_full_tray_is_emptied_by_a_person_before_the_next_capture():
    tray = (WHITE_KING, BLACK_MAN, BLACK_MAN)
    found, *_, ruleset = plan("russian", "W:Wa1:Bb2,d4,h8", "a1:c3:e5", Tool(), tray)
    assert told(found, ruleset) == [
        *("lift a1", "place e5", "park", "ask empty_tray", "remove b2 to 1", "remove d4 to 2", "park")
    ]
    assert found.is_whole


def test_a_tray_of_kings_alone_leaves_the_rest_to_a_person():
    found, *_, ruleset = plan("russian", "W:Wa1:Bb2", "a1:c3", Tool(), (WHITE_KING, WHITE_KING))
    assert told(found, ruleset) == ["lift a1", "place c3", "park", "ask by_hand tray"]
    assert not found.is_whole


def test_c7_a_king_of_two_men_leaves_top_first_into_two_slots():
    found, *_, ruleset = plan("russian", "W:Wa1:BKb2", "a1:c3", Tool(crown="stack"))
    assert told(found, ruleset) == ["lift a1", "place c3", "remove b2 to 0", "remove b2 to 1", "park"]
    assert [step.what.level for step in found.steps[2:4]] == [1, 0]


def test_a_king_of_two_men_is_carried_whole_by_a_tool_that_lifts_two():
    found, *_, ruleset = plan("russian", "W:WKa1:Bh8", "a1-d4", Tool(crown="stack", carries=2))
    assert told(found, ruleset) == ["lift a1", "place d4", "park"]
    found, *_ = plan("russian", "W:WKa1:Bh8", "a1-d4", Tool(crown="stack"))
    assert told(found, ruleset) == ["remove a1 to 0", "lift a1", "place d4", "fetch 0 to d4", "park"]


def test_c8_a_capture_that_ends_where_it_began_only_takes_off():
    ruleset = load_ruleset("russian")
    position = read_fen("W:WKa1:Bb2,b6,f6,e3", ruleset)
    start = position.pieces(position.turn)[0]
    captured = position.pieces(position.turn.other)
    found = plan_move(position, Move(start, (start,), captured), ruleset, FREE, Tool())
    assert [type(step.what) for step in found.steps] == [Remove] * 4 + [Park]
    assert all(step.after[start] is WHITE_KING for step in found.steps)


def test_a_piece_that_stands_where_the_mover_ends_leaves_first():
    ruleset = load_ruleset("turkish")
    position = read_fen("W:WKa1:Ba3,c3", ruleset)
    start, (one, other) = position.pieces(position.turn)[0], position.pieces(position.turn.other)
    found = plan_move(position, Move(start, (one,), (one, other)), ruleset, FREE, Tool())
    assert [type(step.what) for step in found.steps] == [Remove, Lift, Place, Remove, Park]


def test_c9_towers_the_prisoner_first_and_the_tower_on_it():
    ruleset = load_ruleset("towers")
    rules = rules_for(ruleset)
    position, dice = rules.start(), Random(4)
    seen = 0
    while (moves := rules.legal_moves(position)) and seen < 12:
        move = dice.choice(moves)
        found = plan_move(position, move, ruleset, FREE, Tool(carries=8, highest=20))
        if move.is_capture and found.is_whole:
            seen += 1
            assert found.end == position.after(move).contents
            assert isinstance(found.steps[0].what, Lift)
            assert found.steps[0].what.cell == ruleset.geometry.cells[move.captured[-1]]
        position = position.after(move)
    assert seen


def test_c9_a_tower_too_high_to_carry_is_left_to_a_person():
    ruleset = load_ruleset("towers")
    rules, dice = rules_for(ruleset), Random(4)
    position = rules.start()
    found = []
    for _ in range(60):
        moves = rules.legal_moves(position)
        if not moves:
            break
        move = dice.choice(moves)
        found += [plan_move(position, move, ruleset, FREE, Tool(carries=1))]
        position = position.after(move)
    asked = [step.what for plan in found for step in plan.steps if isinstance(step.what, Ask)]
    assert {ask.why for ask in asked} <= {"tower", "stack"}
    assert asked


@pytest.mark.parametrize("crown", ["swap", "stack", "ask"])
@pytest.mark.parametrize("variant", ["international", "russian", "italian", "turkish", "frisian"])
def test_every_step_follows_from_the_one_before_and_ends_as_the_rules_say(variant, crown):
    ruleset = load_ruleset(variant)
    rules, dice = rules_for(ruleset), Random(len(variant))
    position = rules.start()
    for _ in range(120):
        moves = rules.legal_moves(position)
        if not moves:
            break
        move = dice.choice(moves)
        tray = (WHITE_KING, BLACK_KING, WHITE_MAN, BLACK_MAN, *FREE, *FREE)
        found = plan_move(position, move, ruleset, tray, Tool(crown=crown))
        assert found.is_whole
        assert found.start == position.contents
        assert all(one.after == other.before for one, other in pairwise(found.steps))
        after = position.after(move).contents
        ends = [after[s] if s != move.to_square or found.crowned else found.end[s] for s in range(len(after))]
        assert list(found.end) == ends
        position = position.after(move)


def test_what_hands_took_back_to_the_board_is_no_longer_in_the_tray():
    ruleset = load_ruleset("russian")
    start = rules_for(ruleset).start()
    settings = ArmSettings("gcode", Tool(), slots=6, spares=1)
    tray = (WHITE_KING, BLACK_KING, WHITE_MAN, BLACK_MAN, WHITE_MAN, EMPTY)
    assert fitting(tray, settings, start, start) == settings.tray
    gone = next(square for square, piece in enumerate(start.contents) if piece is WHITE_MAN)
    contents = tuple(EMPTY if square == gone else piece for square, piece in enumerate(start.contents))
    later = Position(contents, start.turn)
    assert fitting(tray, settings, start, later) == (WHITE_KING, BLACK_KING, WHITE_MAN, EMPTY, EMPTY, EMPTY)


def test_a_plan_is_gone_on_with_where_the_board_stands():
    found, *_ = plan("russian", "W:Wa1:Bb2,d4,f6", "a1:c3:e5:g7")
    stages = [found.start, *(step.after for step in found.steps)]
    entries = [entry(found, masks_of_position(contents)) for contents in stages]
    # Nothing goes on from a mover that is nowhere: a person has it, or it lies under the table.
    assert entries == [0, None, 2, 3, 4, 6, 6]
    other = list(found.start)
    other[20] = BLACK_MAN if other[20] is EMPTY else EMPTY
    assert entry(found, masks_of_position(tuple(other))) is None


def test_the_longest_capture_is_planned_in_two_ms():
    ruleset = load_ruleset("international")
    fen = "W:WK46:B37,28,19,10"
    position = read_fen(fen, ruleset)
    move = max(rules_for(ruleset).legal_moves(position), key=lambda move: len(move.captured))
    best = math.inf
    for _ in range(20):
        began = time.process_time()
        plan_move(position, move, ruleset, FREE, Tool())
        best = min(best, time.process_time() - began)
    assert len(move.captured) >= 4
    assert best < 0.002


def clearance(way, others):
    """How near a way comes to the middle of any other piece, sampled finely: no code of the search is used."""
    points = [
        (a[0] + (b[0] - a[0]) * n / 50, a[1] + (b[1] - a[1]) * n / 50) for a, b in pairwise(way) for n in range(51)
    ]
    return min((math.dist(point, other) for point in points for other in others), default=math.inf)


@pytest.mark.parametrize("variant", ["international", "turkish"])
def test_b12_pieces_slide_clear_of_every_other_piece(variant):
    ruleset = load_ruleset(variant)
    rules, dice = rules_for(ruleset), Random(2)
    position = rules.start()
    slides = 0
    for _ in range(40):
        moves = rules.legal_moves(position)
        if not moves:
            break
        move = dice.choice(moves)
        found = plan_move(position, move, ruleset, (EMPTY,) * 2 * ruleset.rows, Tool(slides=True, crown="ask"))
        for step in found.steps:
            if isinstance(step.what, Slide):
                slides += 1
                start = step.what.way[0]
                others = [c for c, p in zip(ruleset.geometry.cells, step.before, strict=True) if p is not EMPTY]
                assert clearance(step.what.way, [c for c in others if c != start]) >= 0.75 - 1e-6
        position = position.after(move)
    assert slides > 40


def test_b12_a_piece_that_is_shut_in_has_no_way():
    geometry = load_ruleset("turkish").geometry
    walls = tuple((c, r) for c in (2, 3, 4) for r in (2, 3, 4) if (c, r) != (3, 3))
    assert route((3, 3), (7, 7), walls, 0.75, geometry) is None
    assert route((3, 3), (7, 7), (), 0.75, geometry) == ((3, 3), (7, 7))


def test_kings_of_the_other_side_are_not_taken_for_crowns():
    tray = (BLACK_KING, *FREE)
    found, *_ = plan("russian", "W:Wa7:Bh2", "a7-b8", Tool(crown="swap"), tray)
    assert not found.crowned
