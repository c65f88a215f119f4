/* md5: the MD5 digest of the payload.
 *
 * Source: RFC 1321. The payload is what TCP or UDP carries, or for other protocols what IP carries.
 * Control file: none.
 * Returns: the first four bytes of the digest, read as a little-endian word; the whole digest is in md5_digest. 0 for a packet
 * whose headers do not fit.
 * Shared state: none. Bytes are read one by one, as the RFC's reference does: a payload need not be aligned.
 */
#include "lc_packet.h"
#include "linecard.h"

uint32_t md5_digest[4]; /* of the last packet, as the RFC's A, B, C, D */

#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP(mix, a, b, c, d, word, rotation, constant)   \
    a += mix(b, c, d) + x[word] + constant; \
    a = (a << rotation | a >> (32 - rotation)) + b

/* One block of 64 bytes. */
static void add_block(uint32_t state[4], const uint8_t *at)
{
    uint32_t x[16];
    for (uint32_t word = 0; word < 16; word++, at += 4)
        x[word] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    STEP(F, a, b, c, d, 0, 7, 0xd76aa478);
    STEP(F, d, a, b, c, 1, 12, 0xe8c7b756);
    STEP(F, c, d, a, b, 2, 17, 0x242070db);
    STEP(F, b, c, d, a, 3, 22, 0xc1bdceee);
    STEP(F, a, b, c, d, 4, 7, 0xf57c0faf);
    STEP(F, d, a, b, c, 5, 12, 0x4787c62a);
    STEP(F, c, d, a, b, 6, 17, 0xa8304613);
    STEP(F, b, c, d, a, 7, 22, 0xfd469501);
    STEP(F, a, b, c, d, 8, 7, 0x698098d8);
    STEP(F, d, a, b, c, 9, 12, 0x8b44f7af);
    STEP(F, c, d, a, b, 10, 17, 0xffff5bb1);
    STEP(F, b, c, d, a, 11, 22, 0x895cd7be);
    STEP(F, a, b, c, d, 12, 7, 0x6b901122);
    STEP(F, d, a, b, c, 13, 12, 0xfd987193);
    STEP(F, c, d, a, b, 14, 17, 0xa679438e);
    STEP(F, b, c, d, a, 15, 22, 0x49b40821);
    STEP(G, a, b, c, d, 1, 5, 0xf61e2562);
    STEP(G, d, a, b, c, 6, 9, 0xc040b340);
    STEP(G, c, d, a, b, 11, 14, 0x265e5a51);
    STEP(G, b, c, d, a, 0, 20, 0xe9b6c7aa);
    STEP(G, a, b, c, d, 5, 5, 0xd62f105d);
    STEP(G, d, a, b, c, 10, 9, 0x02441453);
    STEP(G, c, d, a, b, 15, 14, 0xd8a1e681);
    STEP(G, b, c, d, a, 4, 20, 0xe7d3fbc8);
    STEP(G, a, b, c, d, 9, 5, 0x21e1cde6);
    STEP(G, d, a, b, c, 14, 9, 0xc33707d6);
    STEP(G, c, d, a, b, 3, 14, 0xf4d50d87);
    STEP(G, b, c, d, a, 8, 20, 0x455a14ed);
    STEP(G, a, b, c, d, 13, 5, 0xa9e3e905);
    STEP(G, d, a, b, c, 2, 9, 0xfcefa3f8);
    STEP(G, c, d, a, b, 7, 14, 0x676f02d9);
    STEP(G, b, c, d, a, 12, 20, 0x8d2a4c8a);
    STEP(H, a, b, c, d, 5, 4, 0xfffa3942);
    STEP(H, d, a, b, c, 8, 11, 0x8771f681);
    STEP(H, c, d, a, b, 11, 16, 0x6d9d6122);
    STEP(H, b, c, d, a, 14, 23, 0xfde5380c);
    STEP(H, a, b, c, d, 1, 4, 0xa4beea44);
    STEP(H, d, a, b, c, 4, 11, 0x4bdecfa9);
    STEP(H, c, d, a, b, 7, 16, 0xf6bb4b60);
    STEP(H, b, c, d, a, 10, 23, 0xbebfbc70);
    STEP(H, a, b, c, d, 13, 4, 0x289b7ec6);
    STEP(H, d, a, b, c, 0, 11, 0xeaa127fa);
    STEP(H, c, d, a, b, 3, 16, 0xd4ef3085);
    STEP(H, b, c, d, a, 6, 23, 0x04881d05);
    STEP(H, a, b, c, d, 9, 4, 0xd9d4d039);
    STEP(H, d, a, b, c, 12, 11, 0xe6db99e5);
    STEP(H, c, d, a, b, 15, 16, 0x1fa27cf8);
    STEP(H, b, c, d, a, 2, 23, 0xc4ac5665);
    STEP(I, a, b, c, d, 0, 6, 0xf4292244);
    STEP(I, d, a, b, c, 7, 10, 0x432aff97);
    STEP(I, c, d, a, b, 14, 15, 0xab9423a7);
    STEP(I, b, c, d, a, 5, 21, 0xfc93a039);
    STEP(I, a, b, c, d, 12, 6, 0x655b59c3);
    STEP(I, d, a, b, c, 3, 10, 0x8f0ccc92);
    STEP(I, c, d, a, b, 10, 15, 0xffeff47d);
    STEP(I, b, c, d, a, 1, 21, 0x85845dd1);
    STEP(I, a, b, c, d, 8, 6, 0x6fa87e4f);
    STEP(I, d, a, b, c, 15, 10, 0xfe2ce6e0);
    STEP(I, c, d, a, b, 6, 15, 0xa3014314);
    STEP(I, b, c, d, a, 13, 21, 0x4e0811a1);
    STEP(I, a, b, c, d, 4, 6, 0xf7537e82);
    STEP(I, d, a, b, c, 11, 10, 0xbd3af235);
    STEP(I, c, d, a, b, 2, 15, 0x2ad7d2bb);
    STEP(I, b, c, d, a, 9, 21, 0xeb86d391);
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

static void digest(const uint8_t *at, uint32_t bytes)
{
    md5_digest[0] = 0x67452301;
    md5_digest[1] = 0xefcdab89;
    md5_digest[2] = 0x98badcfe;
    md5_digest[3] = 0x10325476;
    uint32_t left = bytes;
    for (; left >= 64; left -= 64, at += 64)
        add_block(md5_digest, at);
    /* The rest, a one bit, zeros, and the length in bits: one block or two. On the stack, which is on the chip. */
    uint8_t last[128] __attribute__((aligned(4)));
    uint32_t whole = left & ~3u, word = 0;
    for (uint32_t each = 0; each < whole; each += 4)
        lc_store(last + each, lc_load(at + each));
    for (uint32_t each = left; each-- > whole;)
        word = word << 8 | at[each];
    lc_store(last + whole, word | 0x80u << (left - whole) * 8);
    uint32_t end = left < 56 ? 64 : 128;
    for (uint32_t each = whole + 4; each < end - 8; each += 4)
        lc_store(last + each, 0);
    lc_store(last + end - 8, bytes << 3);
    lc_store(last + end - 4, bytes >> 29);
    add_block(md5_digest, last);
    if (end == 128)
        add_block(md5_digest, last + 64);
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    uint32_t payload_bytes;
    uint8_t *payload;
    if (!lc_parse(ip, bytes, &packet) || !(payload = lc_payload(&packet, &payload_bytes)))
        return 0;
    digest(payload, payload_bytes);
    return md5_digest[0];
}
