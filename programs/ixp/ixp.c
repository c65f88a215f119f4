/* ixp: longest-prefix match in two tries that are searched at once.
 *
 * Source: the dual lookup of the IXA SDK for the IXP1200 and its successors, after the description in Mudigonda 2007 and in
 * Johnson and Kunze, "IXP 2400/2800 Programming" (2003): the short trie starts from a table of the first 8 bits and holds
 * routes of up to 16 bits, the long one from a table of the first 16 bits and holds the longer routes; both go on in nodes of
 * four bits. Their references are independent, so both are under way at the same time; what the long trie finds counts first.
 * Routes are expanded inside a node to its four bits. An entry is one word: 12 bits of route, 20 bits of next node.
 * Control file: a route table (include/lc_routes.h), with at most 4095 different hops.
 * Returns: the hop of the IPv4 destination; 0 without a route, for IPv6, and for packets shorter than an IPv4 header.
 * Shared state: the tries, which packets only read. No locks.
 */
#include "lc_packet.h"
#include "lc_routes.h"
#include "linecard.h"

#include <stdlib.h>
#include <string.h>

#define NODE_ENTRIES 16
#define NODES_MAX (1u << 20)
#define HOPS_MAX 4096
#define HOP_PLACES (2 * HOPS_MAX)
#define ROUTE_OF(entry) ((entry) & 0xfff)
#define NODE_OF(entry) ((entry) >> 12)

static uint32_t *short_root; /* by the first 8 bits */
static uint32_t *long_root;  /* by the first 16 bits */
static uint32_t *nodes;      /* 16 entries each; number 0 stands for none */
static uint32_t *hops;       /* by number of the route, from 1 */
static uint32_t nodes_used = 1, nodes_room, hops_used = 1;

static void *need(size_t count, size_t bytes)
{
    void *object = calloc(count, bytes);
    if (!object)
        lc_out_of_memory();
    return object;
}

/* A number for a hop; `places` is a hash table of the numbers given so far. */
static uint32_t number_of(uint32_t hop, uint16_t *places)
{
    uint32_t place = hop * 0x9e3779b1u >> 19;
    while (places[place] && hops[places[place]] != hop)
        place = (place + 1) % HOP_PLACES;
    if (!places[place]) {
        if (hops_used == HOPS_MAX)
            lc_out_of_memory();
        hops[hops_used] = hop;
        places[place] = (uint16_t)hops_used++;
    }
    return places[place];
}

static uint32_t new_node(void)
{
    if (nodes_used >= nodes_room) {
        uint32_t room = nodes_room ? nodes_room * 2 : 256;
        if (room > NODES_MAX)
            lc_out_of_memory();
        uint32_t *more = need((size_t)room * NODE_ENTRIES, sizeof *more);
        if (nodes)
            memcpy(more, nodes, (size_t)nodes_room * NODE_ENTRIES * sizeof *more);
        free(nodes);
        nodes = more;
        nodes_room = room;
    }
    return nodes_used++;
}

/* Entries that a route covers in a table of `bits` bits whose index begins at bit `done` of the prefix. Shorter routes come
 * first, so longer ones overwrite them. */
static void expand(uint32_t *table, uint32_t bits, uint32_t done, const struct lc_route *route, uint32_t number)
{
    uint32_t first = route->prefix << done >> (32 - bits);
    uint32_t count = 1u << (done + bits - route->length);
    for (uint32_t each = first; each < first + count; each++)
        table[each] = (table[each] & ~0xfffu) | number;
}

static void add_route(const struct lc_route *route, uint32_t number)
{
    uint32_t bits = route->length <= 16 ? 8 : 16;
    uint32_t *root = route->length <= 16 ? short_root : long_root;
    if (route->length <= bits) {
        expand(root, bits, 0, route, number);
        return;
    }
    uint32_t *entry = &root[route->prefix >> (32 - bits)];
    uint32_t done = bits;
    for (;;) {
        uint32_t node = NODE_OF(*entry);
        if (!node) {
            /* The entry may move with the nodes, unless it is in a root. */
            uint32_t place = done == bits ? 0 : (uint32_t)(entry - nodes);
            node = new_node();
            if (place)
                entry = &nodes[place];
            *entry |= node << 12;
        }
        uint32_t *table = &nodes[node * NODE_ENTRIES];
        if (route->length <= done + 4) {
            expand(table, 4, done, route, number);
            return;
        }
        entry = &table[route->prefix << done >> 28];
        done += 4;
    }
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint32_t count;
    struct lc_route *routes = lc_read_routes(control, bytes, &count);
    uint16_t *places = need(HOP_PLACES, sizeof *places);
    short_root = need(1 << 8, sizeof *short_root);
    long_root = need(1 << 16, sizeof *long_root);
    hops = need(HOPS_MAX, sizeof *hops);
    for (uint32_t each = 0; each < count; each++)
        add_route(&routes[each], number_of(routes[each].hop, places));
    free(places);
    free(routes);
}

static uint32_t lookup(uint32_t address)
{
    uint32_t short_entry = short_root[address >> 24];
    uint32_t long_entry = long_root[address >> 16];
    uint32_t short_rest = address << 8, long_rest = address << 16;
    uint32_t short_route = ROUTE_OF(short_entry), long_route = ROUTE_OF(long_entry);
    uint32_t short_node = NODE_OF(short_entry), long_node = NODE_OF(long_entry);
    while (short_node | long_node) {
        /* Both loads before the first use. */
        short_entry = short_node ? nodes[short_node * NODE_ENTRIES + (short_rest >> 28)] : 0;
        long_entry = long_node ? nodes[long_node * NODE_ENTRIES + (long_rest >> 28)] : 0;
        short_rest <<= 4;
        long_rest <<= 4;
        if (ROUTE_OF(short_entry))
            short_route = ROUTE_OF(short_entry);
        if (ROUTE_OF(long_entry))
            long_route = ROUTE_OF(long_entry);
        short_node = NODE_OF(short_entry);
        long_node = NODE_OF(long_entry);
    }
    uint32_t route = long_route ? long_route : short_route;
    return route ? hops[route] : 0;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    if (bytes < 20 || (lc_load(ip) & 0xf0) != 0x40)
        return 0;
    return lookup(lc_swap32(lc_load(ip + 16)));
}
