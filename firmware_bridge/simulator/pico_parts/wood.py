"""The wooden board around a simulated Pico: magnets and hands above, chips and wires below; it knows no firmware.

Hands come as lines on one file descriptor and are answered on another; the command line says which. The fields are
assumptions until somebody measures a board: a man moves a reading by an eighth of the whole range, a king by a quarter.
"""

import random
import select
import sys

import utime

try:
    import config
except Exception:  # the firmware says so; here nothing is wired then
    config = None

REST, SPREAD, RIPPLE = 32768, 900, 60
MAN, KING, FAINT = 8200, 15500, 0.45
CLOSES = 4000
"""The field at which a switch closes."""
BOUNCE_MS = (20, 60)
GAP_MS = 15
TAP_MS, TAP_LOOKS = 80, 30
"""For so long a finger is on a button, and on a busy machine for so many readings of the clock, three or so a scan."""
SETTLE_US = 1
"""So long a multiplexer's output takes to follow; what is read before is what was there before."""
CHANNELS = 16


def _order(which, order):
    rows = []
    for row in range(config.ROWS):
        # The lower left corner is column 0 of the last row.
        parity = {"left": (config.ROWS - 1) % 2, "right": (config.COLUMNS + config.ROWS) % 2}.get(which)
        cells = [
            row * config.COLUMNS + column
            for column in range(config.COLUMNS)
            if parity is None or (column + row) % 2 == parity
        ]
        rows.append(cells[::-1] if order == "snake" and row % 2 else cells)
    return [cell for row in rows for cell in row]


