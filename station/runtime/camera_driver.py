"""Driver `camera`: a board that a camera watches. What comes over its wire are pictures, packed as in vision.frame."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import ClassVar

from engine.geometry import Geometry
from engine.position import Piece
from engine.view import ANYTHING, BoardView, view_of
from firmware_bridge.driver import NOTHING, Counters, Cues, Device, Output
from vision.camera import lock_command
from vision.frame import UNTOLD, Frame, Metadata, Packet, Unpacker
from vision.known import Watching, watching
from vision.model import BoardModel
from vision.watch import Memory, Seen, Unseen, begun, learned, watch

STALE_MS = 200
"""Pictures older than this are not used."""
LOST_MS = 2000
"""A camera that has sent none for so long is lost."""
WAITS_MS = 15_000
"""After so long without a reading it is said what is in the way."""
LOCK_MS = 5000
"""A camera that takes pictures otherwise than it was calibrated is asked so often to return to that."""
GIVES_IN_MS = 3000
"""One that goes on like that is believed after this time: it cannot be locked."""
LEARN_MS = 60_000
"""No more is learned for so long: it takes a moment."""
DRIFT = 0.08
"""Exposure, gains and lens may differ by so much, as a share, from what was locked."""

PROBLEMS = {
    "uncalibrated": "the camera does not know its board: run `dambord calibrate camera`, or calibrate it on the page",
    "silent": f"the camera has sent no picture for {LOST_MS // 1000} seconds: look at its cable",
    "picture": "the camera sends pictures of another size than when it was calibrated: calibrate it again",
    "dark": "it is too dark for the camera: more light on the board",
    "moved": "the camera or the board was moved: put it back, or say on the camera's page where it is now",
    "hand": "something lies over the board: take it away",
    "moving": "something moves over the board all the time: take it away",
}

NOT_LOCKED = "exposure not locked: the camera does not keep its exposure and white balance, changing light disturbs it"
"""Said of a camera as long as that is so."""


class Driver:
    """Pictures in, views out; a camera has no lamps. No I/O; time is an argument."""

    baud: ClassVar[int] = 0

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None) -> None:
        self._geometry = geometry
        self._home = home or ()
        self._covered = view_of(ANYTHING for _ in geometry.cells)
        self._known: Watching | None = None
        self._memory: Memory | None = None
        self._unpacker = Unpacker()
        self._dropped: Counter[str] = Counter()
        self._frames = 0
        self._latest_ms = 0
        self._online = False
        self._device: Device | None = None
        self._problem = ""
        self._told: BoardView | None = None
        self._is_hand = False
        self._waits_since_ms: int | None = None
        self._drifts_since_ms: int | None = None
        self._gave_in = False
        self._asked_ms: int | None = None
        self._learned_ms: int | None = None

    def recall_model(self, model: BoardModel | None) -> None:
        """Take what is known of the board, None for nothing; ValueError where it is of another size."""
        self._known = None if model is None else watching(model, self._geometry, self._home)
        self._memory = None if model is None else begun(model)
        self._problem, self._told, self._waits_since_ms = "", None, None
        self._drifts_since_ms, self._asked_ms, self._gave_in = None, None, False

    @property
    def is_reading(self) -> bool:
        """Whether the board is seen at rest now."""
        return self._told is not None and self._told != self._covered

    @property
    def model(self) -> BoardModel | None:
        """What is known of the board, and where it lies by now."""
        if self._known is None or self._memory is None:
            return None
        return self._known.model.moved(self._memory.corners)

    def learn(self, contents: tuple[Piece, ...], now_ms: int) -> None:
        """Take what stands on the board, as the game knows it now, to read it better; nothing where that is known."""
        if self._known is None or self._memory is None or not self.is_reading:
            return
        if self._learned_ms is not None and now_ms - self._learned_ms < LEARN_MS:
            return
        model = learned(self._known, self._memory, contents)
        if model is not None:
            self._learned_ms = now_ms
            self._known = watching(model, self._geometry, self._home)

    @property
    def device(self) -> Device | None:
        """The camera; None before its first picture."""
        return self._device

    @property
    def counters(self) -> Counters:
        """Pictures that came, and those that were not used."""
        reasons = self._dropped + self._unpacker.faults
        told = tuple(sorted(reasons.items()))
        return Counters(packets=self._frames, dropped=reasons.total(), by_reason=told, remark=self.remark)

    @property
    def remark(self) -> str:
        """What is to be known of a camera that works; empty for nothing."""
        is_known = self._known is not None and self._device is not None
        return NOT_LOCKED if is_known and (self._gave_in or self._locked == UNTOLD) else ""

    @property
    def _locked(self) -> Metadata:
        return UNTOLD if self._known is None else self._known.model.locked

    @property
    def is_moved(self) -> bool:
        """Whether the board lies elsewhere in the picture, too far away to go on."""
        return self._problem == "moved"

    @property
    def problem(self) -> str | None:
        """Why nothing can be read although pictures come."""
        return PROBLEMS.get(self._problem)

    @property
    def trouble(self) -> str:
        """`camera` when there is a problem; empty for none."""
        return "camera" if self._problem else ""

    def start(self, now_ms: int) -> Output:
        """Wait for the first picture, and have all be taken as it was calibrated."""
        self._dropped += self._unpacker.faults
        self._unpacker, self._online, self._latest_ms, self._told = Unpacker(), False, now_ms, None
        return self._lock(now_ms)

    def _lock(self, now_ms: int) -> Output:
        locked = self._locked
        self._asked_ms = now_ms
        return Output(send=lock_command(locked)) if locked != UNTOLD else NOTHING

    def _drifts(self, frame: Frame, now_ms: int) -> bool:
        """Whether a picture was taken otherwise than it was calibrated, by a camera that may still return to that."""
        if not differs(self._locked, frame.metadata):
            self._drifts_since_ms, self._gave_in = None, False
            return False
        self._dropped["not_locked"] += 1
        since_ms = self._drifts_since_ms
        self._drifts_since_ms = now_ms if since_ms is None else since_ms
        self._gave_in = now_ms - self._drifts_since_ms >= GIVES_IN_MS
        return not self._gave_in

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Look at the newest picture; what came before it is dropped."""
        packets = self._unpacker.feed(data, now_ms)
        if not packets:
            return NOTHING
        self._frames += len(packets)
        self._dropped["overtaken"] += len(packets) - 1
        frame = self._frame(packets[-1], now_ms)
        return NOTHING if frame is None else self._look(frame, now_ms)

    def _frame(self, packet: Packet, now_ms: int) -> Frame | None:
        try:
            frame = packet.frame()
        except ValueError:
            self._dropped["no_picture"] += 1
            return None
        if now_ms - frame.at_ms > STALE_MS:
            self._dropped["stale"] += 1
            return None
        return frame

    def _look(self, frame: Frame, now_ms: int) -> Output:
        self._latest_ms = now_ms
        self._problem = "" if self._problem == "silent" else self._problem
        if self._device is None:
            self._device = Device("camera", "", "", colour=True, identity=False, lamps=False)
        if self._known is None or self._memory is None:
            return self._in_trouble("uncalibrated")
        if self._drifts(frame, now_ms):
            asked_ms = self._asked_ms
            return self._lock(now_ms) if asked_ms is None or now_ms - asked_ms >= LOCK_MS else NOTHING
        seen, self._memory = watch(self._known, self._memory, frame)
        output = self._saw(seen.view) if isinstance(seen, Seen) else self._missed(seen, now_ms)
        was_hand, self._is_hand = self._is_hand, isinstance(seen, Unseen) and seen.is_hand
        return output if self._is_hand is was_hand else replace(output, hand=self._is_hand)

    def _saw(self, view: BoardView) -> Output:
        self._waits_since_ms, self._problem = None, ""
        is_new = view != self._told
        self._told = view
        back, self._online = (None if self._online else True), True
        return Output(views=(view,) if is_new or back else (), online=back)

    def _missed(self, why: Unseen, now_ms: int) -> Output:
        """Nothing is known of a board over which something moves; what lasts is said."""
        if why.reason in {"moved", "picture"}:
            return self._in_trouble(why.reason)
        if why.reason not in PROBLEMS:
            return NOTHING
        since_ms = self._waits_since_ms
        self._waits_since_ms = now_ms if since_ms is None else since_ms
        if since_ms is not None and now_ms - since_ms >= WAITS_MS:
            return self._in_trouble(why.reason)
        if self._problem or self._told == self._covered:
            return NOTHING
        # A camera that was put up while a hand lay over the board is there all the same.
        back, self._online = (None if self._online else True), True
        self._told = self._covered
        return Output(views=(self._covered,), online=back)

    def _in_trouble(self, problem: str) -> Output:
        self._problem, self._told = problem, None
        was_online, self._online = self._online, False
        return Output(online=False) if was_online else NOTHING

    def tick(self, now_ms: int) -> Output:
        """A camera that has sent nothing for long is lost."""
        if not self._online or now_ms - self._latest_ms < LOST_MS:
            return NOTHING
        return self._in_trouble("silent")

    def deadline_ms(self) -> int | None:
        """When the camera is lost unless it sends a picture."""
        return self._latest_ms + LOST_MS if self._online else None

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Nothing: a camera has no lamps."""
        return NOTHING


def differs(locked: Metadata, found: Metadata) -> bool:
    """Whether a picture was taken otherwise than was locked, in anything that both tell."""
    for name in Metadata.__slots__:
        wanted, told = getattr(locked, name), getattr(found, name)
        if wanted is not None and told is not None and abs(told - wanted) > DRIFT * max(abs(wanted), 1e-3):
            return True
    return False
