"""Each story is read from what stands on the board, whatever the sensor tells and in whatever order hands act."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from engine.errors import TooManyCapturesError
from engine.game import new_game
from engine.notation import move_text, read_square
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from engine.view import ANYTHING, view_of
from station.tracker import (
    Ambiguous,
    Astray,
    Back,
    Clearing,
    Context,
    Done,
    Memory,
    Moving,
    Story,
    Turned,
    Untouched,
    after_story,
    differing,
    expect,
    masks_of_position,
    masks_of_view,
    nobody,
    only,
    read,
    read_back,
    read_illegal,
    remember,
    squares_in,
    tells_colour,
)

from .table import KINDS, Table, position_in, see

VARIANTS = variant_names()


class Frames:
    """One position, and the frames seen since it came about."""

    def __init__(self, variant="russian", fen="", kind="identity", plies=1, earlier=None, last=None):
        self.ruleset = load_ruleset(variant)
        self.position = position_in(variant, fen) if fen else rules_for(self.ruleset).start()
        self.kind = kind
        self.context = Context(
            expect(self.position, self.ruleset),
            self.ruleset,
            earlier=expect(earlier, self.ruleset) if earlier else None,
            last=last,
            plies=plies,
        )
        self.memory = Memory()
        self.at_ms = 0
        self.stands = list(self.position.contents)
        self.show()

    def show(self, **changes):
        """Another frame: squares by name, with what stands there now."""
        for name, piece in changes.items():
            self.stands[self.square(name)] = piece
        self.at_ms += 100
        self.memory = remember(self.memory, see(self.stands, self.kind), self.at_ms, self.context)
        return self.reading

    @property
    def reading(self):
        return read(self.context, self.memory)

    def square(self, name):
        return read_square(name.removeprefix("s"), self.ruleset)

    def moves(self, reading):
        legal = rules_for(self.ruleset).legal_moves(self.position)
        return [move_text(move, legal, self.ruleset) for move in reading.moves]


def names(reading, frames):
    return frames.moves(reading)


@pytest.mark.parametrize("kind", KINDS)
def test_a_quiet_move(kind):
    frames = Frames(kind=kind)
    assert frames.reading == Untouched()
    assert names(frames.show(c3=EMPTY), frames) == ["c3-b4", "c3-d4"]
    done = frames.show(d4=WHITE_MAN)
    assert isinstance(done, Done)
    assert done.story.back == 0
    assert names(done.story, frames) == ["c3-d4"]
    assert not done.extendable


@pytest.mark.parametrize("kind", KINDS)
def test_a_piece_looked_at_and_put_back_is_no_move(kind):
    frames = Frames(kind=kind)
    frames.show(c3=EMPTY)
    assert frames.show(c3=WHITE_MAN) == Untouched()


@pytest.mark.parametrize("kind", KINDS)
def test_a_captured_piece_that_still_stands_is_named(kind):
    frames = Frames(fen="W:Wc3:Bd4,h8", kind=kind)
    frames.show(c3=EMPTY)
    left = frames.show(e5=WHITE_MAN)
    assert isinstance(left, Clearing)
    assert left.squares == (frames.square("d4"),)
    assert isinstance(frames.show(d4=EMPTY), Done)


@pytest.mark.parametrize("kind", ["colour", "identity"])
def test_a_piece_of_the_other_colour_is_not_the_mover(kind):
    frames = Frames(kind=kind)
    frames.show(c3=EMPTY)
    assert frames.show(d4=BLACK_MAN) == Astray((frames.square("d4"), frames.square("c3")))


def test_a_king_may_stand_unmarked_and_a_man_that_looks_crowned_is_a_man():
    fen = "W:WKc3:Bh8"
    frames = Frames(fen=fen)
    assert frames.show(c3=WHITE_MAN) == Untouched()
    frames.show(c3=EMPTY)
    assert isinstance(frames.show(a5=WHITE_MAN), Done)
    men = Frames(fen="W:Wc3:Bh8")
    assert men.show(c3=WHITE_KING) == Untouched()
    men.show(c3=EMPTY)
    (story,) = {men.show(d4=WHITE_KING).story}
    assert not story.moves[0].promotes


def test_a_crowned_man_may_be_put_down_as_man_or_king():
    for piece in (WHITE_MAN, WHITE_KING):
        frames = Frames(fen="W:Wc7:Bh2")
        frames.show(c7=EMPTY)
        assert isinstance(frames.show(d8=piece), Done)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        ("russian", "W:Wc3:Bd4,f6,h8"),
        ("english", "B:W18,25,31:B14,1"),
        ("international", "W:W32:B28,19,20,1"),
        ("brazilian", "W:WKa1:Bc3,d6,h8"),
    ],
)
def test_any_order_of_hands_commits_the_move_and_nothing_before(variant, fen, kind):
    """Mover and captured pieces in every order: silence until the last touch, then the one move."""
    position, ruleset = position_in(variant, fen), load_ruleset(variant)
    captures = [move for move in rules_for(ruleset).legal_moves(position) if move.is_capture]
    assert captures
    for move in captures:
        touches = [(move.from_square, EMPTY), (move.to_square, position.after(move).contents[move.to_square])]
        touches += [(square, EMPTY) for square in move.captured]
        for order in permutations(range(len(touches))):
            if order.index(0) > order.index(1):
                continue
            frames = Frames(variant, fen, kind)
            for place, touch in enumerate(order):
                square, piece = touches[touch]
                frames.stands[square] = piece
                reading = frames.show()
                if place + 1 < len(order) and not isinstance(reading, Done):
                    assert isinstance(reading, Moving | Clearing), (order, reading)
            assert reading == Done(Story(0, (move,)), reading.extendable)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_legal_move_is_read_from_its_final_frame(variant):
    rules = rules_for(load_ruleset(variant))
    position = rules.start()
    for ply in range(30):
        legal = rules.legal_moves(position)
        for move in legal:
            context = Context(expect(position, rules.ruleset), rules.ruleset)
            memory = Memory()
            for contents in (position.contents, *passing(position, move), position.after(move).contents):
                memory = remember(memory, see(contents, "occupancy"), memory.since_ms + 1, context)
            reading = read(context, memory)
            if isinstance(reading, Ambiguous):
                # Only where no sensor of this kind can tell the moves apart: nothing is guessed.
                shown = see(position.after(move).contents, "occupancy")
                twins = [other for other in legal if see(position.after(other).contents, "occupancy") == shown]
                assert len(twins) > 1
                assert Story(0, (move,)) in reading.stories
            else:
                assert reading.story == Story(0, (move,))
        position = position.after(legal[(7 * ply) % len(legal)])


def test_a_capture_of_which_not_all_ways_can_be_listed_is_read_all_the_same():
    """A king among so many loose men that it can go over a million ways; the generator lists what they amount to."""
    ruleset = load_ruleset("frisian")
    position = position_in("frisian", "W:WK50:B3,7,10,12,13,14,17,20,21,23,25,30,32,36,38,39,41,43,K47")
    with pytest.raises(TooManyCapturesError):
        rules_for(ruleset).ways(position)
    (move,) = rules_for(ruleset).legal_moves(position)
    context, memory = Context(expect(position, ruleset), ruleset), Memory()
    for contents in (position.contents, *passing(position, move), position.after(move).contents):
        memory = remember(memory, see(contents), memory.since_ms + 1, context)
    assert read(context, memory) == Done(Story(0, (move,)), False)


def test_who_thinks_again_before_the_other_side_acts_has_not_moved_twice():
    """In corners a piece pushed to the next square has made a legal move, and so has one that is put down twice."""
    frames = Frames("corners-eight-directions", "W:Wh7,a1:Bf8,c5", "colour", plies=4)
    frames.context = replace(frames.context, now_ms=2000, ply_ms=400)
    frames.show(h7=EMPTY)
    frames.show(h6=WHITE_MAN)
    frames.show(h6=EMPTY)
    assert isinstance(frames.show(g7=WHITE_MAN, f8=EMPTY, f7=BLACK_MAN), Astray)
    done = frames.show(f7=EMPTY, f8=BLACK_MAN)
    assert isinstance(done, Done)
    assert names(done.story, frames) == ["h7-g7"]


def test_a_piece_that_was_pushed_before_the_move_had_come_is_no_reply():
    """Black's man is pushed to the next square while White's is in the hand: it was there before White had moved."""
    frames = Frames("corners", "W:Wf2,a1:Bg3,h8", "colour", plies=4)
    frames.context = replace(frames.context, now_ms=2000, ply_ms=400)
    frames.show(f2=EMPTY)
    frames.show(g3=EMPTY, f3=BLACK_MAN)
    frames.show(e2=WHITE_MAN)
    assert isinstance(frames.show(e2=EMPTY), Astray)
    frames.show(f1=WHITE_MAN)
    done = frames.show(f3=EMPTY, g3=BLACK_MAN)
    assert isinstance(done, Done)
    assert names(done.story, frames) == ["f2-f1"]


def passing(position, move):
    """Frames while a move is made: what it huffs is off, then its piece in the hand."""
    contents = list(position.contents)
    for square in move.huffed:
        contents[square] = EMPTY
        yield list(contents)
    contents[move.from_square] = EMPTY
    yield contents


def test_a_slide_that_may_go_on_waits_and_a_step_does_not():
    """A king stops where another of its moves passes."""
    frames = Frames(fen="W:WKa1:Bb8,d8")
    frames.show(a1=EMPTY)
    short = frames.show(c3=WHITE_KING)
    assert short.extendable
    assert not frames.show(c3=EMPTY, h8=WHITE_KING).extendable


def test_a_circular_capture_needs_its_piece_to_have_been_lifted():
    """Taking the captured pieces off is not enough where the mover ends on its own square."""
    fen = "W:WKe1:Bd2,b4,b6,d8,f6,f2,c7"
    ruleset, position = load_ruleset("russian"), position_in("russian", "W:WKc1:Bd2,f4,b2,h8")
    circle = next(
        (
            (board, move)
            for board in (position_in("russian", fen), position, *circular_boards())
            for move in rules_for(ruleset).legal_moves(board)
            if move.from_square == move.to_square
        ),
        None,
    )
    assert circle is not None
    board, move = circle
    context, memory = Context(expect(board, ruleset), ruleset), Memory()
    contents = list(board.contents)
    memory = remember(memory, see(contents), 1, context)
    for square in move.captured:
        contents[square] = EMPTY
    memory = remember(memory, see(contents), 2, context)
    assert not isinstance(read(context, memory), Done)
    king, contents[move.from_square] = contents[move.from_square], EMPTY
    memory = remember(memory, see(contents), 3, context)
    contents[move.from_square] = king
    memory = remember(memory, see(contents), 4, context)
    assert read(context, memory).story.moves == (move,)


def circular_boards():
    yield position_in("russian", "W:WKd2:Bc3,c5,e5,e3,h8")
    yield position_in("russian", "W:WKc3:Bd4,d6,f6,f4,h8")


def revisable(kind="identity"):
    """Frames after c3-d4 went into the record, while White may still change it."""
    ruleset = load_ruleset("russian")
    game = new_game(ruleset)
    first = Frames(kind=kind)
    first.show(c3=EMPTY)
    done = first.show(d4=WHITE_MAN)
    after = game.play(done.story.moves[0])
    frames = Frames(kind=kind, earlier=game.position, last=after.moves[-1])
    frames.position = after.position
    frames.context = Context(
        expect(after.position, ruleset), ruleset, expect(game.position, ruleset), after.moves[-1], plies=4
    )
    frames.memory = after_story(first.memory, done.story)
    frames.stands = list(first.stands)
    return frames


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_move_is_changed_to_another(kind):
    frames = revisable(kind)
    assert isinstance(frames.show(d4=EMPTY), Moving)
    changed = frames.show(b4=WHITE_MAN)
    assert isinstance(changed, Done)
    assert changed.story.back == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_move_that_stands_is_not_changed_by_another_piece(kind):
    """Its own squares show what it left: what happens elsewhere is not its mover's second thought."""
    frames = revisable(kind)
    assert isinstance(frames.show(g3=EMPTY), Astray)
    assert isinstance(frames.show(h4=WHITE_MAN), Astray)


