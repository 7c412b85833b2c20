/* The contacts: a chain of 74HC165 shift registers, and the buttons. */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdint.h>

void chain_start(void);

/* Loads every register and reads the chain: one byte a chip, a bit is set where a contact is closed. */
void chain_read(uint8_t *closed, uint8_t length);

/* The buttons that are down, by bit: the five of STATE, then those of KEYS. */
uint8_t buttons_read(void);

#endif
