/* Memory and string functions. Copies and fills run over words when the addresses allow it, because the instructions of
 * these loops are part of a program's cost. Built with -fno-builtin, or the loops would become calls of themselves. */
#include "string.h"

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) word;

#define WORD_BYTES sizeof(word)
#define OFFSET_IN_WORD(pointer) ((uintptr_t)(pointer) % WORD_BYTES)

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if (OFFSET_IN_WORD(out) == OFFSET_IN_WORD(in)) {
        while (bytes && OFFSET_IN_WORD(out)) {
            *out++ = *in++;
            bytes--;
        }
        while (bytes >= 4 * WORD_BYTES) {
            word a = ((const word *)in)[0], b = ((const word *)in)[1];
            word c = ((const word *)in)[2], d = ((const word *)in)[3];
            ((word *)out)[0] = a;
            ((word *)out)[1] = b;
            ((word *)out)[2] = c;
            ((word *)out)[3] = d;
            in += 4 * WORD_BYTES;
            out += 4 * WORD_BYTES;
            bytes -= 4 * WORD_BYTES;
        }
        while (bytes >= WORD_BYTES) {
            *(word *)out = *(const word *)in;
            in += WORD_BYTES;
            out += WORD_BYTES;
            bytes -= WORD_BYTES;
        }
    }
    while (bytes--)
        *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((uintptr_t)out - (uintptr_t)in >= bytes) {
        /* Ascending order is safe: the destination does not begin inside the source. */
        while (bytes && (OFFSET_IN_WORD(out) || OFFSET_IN_WORD(in) || bytes < WORD_BYTES)) {
            *out++ = *in++;
            bytes--;
        }
        for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
            *(word *)out = *(const word *)in;
            out += WORD_BYTES;
            in += WORD_BYTES;
        }
        while (bytes--)
            *out++ = *in++;
        return to;
    }
    out += bytes;
    in += bytes;
    if (OFFSET_IN_WORD(out) == OFFSET_IN_WORD(in)) {
        while (bytes && OFFSET_IN_WORD(out)) {
            *--out = *--in;
            bytes--;
        }
        for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
            out -= WORD_BYTES;
            in -= WORD_BYTES;
            *(word *)out = *(const word *)in;
        }
    }
    while (bytes--)
        *--out = *--in;
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint8_t *out = to;
    word all = (uint8_t)value * 0x01010101u;
    while (bytes && OFFSET_IN_WORD(out)) {
        *out++ = (uint8_t)value;
        bytes--;
    }
    for (; bytes >= 4 * WORD_BYTES; bytes -= 4 * WORD_BYTES) {
        ((word *)out)[0] = all;
        ((word *)out)[1] = all;
        ((word *)out)[2] = all;
        ((word *)out)[3] = all;
        out += 4 * WORD_BYTES;
    }
    for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
        *(word *)out = all;
        out += WORD_BYTES;
    }
    while (bytes--)
        *out++ = (uint8_t)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a, *right = b;
    if (!OFFSET_IN_WORD(left) && !OFFSET_IN_WORD(right)) {
        while (bytes >= WORD_BYTES && *(const word *)left == *(const word *)right) {
            left += WORD_BYTES;
            right += WORD_BYTES;
            bytes -= WORD_BYTES;
        }
    }
    for (; bytes; bytes--, left++, right++) {
        if (*left != *right)
            return *left < *right ? -1 : 1;
    }
    return 0;
}

void *memchr(const void *in, int value, size_t bytes)
{
    for (const uint8_t *at = in; bytes; bytes--, at++) {
        if (*at == (uint8_t)value)
            return (void *)at;
    }
    return 0;
}

size_t strlen(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

size_t strnlen(const char *text, size_t bytes)
{
    size_t length = 0;
    while (length < bytes && text[length])
        length++;
    return length;
}

int strncmp(const char *a, const char *b, size_t bytes)
{
    for (; bytes; bytes--, a++, b++) {
        if (*a != *b)
            return (uint8_t)*a < (uint8_t)*b ? -1 : 1;
        if (!*a)
            break;
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *in, int value)
{
    for (;; in++) {
        if (*in == (char)value)
            return (char *)in;
        if (!*in)
            return 0;
    }
}

char *strrchr(const char *in, int value)
{
    const char *last = 0;
    for (;; in++) {
        if (*in == (char)value)
            last = in;
        if (!*in)
            return (char *)last;
    }
}

char *strcpy(char *restrict to, const char *restrict from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t bytes)
{
    size_t length = strnlen(from, bytes);
    memcpy(to, from, length);
    memset(to + length, 0, bytes - length);
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strstr(const char *in, const char *what)
{
    size_t length = strlen(what);
    for (; *in; in++) {
        if (!strncmp(in, what, length))
            return (char *)in;
    }
    return length ? 0 : (char *)in;
}
