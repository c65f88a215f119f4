/* Calls the functions of the runtime as a packet says, so that a test can hold them to a model (crates/iss/tests/programs/
 * runtime.rs). The packet is words: an operation and three operands; operands are addresses of heap objects, or numbers.
 * Returns what the function returned.
 */
#include "lc_packet.h"
#include "linecard.h"

#include <stdlib.h>
#include <string.h>

enum { MALLOC, CALLOC, FREE, MEMCPY, MEMMOVE, MEMSET, MEMCMP, MEMCHR, STRLEN, STRCMP, STRCHR, STRRCHR, STRSTR, STRNCPY, STRCAT };

static void *at(uint32_t address)
{
    return (void *)(uintptr_t)address;
}

static uint32_t as_word(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
    if (bytes < 16)
        return 0;
    uint32_t a = lc_load(packet + 4), b = lc_load(packet + 8), c = lc_load(packet + 12);
    switch (lc_load(packet)) {
    case MALLOC:
        return as_word(malloc(a));
    case CALLOC:
        return as_word(calloc(a, b));
    case FREE:
        free(at(a));
        return 0;
    case MEMCPY:
        return as_word(memcpy(at(a), at(b), c));
    case MEMMOVE:
        return as_word(memmove(at(a), at(b), c));
    case MEMSET:
        return as_word(memset(at(a), (int)b, c));
    case MEMCMP:
        return (uint32_t)memcmp(at(a), at(b), c);
    case MEMCHR:
        return as_word(memchr(at(a), (int)b, c));
    case STRLEN:
        return strlen(at(a));
    case STRCMP:
        return (uint32_t)strncmp(at(a), at(b), c);
    case STRCHR:
        return as_word(strchr(at(a), (int)b));
    case STRRCHR:
        return as_word(strrchr(at(a), (int)b));
    case STRSTR:
        return as_word(strstr(at(a), at(b)));
    case STRNCPY:
        return as_word(strncpy(at(a), at(b), c));
    case STRCAT:
        return as_word(strcat(at(a), at(b)));
    default:
        return 0;
    }
}
