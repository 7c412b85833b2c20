/* The serial line: 115200 baud, a ring of bytes each way. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

void uart_start(void);

/* Whether nothing has come in. */
bool uart_is_empty(void);

/* The next byte that has come in; only when there is one. */
uint8_t uart_take(void);

/* How many bytes can be sent without waiting. */
uint8_t uart_room(void);

/* Sends bytes; only as many as there is room for. */
void uart_send(const uint8_t *bytes, uint8_t length);

/* What the interrupts do, for those who have turned them off: the hardware holds two bytes, one comes every 87 us. */
void uart_poll_in(void);
void uart_poll_out(void);

#endif
