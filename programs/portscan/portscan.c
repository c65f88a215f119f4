/* portscan: counts how many different ports and hosts a source opens conversations with in a short time.
 *
 * Source: the portscan detection of Snort 2.0, as Mudigonda 2007 uses it ("too many ports are accessed too quickly"). Every TCP
 * and UDP packet belongs to a conversation, which both directions share. The first packet of a conversation makes
 * its source access a port of a host. A source that accesses more than a limit of different ones within a window scans.
 * Control file (optional): `limit N` (20, at most 30) accesses, `window SECONDS` (60), `conversations N` (16384) and `sources N` (4096) that are
 * kept, of which the least recently used one goes, and `idle SECONDS` (60) after which a conversation is over.
 * Returns: for the first packet of a conversation, how many different ports of hosts its source has accessed in the window,
 * with the top bit set when that is more than the limit; 0 for all other packets.
 * Shared state: conversations, sources, their lists in order of use and the heap. All are under one lock, from the
 * lookup to the end: every packet reorders the list.
 */
#include "lc_flow.h"
#include "lc_list.h"
#include "lc_text.h"
#include "linecard.h"

#include <stdlib.h>

#define SCAN 0x80000000u
#define LIMIT_MAX 30

struct conversation {
    struct lc_link used;
    struct conversation *next; /* in the bucket */
    uint32_t last_us;
    struct lc_flow flow; /* the smaller address first */
};

struct access {
    uint32_t host, port; /* the protocol is beside the port */
    uint32_t last_us;
};

struct source {
    struct lc_link used;
    struct source *next; /* in the bucket */
    uint32_t address, version;
    uint32_t count;
    struct access access[]; /* different ones, the latest last; one more than the limit */
};

struct table {
    struct lc_link used; /* in order of use */
    uint32_t count;
};

static LC_STATE struct table conversations; /* its address is the lock */
static LC_STATE struct table sources;
static struct conversation **conversation_buckets;
static struct source **source_buckets;
static uint32_t conversation_mask, source_mask;
static uint32_t conversations_max = 16384, sources_max = 4096;
static uint32_t limit = 20, window_us = 60000000, idle_us = 60000000;

static uint32_t need_microseconds(struct lc_text *text)
{
    uint32_t seconds = lc_need_number(text);
    if (!seconds || seconds > 2000) /* half of the clock's range */
        lc_bad_control_line(text->line);
    return seconds * 1000000;
}

static void *make_buckets(uint32_t entries, uint32_t *mask)
{
    uint32_t count = 1;
    while (count < entries)
        count *= 2;
    *mask = count - 1;
    void *buckets = calloc(count, sizeof(void *));
    if (!buckets)
        lc_out_of_memory();
    return buckets;
}

void app_init(const uint8_t *control, uint32_t bytes)
{
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_line(&text)) {
        if (lc_take_word(&text, "limit"))
            limit = lc_need_number(&text);
        else if (lc_take_word(&text, "window"))
            window_us = need_microseconds(&text);
        else if (lc_take_word(&text, "idle"))
            idle_us = need_microseconds(&text);
        else if (lc_take_word(&text, "conversations"))
            conversations_max = lc_need_number(&text);
        else if (lc_take_word(&text, "sources"))
            sources_max = lc_need_number(&text);
        else
            lc_bad_control_line(text.line);
        if (!lc_at_end(&text) || limit > LIMIT_MAX || !limit || !conversations_max || conversations_max > 1 << 20 || !sources_max ||
            sources_max > 1 << 20)
            lc_bad_control_line(text.line);
    }
    conversation_buckets = make_buckets(conversations_max, &conversation_mask);
    source_buckets = make_buckets(sources_max, &source_mask);
    lc_list_init(&conversations.used);
    lc_list_init(&sources.used);
}

/* The same for both directions. */
static inline struct lc_flow undirected(const struct lc_flow *flow)
{
    if (flow->src < flow->dst || (flow->src == flow->dst && (flow->ports & 0xffff) <= flow->ports >> 16))
        return *flow;
    return (struct lc_flow){flow->dst, flow->src, flow->ports << 16 | flow->ports >> 16, flow->protocol};
}

