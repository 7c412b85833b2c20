#include "strip.h"

#include <string.h>

/* High for a 0: 220 to 380 ns; for a 1: 580 to 950 ns. A pause of 6 us is taken for the end by the most impatient chips
 * (J. Levine, "NeoPixels revealed", josh.com, 2014), one of 280 us by all. */
enum { ZERO_FROM = 220, ZERO_TO = 380, ONE_FROM = 580, ONE_TO = 950, PAUSE_TO = 6000, REST_FROM = 280000 };

void strip_rest(struct strip *strip, uint64_t now_ns)
{
    if (strip->bits == 0 || now_ns - strip->fell_ns < REST_FROM)
        return;
    if (strip->bits % 24)
        strip->faults++;
    memcpy(strip->shown, strip->coming, (size_t)(strip->bits / 24) * 3);
    strip->bits = 0;
}

void strip_edge(struct strip *strip, int level, uint64_t now_ns)
{
    if (level) {
        strip_rest(strip, now_ns);
        if (strip->bits > 0 && now_ns - strip->fell_ns > strip->longest_pause_ns)
            strip->longest_pause_ns = now_ns - strip->fell_ns;
        if (strip->bits > 0 && now_ns - strip->fell_ns > PAUSE_TO)
            strip->faults++;
        strip->rose_ns = now_ns;
        return;
    }
    uint64_t high = now_ns - strip->rose_ns;
    int one = high >= (ZERO_TO + ONE_FROM) / 2;
    if (one ? high < ONE_FROM || high > ONE_TO : high < ZERO_FROM || high > ZERO_TO)
        strip->faults++;
    strip->fell_ns = now_ns;
    if (strip->bits >= strip->lamps * 24)
        return; /* falls out of the last lamp */
    uint8_t *byte = &strip->coming[strip->bits / 24][strip->bits % 24 / 8];
    *byte = (uint8_t)(*byte << 1 | one);
    strip->bits++;
}
