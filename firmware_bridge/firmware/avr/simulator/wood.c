#include "wood.h"

#include <string.h>

const char *const button_names[BUTTONS] = {
    "confirm", "take_back", "new_game", "clock_white", "clock_black", "draw", "resign",
};

/* A small linear congruential generator (constants: Numerical Recipes, chapter 7): the same seed, the same bounces. */
uint32_t wood_chance(struct wood *wood, uint32_t below)
{
    wood->chance = wood->chance * 1664525u + 1013904223u;
    return (wood->chance >> 8) % below;
}

bool wood_is_sensed(const struct wood *wood, int cell)
{
    int column = cell % wood->columns, from_below = wood->rows - 1 - cell / wood->columns;
    return wood->sensors == 0 || (column + from_below) % 2 == wood->sensors - 1;
}

bool wood_is_closed(const struct contact *contact, uint64_t now)
{
    bool is = contact->was;
    for (int i = 0; i < contact->edges && contact->at[i] <= now; i++)
        is = !is;
    return is;
}

/* Has a contact go to a level, bouncing for so many milliseconds with rests of at most 15 between two edges. */
static void bounce(struct wood *wood, struct contact *contact, bool closed, int least_ms, int most_ms, uint64_t now)
{
    bool is = wood_is_closed(contact, now);
    uint64_t end = now + wood->cycles_a_ms * (least_ms + wood_chance(wood, most_ms - least_ms + 1));
    contact->was = is;
    contact->edges = 0;
    if (is == closed)
        return;
    for (uint64_t at = now; at < end && contact->edges < MAX_EDGES - 2;
         at += wood->cycles_a_ms * (1 + wood_chance(wood, 15)))
        contact->at[contact->edges++] = at;
    if (contact->edges % 2 == 0) /* an odd number of edges leads to the other level */
        contact->at[contact->edges++] = end;
}

void wood_put(struct wood *wood, int cell, enum piece piece, uint64_t now)
{
    wood->pieces[cell] = piece;
    if (wood->broken[cell])
        return;
    bool first = wood->colours ? piece == WHITE : piece != NONE;
    bounce(wood, &wood->contacts[cell][0], first, 20, 60, now);
    bounce(wood, &wood->contacts[cell][1], wood->colours && piece == BLACK, 20, 60, now);
}

void wood_break(struct wood *wood, int cell)
{
    wood->broken[cell] = true;
    memset(wood->contacts[cell], 0, sizeof wood->contacts[cell]);
}

void wood_button(struct wood *wood, int button, bool down, uint64_t now)
{
    bounce(wood, &wood->buttons[button], down, 2, 8, now);
}

int wood_load(const struct wood *wood, uint8_t *chain, uint64_t now)
{
    int bytes = 0;
    for (int colour = 0; colour <= wood->colours; colour++) {
        int inputs = 0;
        for (int cell = 0; cell < wood->columns * wood->rows; cell++) {
            if (!wood_is_sensed(wood, cell))
                continue;
            if (inputs % 8 == 0)
                chain[bytes++] = 0xFF;
            if (wood_is_closed(&wood->contacts[cell][colour], now))
                chain[bytes - 1] &= ~(1 << inputs % 8);
            inputs++;
        }
    }
    return bytes;
}
