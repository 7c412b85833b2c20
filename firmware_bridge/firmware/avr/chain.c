#include "chain.h"

#include "board.h"
#include "pins.h"

void chain_start(void)
{
    SET_HIGH(PIN_LATCH);
    MAKE_OUTPUT(PIN_LATCH);
    MAKE_OUTPUT(PIN_CLOCK);
    /* Mode 0, most significant bit (input H) first, 2 MHz: wires across a board are long. */
    SPCR = 1 << SPE | 1 << MSTR | 1 << SPR0;
    SPSR = 1 << SPI2X;
    MAKE_PULLED_UP(PIN_CONFIRM);
    MAKE_PULLED_UP(PIN_TAKE_BACK);
    MAKE_PULLED_UP(PIN_NEW_GAME);
    MAKE_PULLED_UP(PIN_DRAW);
    MAKE_PULLED_UP(PIN_RESIGN);
#if HAS_CLOCK_LEVER
    MAKE_PULLED_UP(PIN_LEVER_WHITE);
    MAKE_PULLED_UP(PIN_LEVER_BLACK);
#endif
}

void chain_read(uint8_t *closed, uint8_t length)
{
    SET_LOW(PIN_LATCH);
    SET_HIGH(PIN_LATCH);
    while (length--) {
        SPDR = 0;
        while (!(SPSR & 1 << SPIF))
            ;
        *closed++ = CLOSED ? SPDR : ~SPDR;
    }
}

uint8_t buttons_read(void)
{
    uint8_t down = IS_LOW(PIN_CONFIRM) << 0 | IS_LOW(PIN_TAKE_BACK) << 1 | IS_LOW(PIN_NEW_GAME) << 2;
#if HAS_CLOCK_LEVER
    down |= IS_LOW(PIN_LEVER_WHITE) << 3 | IS_LOW(PIN_LEVER_BLACK) << 4;
#endif
    return down | IS_LOW(PIN_DRAW) << 5 | IS_LOW(PIN_RESIGN) << 6;
}
