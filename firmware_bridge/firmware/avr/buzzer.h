/* A passive buzzer on OC2B. */
#ifndef BUZZER_H
#define BUZZER_H

#include <stdint.h>

void buzzer_start(void);

/* Sounds a pitch (31 to 65535 Hz), or falls silent (0). */
void buzzer_sound(uint16_t pitch_hz);

#endif