@pytest.mark.parametrize("kind", KINDS)
def test_the_reply_closes_the_move_before(kind):
    frames = revisable(kind)
    frames.show(f6=EMPTY)
    frames.show(g5=BLACK_MAN)
    frames.show(d4=EMPTY)
    assert not isinstance(frames.show(b4=WHITE_MAN), Done)


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_side_closes_a_move_by_acting(kind):
    """The next piece is lifted before the frame has settled."""
    frames = Frames(kind=kind, plies=4)
    frames.show(c3=EMPTY)
    frames.show(d4=WHITE_MAN)
    turned = frames.show(f6=EMPTY)
    assert isinstance(turned, Turned)
    assert names(turned.story, frames) == ["c3-d4"]


@pytest.mark.parametrize("kind", ["colour", "identity"])
def test_two_moves_in_one_frame_are_told_apart_by_colour(kind):
    frames = Frames(kind=kind, plies=4)
    turned = frames.show(c3=EMPTY, d4=WHITE_MAN, f6=EMPTY, g5=BLACK_MAN)
    assert isinstance(turned, Turned)
    assert [move.to_square for move in turned.story.moves] == [frames.square("d4")]


def test_orders_that_leave_the_same_board_are_not_guessed():
    """Two moves of White and one of Black in one frame: which of White's was first cannot be told."""
    frames = Frames(plies=4)
    reading = frames.show(c3=EMPTY, d4=WHITE_MAN, b6=EMPTY, a5=BLACK_MAN, g3=EMPTY, f4=WHITE_MAN)
    assert isinstance(reading, Astray)


