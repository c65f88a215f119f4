/* cast: encrypts the payload in place with CAST-128, or with -DCAST256 with CAST-256, in cipher block chaining.
 *
 * Source: RFC 2144 and RFC 2612. The payload is what TCP or UDP carries, or for other protocols what IP carries. Whole blocks are
 * chained; the bytes that do not fill a block are combined with the encryption of the last block, so the length stays.
 * Control file (optional): `key HEX` (CAST-128: 16 bytes; CAST-256: 16 to 32, in words) and `iv HEX` (one block; zeros
 * without it). Without a key it is that of the RFC's first test. A gateway draws the iv per packet: here it is fixed.
 * Returns: the first word of the last block, or of what the rest was combined with; 0 for an empty payload and for headers
 * that do not fit.
 * Shared state: none. The key's schedule is made once and, as the substitution boxes, counts as memory on the chip.
 */
#include "cast_boxes.h"
#include "lc_packet.h"
#include "lc_text.h"
#include "linecard.h"

#define BYTE(word, number) ((word) >> (24 - 8 * (number)) & 0xff)

static inline uint32_t rotated(uint32_t word, uint32_t by)
{
    return word << by | word >> (-by & 31);
}

/* The three kinds of round function: RFC 2144, section 2.2. */
static inline uint32_t round1(uint32_t data, uint32_t mask, uint32_t rotation)
{
    uint32_t i = rotated(mask + data, rotation);
    return ((S1[BYTE(i, 0)] ^ S2[BYTE(i, 1)]) - S3[BYTE(i, 2)]) + S4[BYTE(i, 3)];
}

static inline uint32_t round2(uint32_t data, uint32_t mask, uint32_t rotation)
{
    uint32_t i = rotated(mask ^ data, rotation);
    return ((S1[BYTE(i, 0)] - S2[BYTE(i, 1)]) + S3[BYTE(i, 2)]) ^ S4[BYTE(i, 3)];
}

static inline uint32_t round3(uint32_t data, uint32_t mask, uint32_t rotation)
{
    uint32_t i = rotated(mask - data, rotation);
    return ((S1[BYTE(i, 0)] + S2[BYTE(i, 1)]) ^ S3[BYTE(i, 2)]) - S4[BYTE(i, 3)];
}

#ifdef CAST256

#define BLOCK_WORDS 4
#define KEY_BYTES 32
static const uint8_t test_key[] = {0x23, 0x42, 0xbb, 0x9e, 0xfa, 0x38, 0x54, 0x2c, 0x0a, 0xf7, 0x56, 0x47, 0xf2, 0x9f, 0x61, 0x5d};

static uint32_t masks[12][4];
static uint8_t rotations[12][4];

static void make_schedule(const uint8_t *key, uint32_t bytes)
{
    uint32_t k[8] = {0}; /* A to H */
    uint32_t mask = 0x5a827999, rotation = 19;
    for (uint32_t each = 0; each < bytes; each++)
        k[each / 4] |= (uint32_t)key[each] << (24 - each % 4 * 8);
    for (uint32_t octave = 0; octave < 24; octave++) {
        uint32_t m[8], r[8];
        for (uint32_t each = 0; each < 8; each++) {
            m[each] = mask;
            r[each] = rotation;
            mask += 0x6ed9eba1;
            rotation = (rotation + 17) & 31;
        }
        k[6] ^= round1(k[7], m[0], r[0]);
        k[5] ^= round2(k[6], m[1], r[1]);
        k[4] ^= round3(k[5], m[2], r[2]);
        k[3] ^= round1(k[4], m[3], r[3]);
        k[2] ^= round2(k[3], m[4], r[4]);
        k[1] ^= round3(k[2], m[5], r[5]);
        k[0] ^= round1(k[1], m[6], r[6]);
        k[7] ^= round2(k[0], m[7], r[7]);
        if (octave & 1) {
            for (uint32_t each = 0; each < 4; each++) {
                rotations[octave / 2][each] = k[2 * each] & 31;
                masks[octave / 2][each] = k[7 - 2 * each];
            }
        }
    }
}

