/* patricia: longest-prefix match in a Patricia tree with backtracking.
 *
 * Source: Sklower, "A Tree-Based Packet Routing Table for Berkeley Unix" (USENIX, Winter 1991). Inner nodes test one bit and
 * skip those that all keys below them share; leaves hold a key and its masks. A lookup descends to a leaf without
 * comparing. When the leaf does not match it climbs, and each inner node lists the masks of routes that may match below.
 * As there, keys and masks are strings of bytes, of any length the family of addresses may have: an inner node says which byte
 * and which bit of it; a mask exists once however many routes have it.
 * Control file: a route table (include/lc_routes.h). Masks need not be contiguous: with `a.b.c.d/m.m.m.m` routes the deepest
 * list decides, and in one list the larger mask.
 * Returns: the hop of the IPv4 destination; 0 without a route, for IPv6, and for packets shorter than an IPv4 header.
 * Shared state: the tree, which packets only read. No locks.
 */
#include "lc_packet.h"
#include "lc_routes.h"
#include "linecard.h"

#include <stdlib.h>

#define KEY_BYTES 4
#define KEY_BITS (8 * KEY_BYTES)

struct mask {
    uint8_t bytes[KEY_BYTES];
    uint32_t value;       /* as a number: larger ones go first */
    uint32_t leading;     /* ones before the first zero */
    uint32_t contiguous;  /* no one follows that zero */
    struct mask *next;
};

struct node {
    struct climb *masks; /* inner: of routes whose mask ends at or before this bit and after the parent's; larger first */
    struct node *parent;
    int16_t bit;      /* inner: tested, 0 is the first; leaf: below 0 */
    uint8_t bit_mask; /* inner: the bit in its byte */
    union {
        struct {
            uint32_t offset; /* of the byte */
            struct node *child[2];
        };
        struct {
            const uint8_t *key;
            const struct mask *mask;
            struct node *shorter; /* the same key with the next smaller mask */
        };
    };
};

struct climb {
    const struct mask *mask;
    const struct node *leaf;
    struct climb *next;
};

/* A leaf and what it stands for. */
struct route {
    struct node leaf;
    uint8_t key[KEY_BYTES];
    uint32_t hop;
};

static struct node *root;
static struct mask *all_masks;

static void *need(size_t bytes)
{
    void *object = calloc(1, bytes);
    if (!object)
        lc_out_of_memory();
    return object;
}

static void put_bytes(uint8_t bytes[KEY_BYTES], uint32_t value)
{
    for (uint32_t each = 0; each < KEY_BYTES; each++)
        bytes[each] = (uint8_t)(value >> (24 - 8 * each));
}

static const struct mask *mask_of(uint32_t value)
{
    struct mask *mask = all_masks;
    while (mask && mask->value != value)
        mask = mask->next;
    if (!mask) {
        mask = need(sizeof *mask);
        put_bytes(mask->bytes, value);
        mask->value = value;
        mask->leading = lc_mask_length(value);
        mask->contiguous = value == lc_mask(mask->leading);
        mask->next = all_masks;
        all_masks = mask;
    }
    return mask;
}

static inline uint32_t side_of(const struct node *node, const uint8_t *key)
{
    return (key[node->offset] & node->bit_mask) != 0;
}

static inline struct node *descend(struct node *node, const uint8_t *key)
{
    while (node->bit >= 0)
        node = key[node->offset] & node->bit_mask ? node->child[1] : node->child[0];
    return node;
}

/* Number of the first bit in which two keys differ, or KEY_BITS. */
static inline int32_t first_difference(const uint8_t *a, const uint8_t *b)
{
    for (int32_t each = 0; each < KEY_BYTES; each++) {
        uint32_t differ = a[each] ^ b[each];
        if (differ) {
            int32_t bit = 8 * each + 7;
            while (differ >>= 1)
                bit--;
            return bit;
        }
    }
    return KEY_BITS;
}

/* Lists a leaf's mask at `at`. */
static void list_mask(struct node *at, const struct node *leaf)
{
    struct climb **link = &at->masks;
    while (*link && (*link)->mask->value > leaf->mask->value)
        link = &(*link)->next;
    if (*link && (*link)->mask == leaf->mask && !leaf->mask->contiguous)
        return; /* found by its key below */
    struct climb *climb = need(sizeof *climb);
    *climb = (struct climb){leaf->mask, leaf, *link};
    *link = climb;
}

static inline int ends_by(const struct mask *mask, int32_t bit)
{
    return (int32_t)mask->leading <= bit;
}

/* Lists a leaf's mask at the topmost inner node on its way that tests no bit of the mask's leading ones. */
static void list_on_way(const struct node *leaf)
{
    struct node *topmost = 0;
    for (struct node *node = leaf->parent; node && ends_by(leaf->mask, node->bit); node = node->parent)
        topmost = node;
    if (topmost)
        list_mask(topmost, leaf);
}

static void put_below(struct node *parent, struct node *old, struct node *new)
{
    new->parent = parent;
    if (!parent)
        root = new;
    else
        parent->child[parent->child[1] == old] = new;
}

