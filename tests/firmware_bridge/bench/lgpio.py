"""Stands where lgpio's compiled module stands, so that rpi-lgpio itself runs on a machine without pins.

Five columns pulled up, five rows; a contact joins row 1 and column 2, a button is down at GPIO 12.
"""

from __future__ import annotations

RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
SET_BIAS_PULL_UP, SET_BIAS_PULL_DOWN, SET_BIAS_DISABLE = 32, 64, 128
GPIO_BUSY = -87
ROWS, COLUMNS, DOWN = (2, 3, 4, 5, 6), (7, 8, 9, 10, 11), {12}
CLOSED = {(3, 9)}


class error(Exception):
    pass


levels: dict[int, int] = {}
pulled: set[int] = set()
claimed: set[int] = set()


def error_text(number):
    return f"error {number}"


def gpiochip_open(chip):
    return 0


def gpiochip_close(chip):
    return 0


def gpio_free(chip, pin):
    if pin not in claimed:
        raise error("GPIO not allocated")
    claimed.discard(pin)
    levels.pop(pin, None)
    pulled.discard(pin)
    return 0


def gpio_claim_input(chip, pin, flags=0):
    claimed.add(pin)
    levels.pop(pin, None)
    pulled.discard(pin)
    if flags & SET_PULL_UP:
        pulled.add(pin)
    return 0


def gpio_claim_output(chip, pin, level=0, flags=0):
    claimed.add(pin)
    pulled.discard(pin)
    levels[pin] = level
    return 0


def gpio_write(chip, pin, level):
    levels[pin] = level
    return 0


def gpio_get_mode(chip, pin):
    return 1 << 9 if pin in levels else 1 << 8 if pin in pulled else 0


def gpio_read(chip, pin):
    if pin in levels:
        return levels[pin]
    is_low = pin in DOWN or any(levels.get(row) == 0 and (row, pin) in CLOSED for row in ROWS)
    return 0 if pin in pulled and is_low else 1
