#include "clock.h"

#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#define TICKS_A_MS (F_CPU / 64 / 1000)

static uint32_t now_ms;
static uint16_t ms_began; /* the timer at the beginning of this millisecond */

EMPTY_INTERRUPT(TIMER1_COMPA_vect)

void clock_start(void)
{
    TCCR1B = 1 << CS11 | 1 << CS10; /* a tick every 64 cycles */
    TIMSK1 = 1 << OCIE1A;
    set_sleep_mode(SLEEP_MODE_IDLE);
}

uint32_t clock_ms(void)
{
    uint16_t gone = TCNT1 - ms_began;
    uint16_t whole = gone / TICKS_A_MS;
    now_ms += whole;
    ms_began += whole * TICKS_A_MS;
    return now_ms;
}

void clock_sleep(void)
{
    sleep_enable();
    OCR1A = ms_began + TICKS_A_MS;
    for (;;) {
        cli();
        /* A time that has just gone by would come again only when the timer has gone round. */
        if (!uart_is_empty() || TCNT1 - ms_began >= TICKS_A_MS - 1)
            break;
        sei(); /* takes effect after the next instruction: no interrupt slips in between */
        sleep_cpu();
    }
    sei();
    sleep_disable();
}