/* Another mask of a key that the tree has. */
static void chain(struct node *first, struct route *route)
{
    struct node **link = 0;
    struct node *leaf = &route->leaf, *at = first;
    while (at && at->mask->value > leaf->mask->value) {
        link = &at->shorter;
        at = at->shorter;
    }
    if (at && at->mask == leaf->mask) {
        ((struct route *)at)->hop = route->hop;
        free(route);
        return;
    }
    leaf->shorter = at;
    if (link) {
        *link = leaf;
        leaf->parent = first->parent;
    } else {
        put_below(first->parent, first, leaf);
    }
    list_on_way(leaf);
}

/* A new inner node above `below`, which tests the first bit in which its key and the leaf's differ. */
static void branch(struct node *below, struct node *leaf, int32_t bit)
{
    struct node *inner = need(sizeof *inner);
    inner->bit = (int16_t)bit;
    inner->offset = (uint32_t)bit / 8;
    inner->bit_mask = (uint8_t)(0x80 >> bit % 8);
    put_below(below->parent, below, inner);
    inner->child[side_of(inner, leaf->key)] = leaf;
    inner->child[!side_of(inner, leaf->key)] = below;
    below->parent = leaf->parent = inner;
    if (below->bit < 0) {
        for (struct node *each = below; each; each = each->shorter) {
            each->parent = inner;
            if (ends_by(each->mask, bit) && (!inner->parent || !ends_by(each->mask, inner->parent->bit)))
                list_mask(inner, each);
        }
    } else {
        struct climb **link = &below->masks, **moved = &inner->masks;
        while (*link) {
            struct climb *climb = *link;
            if (ends_by(climb->mask, bit)) {
                *link = climb->next;
                climb->next = 0;
                *moved = climb;
                moved = &climb->next;
            } else {
                link = &climb->next;
            }
        }
    }
    list_on_way(leaf);
}

static void add_route(uint32_t prefix, uint32_t mask, uint32_t hop)
{
    struct route *route = need(sizeof *route);
    struct node *leaf = &route->leaf;
    put_bytes(route->key, prefix);
    route->hop = hop;
    leaf->bit = -1;
    leaf->key = route->key;
    leaf->mask = mask_of(mask);
    if (!root) {
        root = leaf;
        return;
    }
    struct node *nearest = descend(root, leaf->key);
    int32_t bit = first_difference(nearest->key, leaf->key);
    if (bit == KEY_BITS) {
        chain(nearest, route);
        return;
    }
    struct node *below = root;
    while (below->bit >= 0 && below->bit < bit)
        below = below->child[side_of(below, leaf->key)];
    branch(below, leaf, bit);
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint32_t prefix, mask, hop;
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_route(&text, &prefix, &mask, &hop))
        add_route(prefix, mask, hop);
}

static int matches(const struct node *leaf, const uint8_t *key)
{
    for (uint32_t each = 0; each < KEY_BYTES; each++) {
        if ((key[each] ^ leaf->key[each]) & leaf->mask->bytes[each])
            return 0;
    }
    return 1;
}

/* A route with this very mask below `node`: for masks that are not contiguous. */
static __attribute__((noinline)) const struct node *search_masked(struct node *node, const uint8_t *key, const struct mask *mask)
{
    uint8_t masked[KEY_BYTES];
    for (uint32_t each = 0; each < KEY_BYTES; each++)
        masked[each] = key[each] & mask->bytes[each];
    const struct node *leaf = descend(node, masked);
    while (leaf && leaf->mask != mask)
        leaf = leaf->shorter;
    return leaf && matches(leaf, key) ? leaf : 0;
}

/* The key and a leaf's differ first in bit `differ`: a contiguous mask that ends before it matches. */
static inline int leaf_matches(const struct node *leaf, const uint8_t *key, int32_t differ)
{
    return leaf->mask->contiguous ? ends_by(leaf->mask, differ) : matches(leaf, key);
}

static const struct node *lookup(const uint8_t *key)
{
    if (!root)
        return 0;
    const struct node *leaf = descend(root, key);
    int32_t differ = first_difference(leaf->key, key);
    for (const struct node *each = leaf; each; each = each->shorter) {
        if (leaf_matches(each, key, differ))
            return each;
    }
    for (struct node *node = leaf->parent; node; node = node->parent) {
        for (const struct climb *climb = node->masks; climb; climb = climb->next) {
            /* All keys below this node agree in the bits of a contiguous mask, so the leaf's tells of the route's. */
            const struct node *match = climb->leaf;
            if (!climb->mask->contiguous)
                match = search_masked(node, key, climb->mask);
            else if (!ends_by(climb->mask, differ))
                match = 0;
            if (match)
                return match;
        }
    }
    return 0;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    uint8_t key[KEY_BYTES] __attribute__((aligned(4)));
    if (bytes < 20 || (lc_load(ip) & 0xf0) != 0x40)
        return 0;
    lc_store(key, lc_load(ip + 16)); /* on the stack, as the address that a router looks up */
    const struct node *leaf = lookup(key);
    return leaf ? ((const struct route *)leaf)->hop : 0;
}
