/* bitmap: longest-prefix match in a tree bitmap.
 *
 * Source: Eatherton, Varghese and Dittia, "Tree Bitmap: Hardware/Software IP Lookups with Incremental Updates" (CCR, 2004):
 * strides of four bits; a node has a bitmap of the 15 prefixes that end in it, a bitmap of its 16 children, and one pointer
 * for each, to arrays without holes. The first eight bits index an array (the paper's initial array). The hop of the
 * best node is fetched once, at the end (lazy evaluation of results).
 * Control file: a route table (include/lc_routes.h).
 * Returns: the hop of the IPv4 destination; 0 without a route, for IPv6, and for packets shorter than an IPv4 header.
 * Shared state: the tree, which packets only read. No locks.
 */
#include "lc_packet.h"
#include "lc_routes.h"
#include "linecard.h"

#include <stdlib.h>
#include <string.h>

#define INITIAL_BITS 8
#define STRIDE 4

/* Prefixes of length n that end in a node are bits 2^n - 1 and following, by value. */
struct node {
    uint32_t bitmaps; /* lower half: prefixes, upper half: children */
    struct node *children;
    uint32_t *hops;
};

static struct node *initial;
static uint32_t *initial_hops; /* of routes with fewer than eight bits, expanded */

/* Bits of the prefixes that cover the next bits of an address, by the first three of them. */
static const uint16_t covering[8] = {
    1 | 1 << 1 | 1 << 3 | 1 << 7,  1 | 1 << 1 | 1 << 3 | 1 << 8,  1 | 1 << 1 | 1 << 4 | 1 << 9,  1 | 1 << 1 | 1 << 4 | 1 << 10,
    1 | 1 << 2 | 1 << 5 | 1 << 11, 1 | 1 << 2 | 1 << 5 | 1 << 12, 1 | 1 << 2 | 1 << 6 | 1 << 13, 1 | 1 << 2 | 1 << 6 | 1 << 14,
};

static inline uint32_t ones16(uint32_t half)
{
    half -= half >> 1 & 0x5555;
    half = (half & 0x3333) + (half >> 2 & 0x3333);
    half = (half + (half >> 4)) & 0x0f0f;
    return (half + (half >> 8)) & 0x1f;
}

static void *need(size_t count, size_t bytes)
{
    void *object = calloc(count, bytes);
    if (!object)
        lc_out_of_memory();
    return object;
}

/* An array with a gap of one element at `at`; the old one is freed. */
static void *widen(void *old, size_t count, size_t at, size_t bytes)
{
    uint8_t *wider = need(count + 1, bytes);
    if (count) {
        memcpy(wider, old, at * bytes);
        memcpy(wider + (at + 1) * bytes, (uint8_t *)old + at * bytes, (count - at) * bytes);
        free(old);
    }
    return wider;
}

static void put_hop(struct node *node, uint32_t bit, uint32_t hop)
{
    uint32_t prefixes = node->bitmaps & 0xffff;
    uint32_t at = ones16(prefixes & ((1u << bit) - 1));
    if (!(prefixes >> bit & 1)) {
        node->hops = widen(node->hops, ones16(prefixes), at, sizeof *node->hops);
        node->bitmaps |= 1u << bit;
    }
    node->hops[at] = hop;
}

static struct node *child_of(struct node *node, uint32_t value)
{
    uint32_t children = node->bitmaps >> 16;
    uint32_t at = ones16(children & ((1u << value) - 1));
    if (!(children >> value & 1)) {
        node->children = widen(node->children, ones16(children), at, sizeof *node->children);
        node->bitmaps |= 0x10000u << value;
    }
    return &node->children[at];
}

static void add_route(const struct lc_route *route)
{
    uint32_t first = route->prefix >> (32 - INITIAL_BITS);
    if (route->length < INITIAL_BITS) {
        /* Shorter routes come first, so longer ones overwrite them. */
        for (uint32_t each = 0; each < 1u << (INITIAL_BITS - route->length); each++)
            initial_hops[first + each] = route->hop;
        return;
    }
    struct node *node = &initial[first];
    uint32_t done = INITIAL_BITS;
    for (; route->length >= done + STRIDE; done += STRIDE)
        node = child_of(node, route->prefix >> (32 - STRIDE - done) & 15);
    uint32_t rest = route->length - done;
    uint32_t value = rest ? route->prefix >> (32 - route->length) & ((1u << rest) - 1) : 0;
    put_hop(node, (1u << rest) - 1 + value, route->hop);
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint32_t count;
    struct lc_route *routes = lc_read_routes(control, bytes, &count);
    initial = need(1u << INITIAL_BITS, sizeof *initial);
    initial_hops = need(1u << INITIAL_BITS, sizeof *initial_hops);
    for (uint32_t each = 0; each < count; each++)
        add_route(&routes[each]);
    free(routes);
}

static uint32_t lookup(uint32_t address)
{
    const struct node *node = &initial[address >> (32 - INITIAL_BITS)];
    const struct node *best = 0;
    uint32_t best_matches = 0, best_bitmaps = 0;
    uint32_t rest = address << INITIAL_BITS; /* the next bits on top */
    for (;;) {
        uint32_t bitmaps = node->bitmaps;
        uint32_t value = rest >> 28;
        uint32_t matches = bitmaps & covering[value >> 1];
        if (matches) {
            best = node;
            best_matches = matches;
            best_bitmaps = bitmaps;
        }
        uint32_t children = bitmaps >> 16;
        if (!(children >> value & 1))
            break;
        node = node->children + ones16(children & ((1u << value) - 1));
        rest <<= STRIDE;
    }
    if (!best)
        return initial_hops[address >> (32 - INITIAL_BITS)];
    /* The longest match is the highest bit: of four candidates at most, one per length. */
    uint32_t longest = best_matches & 0x7f80 ? best_matches & 0x7f80
                       : best_matches & 0x78 ? best_matches & 0x78
                       : best_matches & 6    ? best_matches & 6
                                             : 1;
    return best->hops[ones16(best_bitmaps & (longest - 1))];
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    if (bytes < 20 || (lc_load(ip) & 0xf0) != 0x40)
        return 0;
    return lookup(lc_swap32(lc_load(ip + 16)));
}
