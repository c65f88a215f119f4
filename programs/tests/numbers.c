/* Arithmetic beyond the processor's own instructions, and atomic operations, as a packet says, so that a test can hold them
 * to those of another machine (crates/iss/tests/programs/numbers.rs). The packet is a word, the operation, one more that is
 * passed over, and two operands of 64 bits, little-endian; the result takes the place of the first.
 */
#include "linecard.h"

#include <string.h>

enum {
    ADD, SUBTRACT, MULTIPLY, DIVIDE, LESS, TO_INTEGER, FROM_INTEGER,
    ADD_SINGLE, MULTIPLY_SINGLE, DIVIDE_SINGLE,
    QUOTIENT, REMAINDER, SIGNED_QUOTIENT, SIGNED_REMAINDER, SHIFT,
    FETCH_ADD, FETCH_OR, EXCHANGE, COMPARE_EXCHANGE, FETCH_ADD_LONG,
};

static LC_STATE uint32_t word;
static LC_STATE unsigned long wide;

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float as_single(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t of_single(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t result(uint32_t operation, uint64_t a, uint64_t b)
{
    uint32_t expected = (uint32_t)a;
    switch (operation) {
    case ADD:
        return of_double(as_double(a) + as_double(b));
    case SUBTRACT:
        return of_double(as_double(a) - as_double(b));
    case MULTIPLY:
        return of_double(as_double(a) * as_double(b));
    case DIVIDE:
        return of_double(as_double(a) / as_double(b));
    case LESS:
        return as_double(a) < as_double(b);
    case TO_INTEGER:
        return (uint64_t)(int64_t)as_double(a);
    case FROM_INTEGER:
        return of_double((double)(int64_t)a);
    case ADD_SINGLE:
        return of_single(as_single(a) + as_single(b));
    case MULTIPLY_SINGLE:
        return of_single(as_single(a) * as_single(b));
    case DIVIDE_SINGLE:
        return of_single(as_single(a) / as_single(b));
    case QUOTIENT:
        return a / b;
    case REMAINDER:
        return a % b;
    case SIGNED_QUOTIENT:
        return (uint64_t)((int64_t)a / (int64_t)b);
    case SIGNED_REMAINDER:
        return (uint64_t)((int64_t)a % (int64_t)b);
    case SHIFT:
        return a >> (b & 63);
    case FETCH_ADD:
        return __atomic_fetch_add(&word, (uint32_t)a, __ATOMIC_SEQ_CST);
    case FETCH_OR:
        return __atomic_fetch_or(&word, (uint32_t)a, __ATOMIC_ACQUIRE);
    case EXCHANGE:
        return __atomic_exchange_n(&word, (uint32_t)a, __ATOMIC_RELEASE);
    case COMPARE_EXCHANGE:
        return __atomic_compare_exchange_n(&word, &expected, (uint32_t)b, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    case FETCH_ADD_LONG:
        return __atomic_fetch_add(&wide, (unsigned long)a, __ATOMIC_SEQ_CST);
    default:
        return 0;
    }
}

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
    uint32_t operation;
    uint64_t a, b;
    if (bytes < 24)
        return 0;
    memcpy(&operation, packet, sizeof operation);
    memcpy(&a, packet + 8, sizeof a);
    memcpy(&b, packet + 16, sizeof b);
    a = result(operation, a, b);
    memcpy(packet + 8, &a, sizeof a);
    return 1;
}
