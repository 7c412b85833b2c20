#include "packet.h"

/* Polynomial 0x1021, most significant bit first, eight bits at once: the terms that one byte shifts in. */
uint16_t packet_checksum(uint16_t sum, uint8_t byte)
{
    uint8_t mixed = (uint8_t)(sum >> 8) ^ byte;
    mixed ^= mixed >> 4;
    return (uint16_t)(sum << 8) ^ (uint16_t)((uint16_t)mixed << 12) ^ (uint16_t)((uint16_t)mixed << 5) ^ mixed;
}

/* Where a byte of a packet goes: `mark` is the place of the length of the run that is being written. */
struct writer {
    uint8_t *wire;
    uint8_t at;
    uint8_t mark;
    uint16_t sum;
};

static void put(struct writer *writer, uint8_t byte)
{
    writer->sum = packet_checksum(writer->sum, byte);
    if (byte == 0) {
        writer->wire[writer->mark] = writer->at - writer->mark;
        writer->mark = writer->at;
    } else {
        writer->wire[writer->at] = byte;
    }
    writer->at++;
}

uint8_t packet_write(uint8_t *wire, uint8_t type, uint8_t sequence, const uint8_t *payload, uint8_t length)
{
    struct writer writer = {wire, 1, 0, 0xFFFF};
    put(&writer, type);
    put(&writer, sequence);
    for (uint8_t i = 0; i < length; i++)
        put(&writer, payload[i]);
    uint16_t sum = writer.sum;
    put(&writer, (uint8_t)sum);
    put(&writer, (uint8_t)(sum >> 8));
    wire[writer.mark] = writer.at - writer.mark;
    wire[writer.at] = 0;
    return writer.at + 1;
}

/* Takes the stuffing out in place; false when a length points beyond the end. */
static bool unstuff(struct reader *reader)
{
    uint8_t from = 0, to = 0;
    while (from < reader->length) {
        uint8_t run = reader->bytes[from++] - 1;
        if (run > reader->length - from)
            return false;
        if (to > 0 || from > 1)
            reader->bytes[to++] = 0;
        while (run--)
            reader->bytes[to++] = reader->bytes[from++];
    }
    reader->length = to;
    return true;
}

static bool is_good(struct reader *reader)
{
    if (!unstuff(reader) || reader->length < 4)
        return false;
    uint16_t sum = 0xFFFF;
    uint8_t end = reader->length - 2;
    for (uint8_t i = 0; i < end; i++)
        sum = packet_checksum(sum, reader->bytes[i]);
    return reader->bytes[end] == (uint8_t)sum && reader->bytes[end + 1] == (uint8_t)(sum >> 8);
}

bool packet_read(struct reader *reader, uint8_t byte)
{
    if (byte != 0) {
        if (reader->length == sizeof reader->bytes)
            reader->skipping = true;
        else
            reader->bytes[reader->length++] = byte;
        return false;
    }
    if (reader->length > 0 && !reader->skipping && is_good(reader))
        return true;
    if (reader->length > 0)
        reader->drops++;
    packet_next(reader);
    return false;
}

void packet_next(struct reader *reader)
{
    reader->length = 0;
    reader->skipping = false;
}
