"""Touch-move, where a table plays by it: the first piece touched that can move must move, unless it was adjusted.

A touch is a piece of the side to move that is seen to leave its square. "I adjust" is said before, by the button or on
the page, and holds until the pieces stand again.
"""

from __future__ import annotations

from engine.explain import Violation
from engine.geometry import Square
from station.phases import Turn
from station.state import Session
from station.tracker import Story, differing, expect, squares_in
from station.values import replace

RULE = "touch_move"


def with_touch(session: Session) -> Session:
    """The session that knows which piece was touched first, after one more view."""
    seen = session.memory.seen
    if not session.settings.touch_move or not isinstance(session.phase, Turn) or seen is None:
        return session
    untouched = expect(session.game.position, session.game.ruleset).untouched
    wrong = differing(untouched, seen)
    if not wrong:
        return replace(session, adjusting=session.adjusting and not session.lifted, lifted=False)
    session = replace(session, lifted=True)
    if session.adjusting or session.touched is not None or not session.memory.firm:
        return session
    own = session.game.position.pieces(session.turn)
    gone = [square for square in squares_in(wrong & seen[0]) if square in own]
    movable = {move.from_square for move in session.game.legal_moves}
    return replace(session, touched=gone[0]) if len(gone) == 1 and gone[0] in movable else session


def adjust(session: Session) -> Session:
    """The session in which somebody has said "I adjust"."""
    return replace(session, adjusting=True, lifted=False)


def may_adjust(session: Session) -> bool:
    """Whether saying so means something now: it comes before the touch."""
    return session.settings.touch_move and isinstance(session.phase, Turn) and not session.lifted


def broken_touch(session: Session, story: Story) -> Violation | None:
    """What is wrong with a move of another piece than the one that was touched; None when nothing is."""
    touched: Square | None = session.touched
    if touched is None or story.back or story.moves[0].from_square == touched:
        return None
    legal = tuple(move for move in session.game.legal_moves if move.from_square == touched)
    article = session.game.ruleset.article("touch_move")
    return Violation(RULE, article, story.moves[0], (touched,), legal)
