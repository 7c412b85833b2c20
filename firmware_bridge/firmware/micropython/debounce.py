"""What is steady: cells and buttons change when their sensor has said the same for 30 ms."""

from array import array

import micropython

STEADY_MS = 30
LATE_MS = 12
"""A scan that comes later after the one before counts for no more: nobody looked in between."""


class Debounced:
    """For each of so many places what has been steady; `marks` go with it and are steady for themselves."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.codes, self.marks = bytearray(count), bytearray(count)
        """What a scan says."""
        self.told, self.told_marks = bytearray(count), bytearray(count)
        """What is steady."""
        self._coming, self._coming_marks = bytearray(count), bytearray(count)
        self._since, self._marks_since = array("H", [0] * count), array("H", [0] * count)
        self._last_ms = self._clock_ms = 0
        self.changed = self.marks_changed = False
        """What the last `settle` brought."""

    def begin(self) -> None:
        """What a scan says counts at once: the board has just started."""
        self.told[:] = self.codes
        self.told_marks[:] = self.marks
        self._coming[:] = self.codes
        self._coming_marks[:] = self.marks
        self.changed = self.marks_changed = True

    @micropython.native
    def settle(self, now_ms: int) -> None:
        """Takes the codes and marks of a scan at this time."""
        passed = now_ms - self._last_ms
        self._last_ms = now_ms
        self._clock_ms = now = (self._clock_ms + (passed if passed < LATE_MS else LATE_MS)) & 0xFFFF
        codes, told, coming, since = self.codes, self.told, self._coming, self._since
        marks, told_marks, coming_marks, marks_since = (
            self.marks,
            self.told_marks,
            self._coming_marks,
            self._marks_since,
        )
        changed = marks_changed = False
        for place in range(self.count):
            code = codes[place]
            mark = marks[place] if code else 0
            if mark != coming_marks[place]:
                coming_marks[place] = mark
                marks_since[place] = now
            if code != coming[place]:
                coming[place] = code
                since[place] = now
            elif code != told[place] and (now - since[place]) & 0xFFFF >= STEADY_MS:
                told[place] = code
                changed = True
                if told_marks[place] != mark:
                    told_marks[place] = mark
                    marks_changed = True
            elif code and mark != told_marks[place] and (now - marks_since[place]) & 0xFFFF >= STEADY_MS:
                told_marks[place] = mark
                marks_changed = True
        self.changed, self.marks_changed = changed, marks_changed
