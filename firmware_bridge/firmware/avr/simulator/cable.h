/* The cable: a pseudo-terminal under a name that stays the same when the cable is pulled and put back. */
#ifndef CABLE_H
#define CABLE_H

#include <stddef.h>
#include <stdint.h>

struct cable {
    const char *path;
    int master, slave; /* -1 while the cable is out */
};

void cable_plug(struct cable *cable);
void cable_unplug(struct cable *cable);
/* What the host has sent; how many bytes. */
size_t cable_read(struct cable *cable, uint8_t *bytes, size_t most);
/* Bytes for the host; a wire that nobody listens to loses them. */
void cable_write(struct cable *cable, const uint8_t *bytes, size_t length);

#endif
