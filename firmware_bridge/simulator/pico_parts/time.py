"""The Pico's clock: that of this machine; hands move whenever it is read, and waits for a wire take no time."""

from utime import *  # noqa: F403

import utime


def ticks_ms():
    from wood import WOOD

    WOOD.look()
    return utime.ticks_ms()


def sleep_us(us):
    from wood import WOOD

    WOOD.waited(us)
