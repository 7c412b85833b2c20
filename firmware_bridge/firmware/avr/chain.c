#include "chain.h"

#include "board.h"
#include "pins.h"

void chain_start(void)
{
    SET_HIGH(PIN_LATCH);
    MAKE_OUTPUT(PIN_LATCH);
    SET_LOW(PIN_CLOCK);
    MAKE_OUTPUT(PIN_CLOCK);
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

/* Eight bits, input H first; each rising edge of the clock brings the next. */
static inline uint8_t shift_in(void)
{
    uint8_t byte = 0;
    for (uint8_t bit = 0; bit < 8; bit++) {
        byte <<= 1;
        if (!IS_LOW(PIN_DATA))
            byte |= 1;
        SET_HIGH(PIN_CLOCK);
        SET_LOW(PIN_CLOCK);
    }
    return byte;
}

void chain_read(uint8_t *closed, uint8_t length)
{
    SET_LOW(PIN_LATCH);
    SET_HIGH(PIN_LATCH);
    while (length--) {
        uint8_t byte = shift_in();
        *closed++ = CLOSED ? byte : ~byte;
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
