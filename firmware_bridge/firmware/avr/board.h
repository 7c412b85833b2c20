/* What is built: sizes, parts and pins. The one file to change for another board.
 *
 * The Makefile names ready-made boards (`make BOARD=nano-64`); what it does not set stands here. */
#ifndef BOARD_H
#define BOARD_H

/* Sizes. Cells are counted row by row from the top left as White sees the board. */
#ifndef COLUMNS
#define COLUMNS 8
#endif
#ifndef ROWS
#define ROWS 8
#endif

/* Which cells have a sensor and a lamp: 0 all; 1 every second one, White's lower left corner among them; 2 likewise
 * with the lower right corner. The sensors are wired in the order of the cells, eight to a 74HC165: the first on input
 * A (D0) of the chip whose QH leads to the controller, the ninth on input A of the chip behind it. */
#ifndef SENSORS
#define SENSORS 0
#endif

/* 0: one sensor a cell, closed under any magnet. 1: two sensors of opposite polarity a cell; the chips of those that
 * close under white pieces come first in the chain, those of the black ones behind them. */
#ifndef COLOURS
#define COLOURS 0
#endif

/* What a closed contact reads: 0 where it pulls the input to ground (reeds, most hall switches). */
#ifndef CLOSED
#define CLOSED 0
#endif

/* Parts that are there: 1, or 0. A command for a part that is not there is answered "refused". */
#ifndef HAS_LAMPS
#define HAS_LAMPS 1
#endif
#ifndef HAS_BUZZER
#define HAS_BUZZER 1
#endif
#ifndef HAS_CLOCK_LEVER
#define HAS_CLOCK_LEVER 1
#endif

/* The way of the lamps' data wire: 0 every row from left to right; 1 every second row from right to left. */
#ifndef LAMPS_TURN
#define LAMPS_TURN 0
#endif

/* What the lamps' supply can give, in mA: more lamps than that are dimmed together. One channel of a WS2812 at its
 * brightest is taken as 20 mA. */
#ifndef LAMPS_MILLIAMPERES
#define LAMPS_MILLIAMPERES 1000
#endif

/* Pins: port letter, bit. The buzzer's is OC2B; the ports of the chain and the lamps must be of A to G. Buttons close
 * to ground; the clock's lever has two contacts. */
#if defined(__AVR_ATmega2560__)
#define PIN_LATCH B, 0      /* D53, SH/LD of every 74HC165 */
#define PIN_CLOCK B, 1      /* D52, CLK of every 74HC165 */
#define PIN_DATA B, 3       /* D50, QH of the first 74HC165 */
#define PIN_LAMPS A, 0      /* D22 */
#define PIN_BUZZER H, 6     /* D9 */
#define PIN_CONFIRM F, 0    /* A0 */
#define PIN_TAKE_BACK F, 1  /* A1 */
#define PIN_NEW_GAME F, 2   /* A2 */
#define PIN_LEVER_WHITE F, 3 /* A3, closed when White has pushed */
#define PIN_LEVER_BLACK F, 4 /* A4 */
#define PIN_DRAW F, 5       /* A5 */
#define PIN_RESIGN F, 6     /* A6 */
#else
#define PIN_LATCH B, 2      /* D10, SH/LD of every 74HC165 */
#define PIN_CLOCK B, 5      /* D13, CLK of every 74HC165 */
#define PIN_DATA B, 4       /* D12, QH of the first 74HC165 */
#define PIN_LAMPS D, 6      /* D6 */
#define PIN_BUZZER D, 3     /* D3 */
#define PIN_CONFIRM C, 0    /* A0 */
#define PIN_TAKE_BACK C, 1  /* A1 */
#define PIN_NEW_GAME C, 2   /* A2 */
#define PIN_LEVER_WHITE C, 3 /* A3, closed when White has pushed */
#define PIN_LEVER_BLACK C, 4 /* A4 */
#define PIN_DRAW C, 5       /* A5 */
#define PIN_RESIGN D, 4     /* D4 */
#endif

/* What follows from it. */
#define CELLS (COLUMNS * ROWS)
#define SQUARES (SENSORS ? CELLS / 2 : CELLS)
#define CHIPS ((SQUARES + 7) / 8)
#define CHAIN_BYTES (CHIPS * (1 + COLOURS))

#if CELLS > 100 || CELLS < 1
#error "COLUMNS * ROWS: from 1 to 100 cells, the link's longest lamp command names 100"
#endif

#endif