static void remove_oldest_conversation(void)
{
    struct conversation *oldest = (struct conversation *)conversations.used.newer;
    struct conversation **link = &conversation_buckets[lc_hash(&oldest->flow) & conversation_mask];
    while (*link != oldest)
        link = &(*link)->next;
    *link = oldest->next;
    lc_list_remove(&oldest->used);
    free(oldest);
    conversations.count--;
}

/* Whether the packet begins a conversation. */
static inline int begins(const struct lc_flow *flow, uint32_t now_us)
{
    struct conversation **bucket = &conversation_buckets[lc_hash(flow) & conversation_mask];
    struct conversation *conversation = *bucket;
    while (conversation && !lc_same_flow(&conversation->flow, flow))
        conversation = conversation->next;
    if (conversation) {
        int over = now_us - conversation->last_us > idle_us;
        conversation->last_us = now_us;
        lc_list_use(&conversations.used, &conversation->used);
        return over;
    }
    if (conversations.count == conversations_max)
        remove_oldest_conversation();
    conversation = malloc(sizeof *conversation);
    if (!conversation)
        return 1;
    conversation->flow = *flow;
    conversation->last_us = now_us;
    conversation->next = *bucket;
    *bucket = conversation;
    lc_list_add_newest(&conversations.used, &conversation->used);
    conversations.count++;
    return 1;
}

static inline struct source **source_bucket(uint32_t address)
{
    return &source_buckets[(address * 0x9e3779b1u >> 16 ^ address) & source_mask];
}

static void remove_oldest_source(void)
{
    struct source *oldest = (struct source *)sources.used.newer;
    struct source **link = source_bucket(oldest->address);
    while (*link != oldest)
        link = &(*link)->next;
    *link = oldest->next;
    lc_list_remove(&oldest->used);
    free(oldest);
    sources.count--;
}

static struct source *find_source(uint32_t address, uint32_t version)
{
    struct source **bucket = source_bucket(address);
    struct source *source = *bucket;
    while (source && (source->address != address || source->version != version))
        source = source->next;
    if (source) {
        lc_list_use(&sources.used, &source->used);
        return source;
    }
    if (sources.count == sources_max)
        remove_oldest_source();
    source = malloc(sizeof *source + (limit + 1) * sizeof source->access[0]);
    if (!source)
        return 0;
    source->address = address;
    source->version = version;
    source->count = 0;
    source->next = *bucket;
    *bucket = source;
    lc_list_add_newest(&sources.used, &source->used);
    sources.count++;
    return source;
}

/* Forgets accesses before the window, adds this one as the latest, and returns how many different ones there are. */
static __attribute__((noinline)) uint32_t count_access(const struct lc_flow *flow, uint32_t now_us)
{
    struct source *source = find_source(flow->src, flow->protocol >> 16);
    if (!source)
        return 0;
    struct access now = {flow->dst, flow->ports >> 16 | flow->protocol << 16, now_us};
    uint32_t kept = 0, count = source->count;
    for (uint32_t each = 0; each < count; each++) {
        struct access access = source->access[each];
        if (now_us - access.last_us > window_us || (access.host == now.host && access.port == now.port))
            continue;
        if (kept != each)
            source->access[kept] = access;
        kept++;
    }
    if (kept > limit) {
        kept--;
        for (uint32_t each = 0; each < kept; each++)
            source->access[each] = source->access[each + 1];
    }
    source->access[kept++] = now;
    source->count = kept;
    return kept > limit ? kept | SCAN : kept;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    if (!lc_parse(ip, bytes, &packet) || (packet.protocol != LC_TCP && packet.protocol != LC_UDP) ||
        packet.fragment == LC_LATER_FRAGMENT || packet.body_bytes < 4)
        return 0;
    struct lc_flow flow = lc_flow_of(&packet);
    struct lc_flow both = undirected(&flow);
    uint32_t now_us = lc_time_us();
    lc_lock(&conversations);
    uint32_t accesses = begins(&both, now_us) ? count_access(&flow, now_us) : 0;
    lc_unlock(&conversations);
    return accesses;
}
