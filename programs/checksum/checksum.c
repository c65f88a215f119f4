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

typedef uint16_t __attribute__((may_alias)) half;

/* One's complement sum of 16-bit words in memory order, as in RFC 1071, section 4.1; the order of bytes does not matter until
 * the end (section 2). */
static inline uint32_t add_words(uint32_t sum, const uint8_t *at, uint32_t bytes)
{
    const half *word = (const half *)at, *end = word + (bytes & ~15u) / 2;
    for (; word != end; word += 8)
        sum += word[0] + word[1] + word[2] + word[3] + word[4] + word[5] + word[6] + word[7];
    for (end += (bytes & 14) / 2; word != end; word++)
        sum += *word;
    return sum;
}

/* The same with a byte at the end, which stands in the low part of a word. */
static inline uint32_t add_bytes(uint32_t sum, const uint8_t *at, uint32_t bytes)
{
    sum = add_words(sum, at, bytes);
    return bytes & 1 ? sum + at[bytes - 1] : sum;
}

/* What is left of a sum over data and checksum: 0 when they agree. */
static inline uint32_t residue(uint32_t sum)
{
    uint32_t folded = (sum & 0xffff) + (sum >> 16);
    folded = (folded & 0xffff) + (folded >> 16);
    folded = (folded & 0xffff) + (folded >> 16);
    return lc_swap16(~folded & 0xffff);
}

static uint32_t transport_residue(const uint8_t *ip, const struct lc_packet *packet)
{
    uint32_t protocol = packet->protocol;
    uint32_t sum = 0;
    if (packet->fragment != LC_WHOLE)
        return 0;
    if (protocol == LC_TCP || protocol == LC_UDP || (protocol == LC_ICMP6 && packet->version == 6)) {
        /* The last word of the UDP header: length, checksum. */
        if (protocol == LC_UDP && packet->version == 4 && packet->body_bytes >= 8 && !(lc_load(packet->body + 4) >> 16))
            return 0;
        sum = packet->version == 4 ? add_words(0, ip + 12, 8) : add_words(0, ip + 8, 32);
        /* In memory order: zero, protocol, length as 16 bits; or length as 32 bits, zero, protocol. 64 KiB cannot carry over. */
        sum += protocol << 8;
        sum += lc_swap16(packet->body_bytes >> 16) + lc_swap16(packet->body_bytes & 0xffff);
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
