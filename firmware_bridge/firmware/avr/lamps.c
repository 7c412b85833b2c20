#include "lamps.h"

#include "board.h"
#include "pins.h"
#include "protocol.h"
#include "uart.h"

#include <avr/interrupt.h>

#if F_CPU != 16000000
#error "The pulses below are counted for 16 MHz."
#endif

enum { GREEN = 1, RED = 2, BLUE = 4 };

/* Six roles, six sets of channels: each channel is either off or as bright as all others, so that no dimming makes two
 * roles alike. */
static const uint8_t channels[ROLES] = {
    [LIFT] = BLUE,         [PLACE] = GREEN, [PATH] = RED | GREEN,
    [REMOVE] = RED | BLUE, [WRONG] = RED,   [HINT] = RED | GREEN | BLUE,
};

/* Channel levels, of 255: what percent 0 and 100 mean, and what no supply is too weak for. */
#define DIMMEST 6
#define BRIGHTEST 255
#define MILLIAMPERES_A_CHANNEL 20

void lamps_start(void)
{
    SET_LOW(PIN_LAMPS);
    MAKE_OUTPUT(PIN_LAMPS);
}

/* The level of a lit channel: as told, or as much as the supply can give to so many. */
static uint8_t level_of(const uint8_t *roles, uint8_t brightness)
{
    uint16_t lit = 0;
    for (uint8_t cell = 0; cell < CELLS; cell++)
        for (uint8_t set = channels[roles[cell]]; set; set &= set - 1)
            lit++;
    uint16_t level = DIMMEST + (uint16_t)brightness * (BRIGHTEST - DIMMEST) / 100;
    uint32_t most = lit ? (uint32_t)LAMPS_MILLIAMPERES * 255 / MILLIAMPERES_A_CHANNEL / lit : BRIGHTEST;
    return level <= most ? level : most < DIMMEST ? DIMMEST : most;
}

/* One byte, most significant bit first. A bit takes 20 cycles (1.25 us); the wire is high for 5 of them (0.31 us, a 0)
 * or for 12 (0.75 us, a 1): within the limits of the WS2812, the WS2812B and its versions. */
static inline __attribute__((always_inline)) void send(uint8_t byte, uint8_t high, uint8_t low)
{
    uint8_t bits = 8;
    __asm__ volatile(
        "1: out %[port], %[high]\n\t" /* up */
        "nop\n\t"
        "rjmp .+0\n\t"
        "sbrs %[byte], 7\n\t"         /* a 1 skips the next */
        "out %[port], %[low]\n\t"     /* down after 5 cycles */
        "lsl %[byte]\n\t"
        "rjmp .+0\n\t"
        "rjmp .+0\n\t"
        "nop\n\t"
        "out %[port], %[low]\n\t"     /* down after 12 */
        "rjmp .+0\n\t"
        "rjmp .+0\n\t"
        "dec %[bits]\n\t"
        "brne 1b\n\t"
        : [byte] "+r"(byte), [bits] "+r"(bits)
        : [port] "I"(_SFR_IO_ADDR(PORT_OF(PIN_LAMPS))), [high] "r"(high), [low] "r"(low));
}

/* Not a part of anything larger: it needs the registers, for short pauses. */
__attribute__((noinline)) void lamps_write(const uint8_t *roles, uint8_t brightness)
{
    uint8_t level = level_of(roles, brightness);
    cli();
    uint8_t high = PORT_OF(PIN_LAMPS) | MASK_OF(PIN_LAMPS);
    uint8_t low = PORT_OF(PIN_LAMPS) & ~MASK_OF(PIN_LAMPS);
    uint8_t turn = 0;
    for (uint8_t row = 0; row < ROWS; row++, roles += COLUMNS) {
        int8_t step = SENSORS ? 2 : 1;
        int8_t place = SENSORS ? (ROWS - 1 - row + SENSORS - 1) % 2 : 0;
        if (LAMPS_TURN && row % 2) {
            place += COLUMNS - step;
            step = -step;
        }
        for (; place >= 0 && place < COLUMNS; place += step) {
            uint8_t lit = channels[roles[place]];
            send(lit & GREEN ? level : 0, high, low);
            send(lit & RED ? level : 0, high, low);
            send(lit & BLUE ? level : 0, high, low);
            /* By turns, since a wire that rests for 6 us may already count as ended. */
            if (turn ^= 1)
                uart_poll_in();
            else
                uart_poll_out();
        }
    }
    sei();
}
