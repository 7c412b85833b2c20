/* WS2812 lamps, one a square, all on one wire. */
#ifndef LAMPS_H
#define LAMPS_H

#include <stdint.h>

/* The lamps take what they were sent when the wire has rested for 0.3 ms; and they are told again every second, since
 * one disturbed bit may have changed a colour. */
#define LAMPS_REST_MS 2
#define LAMPS_AGAIN_MS 1000

void lamps_start(void);

/* Sends every lamp its colour: `roles` by cell, brightness in percent. Takes 30 us a lamp, without interrupts; between
 * two lamps the serial line is seen to. */
void lamps_write(const uint8_t *roles, uint8_t brightness);

#endif
