"""A camera that watches a board, as a function of values: frame by frame, what is seen of it, or why nothing is.

A frame is looked at in steps, each of which may end it: whether it is a picture of this camera and bright enough;
whether something moves or covers the board; whether the camera was pushed; what stands on the squares. Only what two
readings of a board at rest agree on is told, and what flickers on a still board is not told again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.position import Piece
from engine.view import BoardView
from vision.bump import HALF, followed, found_again
from vision.evidence import agree, hidden_squares, view_of
from vision.features import Numbers
from vision.frame import Frame
from vision.ground import ALIKE, CLEAR, EDGE, HAND, Looks, Places, alike, looks, places, small
from vision.height import Eye, eye
from vision.known import WELL_KNOWN, Still, Watching, kinds_of, measured, read_frame
from vision.locate import Image, Points
from vision.model import BoardModel, Sample
from vision.observe import DARK
from vision.reader import judged
from vision.rectify import rectified

APART_MS = 300
"""Two equal readings of a board that has looked the same for at least so long are believed."""
STILL_MS = 150
"""A board is read when nothing has moved over it for so long."""
RESTS_MS = 20_000
"""What covers mostly the edge for so long is something that was put there, and no hand."""
MOVING = 40
"""So many pixels of the small picture that change from frame to frame are a hand or an arm."""
CHANGED = 14
"""Brightness, of 255, by which a pixel must change for that."""
PUSHED = 0.25
"""Where so large a share of the places looks otherwise on a still board, the camera may have been pushed."""
SEEK_MS = 450
"""A board that has been still for so long and looks pushed is sought."""
SEEK_AGAIN_MS = 3000
SEEK_SELDOM_MS = 24_000
"""Then again after so long, and each time after twice as long: it may take a while."""
UNMOVED = 0.94
"""Where half of the places look as much like what they were as this, the camera is where it was."""
COVERED = 0.3
"""Where the pattern of the squares is weaker than this share of what it was, there is no board to be sought."""
DRIFTED = 0.88
"""Places that look less alike than this, in the middle, have shifted by a little."""
MOST_READINGS = 6
"""So many readings of a still board are averaged."""
AGAIN_MS = 2000
"""A board that stays as it is is read again after this time, so that the light is followed."""

DOUBTFUL = 0.1
"""A board teaches nothing where a square is held less probable than this: it is not what is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What was seen of a board until now."""

    corners: Points
    """Where it lies in the picture now."""
    before: Image | None = None
    """The frame before, as vision.ground makes it."""
    accepted: Still | None = None
    """The latest frame that was read, likewise."""
    busy_ms: int = 0
    """When something moved or covered the board last."""
    moving_ms: int = 0
    """When something moved last."""
    clear_ms: int = 0
    """When nothing covered it last."""
    sought_ms: int = -SEEK_AGAIN_MS
    """When the board was sought last."""
    seek_again_ms: int = SEEK_AGAIN_MS
    """It is sought again after so long."""
    pushed: bool = False
    """Whether it lies elsewhere, too far away to go on by itself."""
    readings: tuple[tuple[int, Numbers], ...] = ()
    """Times and probabilities of the readings since then."""
    numbers: Numbers | None = None
    """The measures of the squares in the latest reading."""
    told: BoardView | None = None
    """What was told last of the board at rest."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands on the board."""

    view: BoardView


@dataclass(frozen=True, slots=True)
class Unseen:
    """Why nothing is known of the board now: `picture`, `dark`, `moving`, `hand`, `moved` or `settling`."""

    reason: str
    is_hand: bool = False
    """Whether something like a hand lies over the board, at rest or not; a piece that is drawn over it is none."""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """One frame of a board, where it lies."""

    frame: Frame
    picture: Image
    """The small picture."""
    eye: Eye
    places: Places
    same: NDArray[np.float64]
    """How far each place is what it was."""
    pattern: float
    """How strong the pattern of the squares is, as a share of what it was."""

    @property
    def usual(self) -> float:
        """How far half of the places are what they were."""
        return float(np.median(self.same[self.places.inside]))

    @property
    def share_touched(self) -> float:
        return float((self.same < CLEAR)[self.places.inside].mean())

    @property
    def covered(self) -> NDArray[np.bool_]:
        return self.same < ALIKE


