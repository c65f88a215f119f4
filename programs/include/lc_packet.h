/* IP packets, read without ever leaving them. The packet is aligned to four bytes, and so is all that follows headers whose
 * lengths count words: fields are loaded as words, one reference to memory each. */
#ifndef LC_PACKET_H
#define LC_PACKET_H

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) lc_word;

enum { LC_ICMP = 1, LC_TCP = 6, LC_UDP = 17, LC_ICMP6 = 58, LC_SCTP = 132 };
enum { LC_WHOLE, LC_FIRST_FRAGMENT, LC_LATER_FRAGMENT };

/* A word as it lies in memory, from an aligned address. */
static inline uint32_t lc_load(const uint8_t *at)
{
    return *(const lc_word *)at;
}

static inline void lc_store(uint8_t *at, uint32_t value)
{
    *(lc_word *)at = value;
}

/* Between memory order and the value of a big-endian field; the machine is little-endian. */
static inline uint32_t lc_swap32(uint32_t word)
{
    return __builtin_bswap32(word);
}

static inline uint32_t lc_swap16(uint32_t half)
{
    return (half & 0xff) << 8 | (half >> 8 & 0xff);
}

struct lc_packet {
    uint32_t version;  /* 4 or 6 */
    uint32_t protocol; /* of what follows the IP header and its extensions */
    uint32_t fragment; /* LC_WHOLE, LC_FIRST_FRAGMENT, LC_LATER_FRAGMENT */
    uint32_t src, dst; /* IPv4: the address as it lies in memory; IPv6: a digest of the address */
    uint8_t *body;     /* what follows the IP header and its extensions, aligned to four bytes */
    uint32_t body_bytes;
};

/* Four words into one, for tables whose keys have one word per address. Two addresses may share a digest. */
static inline uint32_t lc_digest(const uint8_t *address)
{
    uint32_t digest = lc_load(address);
    for (uint32_t word = 1; word < 4; word++) {
        digest = digest * 0x9e3779b1u ^ lc_load(address + word * 4);
        digest ^= digest >> 15;
    }
    return digest;
}

__attribute__((noinline, unused)) static int lc_parse_v6(uint8_t *packet, uint32_t bytes, struct lc_packet *out)
{
    if (bytes < 40)
        return 0;
    uint32_t payload_bytes = lc_swap16(lc_load(packet + 4) & 0xffff);
    if (payload_bytes > bytes - 40)
        return 0;
    if (!payload_bytes)
        payload_bytes = bytes - 40; /* a jumbogram, or segmentation left to the interface */
    uint32_t next = lc_load(packet + 4) >> 16 & 0xff;
    uint32_t fragment = LC_WHOLE;
    uint8_t *at = packet + 40;
    uint8_t *end = at + payload_bytes;
    /* Hop-by-hop, routing, fragment, authentication, destination, mobility, HIP and shim6 (IANA's list). */
    while (fragment != LC_LATER_FRAGMENT && (next == 0 || next == 43 || next == 44 || next == 51 || next == 60 ||
                                             next == 135 || next == 139 || next == 140)) {
        if (end - at < 8)
            return 0;
        uint32_t word = lc_load(at);
        uint32_t length = word >> 8 & 0xff;
        uint32_t header_bytes = next == 44 ? 8 : next == 51 ? (length + 2) * 4 : (length + 1) * 8;
        if ((uint32_t)(end - at) < header_bytes)
            return 0;
        if (next == 44) {
            uint32_t where = lc_swap16(word >> 16);
            if (where & 0xfff8)
                fragment = LC_LATER_FRAGMENT;
            else if (where & 1)
                fragment = LC_FIRST_FRAGMENT;
        }
        next = word & 0xff;
        at += header_bytes;
    }
    out->version = 6;
    out->protocol = next;
    out->fragment = fragment;
    out->src = lc_digest(packet + 8);
    out->dst = lc_digest(packet + 24);
    out->body = at;
    out->body_bytes = (uint32_t)(end - at);
    return 1;
}

/* Fills `out`, or returns 0 when the header is damaged or claims more than `bytes`. Bytes after the end of the IP packet are
 * left out; a total length of 0 (segmentation left to the interface) stands for all. */
static inline int lc_parse(uint8_t *packet, uint32_t bytes, struct lc_packet *out)
{
    if (bytes < 20)
        return 0;
    uint32_t first = lc_load(packet);
    uint32_t header_bytes = (first & 0xf) * 4;
    if ((first & 0xf0) != 0x40)
        return (first & 0xf0) == 0x60 && lc_parse_v6(packet, bytes, out);
    uint32_t total_bytes = lc_swap16(first >> 16);
    if (!total_bytes)
        total_bytes = bytes;
    if (total_bytes > bytes || header_bytes < 20 || header_bytes > total_bytes)
        return 0;
    uint32_t where = lc_swap16(lc_load(packet + 4) >> 16);
    out->version = 4;
    out->protocol = lc_load(packet + 8) >> 8 & 0xff;
    out->fragment = where & 0x1fff ? LC_LATER_FRAGMENT : where & 0x2000 ? LC_FIRST_FRAGMENT : LC_WHOLE;
    out->src = lc_load(packet + 12);
    out->dst = lc_load(packet + 16);
    out->body = packet + header_bytes;
    out->body_bytes = total_bytes - header_bytes;
    return 1;
}

/* Both ports as they lie in memory, or 0 for what has none: other protocols, later fragments, cut headers. */
static inline uint32_t lc_ports(const struct lc_packet *packet)
{
    uint32_t protocol = packet->protocol;
    if (packet->fragment == LC_LATER_FRAGMENT || packet->body_bytes < 4 ||
        (protocol != LC_TCP && protocol != LC_UDP && protocol != LC_SCTP))
        return 0;
    return lc_load(packet->body);
}

/* What TCP or UDP carries; for all else, later fragments included, what IP carries. Returns null for a cut or damaged
 * transport header. */
static inline uint8_t *lc_payload(const struct lc_packet *packet, uint32_t *bytes)
{
    uint32_t header_bytes = 0;
    if (packet->fragment != LC_LATER_FRAGMENT) {
        if (packet->protocol == LC_UDP) {
            header_bytes = 8;
        } else if (packet->protocol == LC_TCP) {
            header_bytes = packet->body_bytes < 20 ? 20 : lc_load(packet->body + 12) >> 2 & 0x3c;
            if (header_bytes < 20)
                return 0;
        }
    }
    if (header_bytes > packet->body_bytes)
        return 0;
    *bytes = packet->body_bytes - header_bytes;
    return packet->body + header_bytes;
}

#endif
