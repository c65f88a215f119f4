/* patricia: longest-prefix match in a Patricia tree with backtracking.
 *
 * Source: Sklower, "A Tree-Based Packet Routing Table for Berkeley Unix" (USENIX, Winter 1991). Inner nodes test one bit and
 * skip those that all keys below them share; leaves hold a key and its masks. A lookup descends to a leaf without
 * comparing. When the leaf does not match it climbs, and each inner node lists the masks of routes that may match below.
 * Control file: a route table (include/lc_routes.h). Masks need not be contiguous: with `a.b.c.d/m.m.m.m` routes the deepest
 * list decides, and in one list the larger mask.
 * Returns: the hop of the IPv4 destination; 0 without a route, for IPv6, and for packets shorter than an IPv4 header.
 * Shared state: the tree, which packets only read. No locks.
 */
#include "lc_packet.h"
#include "lc_routes.h"
#include "linecard.h"

#include <stdlib.h>

#define LEAF (-1)

struct node {
    int32_t bit; /* tested, 0 is the most significant; LEAF */
    union {
        struct {
            struct node *child[2];
            struct climb *masks; /* routes whose mask ends at or before this bit and after the parent's; larger first */
        };
        struct {
            uint32_t key, mask, hop;
            struct node *shorter; /* the same key with the next smaller mask */
        };
    };
    struct node *parent;
};

struct climb {
    uint32_t mask;
    uint32_t contiguous;
    const struct node *leaf;
    struct climb *next;
};

static struct node *root;

static void *need(size_t bytes)
{
    void *object = calloc(1, bytes);
    if (!object)
        lc_out_of_memory();
    return object;
}

static inline struct node *descend(struct node *node, uint32_t key)
{
    while (node->bit >= 0)
        node = node->child[key >> (31 - node->bit) & 1];
    return node;
}

static int32_t first_zero(uint32_t mask)
{
    return (int32_t)lc_mask_length(mask);
}

/* Lists a leaf's mask at `at`. */
static void list_mask(struct node *at, const struct node *leaf)
{
    uint32_t contiguous = leaf->mask == lc_mask(lc_mask_length(leaf->mask));
    struct climb **link = &at->masks;
    while (*link && (*link)->mask > leaf->mask)
        link = &(*link)->next;
    if (*link && (*link)->mask == leaf->mask && !contiguous)
        return; /* found by its key below */
    struct climb *climb = need(sizeof *climb);
    *climb = (struct climb){leaf->mask, contiguous, leaf, *link};
    *link = climb;
}

/* Lists a leaf's mask at the topmost inner node on its way that tests no bit of the mask's leading ones. */
static void list_on_way(const struct node *leaf)
{
    struct node *topmost = 0;
    for (struct node *node = leaf->parent; node && node->bit >= first_zero(leaf->mask); node = node->parent)
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
static void chain(struct node *first, struct node *leaf)
{
    struct node **link = 0;
    struct node *at = first;
    while (at && at->mask > leaf->mask) {
        link = &at->shorter;
        at = at->shorter;
    }
    if (at && at->mask == leaf->mask) {
        at->hop = leaf->hop;
        free(leaf);
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
    uint32_t side = leaf->key >> (31 - bit) & 1;
    inner->bit = bit;
    put_below(below->parent, below, inner);
    inner->child[side] = leaf;
    inner->child[!side] = below;
    below->parent = leaf->parent = inner;
    if (below->bit == LEAF) {
        for (struct node *each = below; each; each = each->shorter) {
            each->parent = inner;
            if (first_zero(each->mask) <= bit && (!inner->parent || first_zero(each->mask) > inner->parent->bit))
                list_mask(inner, each);
        }
    } else {
        struct climb **link = &below->masks, **moved = &inner->masks;
        while (*link) {
            struct climb *climb = *link;
            if (first_zero(climb->mask) <= bit) {
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

static void add_route(uint32_t key, uint32_t mask, uint32_t hop)
{
    struct node *leaf = need(sizeof *leaf);
    leaf->bit = LEAF;
    leaf->key = key;
    leaf->mask = mask;
    leaf->hop = hop;
    if (!root) {
        root = leaf;
        return;
    }
    struct node *nearest = descend(root, key);
    if (nearest->key == key) {
        chain(nearest, leaf);
        return;
    }
    int32_t bit = first_zero(~(nearest->key ^ key));
    struct node *below = root;
    while (below->bit >= 0 && below->bit < bit)
        below = below->child[key >> (31 - below->bit) & 1];
    branch(below, leaf, bit);
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint32_t prefix, mask, hop;
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_route(&text, &prefix, &mask, &hop))
        add_route(prefix, mask, hop);
}

/* A route with this very mask below `node`: for masks that are not contiguous. */
static __attribute__((noinline)) const struct node *search_masked(struct node *node, uint32_t key, uint32_t mask)
{
    const struct node *leaf = descend(node, key & mask);
    while (leaf && (leaf->mask != mask || leaf->key != (key & mask)))
        leaf = leaf->shorter;
    return leaf;
}

static uint32_t lookup(uint32_t key)
{
    if (!root)
        return 0;
    const struct node *leaf = descend(root, key);
    uint32_t differ = key ^ leaf->key;
    for (const struct node *each = leaf; each; each = each->shorter) {
        if (!(differ & each->mask))
            return each->hop;
    }
    for (struct node *node = leaf->parent; node; node = node->parent) {
        for (const struct climb *climb = node->masks; climb; climb = climb->next) {
            const struct node *match = climb->leaf;
            if (!climb->contiguous)
                match = search_masked(node, key, climb->mask);
            else if (differ & climb->mask)
                match = 0; /* all keys below this node agree in the bits of the mask, and the packet's does not */
            if (match)
                return match->hop;
        }
    }
    return 0;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    if (bytes < 20 || (lc_load(ip) & 0xf0) != 0x40)
        return 0;
    return lookup(lc_swap32(lc_load(ip + 16)));
}
