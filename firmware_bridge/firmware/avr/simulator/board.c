/* A wooden board around simavr: the firmware's machine code, a chain of 74HC165, WS2812 lamps, buttons, a buzzer and a
 * cable. Hands come in lines on standard input, as `python -m firmware_bridge.simulator` takes them.
 *
 * Runs in real time while the machine allows, slower otherwise, and never faster. What it sees and hears it works out
 * from the pins; the pins are those of README.md. Links with libsimavr, which is under the GPL 3. */

#define _GNU_SOURCE
#include "cable.h"
#include "strip.h"
#include "wood.h"

#include <avr_eeprom.h>
#include <avr_extint.h>
#include <avr_ioport.h>
#include <avr_uart.h>
#include <errno.h>
#include <poll.h>
#include <sim_avr.h>
#include <sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FREQUENCY 16000000u
#define CYCLES_A_MS (FREQUENCY / 1000)
/* simavr takes eleven bits for a byte, where the line has ten; faster than that it would hold bytes back. */
#define CYCLES_A_BYTE (FREQUENCY * 11ull / 115200)
#define UDR0 0xC6
/* Two bytes wait in the receiver and one in its shift register; when the next begins, one is lost. */
#define RECEIVER_HOLDS 3
#define PRESS_MS 120
/* A silence that parts two sounds. */
#define SILENCE_MS 25
#define LAG_MS 50

struct pin {
    char port;
    int bit;
};

static const struct controller {
    const char *name;
    struct pin latch, clock, data, lamps, buzzer, buttons[BUTTONS];
} controllers[] = {
    {"atmega328p", {'B', 2}, {'B', 5}, {'B', 4}, {'D', 6}, {'D', 3},
     {{'C', 0}, {'C', 1}, {'C', 2}, {'C', 3}, {'C', 4}, {'C', 5}, {'D', 4}}},
    {"atmega2560", {'B', 0}, {'B', 1}, {'B', 3}, {'A', 0}, {'H', 6},
     {{'F', 0}, {'F', 1}, {'F', 2}, {'F', 3}, {'F', 4}, {'F', 5}, {'F', 6}}},
};

/* What a lit lamp means, by which of green, red and blue are on. */
static const char *const meanings[8] = {"dark", "place", "wrong", "path", "lift", NULL, "remove", "hint"};

static struct {
    avr_t *avr;
    const struct controller *controller;
    struct wood wood;
    struct strip strip;
    struct cable cable;
    uint8_t chain[32];
    int chain_bits, chain_at;
    avr_irq_t *data;
    uint8_t from_host[4096];
    size_t from_host_length, from_host_at;
    uint8_t to_host[4096];
    size_t to_host_length;
    int unread;             /* bytes in the receiver */
    unsigned overruns;      /* bytes that the receiver lost */
    bool is_delivering, is_sending;
    uint64_t release_at[BUTTONS];
    bool tone_level;
    uint64_t tone_changed, tone_half;
    unsigned sounds;
    uint64_t started;       /* the cycle of the last start */
    uint64_t wall_ns, wall_cycle; /* a moment of the wall clock, and the cycle that belongs to it */
    char line[256];
    size_t line_length;
    char start;             /* `reset` or `power`, once the controller has ended its instruction */
    bool is_over;
} sim;

static uint64_t nanoseconds(uint64_t cycles)
{
    return cycles * 1000 / (FREQUENCY / 1000000);
}

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static avr_irq_t *pin_irq(struct pin pin)
{
    return avr_io_getirq(sim.avr, AVR_IOCTL_IOPORT_GETIRQ(pin.port), pin.bit);
}

/* Pins. */

/* QH of the first register: input H of each chip first; behind the last chip the wire is grounded. */
static void drive_data(void)
{
    int at = sim.chain_at;
    avr_raise_irq(sim.data, at < sim.chain_bits ? sim.chain[at / 8] >> (7 - at % 8) & 1 : 0);
}