def test_what_stood_tells_the_order():
    frames = Frames(plies=4)
    frames.show(c3=EMPTY)
    frames.show(d4=WHITE_MAN)
    turned = frames.show(b6=EMPTY, a5=BLACK_MAN, g3=EMPTY, f4=WHITE_MAN)
    assert isinstance(turned, Turned)
    assert [move.to_square for move in turned.story.moves] == [frames.square("d4"), frames.square("a5")]


@pytest.mark.parametrize(("ply_ms", "enough"), [(150, True), (400, False)])
def test_hands_need_their_time(ply_ms, enough):
    """A king slides and a piece beside it is pushed to and fro: too fast for four moves, unless people play blitz."""
    frames = Frames(fen="B:WKb2:BKe1,a7,h2", plies=4)
    frames.context = replace(frames.context, ply_ms=ply_ms)
    for changes in ({"e1": EMPTY, "d2": BLACK_KING}, {"b2": EMPTY}, {"c1": WHITE_KING, "d2": EMPTY, "c3": BLACK_KING}):
        frames.context = replace(frames.context, now_ms=frames.at_ms + 100)
        reading = frames.show(**changes)
    assert isinstance(reading, Turned) is enough


def test_a_line_that_nobody_saw_is_not_believed():
    """White's piece is knocked off beside a move: no chain of moves is made up to explain it."""
    frames = Frames(fen="B:WKh8:Bc3,e3,b8", plies=4)
    frames.show(c3=EMPTY)
    frames.show(d2=BLACK_MAN)
    assert isinstance(frames.show(e3=EMPTY), Astray)


