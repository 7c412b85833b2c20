"""When a DGT-compatible board is told what: handshake, polls and dump requests, one command at a time."""

from __future__ import annotations

from collections import deque

RESET = 0x40
SEND_CLOCK = 0x41
SEND_BOARD = 0x42
SEND_SERIAL = 0x45
SEND_LOG = 0x49
UPDATE_NICE = 0x4B
SEND_BATTERY = 0x4C
SEND_VERSION = 0x4D
SEND_BLACK = 0x50
SEND_LONG_SERIAL = 0x55

OPEN_MS = 500
"""A board behind a USB adapter hears nothing right after the port opens."""
PACE_MS = 100
"""Between two commands: the board's input buffer holds ten bytes."""
QUIET_MS = 250
"""After the last field update, before the board is asked for a dump: longer than one scan."""
RESTLESS_MS = 1500
"""When something moves all the time: a dump, though not a firm one, at least so often."""
DUMP_MS = 500
"""A dump of which no byte has come for so long is asked for again."""
BUSY_DUMP_MS = 2000
"""While other bytes come, a dump is asked for again after so long."""
ASK_MS = 2000
POLL_MS = 1000
SILENCE_MS = 3000
POLLS_PER_BATTERY = 60
"""Every so many polls a board that has a battery is asked how full it is; others do not answer."""
POLLS_PER_CHECK = 3
"""Every so many polls the whole board is looked at: a board that lost its power has also lost its update mode."""


