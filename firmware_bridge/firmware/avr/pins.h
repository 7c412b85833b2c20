/* `PIN_X B, 2` of board.h to registers. */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>

#define PORT_OF_(port, bit) PORT##port
#define DDR_OF_(port, bit) DDR##port
#define PIN_OF_(port, bit) PIN##port
#define MASK_OF_(port, bit) (1 << (bit))
#define PORT_OF(...) PORT_OF_(__VA_ARGS__)
#define DDR_OF(...) DDR_OF_(__VA_ARGS__)
#define PIN_OF(...) PIN_OF_(__VA_ARGS__)
#define MASK_OF(...) MASK_OF_(__VA_ARGS__)

#define MAKE_OUTPUT(...) (DDR_OF(__VA_ARGS__) |= MASK_OF(__VA_ARGS__))
#define MAKE_PULLED_UP(...) (PORT_OF(__VA_ARGS__) |= MASK_OF(__VA_ARGS__))
#define SET_HIGH(...) (PORT_OF(__VA_ARGS__) |= MASK_OF(__VA_ARGS__))
#define SET_LOW(...) (PORT_OF(__VA_ARGS__) &= ~MASK_OF(__VA_ARGS__))
#define IS_LOW(...) (!(PIN_OF(__VA_ARGS__) & MASK_OF(__VA_ARGS__)))

#endif
