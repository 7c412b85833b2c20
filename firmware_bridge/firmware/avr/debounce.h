/* Contacts that bounce, eight in a byte. Runs anywhere. */
#ifndef DEBOUNCE_H
#define DEBOUNCE_H

#include <stdint.h>

/* Milliseconds between two scans. A level is believed when the sixteenth scan in a row shows it: steady for 30 ms. */
#define SCAN_MS 2

struct contacts {
    uint8_t steady;   /* one bit a contact: closed */
    uint8_t count[4]; /* how many scans in a row showed something else: four bits a contact, one of each in a byte */
};

/* Takes a scan of eight contacts (a bit is set: closed); which of them have changed. */
uint8_t debounce(struct contacts *contacts, uint8_t closed);

#endif