static void on_latch(avr_irq_t *irq, uint32_t level, void *unused)
{
    (void)irq, (void)unused;
    if (level) { /* on the rising edge the registers hold what stands at their inputs */
        sim.chain_bits = 8 * wood_load(&sim.wood, sim.chain, sim.avr->cycle);
        sim.chain_at = 0;
        drive_data();
    }
}

static void on_clock(avr_irq_t *irq, uint32_t level, void *unused)
{
    (void)unused;
    if (level && !irq->value) {
        sim.chain_at++;
        drive_data();
    }
}

static void on_lamps(avr_irq_t *irq, uint32_t level, void *unused)
{
    (void)unused;
    if ((level != 0) != (irq->value != 0))
        strip_edge(&sim.strip, level != 0, nanoseconds(sim.avr->cycle));
}

static void on_buzzer(avr_irq_t *irq, uint32_t level, void *unused)
{
    (void)irq, (void)unused;
    if ((level & 1) == sim.tone_level)
        return;
    uint64_t gone = sim.avr->cycle - sim.tone_changed;
    if (sim.sounds == 0 || gone > SILENCE_MS * CYCLES_A_MS)
        sim.sounds++;
    else
        sim.tone_half = gone;
    sim.tone_level = level & 1;
    sim.tone_changed = sim.avr->cycle;
}

static void drive_buttons(void)
{
    for (int button = 0; button < BUTTONS; button++) {
        if (sim.release_at[button] && sim.release_at[button] <= sim.avr->cycle) {
            sim.release_at[button] = 0;
            wood_button(&sim.wood, button, false, sim.avr->cycle);
        }
        bool down = wood_is_closed(&sim.wood.buttons[button], sim.avr->cycle);
        avr_raise_irq(pin_irq(sim.controller->buttons[button]), !down);
    }
}

/* The serial line. A byte that comes while the receiver is full is lost, as on the chip. */

static void on_sent(avr_irq_t *irq, uint32_t byte, void *unused)
{
    (void)irq, (void)unused;
    sim.is_sending = true;
    if (sim.to_host_length < sizeof sim.to_host)
        sim.to_host[sim.to_host_length++] = byte;
}

static void on_data_register(avr_irq_t *irq, uint32_t byte, void *unused)
{
    (void)irq, (void)byte, (void)unused;
    if (!sim.is_sending && sim.unread > 0)
        sim.unread--;
    sim.is_sending = false;
}

static avr_cycle_count_t deliver(avr_t *avr, avr_cycle_count_t when, void *unused)
{
    (void)unused;
    if (sim.from_host_at == sim.from_host_length) {
        sim.is_delivering = false;
        return 0;
    }
    uint8_t byte = sim.from_host[sim.from_host_at++];
    if (sim.unread == RECEIVER_HOLDS) {
        sim.overruns++;
    } else {
        sim.unread++;
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), byte);
    }
    return when + CYCLES_A_BYTE;
}

static void take_from_host(void)
{
    if (sim.from_host_at == sim.from_host_length) {
        sim.from_host_at = 0;
        sim.from_host_length = cable_read(&sim.cable, sim.from_host, sizeof sim.from_host);
    }
    if (sim.from_host_at < sim.from_host_length && !sim.is_delivering) {
        sim.is_delivering = true;
        avr_cycle_timer_register(sim.avr, CYCLES_A_BYTE, deliver, NULL);
    }
}

/* The controller. */

static avr_cycle_count_t every_ms(avr_t *avr, avr_cycle_count_t when, void *unused);

