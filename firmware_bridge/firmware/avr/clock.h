/* Milliseconds since the start, read off timer 1, which counts on while interrupts are off. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

void clock_start(void);

/* The time; to be asked at least every 200 ms, since the timer goes round in 262. */
uint32_t clock_ms(void);

/* Sleeps until the next millisecond, or until a byte has come. */
void clock_sleep(void);

#endif
