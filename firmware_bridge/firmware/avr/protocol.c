#include "protocol.h"

#include <string.h>

enum { HELLO = 0x01, STATE = 0x02, ACK = 0x03, PONG = 0x04, KEY_PRESSES = 0x05 };
enum { HELLO_REQUEST = 0x81, LAMPS, BUZZER, PING, BRIGHTNESS, READ, CALIBRATE, KEEP };
enum { DONE = 0, REFUSED = 1 };

#define VERSION 1
#define FIRMWARE 1, 0, 0 /* major, minor, patch */
#define STATE_MS 20
#define DARK_MS 5000
#define USUAL_BRIGHTNESS 40
#define CAPABILITIES \
    (COLOURS | HAS_LAMPS << 1 | 1 << 2 | HAS_CLOCK_LEVER << 3 | HAS_BUZZER << 4 | 1 << 5 | HAS_LAMPS << 6)

void protocol_start(struct board *board, const uint8_t id[ID_BYTES], uint8_t restarts)
{
    memset(board, 0, sizeof *board);
    memcpy(board->id, id, ID_BYTES);
    board->restarts = restarts;
    board->brightness = USUAL_BRIGHTNESS;
    board->lamps_changed = true; /* what was lit before the start is still lit */
    board->is_due = true;
}

static uint8_t packet(struct board *board, uint8_t *wire, uint8_t type, const uint8_t *payload, uint8_t length)
{
    return packet_write(wire, type, ++board->sequence, payload, length);
}

/* The cell of a sensor, by its place in the chain. */
static uint8_t cell_of(uint8_t square)
{
#if SENSORS == 0
    return square;
#else
    uint8_t row = square / (COLUMNS / 2);
    /* Rows are counted from the top, corners from the bottom. */
    uint8_t first = (ROWS - 1 - row + SENSORS - 1) % 2;
    return row * COLUMNS + first + square % (COLUMNS / 2) * 2;
#endif
}

static uint8_t is_closed(const uint8_t *chain, uint8_t square)
{
    return chain[square / 8] >> square % 8 & 1;
}

/* Two bits: 0 empty, 1 occupied, 2 white, 3 black. Where both contacts of a cell are closed the colour is not known. */
static uint8_t content(const uint8_t *chain, uint8_t square)
{
#if COLOURS
    static const uint8_t told[] = {0, 2, 3, 1};
    return told[is_closed(chain, square) | is_closed(chain + CHIPS, square) << 1];
#else
    return is_closed(chain, square);
#endif
}

void protocol_sense(struct board *board, const uint8_t chain[CHAIN_BYTES], uint8_t buttons)
{
    memset(board->cells, 0, sizeof board->cells);
    for (uint8_t square = 0; square < SQUARES; square++) {
        uint8_t cell = cell_of(square);
        board->cells[cell / 4] |= content(chain, square) << cell % 4 * 2;
    }
    uint8_t pressed = buttons & ~board->held;
    for (uint8_t button = 0; button < BUTTONS + KEYS; button++)
        board->presses[button] += pressed >> button & 1;
    board->held = buttons;
    board->is_due = true;
}

uint8_t protocol_hello(struct board *board, uint8_t *wire)
{
    uint8_t payload[HELLO_PAYLOAD] = {
        VERSION, CAPABILITIES, 0, COLUMNS, ROWS, SENSORS, [6 + ID_BYTES] = FIRMWARE,
    };
    memcpy(payload + 6, board->id, ID_BYTES);
    return packet(board, wire, HELLO, payload, sizeof payload);
}

uint8_t protocol_report(struct board *board, uint32_t now_ms, uint8_t *wire)
{
    uint8_t payload[STATE_PAYLOAD] = {now_ms, now_ms >> 8, now_ms >> 16, now_ms >> 24, board->held & 0x1F};
    memcpy(payload + 5, board->presses, BUTTONS);
    payload[10] = board->restarts;
    memcpy(payload + 11, board->cells, sizeof board->cells);
    uint8_t length = packet(board, wire, STATE, payload, sizeof payload);
    payload[0] = board->restarts;
    memcpy(payload + 1, board->presses + BUTTONS, KEYS);
    board->told_ms = now_ms;
    board->is_due = false;
    return length + packet(board, wire + length, KEY_PRESSES, payload, 1 + KEYS);
}

