#define _GNU_SOURCE
#include "cable.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

void cable_plug(struct cable *cable)
{
    if (cable->master >= 0)
        return;
    cable->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (cable->master < 0 || grantpt(cable->master) || unlockpt(cable->master))
        give_up("pseudo-terminal");
    /* Held open, so that a host that closes the port does not hang it up. */
    cable->slave = open(ptsname(cable->master), O_RDWR | O_NOCTTY);
    struct termios settings;
    if (cable->slave < 0 || tcgetattr(cable->slave, &settings))
        give_up("pseudo-terminal");
    cfmakeraw(&settings);
    tcsetattr(cable->slave, TCSANOW, &settings);
    if (symlink(ptsname(cable->master), cable->path))
        give_up(cable->path);
}

void cable_unplug(struct cable *cable)
{
    if (cable->master < 0)
        return;
    unlink(cable->path);
    close(cable->slave);
    close(cable->master);
    cable->master = cable->slave = -1;
}

size_t cable_read(struct cable *cable, uint8_t *bytes, size_t most)
{
    ssize_t got = cable->master < 0 ? 0 : read(cable->master, bytes, most);
    return got > 0 ? (size_t)got : 0;
}

void cable_write(struct cable *cable, const uint8_t *bytes, size_t length)
{
    if (cable->master >= 0 && length > 0 && write(cable->master, bytes, length) < 0)
        return;
}
