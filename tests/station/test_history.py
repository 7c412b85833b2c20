"""What a slow board showed of each square, and when, decides between lines of moves."""

from __future__ import annotations

from dataclasses import replace

from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from station.tracker import Turned, read, remember

from .table import see
from .test_tracker import Frames


class Scans(Frames):
    """Frames of a board that reports square by square; `at` is when, in ms after the turn began."""

    def __init__(self, fen, variant="international"):
        super().__init__(variant, fen, plies=4)
        self.context = replace(self.context, ply_ms=150)

    def at(self, at_ms, firm=False, **changes):
        for name, piece in changes.items():
            self.stands[self.square(name)] = piece
        self.context = replace(self.context, now_ms=1000 + at_ms)
        self.memory = remember(self.memory, see(self.stands, "identity", firm=firm), 1000 + at_ms, self.context)
        return read(self.context, self.memory)

    def texts(self, turned):
        return [(self.name(move.from_square), self.name(move.to_square)) for move in turned.story.moves]

    def name(self, square):
        return square + 1


def test_a_king_that_slid_over_a_square_did_not_stop_there():
    """It was seen on 32 and had left it long before Black's king came to 11; it stood on 46 by then."""
    scans = Scans("W:WK5,45:BK44,2")
    scans.at(0, s5=EMPTY)
    scans.at(120, s32=WHITE_KING)
    scans.at(345, s32=EMPTY)
    scans.at(400, s44=EMPTY)
    scans.at(406, s46=WHITE_KING)
    scans.at(765, firm=True)
    scans.at(770, s11=BLACK_KING)
    scans.at(1130, firm=True)
    turned = scans.at(1135, s46=EMPTY)
    assert isinstance(turned, Turned)
    assert scans.texts(turned) == [(5, 46), (44, 11)]


def test_a_piece_taken_again_after_the_reply_began_has_moved():
    """Three quick moves, of which no firm frame came: 27-21, 14-20, and 21x12 on its way."""
    scans = Scans("W:W26,27,40:B17,14,18,7")
    scans.at(0, s27=EMPTY)
    scans.at(360, firm=True)
    scans.at(425, s21=WHITE_MAN)
    scans.at(610, s12=WHITE_MAN)
    scans.at(618, s14=EMPTY)
    scans.at(643, s20=BLACK_MAN)
    scans.at(650, s21=EMPTY)
    turned = scans.at(855, s17=EMPTY)
    assert isinstance(turned, Turned)
    assert scans.texts(turned) == [(27, 21), (14, 20)]


def test_a_piece_knocked_off_and_put_back_after_the_reply_has_moved_all_the_same():
    """Black's reply was seen before White's piece, which had been knocked off; then both stood, and White went on."""
    scans = Scans("W:W20,40:B10,5")
    scans.at(0, s20=EMPTY)
    scans.at(180, s10=EMPTY)
    scans.at(425, s14=BLACK_MAN)
    scans.at(785, firm=True)
    scans.at(2230, s15=WHITE_MAN)
    scans.at(2589, firm=True)
    turned = scans.at(2594, s40=EMPTY)
    assert isinstance(turned, Turned)
    assert scans.texts(turned) == [(20, 15), (10, 14)]


def test_a_king_that_was_sliding_when_the_move_before_it_went_into_the_record_did_not_stop_there_either():
    """The first frame of the turn shows it on 32 already; it comes to 5, and Black's reply is seen long after."""
    scans = Scans("W:WK46,45:BK3,2")
    scans.stands[scans.square("32")] = WHITE_KING
    scans.at(0, s46=EMPTY)
    scans.memory = replace(scans.memory, history=scans.memory.history[-1:])
    scans.at(164, s32=EMPTY)
    scans.at(484, s3=EMPTY)
    scans.at(493, s5=WHITE_KING)
    scans.at(852, firm=True)
    scans.at(959, s9=BLACK_KING)
    turned = scans.at(1168, s5=EMPTY)
    assert isinstance(turned, Turned)
    assert scans.texts(turned) == [(46, 5), (3, 9)]


def test_a_slow_board_tells_of_a_piece_that_moved_on_before_it_tells_of_the_move_between():
    """35-30, 16-21, 30-24 within two scans: 30 is seen to be left 40 ms before 16, which was lifted earlier."""
    scans = Scans("W:W35,40:B16,5")
    scans.at(0, s35=EMPTY)
    scans.at(110, s30=WHITE_MAN)
    scans.at(420, s30=EMPTY)
    scans.at(430, s21=BLACK_MAN)
    scans.at(460, s16=EMPTY)
    turned = scans.at(620, s24=WHITE_MAN)
    assert isinstance(turned, Turned)
    assert scans.texts(turned) == [(35, 30), (16, 21)]
