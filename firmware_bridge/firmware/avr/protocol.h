/* The board's end of the link (PROTOCOL.md, chapters 3 and 4): values and time in, bytes out. Runs anywhere. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include "board.h"
#include "packet.h"

#define BUTTONS 5
#define KEYS 2
#define ID_BYTES 8
#define STATE_PAYLOAD (11 + (CELLS + 3) / 4)
#define HELLO_PAYLOAD 17
/* The longest answer to a packet: a HELLO. STATE and KEYS go together. */
#define ANSWER_BYTES PACKET_WIRE(HELLO_PAYLOAD)
#define REPORT_BYTES (PACKET_WIRE(STATE_PAYLOAD) + PACKET_WIRE(1 + KEYS))

enum role { DARK, LIFT, PLACE, PATH, REMOVE, WRONG, HINT, ROLES };

struct board {
    uint8_t id[ID_BYTES];
    uint8_t restarts;
    uint8_t sequence;          /* of the last packet sent */
    uint8_t acted;             /* sequence of the last command carried out, 0: none */
    uint8_t lamps_sequence;    /* of the LAMPS that is shown, 0: none */
    uint8_t cells[(CELLS + 3) / 4];
    uint8_t held;              /* one bit a button, further ones behind the first five */
    uint8_t presses[BUTTONS + KEYS];
    uint8_t roles[CELLS];      /* what each lamp shows */
    uint8_t brightness;        /* percent */
    uint16_t pitch_hz;         /* the tone that was asked for last */
    uint16_t tone_ms;
    uint32_t host_ms;          /* when the last good packet came from the host */
    uint32_t told_ms;          /* when the last STATE was sent */
    uint16_t drops;            /* packets whose payload did not fit, modulo 65536 */
    bool is_lit;               /* a lamp shows something */
    bool is_due;               /* a STATE is to be sent at once */
    bool lamps_changed;        /* for whoever writes to the lamps, and takes it back */
    bool tone_changed;         /* for whoever makes the tone, and takes it back */
};

/* A board that has just started. */
void protocol_start(struct board *board, const uint8_t id[ID_BYTES], uint8_t restarts);

/* Takes what the contacts steadily show: the chain's bytes, and the buttons by bit. */
void protocol_sense(struct board *board, const uint8_t chain[CHAIN_BYTES], uint8_t buttons);

/* Takes a good packet; the bytes of its answer, ANSWER_BYTES at most. */
uint8_t protocol_answer(struct board *board, const struct reader *heard, uint32_t now_ms, uint8_t *wire);

/* Darkens the lamps of a host that has been silent for too long. */
void protocol_tick(struct board *board, uint32_t now_ms);

/* Whether STATE and KEYS are to be sent. */
bool protocol_is_due(const struct board *board, uint32_t now_ms);

/* HELLO; how many bytes. */
uint8_t protocol_hello(struct board *board, uint8_t *wire);

/* STATE with KEYS behind it; how many bytes, REPORT_BYTES at most. */
uint8_t protocol_report(struct board *board, uint32_t now_ms, uint8_t *wire);

#endif
