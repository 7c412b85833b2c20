#include "debounce.h"

uint8_t debounce(struct contacts *contacts, uint8_t closed)
{
    uint8_t other = contacts->steady ^ closed;
    uint8_t carry = other;
    for (uint8_t bit = 0; bit < 4; bit++) {
        uint8_t count = contacts->count[bit] & other; /* a contact that is back begins anew */
        contacts->count[bit] = count ^ carry;
        carry &= count;
    }
    contacts->steady ^= carry;
    return carry;
}