/* Six forward quad-rounds and six reverse ones. */
static void encrypt(uint32_t block[BLOCK_WORDS])
{
    uint32_t a = block[0], b = block[1], c = block[2], d = block[3];
    for (uint32_t quad = 0; quad < 6; quad++) {
        const uint32_t *m = masks[quad];
        const uint8_t *r = rotations[quad];
        c ^= round1(d, m[0], r[0]);
        b ^= round2(c, m[1], r[1]);
        a ^= round3(b, m[2], r[2]);
        d ^= round1(a, m[3], r[3]);
    }
    for (uint32_t quad = 6; quad < 12; quad++) {
        const uint32_t *m = masks[quad];
        const uint8_t *r = rotations[quad];
        d ^= round1(a, m[3], r[3]);
        a ^= round3(b, m[2], r[2]);
        b ^= round2(c, m[1], r[1]);
        c ^= round1(d, m[0], r[0]);
    }
    block[0] = a;
    block[1] = b;
    block[2] = c;
    block[3] = d;
}

#else

#define BLOCK_WORDS 2
#define KEY_BYTES 16
static const uint8_t test_key[] = {0x01, 0x23, 0x45, 0x67, 0x12, 0x34, 0x56, 0x78, 0x23, 0x45, 0x67, 0x89, 0x34, 0x56, 0x78, 0x9a};

static uint32_t masks[16];
static uint8_t rotations[16];

/* Byte `number` of 16 in four words. */
#define AT(words, number) BYTE((words)[(number) / 4], (number) % 4)
#define MIX(words, a, b, c, d) (S5[AT(words, a)] ^ S6[AT(words, b)] ^ S7[AT(words, c)] ^ S8[AT(words, d)])

/* RFC 2144, section 2.4: one set of four words from the other. */
static void make_z(uint32_t z[4], const uint32_t x[4])
{
    z[0] = x[0] ^ MIX(x, 13, 15, 12, 14) ^ S7[AT(x, 8)];
    z[1] = x[2] ^ MIX(z, 0, 2, 1, 3) ^ S8[AT(x, 10)];
    z[2] = x[3] ^ MIX(z, 7, 6, 5, 4) ^ S5[AT(x, 9)];
    z[3] = x[1] ^ MIX(z, 10, 9, 11, 8) ^ S6[AT(x, 11)];
}

static void make_x(uint32_t x[4], const uint32_t z[4])
{
    x[0] = z[2] ^ MIX(z, 5, 7, 4, 6) ^ S7[AT(z, 0)];
    x[1] = z[0] ^ MIX(x, 0, 2, 1, 3) ^ S8[AT(z, 2)];
    x[2] = z[1] ^ MIX(x, 7, 6, 5, 4) ^ S5[AT(z, 1)];
    x[3] = z[3] ^ MIX(x, 10, 9, 11, 8) ^ S6[AT(z, 3)];
}

/* Subkeys that take the bytes of their set in this order (K1 to K4 from z, K13 to K16 from x) ... */
static void subkeys_forward(uint32_t k[4], const uint32_t w[4], int a, int b, int c, int d)
{
    k[0] = MIX(w, 8, 9, 7, 6) ^ S5[AT(w, a)];
    k[1] = MIX(w, 10, 11, 5, 4) ^ S6[AT(w, b)];
    k[2] = MIX(w, 12, 13, 3, 2) ^ S7[AT(w, c)];
    k[3] = MIX(w, 14, 15, 1, 0) ^ S8[AT(w, d)];
}

/* ... and in that one (K5 to K8 from x, K9 to K12 from z). */
static void subkeys_backward(uint32_t k[4], const uint32_t w[4], int a, int b, int c, int d)
{
    k[0] = MIX(w, 3, 2, 12, 13) ^ S5[AT(w, a)];
    k[1] = MIX(w, 1, 0, 14, 15) ^ S6[AT(w, b)];
    k[2] = MIX(w, 7, 6, 8, 9) ^ S7[AT(w, c)];
    k[3] = MIX(w, 5, 4, 10, 11) ^ S8[AT(w, d)];
}

