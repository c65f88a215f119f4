/* checksum: verifies the Internet checksum of the IP header and of TCP, UDP, ICMP or ICMPv6, over the whole payload.
 *
 * Source: RFC 1071; pseudo headers from RFC 793, 768 and 8200.
 * Control file: none.
 * Returns: what the checksum of the IPv4 header leaves (upper half; 0 for IPv6, which has none) and what that of the transport
 * leaves (lower half). 0 is a sound packet. A part that carries no checksum leaves 0: fragments, other protocols, UDP over
 * IPv4 with a checksum of 0. 0xffffffff for a packet whose headers do not fit.
 * Shared state: none; every byte is read once.
 */
#include "lc_packet.h"
#include "linecard.h"

#define MALFORMED 0xffffffffu

/* One's complement sum of words in memory order; RFC 1071, section 2: the order of bytes does not matter until the end. */
static inline uint64_t add_words(uint64_t sum, const uint8_t *at, uint32_t bytes)
{
    const uint8_t *end = at + (bytes & ~15u);
    while (at != end) {
        uint32_t a = lc_load(at), b = lc_load(at + 4), c = lc_load(at + 8), d = lc_load(at + 12);
        sum += a;
        sum += b;
        sum += c;
        sum += d;
        at += 16;
    }
    end = at + (bytes & 12);
    for (; at != end; at += 4)
        sum += lc_load(at);
    return sum;
}

/* The same with up to three bytes at the end, which stand in the low part of a word. Byte loads: the word may end outside. */
static inline uint64_t add_bytes(uint64_t sum, const uint8_t *at, uint32_t bytes)
{
    sum = add_words(sum, at, bytes);
    at += bytes & ~3u;
    uint32_t rest = 0;
    if (bytes & 2)
        rest = at[0] | (uint32_t)at[1] << 8;
    if (bytes & 1)
        rest |= (uint32_t)at[bytes & 2] << (bytes & 2) * 8;
    return sum + rest;
}

/* What is left of a sum over data and checksum: 0 when they agree. */
static inline uint32_t residue(uint64_t sum)
{
    uint32_t low = (uint32_t)sum, high = (uint32_t)(sum >> 32);
    uint32_t folded = (low & 0xffff) + (low >> 16) + high;
    folded = (folded & 0xffff) + (folded >> 16);
    folded = (folded & 0xffff) + (folded >> 16);
    return lc_swap16(~folded & 0xffff);
}

static uint32_t transport_residue(const uint8_t *ip, const struct lc_packet *packet)
{
    uint32_t protocol = packet->protocol;
    uint64_t sum = 0;
    if (packet->fragment != LC_WHOLE)
        return 0;
    if (protocol == LC_TCP || protocol == LC_UDP || (protocol == LC_ICMP6 && packet->version == 6)) {
        /* The last word of the UDP header: length, checksum. */
        if (protocol == LC_UDP && packet->version == 4 && packet->body_bytes >= 8 && !(lc_load(packet->body + 4) >> 16))
            return 0;
        sum = packet->version == 4 ? add_words(0, ip + 12, 8) : add_words(0, ip + 8, 32);
        /* In memory order: zero, protocol, length as 16 bits; or length as 32 bits, zero, protocol. */
        sum += protocol << 8;
        sum += lc_swap32(packet->body_bytes);
    } else if (protocol != LC_ICMP || packet->version != 4) {
        return 0;
    }
    return residue(add_bytes(sum, packet->body, packet->body_bytes));
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    if (!lc_parse(ip, bytes, &packet))
        return MALFORMED;
    uint32_t header = packet.version == 4 ? residue(add_words(0, ip, (uint32_t)(packet.body - ip))) : 0;
    return header << 16 | transport_residue(ip, &packet);
}
