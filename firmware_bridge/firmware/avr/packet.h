/* Bytes to packets and back: stuffing, checksum, resynchronisation (PROTOCOL.md, chapter 2). Runs anywhere. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define PACKET_MAX_PAYLOAD 200
#define PACKET_MAX_BODY (PACKET_MAX_PAYLOAD + 4)
/* A body, one byte of stuffing, the delimiter. */
#define PACKET_WIRE(payload) ((payload) + 6)

/* What has come in since the last delimiter. */
struct reader {
    uint8_t bytes[PACKET_MAX_BODY + 1];
    uint8_t length;
    bool skipping;   /* too much without a delimiter: thrown away up to the next one */
    uint16_t drops;  /* packets thrown away, modulo 65536 */
};

/* The checksum of one byte more; it begins with 0xFFFF. */
uint16_t packet_checksum(uint16_t sum, uint8_t byte);

/* Writes a packet as it goes over the wire, its delimiter included; how many bytes, PACKET_WIRE(length) at most. */
uint8_t packet_write(uint8_t *wire, uint8_t type, uint8_t sequence, const uint8_t *payload, uint8_t length);

/* Takes one byte. True when it ended a good packet: then bytes[0] is its type, bytes[1] its sequence, and its payload
 * of length - 4 bytes begins at bytes[2], until packet_next. */
bool packet_read(struct reader *reader, uint8_t byte);

/* Forgets the packet that packet_read has given. */
void packet_next(struct reader *reader);

#endif
