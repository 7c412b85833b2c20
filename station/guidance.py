"""What people are shown: one cue set and one prompt, always the single next thing to do; a function of the session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.game import Outcome
from engine.geometry import Square
from engine.notation import full_move_text, move_text, square_name
from engine.position import (
    BLACK_MAN,
    CONTENTS,
    EMPTY,
    WHITE_MAN,
    Move,
    Position,
    Side,
    is_king,
)
from engine.problem_sets import Problem
from engine.view import BLACK, WHITE, BoardView
from firmware_bridge.driver import Cues, Role
from station import endings_by_hand as by_hand
from station import keeping_time
from station.alternatives import lit, story_text
from station.arm_prompts import arm_prompt, has_stacked, stacks_kings
from station.breaking import SHOWN, sentence
from station.composing import composed, what_is_wrong
from station.crowning import is_being_crowned
from station.inviting import invited
from station.leading_back import distance, names_of, nearest_target, next_thing
from station.phases import Answering, Composing, Over, Paused, SettingUp, Turn, Waiting
from station.solving import problem_of
from station.state import Session, context_of
from station.swept import asks_to_resume, is_swept
from station.tracker import (
    Ambiguous,
    Astray,
    Clearing,
    Done,
    Moving,
    Turned,
    Untouched,
    differing,
    expect,
    kinds_left_open,
    masks_of_position,
    masks_of_view,
    only,
    squares_in,
    standing_stories,
)

AT_ONCE = 4
"""At most so many squares are lit."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """Lit squares, and one sentence under a key that programs can rely on."""

    cues: Cues
    key: str
    sentence: str


def guide(session: Session) -> Guidance:
    """The next thing to do, from any state."""
    match session.phase:
        case Paused(reason="device"):
            return _say(session, "searching" if session.device is None and not session.problem else "lost")
        case Paused():
            return _say(session, "paused")
        case SettingUp(target=target):
            return _with_arm(session, _set_up(session, target))
        case Composing() as phase:
            return _composing(session, phase)
        case Over(outcome=outcome):
            return _over(session, outcome)
        case Turn() | Waiting() | Answering():
            return _in_play(session)


def _in_play(session: Session) -> Guidance:
    return _with_arm(session, _by_hand(session))


def _with_arm(session: Session, ordinary: Guidance) -> Guidance:
    told = arm_prompt(session)
    if told is None:
        return ordinary
    key, words = told
    return _say(session, key, ordinary.cues, (), next=ordinary.sentence, **words)


def _by_hand(session: Session) -> Guidance:
    if by_hand.is_resigning(session):
        seconds = str(by_hand.RESIGN_WITHIN_MS // 1000)
        return _say(session, "resign_again", side=_side(session, by_hand.speaker(session)), seconds=seconds)
    if is_being_crowned(session):
        return _waiting_for(session)
    pace, quiet = session.settings.pace, session.quiet_ms()
    if session.at_ms < session.ready_until_ms and isinstance(session.reading, Untouched):
        return _ready(session)
    if session.broken is not None:
        return _illegal(session)
    if session.asked and not isinstance(session.reading, Ambiguous):
        return _which(session)
    match session.reading:
        case Clearing(move=move, squares=squares) if not isinstance(session.phase, Answering):
            if quiet >= pace.forgot:
                return _say(session, "remove", [(square, Role.REMOVE) for square in squares], squares=squares)
            return _moving(session, (move,))
        case Moving(moves=moves) if not isinstance(session.phase, Answering):
            return _continue(session, moves) if quiet >= pace.go_on else _moving(session, moves)
        case Done(story=story, contradicted=True) if quiet >= pace.go_on:
            return _say(session, "confirm", move=full_move_text(story.moves[-1], session.game.ruleset))
        case Done(story=story) | Turned(story=story):
            return _finished(session, story.moves[-1])
        case Ambiguous() if quiet >= pace.extended:
            return _which(session)
        case Astray(squares=squares) if quiet >= _patience(session):
            return _astray(session, squares)
    return _waiting_for(session)


def _which(session: Session) -> Guidance:
    stories = session.alike
    pointed = session.pointed % len(stories)
    text = story_text(stories[pointed], session.game.ruleset)
    return _say(session, "which", lit(stories, pointed), moves="; ".join(choices(session)), move=text)


def _patience(session: Session) -> int:
    """How long a board is quiet before it is spoken about: once that was done, whoever mends it is led on at once."""
    pace = session.settings.pace
    if session.led:
        return 0
    return min(1000, pace.illegal) if isinstance(session.phase, Answering) else pace.illegal


def _waiting_for(session: Session) -> Guidance:
    if isinstance(session.phase, Answering) and session.at_ms >= session.phase.shown_ms:
        return _reply(session, session.phase.move)
    side = _side(session, session.turn)
    # A king where a man belongs misleads; a king without its crown is known to whoever made it.
    king, man = _overcrowned(session), _uncrowned(session)
    if king is not None:
        return _say(session, "uncrown", [(king, Role.HINT)], square=square_name(king, session.game.ruleset), side=side)
    if man is not None:
        cues, name = [(man, Role.HINT)], square_name(man, session.game.ruleset)
        return _say(session, "crown_look" if has_stacked(session) else "crown", cues, square=name, side=side)
    if session.offer is not None:
        return _say(session, "draw_offered", side=side, by=_side(session, session.offer))
    if session.claim is not None:
        return _say(session, "draw_claimable", side=side, reason=reason_text(session, session.claim))
    if session.hint is not None and isinstance(session.phase, Turn):
        return _hint(session, session.hint)
    found = problem_of(session)
    if found is not None and isinstance(session.phase, Turn):
        return _problem(session, found)
    if session.corrected and session.memory.changed_ms <= session.turn_began_ms:
        corrected = full_move_text(session.game.moves[-1], session.game.ruleset)
        return _say(session, "corrected", move=corrected, side=side)
    if beginners := invited(session):
        return _say(session, "invite", _hints(beginners), side=side)
    return _say(session, "turn" if isinstance(session.phase, Turn) else "thinking", side=side)


def _hint(session: Session, hint: Move) -> Guidance:
    ruleset, side = session.game.ruleset, _side(session, session.turn)
    if not session.is_hint_whole:
        square = square_name(hint.from_square, ruleset)
        return _say(session, "hint_piece", _hints((hint.from_square,)), square=square)
    return _say(
        session, "hint", _hints((hint.from_square, hint.to_square)), move=full_move_text(hint, ruleset), side=side
    )


def _problem(session: Session, found: Problem) -> Guidance:
    """What is to be found, or that it was not."""
    number, side = str(found.number), _side(session, found.solver)
    if found.follows(session.game):
        return _say(session, "problem", number=number, side=side)
    last = session.game.moves[-1]
    cues = [(last.to_square, Role.LIFT), (last.from_square, Role.PLACE)] if last.from_square != last.to_square else []
    return _say(session, "problem_wrong", cues, number=number)


def _uncrowned(session: Session) -> Square | None:
    """A king that the board shows as a man, or that has just been made and not been touched since."""
    view, game = session.memory.view, session.game
    if view is None or not isinstance(session.reading, Untouched):
        return None
    for square in () if stacks_kings(session) else _ruled_out(view, game.position):
        if is_king(game.position.contents[square]):
            return square
    new, untouched = session.new_king, session.memory.changed_ms <= session.turn_began_ms
    is_told = new is not None and _tells_kings(view, new) and not stacks_kings(session)
    return new if untouched and not is_told else None


def _overcrowned(session: Session) -> Square | None:
    """A man that the board shows as a king."""
    view, contents = session.memory.view, session.game.position.contents
    if view is None or not isinstance(session.reading, Untouched):
        return None
    return next((square for square in _ruled_out(view, session.game.position) if contents[square] in _MEN), None)


_MEN = (WHITE_MAN, BLACK_MAN)


def _ruled_out(view: BoardView, standing: Position) -> tuple[Square, ...]:
    """Where a view tells men from kings, the squares on which it rules out the very piece of a position."""
    seen = masks_of_view(view)
    if seen == kinds_left_open(seen):
        return ()
    empty, white, white_kings, black, black_kings = masks_of_position(standing.contents)
    exactly = (empty, white & ~white_kings, white_kings, black & ~black_kings, black_kings)
    return squares_in(differing(exactly, seen))


def _tells_kings(view: BoardView, square: Square) -> bool:
    return view.possible(square) in CONTENTS


def _reply(session: Session, move: Move) -> Guidance:
    start, end, memory = move.from_square, move.to_square, session.memory
    lifted = bool(memory.been[0][0] >> start & 1)
    arrived = _stands(session, end) and (lifted if start == end else not _stands(session, start))
    taken = _still_to_take(session, move, arrived)
    remove = [(square, Role.REMOVE) for square in taken]
    if arrived and taken:
        return _say(session, "reply_remove", remove, squares=taken)
    both = start != end and _stands(session, start) and _stands(session, end)
    amiss = both or (arrived and not isinstance(session.reading, Done))
    if amiss and session.quiet_ms() >= _patience(session):
        return _differs(session)
    cues: list[tuple[Square, Role]] = []
    if not arrived and not both:
        cues += [(start, Role.LIFT)] if _stands(session, start) else []
        cues += [(end, Role.PLACE)] if not _stands(session, end) else []
        cues += remove
        cues += [(square, Role.PATH) for square in dict.fromkeys(move.path[:-1]) if square not in {start, end}]
    text = move_text(move, session.game.legal_moves, session.game.ruleset)
    return _say(session, "settling" if arrived else "reply", cues, move=text, side=_side(session, session.turn))


def _still_to_take(session: Session, move: Move, arrived: bool) -> tuple[Square, ...]:
    """Squares of a shown move where a piece is to come off; of a tower that looks the same after, until it is made."""
    seen, expectation = session.memory.seen, expect(session.game.position, session.game.ruleset)
    candidates = only(expectation, move).candidates
    if seen is None or not candidates:
        return ()
    undone = differing(candidates[0].final, seen)
    touched = differing(expectation.untouched, seen)
    return tuple(
        square
        for square in dict.fromkeys(move.huffed + move.captured)
        if undone >> square & 1 or (not arrived and _stands(session, square) and not touched >> square & 1)
    )


def _stands(session: Session, square: Square) -> bool:
    """Whether something is seen to stand on a square."""
    seen = session.memory.seen
    return seen is not None and not seen[0] >> square & 1


def _moving(session: Session, moves: tuple[Move, ...]) -> Guidance:
    side = session.turn.other if _changes_the_last(session, moves[0]) else session.turn
    if len(moves) > 1 and all(move.is_capture for move in moves):
        return _say(session, "capturing", moves=_texts(session, moves[:SHOWN]), side=_side(session, side))
    return _say(session, "moving", side=_side(session, side))


def _changes_the_last(session: Session, move: Move) -> bool:
    """Whether a move under way is another one instead of the last in the record: its piece has left that square."""
    return move.from_square not in session.game.position.pieces(session.turn)


def _continue(session: Session, moves: tuple[Move, ...]) -> Guidance:
    """For moves that rest half-way: the piece waits on its way, is in the hand, or other squares have changed."""
    seen = session.memory.seen
    standing = standing_stories(context_of(session), seen) if seen else ()
    if len(standing) == 1:
        return _say(session, "confirm", move=full_move_text(standing[0].moves[0], session.game.ruleset))
    parked = [
        (move, place)
        for move in moves
        for place, square in enumerate(move.path[:-1])
        if _stands(session, square) and not _stands(session, move.from_square)
    ]
    if parked:
        cues = {move.path[place + 1]: Role.PATH for move, place in parked}
        return _say(session, "continue", list(cues.items()), moves=_texts(session, tuple(move for move, _ in parked)))
    ended = [move for move in moves if _stands(session, move.to_square) and not _stands(session, move.from_square)]
    if len(ended) > 1 and len({move.to_square for move in ended}) == 1:
        return _which_taken(session, ended)
    start = moves[0].from_square
    if not _stands(session, start) and not any(_stands(session, move.to_square) for move in moves):
        back = session.game.moves[-1].to_square if _changes_the_last(session, moves[0]) else start
        return _say(session, "put_down", [(back, Role.HINT)])
    return _differs(session)


def _which_taken(session: Session, moves: list[Move]) -> Guidance:
    """For captures with the same ends: what only the first takes and what only the others take, in two colours."""
    by_all = set.intersection(*(set(move.captured) for move in moves))
    sets = [tuple(square for square in move.captured if square not in by_all) for move in moves]
    cues = {square: Role.HINT for squares in sets[1:] for square in squares}
    cues |= dict.fromkeys(sets[0], Role.REMOVE)
    named = [", ".join(square_name(square, session.game.ruleset) for square in squares) for squares in sets]
    return _say(session, "which_taken", list(cues.items()), sets=" / ".join(named))


def _finished(session: Session, move: Move) -> Guidance:
    pace = session.settings.pace
    asked_after_ms = pace.quick if keeping_time.is_pressed(session) else pace.extended
    if keeping_time.waits_for_a_press(session) and session.quiet_ms() >= asked_after_ms:
        return _say(session, "confirm", move=full_move_text(move, session.game.ruleset))
    if isinstance(session.phase, Answering):
        return _waiting_for(session)
    return _moving(session, (move,)) if move.from_square != move.to_square else _waiting_for(session)


def _illegal(session: Session) -> Guidance:
    assert session.broken is not None
    cues, action = next_thing(session, nearest_target(session))
    hints = [(square, Role.HINT) for square in session.broken.squares if square not in dict(cues)]
    reason = illegal_sentence(session)
    return _say(session, "illegal", [*cues, *hints], reason=reason, next=action[:1].upper() + action[1:])


def illegal_sentence(session: Session) -> str:
    """The sentence that says which rule is broken, and what is legal instead."""
    assert session.broken is not None
    view = session.memory.view
    return sentence(session.texts, session.broken, session.game.ruleset, stray=view.stray if view else ())


def _astray(session: Session, squares: tuple[Square, ...]) -> Guidance:
    if asks_to_resume(session) and session.quiet_ms() >= session.settings.pace.illegal:
        return _resume(session)
    if is_swept(session, squares) and session.quiet_ms() < session.settings.pace.start_again:
        return _say(session, "cleared")
    return _differs(session)


def _resume(session: Session) -> Guidance:
    """The game that was kept: its last move is lit, and named."""
    game, last = session.game, session.game.moves[-1]
    count, text = str(game.ply - session.drawn_plies), full_move_text(last, game.ruleset)
    return _say(session, "resume", _hints((last.from_square, last.to_square)), count=count, move=text)


def _differs(session: Session) -> Guidance:
    cues, action = next_thing(session, nearest_target(session))
    return _say(session, "differs", cues, next=action)


def _set_up(session: Session, target: Position) -> Guidance:
    seen = session.memory.seen
    if seen is None:
        return _say(session, "searching")
    left = distance(target, seen)
    if not left:
        return _ready(session)
    count = str(left)
    if session.opening and not session.started:
        cues, action = next_thing(session, _next_drawn(session) or target)
        return _say(session, "set_up_opening", cues, opening=session.opening, count=count, next=action)
    cues, action = next_thing(session, target)
    return _say(session, "set_up" if session.started else "set_up_start", cues, count=count, next=action)


def _ready(session: Session) -> Guidance:
    """The board stands as it should: its pieces are lit for a moment."""
    own = session.game.position.pieces(session.turn)
    return _say(session, "ready", _hints(own), side=_side(session, session.turn))


def _composing(session: Session, phase: Composing) -> Guidance:
    """The step of a set-up by hand; what the earlier steps and this one have laid is counted and lit."""
    if asks_to_resume(session):
        return _resume(session)
    laid = composed(session, phase)
    standing = [square for square, piece in enumerate(laid) if piece is not EMPTY]
    if phase.step == "turn":
        wrong = what_is_wrong(session, phase)
        if wrong is not None:
            return _say(session, "compose_fault", [(square, Role.WRONG) for square in wrong[1]], reason=wrong[0])
        own = [square for square in standing if laid[square] & (WHITE if phase.turn is Side.WHITE else BLACK)]
        return _say(session, "compose_turn", _hints(own), side=_side(session, phase.turn))
    if phase.step == "kings":
        kings = tuple(square for square in standing if is_king(laid[square]))
        return _say(session, "compose_kings", _hints(kings), squares=kings)
    if phase.step == "clear":
        count = str(sum(1 for piece in laid if piece is not EMPTY))
        return _say(session, "compose_clear", [(square, Role.REMOVE) for square in standing], count=count)
    new = [square for square in standing if laid[square] is not phase.laid[square]]
    if not phase.asked and not standing:
        return _say(session, "compose_empty")
    if phase.step == "pieces":
        return _say(session, "compose_pieces", count=str(len(standing)))
    kind = session.texts.say(f"pieces.{phase.step}")
    return _say(session, "compose_kind", pieces=kind, count=str(len(new)))


def _hints(squares: Iterable[Square]) -> list[tuple[Square, Role]]:
    return [(square, Role.HINT) for square in squares]


def _next_drawn(session: Session) -> Position | None:
    """What the next drawn move leaves, where the board shows a position of the opening or that move under way."""
    game, seen = session.game, session.memory.seen
    if seen is None:
        return None
    drawn = list(enumerate(game.moves[: session.drawn_plies]))
    amiss = [set(squares_in(differing(expect(game.positions[ply], game.ruleset).untouched, seen))) for ply, _ in drawn]
    standing = [ply for ply, _ in drawn if not amiss[ply]]
    begun = [ply for ply, move in drawn if amiss[ply] <= {move.from_square, move.to_square, *move.captured}]
    return game.positions[max(standing or begun) + 1] if begun else None


def _over(session: Session, outcome: Outcome) -> Guidance:
    result = session.texts.say("over." + ("draw" if outcome.winner is None else str(outcome.winner)))
    return _say(session, "over", result=result, reason=reason_text(session, outcome))


def reason_text(session: Session, outcome: Outcome) -> str:
    """Why a game ended, in the player's language; a rule of draws with its article."""
    known = session.texts.sentences.get(f"reason.{outcome.reason}")
    if known:
        return known
    return session.texts.say("reason.rule", name=outcome.reason, article=outcome.article)


def choices(session: Session) -> tuple[str, ...]:
    """The moves that a person is asked to choose from, in the order in which they are numbered."""
    return tuple(story_text(story, session.game.ruleset) for story in session.alike)


def _texts(session: Session, moves: tuple[Move, ...]) -> str:
    return ", ".join(dict.fromkeys(full_move_text(move, session.game.ruleset) for move in moves))


def _side(session: Session, side: Side) -> str:
    return session.texts.say(f"side.{side}")


def _say(
    session: Session,
    key: str,
    cues: list[tuple[Square, Role]] | Cues = (),
    squares: tuple[Square, ...] = (),
    **values: str,
) -> Guidance:
    sentence = session.texts.say(f"prompt.{key}", squares=names_of(session, *squares), **values)
    return Guidance(tuple(cues[:AT_ONCE]), key, sentence)
