/* Dambord's own board on an ATmega328P or ATmega2560: what comes in, what is due, then sleep until something is.
 *
 * Nothing here waits but the lamps' wire (30 us a lamp), and that takes the host's bytes in between two lamps. */

#include "buzzer.h"
#include "chain.h"
#include "clock.h"
#include "debounce.h"
#include "lamps.h"
#include "protocol.h"
#include "store.h"
#include "uart.h"

#include <avr/interrupt.h>

static struct board board;
static struct reader reader;
static struct contacts contacts[CHAIN_BYTES + 1]; /* the buttons are the last byte */
static uint8_t wire[REPORT_BYTES > ANSWER_BYTES ? REPORT_BYTES : ANSWER_BYTES];

static uint8_t scans; /* since the start, up to SETTLED */

/* As many scans as it takes to believe a contact: before, what stands on the board is not known, and nothing is told. */
#define SETTLED 17

static void read_all(uint8_t closed[CHAIN_BYTES + 1])
{
    chain_read(closed, CHAIN_BYTES);
    closed[CHAIN_BYTES] = buttons_read();
}

static void scan(void)
{
    uint8_t closed[CHAIN_BYTES + 1], changed = 0;
    read_all(closed);
    if (scans == 0) { /* begins with what is closed: a clock's lever lies on one side, and has not been pressed */
        for (uint8_t i = 0; i <= CHAIN_BYTES; i++)
            contacts[i].steady = closed[i];
        board.held = closed[CHAIN_BYTES];
        changed = 1;
    }
    scans += scans < SETTLED;
    for (uint8_t i = 0; i <= CHAIN_BYTES; i++) {
        changed |= debounce(&contacts[i], closed[i]);
        closed[i] = contacts[i].steady;
    }
    if (changed)
        protocol_sense(&board, closed, closed[CHAIN_BYTES]);
}

/* Answers packets for as long as there is room for an answer; the others wait where they are. */
static void hear(uint32_t now_ms)
{
    while (!uart_is_empty() && uart_room() >= ANSWER_BYTES)
        if (packet_read(&reader, uart_take())) {
            uart_send(wire, protocol_answer(&board, &reader, now_ms, wire));
            packet_next(&reader);
        }
}

static void light(uint32_t now_ms)
{
    static uint32_t written_ms;
    uint32_t rest_ms = board.lamps_changed ? LAMPS_REST_MS : LAMPS_AGAIN_MS;
    if (HAS_LAMPS && now_ms - written_ms >= rest_ms) {
        lamps_write(board.roles, board.brightness);
        board.lamps_changed = false;
        written_ms = now_ms;
    }
}

static void sound(uint32_t now_ms)
{
    static uint32_t began_ms;
    static bool sounds;
    if (board.tone_changed) {
        board.tone_changed = false;
        began_ms = now_ms;
        sounds = board.tone_ms > 0;
        buzzer_sound(sounds ? board.pitch_hz : 0);
    } else if (sounds && now_ms - began_ms >= board.tone_ms) {
        sounds = false;
        buzzer_sound(0);
    }
}

int main(void)
{
    uint8_t id[ID_BYTES];
    uint8_t restarts = store_start(id);
    clock_start();
    uart_start();
    chain_start();
    lamps_start();
    buzzer_start();
    protocol_start(&board, id, restarts);
    sei();
    uint8_t delimiter = 0;
    uart_send(&delimiter, 1);
    uart_send(wire, protocol_hello(&board, wire));
    uint32_t scanned_ms = 0;
    for (;;) {
        uint32_t now_ms = clock_ms();
        hear(now_ms);
        if (now_ms - scanned_ms >= SCAN_MS) {
            scanned_ms = now_ms;
            scan();
        }
        protocol_tick(&board, now_ms);
        light(now_ms);
        sound(now_ms);
        if (scans == SETTLED && protocol_is_due(&board, now_ms) && uart_room() >= REPORT_BYTES)
            uart_send(wire, protocol_report(&board, now_ms, wire));
        clock_sleep();
    }
}
