#include "buzzer.h"

#include "board.h"
#include "pins.h"

void buzzer_start(void)
{
    SET_LOW(PIN_BUZZER);
    MAKE_OUTPUT(PIN_BUZZER);
}

void buzzer_sound(uint16_t pitch_hz)
{
    static const uint8_t shifts[] = {0, 3, 5, 6, 7, 8, 10}; /* timer 2 counts every 1, 8, 32, ... 1024 cycles */
    if (pitch_hz == 0) {
        TCCR2A = 1 << WGM21;
        TCCR2B = 0;
        return;
    }
    uint32_t half = F_CPU / 2 / pitch_hz; /* cycles between two changes of the pin */
    uint8_t choice = 0;
    while (choice < sizeof shifts - 1 && half >> shifts[choice] > 256)
        choice++;
    uint32_t counts = half >> shifts[choice];
    TCCR2A = 1 << COM2B0 | 1 << WGM21; /* the pin changes once a round */
    TCCR2B = choice + 1;
    OCR2A = OCR2B = counts > 256 ? 255 : counts ? counts - 1 : 0;
    TCNT2 = 0;
}
