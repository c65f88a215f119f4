/* classify: finds the flow of a packet by a hash of its five-tuple and gives new flows a number.
 *
 * Source: the five-tuple hash of Gupta and McKeown, "Algorithms for Packet Classification" (IEEE Network, 2001), as
 * Mudigonda 2007 uses it: chains of flows in hash buckets.
 * Control file (optional): `buckets N`, a power of two; 16384 without it.
 * Returns: the number of the flow, from 1 in order of appearance; the top bit is set for its first packet. 0 for a packet
 * whose headers do not fit or when memory is full.
 * Shared state: the table. Lookups take no lock, because a flow is complete before its bucket points at it and is never
 * removed; inserting takes the lock of the table, and looks again.
 */
#include "lc_flow.h"
#include "lc_text.h"
#include "linecard.h"

#include <stdlib.h>

#define NEW 0x80000000u

struct entry {
    struct lc_flow key; /* one cache line of 16 bytes, the rest is the next */
    struct entry *next;
    uint32_t number;
};

static struct entry **buckets;
static uint32_t bucket_mask = 16384 - 1;
static LC_STATE uint32_t flows; /* guarded by its own address, as the whole table */

void app_init(const uint8_t *control, uint32_t bytes)
{
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_line(&text)) {
        if (!lc_take_word(&text, "buckets"))
            lc_bad_control_line(text.line);
        uint32_t count = lc_need_number(&text);
        if (!count || count & (count - 1))
            lc_bad_control_line(text.line);
        bucket_mask = count - 1;
    }
    buckets = calloc(bucket_mask + 1, sizeof *buckets);
    if (!buckets)
        lc_out_of_memory();
}

static inline struct entry *find(struct entry *entry, const struct lc_flow *flow)
{
    while (entry && !lc_same_flow(&entry->key, flow))
        entry = entry->next;
    return entry;
}

static __attribute__((noinline)) uint32_t insert(struct entry **bucket, const struct lc_flow *flow)
{
    uint32_t result = 0;
    lc_lock(&flows);
    struct entry *entry = find(*bucket, flow);
    if (entry) {
        result = entry->number;
    } else if ((entry = malloc(sizeof *entry))) {
        entry->key = *flow;
        entry->next = *bucket;
        entry->number = ++flows;
        *bucket = entry;
        result = entry->number | NEW;
    }
    lc_unlock(&flows);
    return result;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    if (!lc_parse(ip, bytes, &packet))
        return 0;
    struct lc_flow flow = lc_flow_of(&packet);
    struct entry **bucket = &buckets[lc_hash(&flow) & bucket_mask];
    struct entry *entry = find(*bucket, &flow);
    return entry ? entry->number : insert(bucket, &flow);
}