class Schedule:
    """The commands that are due, and whether the board is there; asleep until the first greeting."""

    def __init__(self, quiet_ms: int) -> None:
        self._quiet_ms = quiet_ms
        self._awake = False
        self._commands: deque[int] = deque()
        self._command_ms = 0
        self._ask_ms = 0
        self._byte_ms = 0
        self._poll_ms = 0
        self._polls = 0
        self._answered = True
        self._dump_command = SEND_BOARD
        self._dump_due_ms: int | None = None
        self._dump_asked_ms: int | None = None
        self._disturbed = False
        self._disturbed_ms = 0
        self._restless_ms = 0
        self.online = False
        self.resent = 0

    def open(self, now_ms: int) -> None:
        """The port has been opened: greets the board when it can hear."""
        self._command_ms = now_ms + OPEN_MS - PACE_MS
        self.greet(now_ms + OPEN_MS)

    def greet(self, now_ms: int) -> None:
        """Begins the handshake; the board is offline until `meet`."""
        self._awake = True
        self.online = False
        self._ask_ms = now_ms
        self._answered = True
        self._commands = deque((RESET, SEND_VERSION, SEND_SERIAL, UPDATE_NICE))
        self._dump_command = SEND_BOARD
        self._dump_asked_ms = None
        self._dump_due_ms = now_ms

    def meet(self, now_ms: int) -> None:
        """The board has said who it is and what stands on it."""
        if not self.online:
            self.online = True
            self._poll_ms = now_ms
            self._commands += (SEND_LONG_SERIAL, SEND_CLOCK, SEND_BATTERY)

    def hear(self, now_ms: int) -> None:
        """Bytes have come. After an unanswered poll the board may have restarted and is set up and read anew."""
        self._byte_ms = now_ms
        if self.online and not self._answered:
            self._answered = True
            self._check(now_ms)

    def disturb(self, now_ms: int) -> None:
        """Something changes, or may have changed unheard: a dump on its way is not firm, another one follows."""
        if not self._disturbed:
            self._restless_ms = now_ms
        self._disturbed = True
        self._disturbed_ms = now_ms
        self._dump_due_ms = min(now_ms + self._quiet_ms, self._restless_ms + RESTLESS_MS)

    def ask_again(self, now_ms: int, *, black_squares: bool = False) -> None:
        """Asks for another dump as soon as the pace allows, from now on of the black squares alone if so wished."""
        self._dump_due_ms = now_ms
        if black_squares:
            self._dump_command = SEND_BLACK

    def ask_clock(self) -> None:
        """Asks how the clock stands, before anything else that waits."""
        if SEND_CLOCK not in self._commands:
            self._commands.appendleft(SEND_CLOCK)

    def ask_battery(self) -> None:
        """Asks how full the battery is, after everything else that waits."""
        if SEND_BATTERY not in self._commands:
            self._commands.append(SEND_BATTERY)

    def ask_log(self) -> None:
        """Asks for the log in the board's memory, after everything else that waits."""
        if SEND_LOG not in self._commands:
            self._commands.append(SEND_LOG)

    @property
    def asks_black_squares(self) -> bool:
        """Whether dumps of the black squares alone are asked for."""
        return self._dump_command == SEND_BLACK

    def take_dump(self) -> bool:
        """A dump has come; True when nothing has moved since it was asked for."""
        self._dump_asked_ms = None
        return not self._disturbed

    def is_silent(self, now_ms: int) -> bool:
        """Whether a board that was online has said nothing for too long."""
        return self.online and now_ms >= self._byte_ms + SILENCE_MS

    def is_unanswered(self, now_ms: int) -> bool:
        """Whether it is time to greet a board again that has not answered."""
        return self._awake and not self.online and now_ms >= self._ask_ms + ASK_MS

    def due(self, now_ms: int) -> bytes:
        """The command to be sent now, if there is one: never two at a time."""
        if self.online and now_ms >= self._next_poll_ms():
            self._poll(now_ms)
        if self._dump_asked_ms is not None and now_ms >= self._dump_late_ms(self._dump_asked_ms):
            self._dump_asked_ms = None
            self._dump_due_ms = now_ms
            self.resent += 1
        if now_ms < self._command_ms + PACE_MS:
            return b""
        return self._next_command(now_ms)

    def free_ms(self) -> int:
        """When something else than these commands may be sent."""
        return self._command_ms + PACE_MS

    def note_sent(self, now_ms: int) -> None:
        """Something else has been sent now."""
        self._command_ms = now_ms

    def deadline_ms(self) -> int | None:
        """When something is due, None while asleep."""
        if not self._awake:
            return None
        due = [self._byte_ms + SILENCE_MS, self._next_poll_ms()] if self.online else [self._ask_ms + ASK_MS]
        if self._commands:
            due.append(self._command_ms + PACE_MS)
        if self._dump_asked_ms is not None:
            due.append(self._dump_late_ms(self._dump_asked_ms))
        elif self._dump_due_ms is not None:
            due.append(max(self._dump_due_ms, self._command_ms + PACE_MS))
        return min(due)

    def _next_command(self, now_ms: int) -> bytes:
        dump_is_due = self._dump_due_ms is not None and self._dump_asked_ms is None and now_ms >= self._dump_due_ms
        # A board that sends updates tells what stands on it first: people wait for that, not for its name or clock.
        dump_first = self.online and dump_is_due and UPDATE_NICE not in self._commands
        if self._commands and not dump_first:
            self._command_ms = now_ms
            return bytes((self._commands.popleft(),))
        if not dump_is_due:
            return b""
        self._command_ms = self._dump_asked_ms = now_ms
        self._disturbed = self._disturbed and now_ms < self._disturbed_ms + self._quiet_ms
        self._restless_ms = now_ms
        self._dump_due_ms = self._disturbed_ms + self._quiet_ms if self._disturbed else None
        return bytes((self._dump_command,))

    def _next_poll_ms(self) -> int:
        """When to ask whether the board is there; a dump that is near is the better question, and goes first."""
        due = self._poll_ms + POLL_MS
        if self._dump_asked_ms is not None:
            return max(due, self._dump_late_ms(self._dump_asked_ms))
        return due if self._dump_due_ms is None else max(due, self._dump_due_ms + 1)

    def _dump_late_ms(self, asked_ms: int) -> int:
        """When to ask again: later while bytes come, for a dump may wait behind the board's log, but not for ever."""
        return min(max(asked_ms, self._byte_ms) + DUMP_MS, asked_ms + BUSY_DUMP_MS)

    def _poll(self, now_ms: int) -> None:
        self._poll_ms = now_ms
        self._polls += 1
        self._answered = self._byte_ms >= now_ms - POLL_MS
        self._commands.append(SEND_SERIAL)
        if self._polls % POLLS_PER_CHECK == 0:
            self._check(now_ms)
        if self._polls % POLLS_PER_BATTERY == 0:
            self.ask_battery()

    def _check(self, now_ms: int) -> None:
        """Has the whole board and the clock told anew, and field updates from now on."""
        self._commands += (UPDATE_NICE, SEND_CLOCK)
        if self._dump_due_ms is None and self._dump_asked_ms is None:
            self._dump_due_ms = now_ms