def test_a_captured_piece_that_was_never_seen_is_inferred_from_the_capture():
    """A man is taken before a slow scan came by; only one square of its two can have held it."""
    frames = Frames(fen="B:We3,h2:Bg5,h4,a7", kind="occupancy", plies=4)
    frames.show(g5=EMPTY)
    assert isinstance(frames.show(e3=EMPTY), Astray)
    turned = frames.show(g5=WHITE_MAN)
    assert isinstance(turned, Turned)
    assert [move.to_square for move in turned.story.moves] == [frames.square("f4")]


def test_moves_that_look_alike_are_ambiguous():
    """The squares on which two moves differ cannot be seen."""
    frames = Frames()
    contents = list(frames.position.contents)
    contents[frames.square("c3")] = EMPTY
    hidden = (frames.square("b4"), frames.square("d4"))
    frames.memory = remember(frames.memory, see(contents, unknown=hidden), 500, frames.context)
    reading = frames.reading
    assert isinstance(reading, Ambiguous)
    assert {story.moves[0].to_square for story in reading.stories} == set(hidden)


def test_an_expectation_of_one_move_reads_only_that():
    frames = Frames()
    wanted = rules_for(frames.ruleset).legal_moves(frames.position)[0]
    frames.context = Context(only(frames.context.expected, wanted), frames.ruleset)
    assert [item.move for item in frames.context.expected.candidates] == [wanted]
    assert nobody(frames.context.expected).candidates == ()


