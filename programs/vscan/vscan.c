/* vscan: finds all occurrences of a list of patterns in the payload.
 *
 * Source: Wu and Manber, "A Fast Algorithm for Multi-Pattern Searching" (TR-94-17, 1994), with blocks of two bytes: the last two
 * bytes of the window say how far it may move; where they end a pattern's first part, the patterns that have that end and
 * the same first two bytes are compared. Windows are as long as the shortest pattern. The payload is what TCP or UDP
 * carries, or for other protocols what IP carries; case counts.
 * Control file: lines `name "pattern"`; in a pattern \xHH is a byte, \\ and \" are themselves, and a # must be written \x23. Patterns
 * have 4 to 255 bytes. The number of a pattern is its place in the file, from 1.
 * Returns: how many occurrences there are (lower half, at most 65535) and the smallest number of a pattern among them (upper
 * half); 0 for none.
 * Shared state: the tables, which packets only read. No locks.
 */
#include "lc_packet.h"
#include "lc_text.h"
#include "linecard.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 2
#define BLOCKS 65536
#define SHORTEST 4
#define LONGEST 255
#define PATTERNS_MAX 65535

/* Followed by its bytes. */
struct pattern {
    struct pattern *next; /* with the same last block of the first part */
    uint16_t prefix;      /* the first two bytes */
    uint16_t number;
    uint8_t length;
    uint8_t bytes[];
};

static uint8_t *shifts;           /* by block: how far the window may move */
static struct pattern **endings;  /* by block: patterns whose first part ends with it */
static uint32_t window = LONGEST; /* length of the shortest pattern */

static inline uint32_t block_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t need_escape(struct lc_text *text)
{
    int byte = -1;
    if (lc_take_char(text, '\\'))
        return '\\';
    if (lc_take_char(text, '"'))
        return '"';
    if (lc_take_char(text, 'x'))
        byte = lc_take_hex_byte(text);
    if (byte < 0)
        lc_bad_control_line(text->line);
    return (uint32_t)byte;
}

/* The pattern of a line; returns its length. */
static uint32_t need_pattern(struct lc_text *text, uint8_t bytes[LONGEST])
{
    uint32_t length = 0;
    while (text->at < text->stop && *text->at != ' ' && *text->at != '\t')
        text->at++; /* the name is for people */
    lc_skip_blanks(text);
    if (!lc_take_char(text, '"'))
        lc_bad_control_line(text->line);
    while (!lc_take_char(text, '"')) {
        if (text->at == text->stop || length == LONGEST)
            lc_bad_control_line(text->line);
        bytes[length++] = lc_take_char(text, '\\') ? (uint8_t)need_escape(text) : *text->at++;
    }
    if (length < SHORTEST || !lc_at_end(text))
        lc_bad_control_line(text->line);
    return length;
}

static void add_pattern(const uint8_t *bytes, uint32_t length, uint32_t number)
{
    struct pattern *pattern = malloc(sizeof *pattern + length);
    if (!pattern)
        lc_out_of_memory();
    pattern->prefix = (uint16_t)block_at(bytes);
    pattern->number = (uint16_t)number;
    pattern->length = (uint8_t)length;
    memcpy(pattern->bytes, bytes, length);
    for (uint32_t end = BLOCK; end <= window; end++) {
        uint32_t block = block_at(bytes + end - BLOCK);
        if (shifts[block] > window - end)
            shifts[block] = (uint8_t)(window - end);
    }
    struct pattern **ending = &endings[block_at(bytes + window - BLOCK)];
    pattern->next = *ending;
    *ending = pattern;
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint8_t pattern[LONGEST];
    uint32_t count = 0;
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_line(&text)) {
        uint32_t length = need_pattern(&text, pattern);
        if (++count > PATTERNS_MAX)
            lc_bad_control_line(text.line);
        if (length < window)
            window = length;
    }
    shifts = malloc(BLOCKS);
    endings = calloc(BLOCKS, sizeof *endings);
    if (!shifts || !endings)
        lc_out_of_memory();
    memset(shifts, (int)(window - BLOCK + 1), BLOCKS);
    text = lc_text_of(control, bytes);
    for (uint32_t number = 1; number <= count; number++) {
        lc_next_line(&text);
        add_pattern(pattern, need_pattern(&text, pattern), number);
    }
}

static uint32_t scan(const uint8_t *at, uint32_t bytes)
{
    uint32_t found = 0, smallest = UINT32_MAX;
    const uint8_t *end = at + bytes;
    const uint8_t *last = at + window; /* the byte after the window */
    while (last <= end) {
        uint32_t block = block_at(last - BLOCK);
        uint32_t shift = shifts[block];
        if (shift) {
            if (shift > (uint32_t)(end - last))
                break;
            last += shift;
            continue;
        }
        const uint8_t *first = last - window;
        uint32_t prefix = block_at(first);
        for (const struct pattern *pattern = endings[block]; pattern; pattern = pattern->next) {
            if (pattern->prefix != prefix || pattern->length > (uint32_t)(end - first) ||
                memcmp(pattern->bytes + BLOCK, first + BLOCK, pattern->length - BLOCK))
                continue;
            found += found < 0xffff;
            if (pattern->number < smallest)
                smallest = pattern->number;
        }
        last++;
    }
    return found ? smallest << 16 | found : 0;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    uint32_t payload_bytes;
    uint8_t *payload;
    if (!lc_parse(ip, bytes, &packet) || !(payload = lc_payload(&packet, &payload_bytes)) || payload_bytes < window)
        return 0;
    return scan(payload, payload_bytes);
}