def begun(model: BoardModel) -> Memory:
    """The memory of a camera that has seen nothing yet."""
    return Memory(np.asarray(model.corners, np.float64))


def watch(known: Watching, memory: Memory, frame: Frame) -> tuple[Seen | Unseen, Memory]:
    """What is seen of the board after one more frame."""
    image = frame.image
    if (image.shape[1], image.shape[0]) != known.model.size:
        return Unseen("picture"), memory
    if float(np.percentile(image[::8, ::8].max(axis=2), 95)) < DARK:
        return Unseen("dark"), _busy(memory, frame)
    look = _look(known, memory, frame)
    is_moving = memory.before is None or _moves(memory.before, look.picture)
    clear_ms = frame.at_ms if memory.before is None else memory.clear_ms
    memory = replace(memory, before=look.picture, clear_ms=clear_ms)
    inside, at_ms = look.places.hand(look.same), frame.at_ms
    if is_moving:
        return Unseen("moving", inside is not None), replace(_busy(memory, frame), moving_ms=at_ms)
    # A hand at rest and a man on the board's edge look alike for a while, not for long.
    is_hand = inside is not None and (inside >= HAND or at_ms - memory.clear_ms < RESTS_MS)
    if is_hand or look.share_touched >= PUSHED:
        is_due = at_ms - memory.moving_ms >= SEEK_MS and at_ms - memory.sought_ms >= memory.seek_again_ms
        if not is_due or look.pattern < COVERED or look.usual >= UNMOVED:
            return Unseen("moved" if memory.pushed else "hand", is_hand), _busy(memory, frame)
        again_ms = min(2 * memory.seek_again_ms, SEEK_SELDOM_MS)
        return _sought(known, replace(memory, sought_ms=at_ms, seek_again_ms=again_ms), look)
    clear_ms = at_ms if inside is None else memory.clear_ms
    memory = replace(memory, pushed=False, clear_ms=clear_ms, seek_again_ms=SEEK_AGAIN_MS)
    if look.usual < DRIFTED:
        moved = _followed(known, memory, look)
        if moved is not None:
            memory = _elsewhere(memory, moved)
            look = _look(known, memory, frame)
    return _read(known, memory, look)


def _busy(memory: Memory, frame: Frame) -> Memory:
    return replace(memory, busy_ms=frame.at_ms, readings=())


def _look(known: Watching, memory: Memory, frame: Frame) -> _Look:
    geometry = known.geometry
    board = rectified(frame.image, memory.corners, geometry.columns, geometry.rows)
    picture = small(board)
    where = _eye(known, memory)
    around = places(geometry, where)
    now = looks(picture, around)
    # What is covered looks like none of these: neither as it did a moment ago nor as it did when it was calibrated.
    stills = known.stills if memory.accepted is None else (*known.stills, memory.accepted)
    same = np.max([alike(_looks_of(still, around), now, around) for still in stills], axis=0)
    usual = float(np.median(_looks_of(stills[0], around).deviation))
    return _Look(frame, picture, where, around, same, float(np.median(now.deviation)) / max(usual, 1e-6))


@lru_cache(maxsize=32)
def _looks_of(still: Still, around: Places) -> Looks:
    return looks(still.picture, around)


def _eye(known: Watching, memory: Memory) -> Eye:
    """Where the camera is; rounded, so that small shifts ask for nothing new."""
    model = known.model
    found = eye(memory.corners, model.columns, model.rows, model.width, model.height)
    return Eye(*(round(2 * value) / 2 for value in (found.column, found.row, found.height)))