def test_any_move_while_nobody_at_the_board_is_to_move_is_astray():
    frames = Frames()
    frames.context = Context(nobody(frames.context.expected), frames.ruleset)
    frames.show(c3=EMPTY)
    assert isinstance(frames.show(d4=WHITE_MAN), Astray)


def game_of(variant, plies):
    game = new_game(load_ruleset(variant))
    for ply in range(plies):
        game = game.play(game.legal_moves[(5 * ply) % len(game.legal_moves)])
    return game


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_earlier_positions_are_recognised_the_latest_first(variant, kind):
    game = game_of(variant, 12)
    for plies in range(1, 13):
        earlier = game.positions[-1 - plies]
        memory = Memory(seen=masks_of_view(see(earlier.contents, kind)))
        back = read_back(game.positions, memory)
        assert isinstance(back, Back)
        assert back.plies <= plies
        shown = masks_of_view(see(game.positions[-1 - back.plies].contents, kind))
        assert not differing(masks_of_position(earlier.contents), shown)


def test_no_earlier_position_is_no_takeback():
    game = game_of("russian", 4)
    memory = Memory(seen=masks_of_view(see([EMPTY] * 32)))
    assert read_back(game.positions, memory) is None
    assert read_back(game.positions, Memory()) is None


def test_a_broken_rule_is_named():
    position = position_in("russian", "W:Wc3,a1:Bd4,h8")
    wrong = Position(position.contents, Side.WHITE)
    contents = list(wrong.contents)
    frames = Frames(fen="W:Wc3,a1:Bd4,h8")
    contents[frames.square("a1")], contents[frames.square("b2")] = EMPTY, WHITE_MAN
    violation = read_illegal(position, frames.ruleset, Memory(seen=masks_of_view(see(contents))))
    assert violation is not None
    assert violation.rule == "must_capture"
    assert violation.squares == (frames.square("c3"),)
    assert read_illegal(position, frames.ruleset, Memory()) is None


def test_views_that_are_not_firm_show_the_way_and_firmness_comes_with_the_same_frame():
    frames = Frames()
    context, contents = frames.context, list(frames.position.contents)
    contents[frames.square("c3")] = EMPTY
    memory = remember(frames.memory, see(contents, firm=False), 300, context)
    assert not memory.firm
    memory = remember(memory, see(contents), 400, context)
    assert memory.firm
    assert memory.since_ms == 300


def test_unknown_squares_explain_anything():
    position = position_in("russian", "W:Wc3:Bh8")
    nothing_known = masks_of_view(view_of([ANYTHING] * 32))
    assert not differing(masks_of_position(position.contents), nothing_known)


def test_masks():
    assert squares_in(0b10110) == (1, 2, 4)
    contents = position_in("russian", "W:Wc3:Bh8").contents
    assert tells_colour(masks_of_view(see(contents, "colour")))
    assert not tells_colour(masks_of_view(see(contents, "occupancy")))


def test_a_forgotten_piece_is_prompted_and_the_move_is_kept_waiting():
    table = Table(fen="W:Wc3,a1:Bd4,h8")
    table.take("c3")
    table.put("e5", WHITE_MAN)
    table.wait(5000)
    assert table.record == []
    assert table.guidance.key == "remove"
    assert table.story == ["prompt: remove"]
    table.take("d4")
    table.wait(500)
    assert table.record == ["c3:e5"]
