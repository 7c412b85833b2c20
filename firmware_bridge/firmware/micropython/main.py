"""Starts the board, and is it for ever. Hold `confirm` down while it starts to stay on the console."""

import io
import sys
from time import ticks_diff, ticks_ms

import settings
from machine import Pin, reset
from port import Serial, Usb
from talk import Complaint, Talk

SCAN_MS = 8
"""How often the sensors are looked at."""
SOON_MS, PAUSE_MS = 60000, 10000
"""A program that has stopped so soon waits so long before it starts anew."""


class Clock:
    """Milliseconds since the start, which the Pico's own counter forgets after 12 days."""

    def __init__(self) -> None:
        self._last, self._now_ms = ticks_ms(), 0

    def now_ms(self) -> int:
        """The time now."""
        ticks = ticks_ms()
        self._now_ms += ticks_diff(ticks, self._last)
        self._last = ticks
        return self._now_ms


def read_config() -> tuple[object, str]:
    """The configuration, and what is wrong with it."""
    try:
        import config
    except Exception as error:
        trace = io.StringIO()
        sys.print_exception(error, trace)
        lines = [line for line in trace.getvalue().split("\n") if "config.py" in line]
        where = lines[-1].split(", in ")[0].replace("File", "").strip() if lines else "config.py"
        return None, "config.py cannot be read: %s: %s (%s)." % (type(error).__name__, error, where.replace('"', ""))
    return config, settings.complaint(config)


def port_of(config: object) -> object:
    """The way to the computer; the USB cable where nothing else is named rightly."""
    uart = getattr(config, "UART", None)
    try:
        return Usb() if uart is None else Serial(*uart)
    except (TypeError, ValueError):
        return Usb()


def is_stopped(config: object) -> bool:
    """Whether somebody holds the confirm button down."""
    pin = config.BUTTONS.get("confirm")
    return pin is not None and Pin(pin, Pin.IN, Pin.PULL_UP)() == 0


def complain(sentence: str, port: object, clock: Clock, until_ms: int | None = None) -> None:
    """Says what is wrong to everybody who asks, until then or for ever."""
    print(sentence)
    complaint = Complaint(sentence, port)
    complaint.say()
    while until_ms is None or clock.now_ms() < until_ms:
        complaint.receive(port.read(1000))


def play(config: object, port: object, clock: Clock) -> None:
    """Is a board for ever."""
    from board import Board

    board = Board(config)
    talk = Talk(board, port)
    talk.start(clock.now_ms())
    scan_ms = 0
    while True:
        data = port.read(max(0, min(scan_ms, talk.due_ms) - clock.now_ms()))
        now_ms = clock.now_ms()
        if data:
            talk.receive(data, now_ms)
        changed = magnets_changed = False
        if now_ms >= scan_ms:
            scan_ms = max(scan_ms + SCAN_MS, now_ms)
            changed, magnets_changed = board.scan(now_ms)
        talk.tick(now_ms, changed, magnets_changed)
        if board.buzzer is not None:
            board.buzzer.tick(now_ms)


def main() -> None:
    """Runs until the power goes."""
    clock = Clock()
    config, sentence = read_config()
    if sentence:
        complain(sentence, port_of(config), clock)
    if is_stopped(config):
        print("confirm is held down: the board does not start. Reset it to play.")
        return
    port = port_of(config)
    try:
        play(config, port, clock)
    except Exception as error:
        sys.print_exception(error)
        sentence = "The board's program has stopped and starts anew: %s: %s." % (type(error).__name__, error)
        # What has failed soon will fail again soon, and every start is written to the flash.
        complain(sentence, port, clock, clock.now_ms() + PAUSE_MS if clock.now_ms() < SOON_MS else 0)
        reset()


main()