class Wood:
    def __init__(self):
        self._hands = open("/dev/fd/" + sys.argv[2], "rb")  # noqa: SIM115
        self._answers = open("/dev/fd/" + sys.argv[3], "wb")  # noqa: SIM115
        self._poll = select.poll()
        self._poll.register(self._hands, select.POLLIN)
        self._line = b""
        self.levels = {}
        self.buttons = {}
        self.pixels = []
        self.buzzes = 0
        self.fails = False
        self._bounces = True
        self._begun = False
        self._edges = {}
        self._broken = set()
        self._taps = {}
        self._waited_us = 0
        self._settled = {}
        self._latched = ([], [])
        if config is None:
            return
        self._fields = [0] * (config.COLUMNS * config.ROWS)
        self._before = list(self._fields)
        self._rests = [REST + random.randint(-SPREAD, SPREAD) for _ in self._fields]
        self._sensors = _order(config.SENSORS, config.SENSOR_ORDER)
        self._lamps = _order(config.LAMPS, config.LAMP_ORDER)

    # Hands.

    def wait(self):
        """Waits for `begin`: what stands on the board when the power comes stands there before the firmware looks."""
        while config is not None and not self._begun:
            self._poll.poll(-1)
            self.look()

    def look(self):
        """Does what hands have asked for meanwhile."""
        now = utime.ticks_ms()
        for name, (until, looks) in list(self._taps.items()):
            self._taps[name] = (until, looks - 1)
            if utime.ticks_diff(now, until) >= 0 and looks <= 0:
                del self._taps[name]
        while self._poll.poll(0):
            byte = self._hands.read(1)
            if not byte:
                raise SystemExit
            if byte != b"\n":
                self._line += byte
                continue
            words, self._line = self._line.decode().split(), b""
            answer = self._obey(words, now)
            if answer is not None:
                self._answers.write((answer + "\n").encode())

    def _obey(self, words, now):
        name = words[0]
        if name in ("put", "take", "break", "weaken", "stand"):
            cell = int(words[2]) * config.COLUMNS + int(words[1])
        if name == "put":
            self._move(cell, _field(words[3]), now)
        elif name == "stand":
            self._fields[cell] = _field(words[3])
        elif name == "take":
            self._move(cell, 0, now)
        elif name == "break":
            self._broken.add(cell)
        elif name == "begin":
            self._begun = True
        elif name == "fail":
            self.fails = True
        elif name == "steady":
            self._bounces = False
        elif name == "weaken":
            self._fields[cell] = int(self._fields[cell] * FAINT)
        elif name == "press":
            self._taps[words[1]] = (utime.ticks_add(now, TAP_MS), TAP_LOOKS)
        elif name == "hold":
            self.buttons[words[1]] = True
        elif name == "release":
            self.buttons.pop(words[1], None)
        return self._told(name)

    def _told(self, name):
        if name == "lamps":
            return ",".join(self._lit())
        if name == "buzzer":
            return str(self.buzzes)
        if name == "brightness":
            return str(max([max(pixel) for pixel in self.pixels] + [0]))
        if name == "current":
            return str(sum(sum(pixel) for pixel in self.pixels) * 20 // 255)
        return None

    def _move(self, cell, field, now):
        if not self._bounces:
            self._fields[cell] = field
            return
        settled = random.randint(*BOUNCE_MS)
        edges = [0]
        while edges[-1] < settled:
            edges.append(min(settled, edges[-1] + random.randint(1, GAP_MS)))
        if len(edges) % 2 == 0:  # an even number of edges would end where it began
            if edges[-1] - edges[-2] > 1:
                edges.insert(-1, (edges[-1] + edges[-2]) // 2)
            else:
                edges.pop(-2)
        self._before[cell] = self._field_now(cell, now)
        self._fields[cell] = field
        self._edges[cell] = (now, edges)

    def _field_now(self, cell, now):
        moving = self._edges.get(cell)
        if moving is None:
            return self._fields[cell]
        began, edges = moving
        passed = utime.ticks_diff(now, began)
        if passed >= edges[-1]:
            del self._edges[cell]
            return self._fields[cell]
        gone = sum(1 for edge in edges if edge <= passed)
        return self._fields[cell] if gone % 2 else self._before[cell]

    def _felt(self, sensor):
        cell = self._sensors[sensor] if sensor < len(self._sensors) else None
        if cell is None or cell in self._broken:
            return 0
        return self._field_now(cell, utime.ticks_ms()) if self._edges else self._fields[cell]

    # Wires.

    def waited(self, us):
        self._waited_us += us

    def drive(self, pin, level):
        """The Pico drives a pin."""
        before = self.levels.get(pin)
        self.levels[pin] = level
        if level == before:
            return
        if config.SENSING == "hall":
            self._waited_us = 0
        elif pin == config.LOAD_PIN and level == 0:
            self._latch()
        elif pin == config.CLOCK_PIN and level == 1:
            for chain in self._latched:
                if chain:
                    chain.pop(0)

    def _latch(self):
        felt = [self._felt(sensor) for sensor in range(len(self._sensors))]
        if config.TELLS_COLOURS:
            closed = [[field > CLOSES for field in felt], [field < -CLOSES for field in felt]]
        else:
            closed = [[abs(field) > CLOSES for field in felt], []]
        self._latched = [[config.CLOSED if one else 1 - config.CLOSED for one in chain] for chain in closed]

    def sensed(self, pin):
        """The level of a pin that something else drives."""
        for name, wired in config.BUTTONS.items():
            if wired == pin:
                return 0 if self.buttons.get(name) or name in self._taps else 1
        if config.SENSING == "switches" and pin in config.DATA_PINS:
            chain = self._latched[config.DATA_PINS.index(pin)]
            return chain[0] if chain else 0
        return 1

    def measured(self, pin):
        """What the converter reads at a pin."""
        if self._waited_us < SETTLE_US:
            return self._settled.get(pin, 0)
        channel = sum(self.levels.get(line, 0) << bit for bit, line in enumerate(config.SELECT_PINS))
        joined = [
            place
            for place, (out, enable) in enumerate(config.MULTIPLEXERS)
            if out == pin and (enable is None or self.levels.get(enable, 1) == 0)
        ]
        if len(joined) != 1:  # nobody drives the wire, or two do
            return 0
        sensor = joined[0] * CHANNELS + channel
        rest = self._rests[self._sensors[sensor]] if sensor < len(self._sensors) else 0
        sign = 1 if config.WHITE_READS == "high" else -1
        value = rest + sign * self._felt(sensor) + random.randint(-RIPPLE, RIPPLE)
        self._settled[pin] = value = min(65535, max(0, value))
        return value

    # Lamps.

    def _lit(self):
        for place, pixel in enumerate(self.pixels):
            if max(pixel):
                row, column = divmod(self._lamps[place], config.COLUMNS)
                yield "%d %d %s" % (column, row, _role(*pixel))


def _field(piece):
    colour, kind = piece.split("_")
    return (KING if kind == "king" else MAN) * (1 if colour == "white" else -1)


def _role(red, green, blue):
    """Which of the colours in the firmware's README this is."""
    most = max(red, green, blue)
    red, green, blue = red * 100 // most, green * 100 // most, blue * 100 // most
    if min(red, green, blue) > 80:
        return "hint"
    if green == 100:
        return "place" if red + blue == 0 else "none"
    if blue == 100:
        return "path" if red == 0 and green < 50 else "none"
    if green == 0:
        return "remove" if blue == 0 else "wrong" if 40 < blue < 80 else "none"
    return "lift" if blue == 0 and 40 < green < 80 else "none"


WOOD = Wood()
WOOD.wait()
