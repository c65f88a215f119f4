/* Route tables: lines `a.b.c.d/length hop` or, where a program takes them, `a.b.c.d/m.m.m.m hop` with any mask.
 * The hop is a number or an address, not 0; a table without hops gets 1 everywhere; further columns are not read. IPv6
 * prefixes are passed over. When a prefix appears twice the last one counts. */
#ifndef LC_ROUTES_H
#define LC_ROUTES_H

#include "lc_text.h"

#include <stdlib.h>

struct lc_route {
    uint32_t prefix; /* host order, bits outside the mask are 0 */
    uint32_t length;
    uint32_t hop;
};

static inline uint32_t lc_mask(uint32_t length)
{
    return length ? UINT32_MAX << (32 - length) : 0;
}

static inline int lc_line_has(const struct lc_text *text, char wanted)
{
    for (const uint8_t *at = text->at; at < text->stop; at++) {
        if (*at == (uint8_t)wanted)
            return 1;
    }
    return 0;
}

/* The next route and its mask; 0 at the end of the table. */
static inline int lc_next_route(struct lc_text *text, uint32_t *prefix, uint32_t *mask, uint32_t *hop)
{
    uint32_t length;
    do {
        if (!lc_next_line(text))
            return 0;
    } while (lc_line_has(text, ':'));
    *prefix = lc_need_number(text);
    if (!lc_take_address_rest(text, prefix) || !lc_take_char(text, '/') || !lc_take_number(text, &length))
        lc_bad_control_line(text->line);
    if (lc_line_has(text, '.') && text->at < text->stop && *text->at == '.') {
        *mask = length;
        if (!lc_take_address_rest(text, mask))
            lc_bad_control_line(text->line);
    } else {
        if (length > 32)
            lc_bad_control_line(text->line);
        *mask = lc_mask(length);
    }
    *prefix &= *mask;
    *hop = 1;
    if (!lc_at_end(text)) {
        *hop = lc_need_number(text);
        if ((text->at < text->stop && *text->at == '.' && !lc_take_address_rest(text, hop)) || !*hop)
            lc_bad_control_line(text->line);
    }
    return 1;
}

static inline uint32_t lc_mask_length(uint32_t mask)
{
    uint32_t length = 0;
    while (length < 32 && mask & 0x80000000u >> length)
        length++;
    return length;
}

/* All routes, shortest first, those of one length in the order of the file. The caller frees the array. */
static inline struct lc_route *lc_read_routes(const uint8_t *control, uint32_t bytes, uint32_t *count)
{
    uint32_t prefix, mask, hop, of_length[34] = {0};
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_route(&text, &prefix, &mask, &hop)) {
        if (mask != lc_mask(lc_mask_length(mask)))
            lc_bad_control_line(text.line);
        of_length[lc_mask_length(mask) + 1]++;
    }
    for (uint32_t length = 1; length < 34; length++)
        of_length[length] += of_length[length - 1];
    *count = of_length[33];
    struct lc_route *routes = malloc((*count ? *count : 1) * sizeof *routes);
    if (!routes)
        lc_out_of_memory();
    text = lc_text_of(control, bytes);
    while (lc_next_route(&text, &prefix, &mask, &hop)) {
        uint32_t length = lc_mask_length(mask);
        routes[of_length[length]++] = (struct lc_route){prefix, length, hop};
    }
    return routes;
}

#endif
