/* bsol: longest-prefix match by binary search on prefix lengths.
 *
 * Source: Waldvogel, Varghese, Turner and Plattner, "Scalable High Speed IP Routing Lookups" (SIGCOMM 1997): one hash table
 * per prefix length; a route leaves markers at the lengths where a search for it must turn to longer ones, and a marker
 * knows the best route that covers it, so the search never goes back.
 * Control file: a route table (include/lc_routes.h).
 * Returns: the hop of the IPv4 destination; 0 without a route, for IPv6, and for packets shorter than an IPv4 header.
 * Shared state: the tables, which packets only read. No locks.
 */
#include "lc_packet.h"
#include "lc_routes.h"
#include "linecard.h"

#include <stdlib.h>

/* Of 16 bytes, so each lies in one cache line. */
struct entry {
    uint32_t key;
    uint32_t hop;   /* of the longest route that covers the key; 0 for none */
    uint32_t route; /* 1 for a route, 0 for a marker */
    struct entry *next;
};

struct level {
    uint32_t mask;
    uint32_t shift; /* of the hash */
    struct entry **buckets;
};

static struct level levels[33]; /* of lengths that routes have, ascending; a few hundred bytes of fixed description */
static uint32_t level_count;

static inline uint32_t bucket_of(const struct level *level, uint32_t key)
{
    return key * 0x9e3779b1u >> level->shift;
}

static inline struct entry *find(const struct level *level, uint32_t key)
{
    struct entry *entry = level->buckets[bucket_of(level, key)];
    while (entry && entry->key != key)
        entry = entry->next;
    return entry;
}

static void *need(size_t count, size_t bytes)
{
    void *object = calloc(count, bytes);
    if (!object)
        lc_out_of_memory();
    return object;
}

static struct entry *insert(const struct level *level, uint32_t key, uint32_t hop, uint32_t route)
{
    struct entry *entry = need(1, sizeof *entry);
    struct entry **bucket = &level->buckets[bucket_of(level, key)];
    *entry = (struct entry){key, hop, route, *bucket};
    *bucket = entry;
    return entry;
}

/* The longest route among the levels up to `at` that covers `address`: for markers. */
static uint32_t covering_hop(uint32_t at, uint32_t address)
{
    for (uint32_t level = at + 1; level-- > 0;) {
        const struct entry *entry = find(&levels[level], address & levels[level].mask);
        if (entry && entry->route)
            return entry->hop;
    }
    return 0;
}

/* Adds a route and its markers. All shorter routes, and those of the same length before it, are there. */
static void add_route(const struct lc_route *route)
{
    uint32_t low = 0, high = level_count;
    for (;;) {
        uint32_t middle = (low + high) / 2;
        const struct level *level = &levels[middle];
        uint32_t key = route->prefix & level->mask;
        struct entry *entry = find(level, key);
        uint32_t length = lc_mask_length(level->mask);
        if (length == route->length) {
            if (entry)
                entry->hop = route->hop;
            else
                insert(level, key, route->hop, 1);
            return;
        }
        if (length > route->length) {
            high = middle;
        } else {
            if (!entry)
                insert(level, key, covering_hop(middle, key), 0);
            low = middle + 1;
        }
    }
}

/* One table per length, with about as many buckets as the length and all longer ones may leave entries in it. */
static void make_levels(const struct lc_route *routes, uint32_t count)
{
    for (uint32_t each = 0; each < count; each++) {
        uint32_t length = routes[each].length;
        if (each && length == routes[each - 1].length)
            continue;
        uint32_t bits = 1;
        while (bits < 20 && bits < length && 1u << bits < count - each)
            bits++;
        levels[level_count].mask = lc_mask(length);
        levels[level_count].shift = 32 - bits;
        levels[level_count].buckets = need((size_t)1 << bits, sizeof(struct entry *));
        level_count++;
    }
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint32_t count;
    struct lc_route *routes = lc_read_routes(control, bytes, &count);
    make_levels(routes, count);
    for (uint32_t each = 0; each < count; each++)
        add_route(&routes[each]);
    free(routes);
}

static uint32_t lookup(uint32_t address)
{
    uint32_t low = 0, high = level_count, hop = 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct entry *entry = find(&levels[middle], address & levels[middle].mask);
        if (entry) {
            hop = entry->hop;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return hop;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    if (bytes < 20 || (lc_load(ip) & 0xf0) != 0x40)
        return 0;
    return lookup(lc_swap32(lc_load(ip + 16)));
}
