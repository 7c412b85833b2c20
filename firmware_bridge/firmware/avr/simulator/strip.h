/* A strip of WS2812 lamps on one wire: pulses in, colours out. Times are nanoseconds.
 *
 * Pulse widths: the limits that the data sheets of WS2812, WS2812B and WS2812B-V5 have in common. */
#ifndef STRIP_H
#define STRIP_H

#include <stdint.h>

#define MAX_LAMPS 100

struct strip {
    int lamps;
    uint8_t shown[MAX_LAMPS][3];  /* green, red, blue: what is lit */
    uint8_t coming[MAX_LAMPS][3];
    int bits;
    uint64_t rose_ns, fell_ns;
    uint64_t longest_pause_ns;    /* within one sending */
    unsigned faults;              /* pulses and pauses outside the limits */
};

void strip_edge(struct strip *strip, int level, uint64_t now_ns);
/* Takes over what was sent, when the wire has rested for long enough. */
void strip_rest(struct strip *strip, uint64_t now_ns);

#endif