static void started(void)
{
    /* A low pin would have its level looked at in every cycle, though no interrupt asks for it. */
    for (int interrupt = 0; interrupt < EXTINT_COUNT; interrupt++)
        avr_extint_set_strict_lvl_trig(sim.avr, interrupt, 0);
    uint32_t flags = 0; /* no echo on our output, no sleeping of its own */
    avr_ioctl(sim.avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    sim.is_delivering = sim.is_sending = false;
    sim.unread = 0;
    sim.started = sim.avr->cycle;
    for (int button = 0; button < BUTTONS; button++) /* a start clears the pins, but only a change reaches them */
        avr_raise_irq(pin_irq(sim.controller->buttons[button]), 0);
    drive_buttons();
    avr_cycle_timer_register(sim.avr, CYCLES_A_MS, every_ms, NULL);
}

/* `power`: the memory forgets, and comes back with anything in it; the lamps go dark. */
static void restart(bool power)
{
    if (power) {
        for (int at = sim.avr->ioend + 1; at <= sim.avr->ramend; at++)
            sim.avr->data[at] = wood_chance(&sim.wood, 256);
        memset(sim.strip.shown, 0, sizeof sim.strip.shown);
    }
    sim.strip.bits = 0;
    avr_reset(sim.avr);
    started();
}

/* Only answers go to standard output. */
static void log_to_stderr(avr_t *avr, int level, const char *format, va_list arguments)
{
    if (level <= LOG_WARNING && avr)
        vfprintf(stderr, format, arguments);
}

static void load(const char *elf)
{
    avr_global_logger_set((avr_logger_p)log_to_stderr);
    elf_firmware_t firmware = {0};
    if (elf_read_firmware(elf, &firmware)) {
        fprintf(stderr, "%s: no firmware that can be read\n", elf);
        exit(2);
    }
    sim.avr = avr_make_mcu_by_name(sim.controller->name);
    avr_init(sim.avr);
    sim.avr->frequency = FREQUENCY;
    firmware.frequency = FREQUENCY;
    avr_load_firmware(sim.avr, &firmware);
}

static void no_sleep(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr, (void)cycles; /* every_ms sees to the time */
}

static void wire_up(void)
{
    avr_t *avr = sim.avr;
    avr->sleep = no_sleep;
    avr_irq_register_notify(pin_irq(sim.controller->latch), on_latch, NULL);
    avr_irq_register_notify(pin_irq(sim.controller->lamps), on_lamps, NULL);
    avr_irq_register_notify(pin_irq(sim.controller->buzzer), on_buzzer, NULL);
    avr_irq_register_notify(pin_irq(sim.controller->clock), on_clock, NULL);
    sim.data = pin_irq(sim.controller->data);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_sent, NULL);
    avr_irq_register_notify(avr_iomem_getirq(avr, UDR0, NULL, AVR_IOMEM_IRQ_ALL), on_data_register, NULL);
}

/* Lines. */

static void answer_lamps(void)
{
    const char *comma = "";
    strip_rest(&sim.strip, nanoseconds(sim.avr->cycle));
    for (int cell = 0, lamp = 0; cell < sim.wood.columns * sim.wood.rows; cell++) {
        if (!wood_is_sensed(&sim.wood, cell))
            continue;
        const uint8_t *colour = sim.strip.shown[lamp++];
        int on = (colour[0] > 0) | (colour[1] > 0) << 1 | (colour[2] > 0) << 2;
        if (on == 0)
            continue;
        printf("%s%d %d %s", comma, cell % sim.wood.columns, cell / sim.wood.columns,
               meanings[on] ? meanings[on] : "unknown");
        comma = ",";
    }
    printf("\n");
}

static void answer_brightness(void)
{
    strip_rest(&sim.strip, nanoseconds(sim.avr->cycle));
    int most = 0;
    for (int lamp = 0; lamp < sim.strip.lamps; lamp++)
        for (int channel = 0; channel < 3; channel++)
            if (sim.strip.shown[lamp][channel] > most)
                most = sim.strip.shown[lamp][channel];
    printf("%d\n", most);
}

static int button_of(const char *name)
{
    for (int button = 0; button < BUTTONS; button++)
        if (strcmp(button_names[button], name) == 0)
            return button;
    return -1;
}

