/* Arithmetic that RV32IM has no instruction for. */
#ifndef LC_MATH_H
#define LC_MATH_H

#include <stdint.h>

/* a * b / c, rounded down, with the whole product; the result must fit into 32 bits, so a * b < c * 2^32.
 * Long division by digits of 16 bits (Knuth, volume 2, algorithm D). */
static inline uint32_t lc_muldiv(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t product = (uint64_t)a * b;
    uint32_t high = (uint32_t)(product >> 32), low = (uint32_t)product;
    if (!high)
        return low / c;
    /* Shifted so that the divisor has its top bit set: a digit is then guessed at most two too high. */
    uint32_t shift = 0;
    for (uint32_t step = 16; step; step >>= 1) {
        if (c << shift >> (32 - step) == 0)
            shift += step;
    }
    c <<= shift;
    if (shift) {
        high = high << shift | low >> (32 - shift);
        low <<= shift;
    }
    uint32_t result = 0;
    for (int digit = 0; digit < 2; digit++) {
        uint32_t next = low >> 16;
        uint32_t guess = high / (c >> 16), rest = high % (c >> 16);
        while (guess >> 16 || guess * (c & 0xffff) > (rest << 16 | next)) {
            guess--;
            rest += c >> 16;
            if (rest >> 16)
                break;
        }
        high = (high << 16 | next) - guess * c;
        low <<= 16;
        result = result << 16 | guess;
    }
    return result;
}

#endif
