"""How this board is built and what hangs on which pin of the Pico. The only file to change.

Pins are GP numbers (GP2 is 2, not the number of the leg). Free to use: 0 to 22 and 26 to 28; only 26, 27 and 28 can
measure a voltage. A value that cannot be is named in one sentence, on the page and on the console at the start.
"""

# --- The board -------------------------------------------------------------------------------------------------------
# Columns and rows as White sees them: 8 x 8, 10 x 10 or 10 x 8 (columns first). Row by row from the top left corner
# (Black's side, White's left hand) the cells are counted from 0.
COLUMNS = 8
ROWS = 8

# Where sensors are: "every" cell, or only under the dark squares: "left" when White's lower left corner is one of them
# (international, russian, english), "right" when the lower right corner is one (italian, portuguese, spanish).
SENSORS = "every"

# The order in which sensors are wired: "rows" runs every row from left to right; "snake" runs the first row from left
# to right, the second from right to left, and so on.
SENSOR_ORDER = "rows"

# --- How pieces are felt: "hall" or "switches" -----------------------------------------------------------------------
# "hall": linear hall sensors (for example DRV5055, SS49E at 3.3 V) through CD74HC4067 multiplexers.
# "switches": hall switches or reed contacts through a chain of 74HC165.
SENSING = "hall"

# Whether the board tells white pieces from black ones. Halls tell them by the pole that looks down; switches need two
# of them under each square, one for each pole, in two chains.
TELLS_COLOURS = True

# Only "hall": whether a king is told from a man. A king is two pieces with a magnet each, one on the other.
TELLS_KINGS = False

# Only "hall": S0, S1, S2, S3 of all multiplexers, joined.
SELECT_PINS = (2, 3, 4, 5)

# Only "hall": one pair for each multiplexer: the pin that measures its output (26, 27 or 28), and the pin of its enable
# input. Multiplexers may share a measuring pin; each has an enable pin of its own then. With a measuring pin for
# itself, a multiplexer's enable input goes to ground, and None stands here. The first multiplexer's channels 0 to 15
# are the first 16 sensors, and so on.
MULTIPLEXERS = ((26, 6), (26, 7), (27, 8), (27, 9))

# Only "hall": how long a reading waits after a channel was chosen, in millionths of a second.
SETTLE_US = 5

# Only "hall": which reading a white piece gives, "high" or "low". Turn it round when white and black are swapped.
WHITE_READS = "high"

# Only "switches": SH/LD and CLK of all 74HC165, joined, and the output QH of the chip nearest to the Pico; for two
# chains first that of the white pieces' switches, then that of the black ones'. Sensors count as they come out of the
# chain: the first is input H of the chip nearest to the Pico, the eighth its input A, the ninth input H of the next.
LOAD_PIN = 10
CLOCK_PIN = 11
DATA_PINS = (12,)

# Only "switches": what a 74HC165 reads where a piece stands: 0 with pull-up resistors and contacts to ground.
CLOSED = 0

# --- Lamps, buttons, buzzer: None or an empty list for what is not there ---------------------------------------------
# WS2812 lamps: the data pin, which cells have one ("every", "left", "right"), and the order of the strip.
LAMP_PIN = 22
LAMPS = "every"
LAMP_ORDER = "snake"

# The most current that all lamps together may draw, in milliamperes. What would need more is lit less brightly. A USB
# port gives 500 for everything.
LAMP_MILLIAMPERES = 300

# Buttons, from their pin to ground: confirm, take_back, new_game, draw, resign; the two contacts of a clock lever:
# clock_white (closes when White has pushed it), clock_black. Leave out what is not there.
BUTTONS = {
    "confirm": 16,
    "take_back": 17,
    "new_game": 18,
    "clock_white": 19,
    "clock_black": 20,
    "draw": 14,
    "resign": 15,
}

# A passive buzzer.
BUZZER_PIN = 21

# --- The way to the computer -----------------------------------------------------------------------------------------
# None: the USB cable. Otherwise a serial line: (number of the UART, TX pin, RX pin), for example (0, 0, 1).
UART = None
