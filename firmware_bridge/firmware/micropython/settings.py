"""What is wrong with config.py, in one sentence; nothing is wrong with it when the sentence is empty."""

CHOICES = {
    "SENSORS": ("every", "left", "right"),
    "LAMPS": ("every", "left", "right"),
    "SENSOR_ORDER": ("rows", "snake"),
    "LAMP_ORDER": ("rows", "snake"),
    "SENSING": ("hall", "switches"),
    "WHITE_READS": ("high", "low"),
    "TELLS_COLOURS": (False, True),
    "TELLS_KINGS": (False, True),
    "CLOSED": (0, 1),
}
NUMBERS = {"COLUMNS": (4, 12), "ROWS": (4, 12), "SETTLE_US": (0, 100), "LAMP_MILLIAMPERES": (160, 10000)}
BUTTONS = ("confirm", "take_back", "new_game", "clock_white", "clock_black", "draw", "resign")
OTHERS = (
    "SELECT_PINS",
    "MULTIPLEXERS",
    "LOAD_PIN",
    "CLOCK_PIN",
    "DATA_PINS",
    "LAMP_PIN",
    "BUTTONS",
    "BUZZER_PIN",
    "UART",
)
PINS = tuple(range(23)) + (26, 27, 28)
MEASURING = (26, 27, 28)
CHANNELS = 16
UART_PINS = {0: ((0, 1), (12, 13), (16, 17)), 1: ((4, 5), (8, 9), (20, 21))}


def complaint(config: object) -> str:
    """The first thing that cannot be, in one sentence with the name, the value, what may stand there; or nothing."""
    try:
        return _names(config) or _values(config) or _wiring(config) or _doubles(config)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        return "config.py has a value of the wrong kind (%s): compare it with the example." % error


def sensors(config: object) -> list[int]:
    """The cells with a sensor, in the order in which they are wired."""
    return cells(config.COLUMNS, config.ROWS, config.SENSORS, config.SENSOR_ORDER)


def lamps(config: object) -> list[int]:
    """The cells with a lamp, in the order of the strip."""
    return cells(config.COLUMNS, config.ROWS, config.LAMPS, config.LAMP_ORDER)


def cells(columns: int, rows: int, which: str, order: str) -> list[int]:
    """These cells of a board, in this order."""
    found = []
    for row in range(rows):
        there = [column for column in range(columns) if _is_among(column, row, rows, which)]
        if order == "snake" and row % 2:
            there.reverse()
        found += [row * columns + column for column in there]
    return found


def _is_among(column: int, row: int, rows: int, which: str) -> bool:
    return which == "every" or (column + rows - 1 - row) % 2 == (0 if which == "left" else 1)


def _names(config: object) -> str:
    known = list(CHOICES) + list(NUMBERS) + list(OTHERS)
    set_here = [name for name in dir(config) if name[0] != "_" and name.upper() == name]
    for name in set_here:
        if name not in known:
            near = max(known, key=lambda other: _likeness(name, other))
            return "config.py sets %s, which nobody knows: is it meant to be %s?" % (name, near)
    for name in known:
        if name not in set_here:
            return "config.py does not set %s: put it back as in the example." % name
    return ""


def _likeness(name: str, other: str) -> int:
    common = sum(1 for at in range(len(name) - 1) if name[at : at + 2] in other)
    return 2 * common - abs(len(name) - len(other))


def _values(config: object) -> str:
    for name, choices in CHOICES.items():
        if getattr(config, name) not in choices:
            return "%s = %r: expected %s." % (name, getattr(config, name), " or ".join(repr(one) for one in choices))
    for name, (least, most) in NUMBERS.items():
        value = getattr(config, name)
        if not isinstance(value, int) or not least <= value <= most:
            return "%s = %r: expected a number from %d to %d." % (name, value, least, most)
    for name in config.BUTTONS:
        if name not in BUTTONS:
            return "BUTTONS has %r: expected %s." % (name, ", ".join(BUTTONS))
    return ""


def _wiring(config: object) -> str:
    count = len(sensors(config))
    return (_halls(config, count) if config.SENSING == "hall" else _switches(config)) or _uart(config)


def _halls(config: object, count: int) -> str:
    if len(config.SELECT_PINS) != 4:
        return "SELECT_PINS has %d pins: a CD74HC4067 has four of them, S0 to S3." % len(config.SELECT_PINS)
    room = CHANNELS * len(config.MULTIPLEXERS)
    if room < count:
        need = (count + CHANNELS - 1) // CHANNELS
        return "MULTIPLEXERS has %d, room for %d sensors: %d sensors need %d." % (
            len(config.MULTIPLEXERS),
            room,
            count,
            need,
        )
    measuring = [pair[0] for pair in config.MULTIPLEXERS]
    for pin, enable in config.MULTIPLEXERS:
        if pin not in MEASURING:
            return "MULTIPLEXERS measures at pin %r: only 26, 27 and 28 can." % (pin,)
        if enable is None and measuring.count(pin) > 1:
            return "MULTIPLEXERS share pin %d: each of them needs an enable pin of its own." % pin
    if config.TELLS_KINGS and not config.TELLS_COLOURS:
        return "TELLS_KINGS = True needs TELLS_COLOURS = True."
    return ""


def _switches(config: object) -> str:
    chains = 2 if config.TELLS_COLOURS else 1
    if len(config.DATA_PINS) != chains:
        return "DATA_PINS has %d pins: expected %d with TELLS_COLOURS = %s." % (
            len(config.DATA_PINS),
            chains,
            config.TELLS_COLOURS,
        )
    return "TELLS_KINGS = True needs linear hall sensors: SENSING = 'hall'." if config.TELLS_KINGS else ""


def _uart(config: object) -> str:
    if config.UART is None:
        return ""
    number, send, receive = config.UART
    if (send, receive) in UART_PINS.get(number, ()):
        return ""
    pairs = ", ".join("(%d, %d, %d)" % (one, tx, rx) for one in (0, 1) for tx, rx in UART_PINS[one])
    return "UART = %r: expected None or one of %s." % (config.UART, pairs)


def _doubles(config: object) -> str:
    seen = {}
    for name, pin in _pins(config):
        if pin not in PINS:
            return "%s uses pin %r: a Pico has 0 to 22 and 26 to 28." % (name, pin)
        if pin in seen:
            return "%s and %s both use pin %d: give each a pin of its own." % (seen[pin], name, pin)
        seen[pin] = name
    return ""


def _pins(config: object) -> list[tuple[str, int]]:
    """(name, pin) of every wire; a measuring pin that multiplexers share comes once."""
    if config.SENSING == "hall":
        found = [("SELECT_PINS", pin) for pin in config.SELECT_PINS]
        found += [("MULTIPLEXERS", pin) for pin in {pair[0] for pair in config.MULTIPLEXERS}]
        found += [("MULTIPLEXERS enable", pair[1]) for pair in config.MULTIPLEXERS if pair[1] is not None]
    else:
        found = [("LOAD_PIN", config.LOAD_PIN), ("CLOCK_PIN", config.CLOCK_PIN)]
        found += [("DATA_PINS", pin) for pin in config.DATA_PINS]
    found += [(name, getattr(config, name)) for name in ("LAMP_PIN", "BUZZER_PIN") if getattr(config, name) is not None]
    found += [("BUTTONS[%r]" % name, pin) for name, pin in config.BUTTONS.items()]
    found += [("UART", pin) for pin in config.UART[1:]] if config.UART is not None else []
    return found