static void make_schedule(const uint8_t *key, uint32_t bytes)
{
    uint32_t x[4] = {0}, z[4], k[32];
    for (uint32_t each = 0; each < bytes; each++)
        x[each / 4] |= (uint32_t)key[each] << (24 - each % 4 * 8);
    for (uint32_t half = 0; half < 32; half += 16) {
        make_z(z, x);
        subkeys_forward(k + half, z, 2, 6, 9, 12);
        make_x(x, z);
        subkeys_backward(k + half + 4, x, 8, 13, 3, 7);
        make_z(z, x);
        subkeys_backward(k + half + 8, z, 9, 12, 2, 6);
        make_x(x, z);
        subkeys_forward(k + half + 12, x, 3, 7, 8, 13);
    }
    for (uint32_t each = 0; each < 16; each++) {
        masks[each] = k[each];
        rotations[each] = k[16 + each] & 31;
    }
}

#define TWO_ROUNDS(first, second, number)                                      \
    left ^= first(right, masks[number], rotations[number]);                    \
    right ^= second(left, masks[(number) + 1], rotations[(number) + 1])

static void encrypt(uint32_t block[BLOCK_WORDS])
{
    uint32_t left = block[0], right = block[1];
    TWO_ROUNDS(round1, round2, 0);
    TWO_ROUNDS(round3, round1, 2);
    TWO_ROUNDS(round2, round3, 4);
    TWO_ROUNDS(round1, round2, 6);
    TWO_ROUNDS(round3, round1, 8);
    TWO_ROUNDS(round2, round3, 10);
    TWO_ROUNDS(round1, round2, 12);
    TWO_ROUNDS(round3, round1, 14);
    block[0] = right;
    block[1] = left;
}

#endif

#define BLOCK_BYTES (4 * BLOCK_WORDS)

static uint32_t iv[BLOCK_WORDS];

static uint32_t need_hex(struct lc_text *text, uint8_t *out, uint32_t most)
{
    uint32_t count = 0;
    lc_skip_blanks(text);
    for (int byte; count < most && (byte = lc_take_hex_byte(text)) >= 0; count++)
        out[count] = (uint8_t)byte;
    if (!lc_at_end(text))
        lc_bad_control_line(text->line);
    return count;
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint8_t hex[KEY_BYTES];
    struct lc_text text = lc_text_of(control, bytes);
    make_schedule(test_key, sizeof test_key);
    while (lc_next_line(&text)) {
        if (lc_take_word(&text, "key")) {
            uint32_t count = need_hex(&text, hex, KEY_BYTES);
            if (count < 16 || count % 4)
                lc_bad_control_line(text.line);
            make_schedule(hex, count);
        } else if (lc_take_word(&text, "iv")) {
            if (need_hex(&text, hex, BLOCK_BYTES) != BLOCK_BYTES)
                lc_bad_control_line(text.line);
            for (uint32_t word = 0; word < BLOCK_WORDS; word++)
                iv[word] = (uint32_t)hex[4 * word] << 24 | (uint32_t)hex[4 * word + 1] << 16 | (uint32_t)hex[4 * word + 2] << 8 |
                           hex[4 * word + 3];
        } else {
            lc_bad_control_line(text.line);
        }
    }
}

/* A big-endian word, byte by byte: a payload need not be aligned. */
static inline uint32_t get_word(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void put_word(uint8_t *at, uint32_t word)
{
    for (uint32_t each = 0; each < 4; each++)
        at[each] = BYTE(word, each);
}

static uint32_t encrypt_payload(uint8_t *at, uint32_t bytes)
{
    uint32_t chain[BLOCK_WORDS];
    for (uint32_t word = 0; word < BLOCK_WORDS; word++)
        chain[word] = iv[word];
    for (; bytes >= BLOCK_BYTES; bytes -= BLOCK_BYTES, at += BLOCK_BYTES) {
        for (uint32_t word = 0; word < BLOCK_WORDS; word++)
            chain[word] ^= get_word(at + 4 * word);
        encrypt(chain);
        for (uint32_t word = 0; word < BLOCK_WORDS; word++)
            put_word(at + 4 * word, chain[word]);
    }
    if (bytes) {
        encrypt(chain);
        for (uint32_t each = 0; each < bytes; each++)
            at[each] ^= BYTE(chain[each / 4], each % 4);
    }
    return chain[0];
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    uint32_t payload_bytes;
    uint8_t *payload;
    if (!lc_parse(ip, bytes, &packet) || !(payload = lc_payload(&packet, &payload_bytes)) || !payload_bytes)
        return 0;
    return encrypt_payload(payload, payload_bytes);
}
