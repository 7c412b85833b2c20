#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#if defined(__AVR_ATmega2560__)
#define USART_RX_vect USART0_RX_vect
#define USART_UDRE_vect USART0_UDRE_vect
#endif

/* Powers of two, so that an index wraps by a mask. What comes in while the lamps are written (3 ms, 35 bytes) fits. */
#define RECEIVED 128
#define SENDING 128

static volatile uint8_t received[RECEIVED], sending[SENDING];
static volatile uint8_t in_head, in_tail, out_head, out_tail;

void uart_start(void)
{
    UCSR0A = 1 << U2X0;
    UBRR0 = (F_CPU + 4 * 115200UL) / (8 * 115200UL) - 1; /* to the nearest: 16 at 16 MHz, 2.1 % fast */
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
}

static inline void take_in(void)
{
    uint8_t byte = UDR0, head = in_head, next = (uint8_t)(head + 1) % RECEIVED;
    if (next != in_tail) {
        received[head] = byte;
        in_head = next;
    }
}

static inline void put_out(void)
{
    uint8_t tail = out_tail;
    UDR0 = sending[tail];
    out_tail = (uint8_t)(tail + 1) % SENDING;
}

void uart_poll_in(void)
{
    if (UCSR0A & 1 << RXC0)
        take_in();
}

void uart_poll_out(void)
{
    if (UCSR0A & 1 << UDRE0 && out_head != out_tail)
        put_out();
}

ISR(USART_RX_vect)
{
    take_in();
}

ISR(USART_UDRE_vect)
{
    if (out_head == out_tail) {
        UCSR0B &= ~(1 << UDRIE0);
    } else {
        put_out();
    }
}

bool uart_is_empty(void)
{
    return in_head == in_tail;
}

uint8_t uart_take(void)
{
    uint8_t byte = received[in_tail];
    in_tail = (in_tail + 1) % RECEIVED;
    return byte;
}

uint8_t uart_room(void)
{
    return (out_tail - out_head - 1) & (SENDING - 1);
}

void uart_send(const uint8_t *bytes, uint8_t length)
{
    while (length--) {
        sending[out_head] = *bytes++;
        out_head = (out_head + 1) % SENDING;
    }
    cli();
    UCSR0B |= 1 << UDRIE0;
    sei();
}
