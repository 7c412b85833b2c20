#include "store.h"

#include <avr/eeprom.h>
#include <avr/io.h>

/* EEPROM: a mark, the starts, the id. One byte is written a start; the chip stands 100,000 of them. */
#define MARK ((uint8_t *)0)
#define STARTS ((uint8_t *)1)
#define ID ((uint8_t *)2)
#define IS_MARKED 0xDB

extern uint8_t __heap_start; /* the first byte of memory that no variable has */

/* Memory that nobody has written to holds chance when the power comes: what it held becomes the id, by the 32-bit
 * FNV-1a hash of each half. */
static uint32_t chance(const uint8_t *from, const uint8_t *to)
{
    uint32_t hash = 2166136261UL;
    while (from < to)
        hash = (hash ^ *from++) * 16777619UL;
    return hash;
}

static void make_id(uint8_t id[8])
{
    const uint8_t *first = &__heap_start, *last = (const uint8_t *)SP - 16;
    const uint8_t *middle = first + (last - first) / 2;
    uint32_t halves[2] = {chance(first, middle), chance(middle, last)};
    for (uint8_t i = 0; i < 8; i++)
        id[i] = halves[i / 4] >> i % 4 * 8;
}

uint8_t store_start(uint8_t id[8])
{
    if (eeprom_read_byte(MARK) != IS_MARKED) {
        make_id(id);
        eeprom_update_block(id, ID, 8);
        eeprom_update_byte(STARTS, 0xFF);
        eeprom_update_byte(MARK, IS_MARKED);
    }
    eeprom_read_block(id, ID, 8);
    uint8_t starts = eeprom_read_byte(STARTS) + 1;
    eeprom_update_byte(STARTS, starts);
    return starts;
}
