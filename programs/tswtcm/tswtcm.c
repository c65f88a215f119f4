/* tswtcm: the time-sliding-window three-colour marker, per flow.
 *
 * Source: RFC 2859; marking as RFC 2597. The state is not the average rate but the bytes that it makes in a window, in
 * sixteenths: B' = (B + packet) * window / (window + time since the last packet), rounded down. Rates are then compared by
 * the bytes that they make in a window, too. A window is a power of two of microseconds. The random numbers are xorshift
 * (Marsaglia 2003), seeded by the number of the meter, so a flow's colours do not depend on those of others.
 * Control file (optional): `meters N` (a power of two), `class N` (include/lc_meter.h), and any number of
 * `profile CTR PTR W` in bytes per second, bytes per second, and 2^W microseconds (10 to 24); meter number i has profile i modulo
 * their number. Without a profile: 125000 250000 20, which is 1 and 2 Mb/s over about a second. The marker is colour-blind, so
 * `aware` changes nothing.
 * Returns: 0 green, 1 yellow, 2 red; 3 for a packet whose headers do not fit, which is not marked.
 * Shared state: the meters. Each is read, changed and written under its own lock.
 */
#include "lc_math.h"
#include "lc_meter.h"
#include "linecard.h"

#define FRACTION_BITS 4

struct profile {
    uint32_t committed, peak; /* what the rates make in a window, in sixteenths of a byte */
    uint32_t window_us;
};

struct meter {
    uint32_t in_window; /* sixteenths of a byte */
    uint32_t last_us;
    uint32_t random;
    const struct profile *profile;
} __attribute__((aligned(16)));

static struct lc_meter_settings settings = {LC_METERS, 0, 1};
static struct meter *meters;

/* What a rate makes in a window, or as much as can be told. */
static uint32_t in_window(uint32_t rate, uint32_t window_us)
{
    uint32_t factor = window_us << FRACTION_BITS;
    return (uint64_t)rate * factor >> 32 < LC_MICROS ? lc_muldiv(rate, factor, LC_MICROS) : UINT32_MAX;
}

static uint32_t read_profiles(const uint8_t *control, uint32_t bytes, struct profile *profiles)
{
    uint32_t count = 0;
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_line(&text)) {
        if (lc_meter_line(&text, &settings))
            continue;
        if (!lc_take_word(&text, "profile"))
            lc_bad_control_line(text.line);
        uint32_t committed_rate = lc_need_number(&text);
        uint32_t peak_rate = lc_need_number(&text);
        uint32_t window = lc_need_number(&text);
        if (peak_rate < committed_rate || window < 10 || window > 24)
            lc_bad_control_line(text.line);
        if (profiles)
            profiles[count] =
                (struct profile){in_window(committed_rate, 1u << window), in_window(peak_rate, 1u << window), 1u << window};
        count++;
    }
    return count;
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    uint32_t count = read_profiles(control, bytes, 0);
    struct profile *profiles = malloc((count ? count : 1) * sizeof *profiles);
    meters = calloc(settings.meters, sizeof *meters);
    if (!profiles || !meters)
        lc_out_of_memory();
    profiles[0] = (struct profile){in_window(125000, 1 << 20), in_window(250000, 1 << 20), 1 << 20};
    read_profiles(control, bytes, profiles);
    /* RFC 2859, section 3: the average is the committed rate at first. */
    for (uint32_t each = 0; each < settings.meters; each++) {
        const struct profile *profile = &profiles[count ? each % count : 0];
        meters[each] = (struct meter){profile->committed, 0, (each + 1) * 0x9e3779b1u, profile};
    }
}

static inline uint32_t next_random(uint32_t state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ state << 5;
}

static inline void estimate(struct meter *meter, uint32_t window_us, uint32_t now_us, uint32_t bytes)
{
    uint32_t passed_us = now_us - meter->last_us;
    uint32_t after = meter->in_window + (bytes << FRACTION_BITS);
    if (after < meter->in_window)
        after = UINT32_MAX;
    if (passed_us > INT32_MAX)
        passed_us = INT32_MAX;
    meter->last_us = now_us;
    meter->in_window = lc_muldiv(after, window_us, window_us + passed_us);
}

/* With the average A above the peak rate P and the committed rate C: red with probability (A - P) / A, yellow with (P - C) / A;
 * between the rates yellow with (A - C) / A. One draw below A decides. */
static inline uint32_t colour_for(struct meter *meter, const struct profile *profile)
{
    uint32_t average = meter->in_window;
    if (average <= profile->committed)
        return LC_GREEN;
    meter->random = next_random(meter->random);
    uint32_t drawn = (uint32_t)((uint64_t)meter->random * average >> 32);
    if (average > profile->peak && drawn < average - profile->peak)
        return LC_RED;
    return drawn < average - profile->committed ? LC_YELLOW : LC_GREEN;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    if (!lc_parse(ip, bytes, &packet))
        return LC_NO_COLOUR;
    struct lc_flow flow = lc_flow_of(&packet);
    struct meter *meter = &meters[lc_hash(&flow) & (settings.meters - 1)];
    uint32_t now_us = lc_time_us();
    lc_lock(meter);
    const struct profile *profile = meter->profile;
    estimate(meter, profile->window_us, now_us, bytes);
    uint32_t colour = colour_for(meter, profile);
    lc_unlock(meter);
    lc_mark_colour(ip, packet.version, settings.class, colour);
    return colour;
}