static int piece_of(const char *name)
{
    static const char *const names[] = {"white_man", "white_king", "black_man", "black_king"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0)
            return i < 2 ? WHITE : BLACK;
    return -1;
}

/* Does what a line says that touches a cell or a button; false when there is no such cell, button or line. */
static bool touch(const char *word, const char *first, const char *second, const char *third)
{
    uint64_t now = sim.avr->cycle;
    int button = button_of(first);
    if (strcmp(word, "press") == 0 || strcmp(word, "hold") == 0 || strcmp(word, "release") == 0) {
        if (button < 0)
            return false;
        wood_button(&sim.wood, button, word[0] != 'r', now);
        sim.release_at[button] = word[0] == 'p' ? now + PRESS_MS * CYCLES_A_MS : 0;
        return true;
    }
    char *end_column, *end_row;
    long column = strtol(first, &end_column, 10), row = strtol(second, &end_row, 10);
    if (!*first || !*second || *end_column || *end_row)
        return false;
    if (column < 0 || column >= sim.wood.columns || row < 0 || row >= sim.wood.rows)
        return false;
    int cell = row * sim.wood.columns + column;
    int piece = strcmp(word, "take") == 0 ? NONE : piece_of(third);
    if (strcmp(word, "break") == 0)
        wood_break(&sim.wood, cell);
    else if (piece >= 0 && (piece == NONE || strcmp(word, "put") == 0))
        wood_put(&sim.wood, cell, piece, now);
    else
        return false;
    return true;
}

static void obey(const char *line)
{
    char word[32] = "", first[32] = "", second[32] = "", third[32] = "";
    if (sscanf(line, "%31s %31s %31s %31s", word, first, second, third) < 1)
        return;
    if (strcmp(word, "lamps") == 0)
        answer_lamps();
    else if (strcmp(word, "buzzer") == 0)
        printf("%u\n", sim.sounds);
    else if (strcmp(word, "pitch") == 0)
        printf("%u\n", sim.tone_half ? (unsigned)(FREQUENCY / 2 / sim.tone_half) : 0);
    else if (strcmp(word, "time") == 0)
        printf("%llu\n", (unsigned long long)(sim.avr->cycle / CYCLES_A_MS));
    else if (strcmp(word, "uptime") == 0)
        printf("%llu\n", (unsigned long long)((sim.avr->cycle - sim.started) / CYCLES_A_MS));
    else if (strcmp(word, "brightness") == 0)
        answer_brightness();
    else if (strcmp(word, "faults") == 0)
        printf("%u bytes lost, %u pulses, longest pause %u ns\n", sim.overruns, sim.strip.faults,
               (unsigned)sim.strip.longest_pause_ns);
    else if (strcmp(word, "reset") == 0 || strcmp(word, "power") == 0)
        sim.start = word[0];
    else if (strcmp(word, "unplug") == 0)
        cable_unplug(&sim.cable);
    else if (strcmp(word, "plug") == 0)
        cable_plug(&sim.cable);
    else if (!touch(word, first, second, third))
        printf("error: %s: no such line, cell, piece or button\n", line);
    fflush(stdout);
}

static void take_lines(void)
{
    char bytes[4096];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got <= 0) {
        sim.is_over = got == 0 || errno != EINTR;
        return;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] != '\n') {
            if (sim.line_length < sizeof sim.line - 1)
                sim.line[sim.line_length++] = bytes[i];
            continue;
        }
        sim.line[sim.line_length] = 0;
        sim.line_length = 0;
        obey(sim.line);
    }
}

/* Once a millisecond of the controller: waits for the wall clock, and looks around. A machine that was busy for long is
 * not caught up with: then time has gone by more slowly on this board. */
