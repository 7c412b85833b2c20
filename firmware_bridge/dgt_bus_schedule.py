"""When a DGT-compatible board (unofficial) on a shared line is asked what: one question at a time, each answered."""

from __future__ import annotations

from firmware_bridge.dgt_bus_frames import ANSWERS, Ask, Tell, request
from firmware_bridge.dgt_bus_turns import SLACK_MS, given_up_ms
from firmware_bridge.dgt_schedule import ASK_MS, OPEN_MS, QUIET_MS, RESTLESS_MS, SILENCE_MS

POLL_MS = 100
"""From an answer to the next question for changes; on a line with many boards the others' turns come on top."""
CLOCK_MS, NO_CLOCK_MS = 1000, 10_000
"""How often a clock is asked that is there, or that was not; a lever that moves is told among the changes."""
CHECK_MS, APART_MS = 10_000, 250
"""The whole board is asked for about so often; those of a line not all at the same time."""
LOST_IN_A_ROW = 2
"""A board that leaves so many questions unanswered, and then answers, may have been without power."""
SILENT_IN_A_ROW = 3
"""A board is not silent that was not asked so often: on a line with many boards it may wait long for its turn."""


class BusSchedule:
    """The questions to one board, and whether it is there; asleep until the first greeting."""

    def __init__(self) -> None:
        self.address: int | None = None
        self._awake = False
        self._asked: Ask | None = None
        self._sent_ms = 0
        self._byte_ms: int | None = None
        """When the answer that has begun got its last byte."""
        self._greeted_ms = 0
        self._own_ms = 0
        self._is_found = False
        self._version_known = False
        self._is_emptied = False
        """Whether what the board had stored of earlier changes was asked for: it belongs to no game that is known."""
        self._board = Ask.BOARD
        self._board_due_ms: int | None = None
        self._changes = Ask.CHANGES
        self._changes_due_ms = 0
        self._clock_due_ms = 0
        self._misses = 0
        self._disturbed_ms: int | None = None
        """When something moved last that no dump has told of yet."""
        self._restless_ms = 0
        self._asked_restless = False
        self.online = False
        self.resent = 0

    def open(self, now_ms: int) -> None:
        """The port has been opened: greets the board when it can hear."""
        self.greet(now_ms + OPEN_MS)

    def greet(self, now_ms: int) -> None:
        """Begins the handshake; the board is offline until `meet`."""
        self._awake = True
        self.online = self._is_found = self._version_known = self._is_emptied = False
        self._asked = None
        self._greeted_ms = now_ms
        self._misses = 0
        self._board, self._changes = Ask.BOARD, Ask.CHANGES
        self._board_due_ms = self._changes_due_ms = self._clock_due_ms = now_ms
        self._disturbed_ms = None

    def meet(self) -> None:
        """The board has said what stands on it."""
        self.online = True

    def sent(self, now_ms: int) -> None:
        """The question has gone out only now: others had their turn before."""
        if self._asked is not None:
            self._sent_ms = now_ms

    def hear(self, now_ms: int, begun: int | None) -> None:
        """Bytes have come, and `begun` is the board whose answer they leave unfinished."""
        self._byte_ms = now_ms if begun is not None and begun == self.address else None

    def answered(self, tell: Tell, now_ms: int) -> bool:
        """The board itself has answered; whether it is what it was asked."""
        self._own_ms = now_ms
        self._is_found = True
        asked = self._asked
        if asked is None or ANSWERS[asked] != tell:
            return False
        self._asked = None
        if self._misses >= LOST_IN_A_ROW and self._board_due_ms is None:
            self._board_due_ms = now_ms
        self._misses = 0
        match tell:
            case Tell.VERSION:
                self._version_known = True
            case Tell.CHANGES:
                self._changes, self._changes_due_ms = Ask.CHANGES, now_ms + POLL_MS
                self._is_emptied = True
            case Tell.CLOCK:
                self._clock_due_ms = now_ms + NO_CLOCK_MS
            case Tell.BOARD | Tell.BLACK_SQUARES:
                check_ms = now_ms + CHECK_MS + (self.address or 0) % 16 * APART_MS
                self._board_due_ms = check_ms if self._disturbed_ms is None else self._after_rest_ms()
        return True

    def disturb(self, now_ms: int) -> None:
        """Something moves: a dump on its way is not firm, another one follows."""
        if self._disturbed_ms is None:
            self._restless_ms = now_ms
        self._disturbed_ms = now_ms
        self._board_due_ms = self._after_rest_ms()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has moved since the dump was asked for that has come now."""
        return self._disturbed_ms is None and not self._asked_restless

    def ask_board(self, now_ms: int, *, black_squares: bool = False) -> None:
        """Asks for a dump as soon as may be, from now on of the black squares alone if so wished."""
        self._board_due_ms = now_ms
        if black_squares:
            self._board = Ask.BLACK_SQUARES

    @property
    def asks_black_squares(self) -> bool:
        """Whether dumps of the black squares alone are asked for."""
        return self._board is Ask.BLACK_SQUARES

    def ask_clock(self, at_ms: int) -> None:
        """Asks how the clock stands at this time, or before."""
        self._clock_due_ms = min(self._clock_due_ms, at_ms)

    def is_silent(self, now_ms: int) -> bool:
        """Whether a board that was online has said nothing for too long."""
        silent_ms = self._silent_ms()
        return silent_ms is not None and now_ms >= silent_ms

    def is_unanswered(self, now_ms: int) -> bool:
        """Whether it is time to greet a board again that has not answered."""
        return self._awake and not self.online and now_ms >= self._again_ms()

    def due(self, now_ms: int) -> bytes:
        """The question to be sent now, if there is one: never two at a time."""
        if not self._awake or self.address is None or now_ms < self._greeted_ms:
            return b""
        if self._asked is not None:
            if now_ms < self._missed_ms():
                return b""
            self._miss()
        ask = self._next(now_ms)
        if ask is None:
            return b""
        self._asked, self._sent_ms, self._byte_ms = ask, now_ms, None
        if ask is self._board:
            rests_ms = self._disturbed_ms
            self._asked_restless = rests_ms is not None and now_ms < rests_ms + QUIET_MS
            self._disturbed_ms = None if not self._asked_restless else rests_ms
            self._restless_ms = now_ms
        return request(ask, self.address)

    def deadline_ms(self) -> int | None:
        """When something is due, None while asleep."""
        if not self._awake:
            return None
        due = [at_ms for at_ms in (self._silent_ms(),) if at_ms is not None]
        if not self.online:
            due.append(self._again_ms())
        if self.address is None:
            return min(due, default=None)
        if self._asked is not None:
            return min(*due, self._missed_ms()) if due else self._missed_ms()
        return min([*due, *(at_ms for _, at_ms in self._wanted())], default=None)

    def _silent_ms(self) -> int | None:
        """When a board that was online has said nothing for too long; None while it answers."""
        is_doubtful = self.online and self._misses >= SILENT_IN_A_ROW
        return self._own_ms + SILENCE_MS if is_doubtful else None

    def _wanted(self) -> list[tuple[Ask, int]]:
        """What is to be asked, and when, the most urgent first."""
        if not self._is_found:
            return [(Ask.PING, self._greeted_ms)] if self._misses == 0 else []
        if not self._version_known:
            return [(Ask.VERSION, self._greeted_ms)]
        if not self._is_emptied:
            return [(self._changes, self._greeted_ms)]
        board_ms = self._board_due_ms
        board = [] if board_ms is None else [(self._board, board_ms)]
        if not self.online:
            return board
        return [*board, (self._changes, self._changes_due_ms), (Ask.CLOCK, self._clock_due_ms)]

    def _next(self, now_ms: int) -> Ask | None:
        return next((ask for ask, at_ms in self._wanted() if at_ms <= now_ms), None)

    def _miss(self) -> None:
        """An answer has not come, or was spoilt: changes must be repeated, or they are lost."""
        if self._asked is Ask.CHANGES:
            self._changes = Ask.REPEAT
        self._asked = None
        self._misses += 1
        self.resent += self._is_found

    def _missed_ms(self) -> int:
        """When an answer that has not come is given up."""
        assert self._asked is not None
        return given_up_ms(self._asked, self._sent_ms, self._byte_ms) + SLACK_MS

    def _again_ms(self) -> int:
        """When to greet again: a board that has begun to answer is given time."""
        return max(self._greeted_ms, self._own_ms if self._is_found else 0) + ASK_MS

    def _after_rest_ms(self) -> int:
        moved_ms = self._disturbed_ms or 0
        return min(moved_ms + QUIET_MS, self._restless_ms + RESTLESS_MS)