def _moves(before: Image, now: Image) -> bool:
    changed = cv2.absdiff(before, now).max(axis=2) > CHANGED
    return int(np.count_nonzero(changed[EDGE:-EDGE, EDGE:-EDGE])) >= MOVING


def _sought(known: Watching, memory: Memory, look: _Look) -> tuple[Unseen, Memory]:
    """A board much of which looks otherwise: covered, or elsewhere in the picture."""
    near = _followed(known, memory, look)
    if near is not None:
        memory_there = _elsewhere(memory, near)
        if _look(known, memory_there, look.frame).share_touched < look.share_touched / 2:
            return Unseen("settling"), replace(memory_there, pushed=False)
    model = known.model
    is_likely = look.share_touched >= PUSHED
    again = found_again(look.frame.image, memory.corners, model.columns, model.rows) if is_likely else None
    if again is None:
        return Unseen("moved" if memory.pushed else "hand"), _busy(memory, look.frame)
    corners, by = again
    if by >= HALF:
        return Unseen("moved"), replace(_busy(memory, look.frame), pushed=True)
    there = _elsewhere(memory, corners)
    if _look(known, there, look.frame).share_touched < look.share_touched / 2:
        return Unseen("settling"), replace(there, pushed=False)
    return Unseen("hand"), _busy(memory, look.frame)


def _followed(known: Watching, memory: Memory, look: _Look) -> Points | None:
    model = known.model
    before = model.start if memory.accepted is None else memory.accepted.picture
    return followed(before, look.picture, look.places, memory.corners, model.columns, model.rows)


def _elsewhere(memory: Memory, corners: Points) -> Memory:
    return replace(memory, corners=corners, before=None, readings=())


def _read(known: Watching, memory: Memory, look: _Look) -> tuple[Seen | Unseen, Memory]:
    at_ms = look.frame.at_ms
    if at_ms - memory.busy_ms < STILL_MS:
        return Unseen("settling"), memory
    readings = memory.readings
    is_known = len(readings) >= 2 and readings[-1][0] - readings[0][0] >= APART_MS
    if is_known and memory.told is not None and len(readings) >= MOST_READINGS and at_ms - readings[-1][0] < AGAIN_MS:
        return Seen(memory.told), memory
    numbers = measured(known.model, known.geometry, memory.corners, look.frame.image)
    likely = read_frame(known, numbers, look.picture)
    agreeing = tuple((then_ms, then) for then_ms, then in readings if agree(then, likely))
    # The first still picture is what the last one was in which something moved: that long it has looked like this.
    looks_so_ms = memory.moving_ms if not readings and memory.moving_ms == memory.busy_ms else at_ms
    readings = (*agreeing, (looks_so_ms, likely))[-MOST_READINGS:]
    memory = replace(memory, readings=readings, numbers=numbers)
    if readings[-1][0] - readings[0][0] < APART_MS:
        return Unseen("settling"), memory
    hidden = hidden_squares(known, look.picture, look.places, look.covered)
    view = view_of([reading for _, reading in readings], hidden, memory.told)
    return Seen(view), replace(memory, told=view, accepted=Still(look.picture))


def learned(known: Watching, memory: Memory, contents: tuple[Piece, ...]) -> BoardModel | None:
    """The model with what a position teaches that is known to stand on the board; None where it teaches nothing.

    Networks that are sure of all squares have nothing to learn; a position that is not what is seen is not believed.
    """
    if memory.numbers is None or not memory.readings:
        return None
    kinds = kinds_of(contents)
    squares = np.arange(len(kinds))
    by_networks = judged(known.networks, memory.numbers, known.most)[squares, kinds]
    is_believed = float(memory.readings[-1][1][squares, kinds].min()) >= DOUBTFUL
    if not is_believed or float(by_networks.min()) >= WELL_KNOWN:
        return None
    return known.model.with_sample(Sample(memory.numbers, kinds)).moved(memory.corners)