static avr_cycle_count_t every_ms(avr_t *avr, avr_cycle_count_t when, void *unused)
{
    (void)unused;
    cable_write(&sim.cable, sim.to_host, sim.to_host_length);
    sim.to_host_length = 0;
    uint64_t due = sim.wall_ns + nanoseconds(avr->cycle - sim.wall_cycle), now = wall_ns();
    if (now > due + LAG_MS * 1000000ull) {
        sim.wall_ns = now;
        sim.wall_cycle = avr->cycle;
    }
    uint64_t left = due > now ? due - now : 0;
    struct timespec wait = {left / 1000000000, left % 1000000000};
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    bool has_line = ppoll(&input, 1, &wait, NULL) > 0;
    drive_buttons();
    take_from_host();
    if (has_line)
        take_lines();
    return when + CYCLES_A_MS;
}

static void keep_eeprom(const char *path, bool is_read)
{
    static uint8_t bytes[4096];
    avr_eeprom_desc_t memory = {bytes, 0, sim.avr->e2end + 1};
    FILE *file = fopen(path, is_read ? "rb" : "wb");
    if (!file)
        return;
    if (is_read && fread(bytes, 1, memory.size, file) == memory.size)
        avr_ioctl(sim.avr, AVR_IOCTL_EEPROM_SET, &memory);
    if (!is_read && avr_ioctl(sim.avr, AVR_IOCTL_EEPROM_GET, &memory) != -2) /* -1 is simavr's success */
        fwrite(memory.ee, 1, memory.size, file);
    fclose(file);
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s --mcu atmega328p|atmega2560 --elf FILE --path PTY [--size 8x8] [--sensors 0|1|2] [--colour]\n"
            "       [--seed N] [--eeprom FILE]\n",
            program);
    return 2;
}

int main(int argc, char **argv)
{
    const char *elf = NULL, *mcu = "atmega328p", *eeprom = NULL;
    sim.wood = (struct wood){.columns = 8, .rows = 8, .cycles_a_ms = CYCLES_A_MS, .chance = getpid()};
    sim.cable = (struct cable){NULL, -1, -1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--colour") == 0) {
            sim.wood.colours = true;
            continue;
        }
        if (!value)
            return usage(argv[0]);
        if (strcmp(argv[i], "--path") == 0)
            sim.cable.path = value;
        else if (strcmp(argv[i], "--elf") == 0)
            elf = value;
        else if (strcmp(argv[i], "--mcu") == 0)
            mcu = value;
        else if (strcmp(argv[i], "--eeprom") == 0)
            eeprom = value;
        else if (strcmp(argv[i], "--seed") == 0)
            sim.wood.chance = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--sensors") == 0)
            sim.wood.sensors = atoi(value);
        else if (strcmp(argv[i], "--size") != 0 || sscanf(value, "%dx%d", &sim.wood.columns, &sim.wood.rows) != 2)
            return usage(argv[0]);
        i++;
    }
    for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++)
        if (strcmp(controllers[i].name, mcu) == 0)
            sim.controller = &controllers[i];
    int cells = sim.wood.columns * sim.wood.rows;
    if (!elf || !sim.cable.path || !sim.controller || cells < 1 || cells > MAX_CELLS)
        return usage(argv[0]);
    sim.strip.lamps = sim.wood.sensors ? cells / 2 : cells;
    load(elf);
    if (eeprom)
        keep_eeprom(eeprom, true);
    wire_up();
    restart(true);
    sim.wall_ns = wall_ns();
    sim.wall_cycle = sim.avr->cycle;
    cable_plug(&sim.cable);
    while (!sim.is_over) {
        int state = avr_run(sim.avr);
        if (sim.start) {
            restart(sim.start == 'p');
            sim.start = 0;
        }
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the firmware has crashed at %#x\n", sim.avr->pc);
            cable_unplug(&sim.cable);
            return 1;
        }
    }
    cable_unplug(&sim.cable);
    if (eeprom)
        keep_eeprom(eeprom, false);
    return 0;
}