bool protocol_is_due(const struct board *board, uint32_t now_ms)
{
    return board->is_due || now_ms - board->told_ms >= STATE_MS;
}

static void darken(struct board *board)
{
    memset(board->roles, DARK, sizeof board->roles);
    board->lamps_sequence = 0;
    board->is_lit = false;
    board->lamps_changed = true;
}

void protocol_tick(struct board *board, uint32_t now_ms)
{
    if ((board->is_lit || board->lamps_sequence != 0) && now_ms - board->host_ms > DARK_MS)
        darken(board);
}

/* Pairs of a cell of this board and a role, each cell once. */
static bool are_lamps(const uint8_t *payload, uint8_t length)
{
    uint8_t named[(CELLS + 7) / 8] = {0};
    if (length % 2)
        return false;
    for (const uint8_t *pair = payload; pair < payload + length; pair += 2) {
        if (pair[0] >= CELLS || pair[1] == DARK || pair[1] >= ROLES || named[pair[0] / 8] >> pair[0] % 8 & 1)
            return false;
        named[pair[0] / 8] |= 1 << pair[0] % 8;
    }
    return true;
}

static bool fits(uint8_t type, const uint8_t *payload, uint8_t length)
{
    switch (type) {
    case HELLO_REQUEST: return length == 1;
    case LAMPS: return are_lamps(payload, length);
    case BUZZER: return length == 4;
    case PING: return length == 0;
    case BRIGHTNESS: return length == 1 && payload[0] <= 100;
    case CALIBRATE: return length == 1 + 9 * COLUMNS && payload[0] < ROWS;
    case KEEP: return length == 1 && payload[0] <= 1;
    default: return false; /* READ is not for boards that do not measure: it has no answer to give */
    }
}

static uint8_t obey(struct board *board, uint8_t type, const uint8_t *payload, uint8_t length, uint8_t sequence)
{
    bool has_part = type == BUZZER ? HAS_BUZZER : HAS_LAMPS && (type == LAMPS || type == BRIGHTNESS);
    if (!has_part)
        return REFUSED;
    if (sequence == board->acted)
        return DONE;
    board->acted = sequence;
    if (type == LAMPS) {
        darken(board);
        board->lamps_sequence = sequence;
        board->is_lit = length > 0;
        for (uint8_t i = 0; i < length; i += 2)
            board->roles[payload[i]] = payload[i + 1];
    } else if (type == BRIGHTNESS) {
        board->brightness = payload[0];
        board->lamps_changed = true;
    } else {
        board->pitch_hz = payload[0] | payload[1] << 8;
        board->tone_ms = payload[2] | payload[3] << 8;
        board->tone_changed = true;
    }
    return DONE;
}

uint8_t protocol_answer(struct board *board, const struct reader *heard, uint32_t now_ms, uint8_t *wire)
{
    uint8_t type = heard->bytes[0], sequence = heard->bytes[1], length = heard->length - 4;
    const uint8_t *payload = heard->bytes + 2;
    if (!fits(type, payload, length)) {
        board->drops++;
        return 0;
    }
    board->host_ms = now_ms;
    if (type == HELLO_REQUEST) {
        board->acted = board->lamps_sequence = 0;
        board->is_due = true;
        return protocol_hello(board, wire);
    }
    uint8_t answer[2] = {sequence, board->lamps_sequence};
    if (type == PING)
        return packet(board, wire, PONG, answer, sizeof answer);
    answer[1] = obey(board, type, payload, length, sequence);
    return packet(board, wire, ACK, answer, sizeof answer);
}
