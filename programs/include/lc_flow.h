/* The five-tuple of a packet as four words, and its hash. */
#ifndef LC_FLOW_H
#define LC_FLOW_H

#include "lc_packet.h"

struct lc_flow {
    uint32_t src, dst; /* as in struct lc_packet */
    uint32_t ports;    /* both, as they lie in memory; 0 for what has none */
    uint32_t protocol; /* with the IP version in the upper half */
};

static inline struct lc_flow lc_flow_of(const struct lc_packet *packet)
{
    return (struct lc_flow){packet->src, packet->dst, lc_ports(packet), packet->version << 16 | packet->protocol};
}

static inline int lc_same_flow(const struct lc_flow *a, const struct lc_flow *b)
{
    return a->src == b->src && a->dst == b->dst && a->ports == b->ports && a->protocol == b->protocol;
}

/* Multiplicative, three rounds: every bit of the tuple reaches the low bits of the result. */
static inline uint32_t lc_hash(const struct lc_flow *flow)
{
    uint32_t hash = (flow->src ^ flow->protocol) * 0x9e3779b1u;
    hash = (hash ^ hash >> 15 ^ flow->dst) * 0x85ebca77u;
    hash = (hash ^ hash >> 13 ^ flow->ports) * 0xc2b2ae3du;
    return hash ^ hash >> 16;
}

#endif
