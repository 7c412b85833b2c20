/* The wooden board: magnets over contacts that bounce, buttons under fingers. Times are cycles of the controller.
 *
 * Shares no code with the firmware. */
#ifndef WOOD_H
#define WOOD_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_CELLS 100
#define BUTTONS 7
#define MAX_EDGES 64

enum piece { NONE, WHITE, BLACK };

/* A contact that bounces: it is open or closed, and changes at each edge. */
struct contact {
    bool was;                  /* before the first edge */
    int edges;
    uint64_t at[MAX_EDGES];
};

struct wood {
    int columns, rows, sensors; /* sensors: 0 under every cell, 1 and 2 as PROTOCOL.md counts them */
    bool colours;
    uint64_t cycles_a_ms;
    enum piece pieces[MAX_CELLS];
    bool broken[MAX_CELLS];
    struct contact contacts[MAX_CELLS][2]; /* closed under white (or any) pieces; closed under black ones */
    struct contact buttons[BUTTONS];
    uint32_t chance;
};

extern const char *const button_names[BUTTONS];

bool wood_is_sensed(const struct wood *wood, int cell);
void wood_put(struct wood *wood, int cell, enum piece piece, uint64_t now);
void wood_break(struct wood *wood, int cell);
void wood_button(struct wood *wood, int button, bool down, uint64_t now);
bool wood_is_closed(const struct contact *contact, uint64_t now);
/* What the shift registers load: one byte a chip, a set bit is an open contact or an unused input. How many bytes. */
int wood_load(const struct wood *wood, uint8_t *chain, uint64_t now);
uint32_t wood_chance(struct wood *wood, uint32_t below);

#endif
