/* What the three meters share: which meter a packet belongs to, its colour on arrival, and marking it with its new colour.
 *
 * A meter is found by the hash of the five-tuple in an array of them; flows whose hashes meet share a meter, as in a router
 * that meters aggregates. Colours travel in the DS field as the drop precedences of an assured-forwarding class (RFC 2597). */
#ifndef LC_METER_H
#define LC_METER_H

#include "lc_flow.h"
#include "lc_text.h"

#include <stdlib.h>

enum { LC_GREEN, LC_YELLOW, LC_RED, LC_NO_COLOUR };

#define LC_METERS 4096u       /* without a control file */
#define LC_MICROS 1000000u    /* tokens are millionths of a byte: a rate in bytes per second is tokens per microsecond */

struct lc_meter_settings {
    uint32_t meters; /* a power of two */
    uint32_t aware;  /* takes the colour that a packet brings into account */
    uint32_t class;  /* assured-forwarding class that packets are marked with, 1 to 4 */
};

/* Reads a line that is the same for all meters: `meters N`, `aware`, `class N`; 0 when it is another. */
static inline int lc_meter_line(struct lc_text *text, struct lc_meter_settings *settings)
{
    if (lc_take_word(text, "meters")) {
        settings->meters = lc_need_number(text);
        if (!settings->meters || settings->meters & (settings->meters - 1))
            lc_bad_control_line(text->line);
    } else if (lc_take_word(text, "class")) {
        settings->class = lc_need_number(text);
        if (settings->class < 1 || settings->class > 4)
            lc_bad_control_line(text->line);
    } else if (lc_take_word(text, "aware")) {
        settings->aware = 1;
    } else {
        return 0;
    }
    if (!lc_at_end(text))
        lc_bad_control_line(text->line);
    return 1;
}

/* The colour that a packet brings: of AFx2 yellow, of AFx3 red, of everything else green. */
static inline uint32_t lc_colour_of(const uint8_t *ip, uint32_t version)
{
    uint32_t first = lc_load(ip);
    uint32_t ds = version == 4 ? first >> 8 & 0xff : lc_swap32(first) >> 20 & 0xff;
    uint32_t precedence = ds >> 3 & 3;
    return ds >> 5 >= 1 && ds >> 5 <= 4 && !(ds & 4) && precedence ? precedence - 1 : LC_GREEN;
}

/* Writes class and colour into the DS field, keeps the two bits beside it, and corrects the header checksum (RFC 1624). */
static inline void lc_mark_colour(uint8_t *ip, uint32_t version, uint32_t class, uint32_t colour)
{
    uint32_t ds = class << 5 | (colour + 1) << 3;
    uint32_t first = lc_load(ip);
    if (version == 6) {
        uint32_t word = lc_swap32(first);
        lc_store(ip, lc_swap32((word & ~(0xfcu << 20)) | ds << 20));
        return;
    }
    uint32_t marked = (first & ~0xfc00u) | ds << 8;
    if (marked == first)
        return;
    lc_store(ip, marked);
    uint32_t third = lc_load(ip + 8);
    uint32_t sum = (~third >> 16) + (~first & 0xffff) + (marked & 0xffff);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    lc_store(ip + 8, (third & 0xffff) | ~sum << 16);
}

#endif
