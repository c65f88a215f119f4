/* trtcm: the two-rate three-colour marker, per flow.
 *
 * Source: RFC 2698; marking as RFC 2597. Tokens are counted in millionths of a byte, so no fraction is ever lost.
 * Control file (optional): `meters N` (a power of two), `aware`, `class N` (include/lc_meter.h), and any number of
 * `profile CIR CBS PIR PBS` in bytes per second, bytes, bytes per second and bytes; meter number i has profile i modulo their
 * number. Without a profile: 125000 8192 250000 16384, which is 1 and 2 Mb/s.
 * Returns: 0 green, 1 yellow, 2 red; 3 for a packet whose headers do not fit, which is not marked.
 * Shared state: the meters. Each is read, changed and written under its own lock. A meter that rests longer than 71 minutes
 * may get its tokens late: the clock wraps.
 */
#include "lc_meter.h"
#include "linecard.h"

struct profile {
    uint64_t committed_burst, peak_burst; /* millionths of a byte */
    uint32_t committed_rate, peak_rate;   /* bytes per second */
};

struct meter {
    uint64_t committed, peak; /* tokens: Tc and Tp */
    uint32_t last_us;
    const struct profile *profile;
} __attribute__((aligned(16)));

static struct lc_meter_settings settings = {LC_METERS, 0, 1};
static struct meter *meters;

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
        uint32_t committed_burst = lc_need_number(&text);
        uint32_t peak_rate = lc_need_number(&text);
        uint32_t peak_burst = lc_need_number(&text);
        if (peak_rate < committed_rate) /* RFC 2698, section 2 */
            lc_bad_control_line(text.line);
        if (profiles)
            profiles[count] = (struct profile){(uint64_t)committed_burst * LC_MICROS, (uint64_t)peak_burst * LC_MICROS,
                                               committed_rate, peak_rate};
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
    profiles[0] = (struct profile){8192ull * LC_MICROS, 16384ull * LC_MICROS, 125000, 250000};
    read_profiles(control, bytes, profiles);
    /* RFC 2698, section 3: both buckets are full at first. */
    for (uint32_t each = 0; each < settings.meters; each++) {
        const struct profile *profile = &profiles[count ? each % count : 0];
        meters[each] = (struct meter){profile->committed_burst, profile->peak_burst, 0, profile};
    }
}

static inline uint64_t filled(uint64_t tokens, uint64_t burst, uint32_t rate, uint32_t passed_us)
{
    uint64_t earned = (uint64_t)rate * passed_us;
    return earned < burst - tokens ? tokens + earned : burst;
}

static inline void refill(struct meter *meter, uint32_t now_us)
{
    const struct profile *profile = meter->profile;
    uint32_t passed_us = now_us - meter->last_us;
    meter->last_us = now_us;
    meter->committed = filled(meter->committed, profile->committed_burst, profile->committed_rate, passed_us);
    meter->peak = filled(meter->peak, profile->peak_burst, profile->peak_rate, passed_us);
}

static inline uint32_t colour_for(struct meter *meter, uint32_t bytes, uint32_t arrived)
{
    uint64_t cost = (uint64_t)bytes * LC_MICROS;
    if (arrived == LC_RED || meter->peak < cost)
        return LC_RED;
    meter->peak -= cost;
    if (arrived == LC_YELLOW || meter->committed < cost)
        return LC_YELLOW;
    meter->committed -= cost;
    return LC_GREEN;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    if (!lc_parse(ip, bytes, &packet))
        return LC_NO_COLOUR;
    struct lc_flow flow = lc_flow_of(&packet);
    struct meter *meter = &meters[lc_hash(&flow) & (settings.meters - 1)];
    uint32_t arrived = settings.aware ? lc_colour_of(ip, packet.version) : LC_GREEN;
    uint32_t now_us = lc_time_us();
    lc_lock(meter);
    refill(meter, now_us);
    uint32_t colour = colour_for(meter, bytes, arrived);
    lc_unlock(meter);
    lc_mark_colour(ip, packet.version, settings.class, colour);
    return colour;
}
