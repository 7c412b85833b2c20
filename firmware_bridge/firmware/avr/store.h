/* What outlives a start, in the EEPROM: who the board is, and how often it has started. */
#ifndef STORE_H
#define STORE_H

#include <stdint.h>

/* Reads the unique id, and counts this start; the number of starts modulo 256. A new chip is given an id by chance. */
uint8_t store_start(uint8_t id[8]);

#endif
