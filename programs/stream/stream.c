/* stream: the receive side of TCP: puts the segments of each direction of a connection into order and passes the byte stream on.
 *
 * Source: the stream reassembly of Snort 2.0, as Mudigonda 2007 uses it, and RFC 793, section 3.3 (sequence numbers). A segment
 * that is next in order is passed on where it lies, without a copy; one behind a gap is copied to the heap and waits. Bytes
 * that arrive twice are taken from the segment that came first. What hears a connection begin late starts at the first data.
 * When more segments wait than a session may hold, the gap is given up and the stream goes on after it.
 * Control file (optional): `sessions N` (8192), the number of directions kept, of which the least recently used one goes; and
 * `waiting N` (16, at most 62), the segments that a session may hold.
 * Returns: the number of bytes that the packet made available to the reader. stream_pieces lists them in order.
 * Shared state: the table of sessions, their list in order of use, the waiting segments and the heap that they come from.
 * All are under one lock, from the lookup to the end: every packet reorders the list.
 */
#include "lc_flow.h"
#include "lc_list.h"
#include "lc_text.h"
#include "linecard.h"

#include <stdlib.h>
#include <string.h>

#define FIN 0x01
#define SYN 0x02
#define RST 0x04

#define WAITING_MOST 62
#define PIECES 128 /* one packet may fill all gaps between the segments that wait */
#define WINDOW_BYTES (1 << 20) /* further ahead than any window of its time: not of this connection */

struct segment {
    struct segment *next;
    uint32_t sequence;
    uint32_t bytes;
    uint8_t data[];
};

struct session {
    struct lc_link used;
    struct session *next; /* in the bucket */
    struct segment *waiting;
    struct lc_flow flow;
    uint32_t initial;   /* sequence number of the SYN, or the first one seen */
    uint32_t expected;  /* of the next byte for the reader */
    uint32_t final;     /* the byte after the last one, when `finished` */
    uint16_t waiting_count;
    uint16_t finished; /* a FIN has come */
};

/* What the last packet gave to the reader, in order. Descriptors that the program hands on: on the chip. */
struct {
    uint32_t count;
    struct {
        const uint8_t *at;
        uint32_t bytes;
    } piece[PIECES];
} stream_pieces;

static LC_STATE struct lc_link sessions; /* in order of use; its address is the lock */
static LC_STATE uint32_t session_count;
static struct session **buckets;
static uint32_t bucket_mask;
static uint32_t sessions_max = 8192;
static uint32_t waiting_max = 16;

void app_init(const uint8_t *control, uint32_t bytes)
{
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_line(&text)) {
        if (lc_take_word(&text, "sessions"))
            sessions_max = lc_need_number(&text);
        else if (lc_take_word(&text, "waiting"))
            waiting_max = lc_need_number(&text);
        else
            lc_bad_control_line(text.line);
        if (!lc_at_end(&text) || !sessions_max || sessions_max > 1 << 20 || !waiting_max || waiting_max > WAITING_MOST)
            lc_bad_control_line(text.line);
    }
    bucket_mask = 1;
    while (bucket_mask < sessions_max)
        bucket_mask *= 2;
    buckets = calloc(bucket_mask, sizeof *buckets);
    bucket_mask--;
    if (!buckets)
        lc_out_of_memory();
    lc_list_init(&sessions);
}

/* Sequence numbers wrap: the sign of the difference tells which is first. */
static inline int32_t behind(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

static inline uint32_t deliver(const uint8_t *data, uint32_t bytes)
{
    uint32_t number = stream_pieces.count;
    if (bytes && number < PIECES) {
        stream_pieces.piece[number].at = data;
        stream_pieces.piece[number].bytes = bytes;
        stream_pieces.count = number + 1;
    }
    return bytes;
}

/* Frees a segment that the reader may still look at: only its link is overwritten before the next packet. */
static inline void drop_first(struct session *session)
{
    struct segment *first = session->waiting;
    session->waiting = first->next;
    session->waiting_count--;
    free(first);
}

static void drop_waiting(struct session *session)
{
    while (session->waiting)
        drop_first(session);
}

static void remove_session(struct session *session)
{
    struct session **link = &buckets[lc_hash(&session->flow) & bucket_mask];
    while (*link != session)
        link = &(*link)->next;
    *link = session->next;
    lc_list_remove(&session->used);
    drop_waiting(session);
    free(session);
    session_count--;
}

static __attribute__((noinline)) struct session *add_session(const struct lc_flow *flow, struct session **bucket, uint32_t sequence)
{
    if (session_count == sessions_max)
        remove_session((struct session *)sessions.newer);
    struct session *session = malloc(sizeof *session);
    if (!session)
        return 0;
    session->next = *bucket;
    session->waiting = 0;
    session->flow = *flow;
    session->initial = session->expected = sequence;
    session->waiting_count = session->finished = 0;
    *bucket = session;
    lc_list_add_newest(&sessions, &session->used);
    session_count++;
    return session;
}

/* Passes on what waits and is next now. */
static uint32_t deliver_waiting(struct session *session)
{
    uint32_t delivered = 0;
    struct segment *first;
    while ((first = session->waiting) && first->sequence == session->expected) {
        delivered += deliver(first->data, first->bytes);
        session->expected += first->bytes;
        drop_first(session);
    }
    return delivered;
}

/* Copies the bytes from `start` to `end` that no waiting segment has into new segments between those. */
static __attribute__((noinline)) void put_aside(struct session *session, uint32_t start, uint32_t end, const uint8_t *data)
{
    struct segment **link = &session->waiting;
    while (behind(start, end) < 0) {
        struct segment *next = *link;
        if (next && behind(next->sequence, start) <= 0) {
            uint32_t after = next->sequence + next->bytes;
            if (behind(after, start) > 0) {
                data += after - start;
                start = after;
            }
            link = &next->next;
            continue;
        }
        uint32_t stop = next && behind(next->sequence, end) < 0 ? next->sequence : end;
        struct segment *segment = malloc(sizeof *segment + (stop - start));
        if (!segment)
            return;
        segment->sequence = start;
        segment->bytes = stop - start;
        memcpy(segment->data, data, stop - start);
        segment->next = next;
        *link = segment;
        link = &segment->next;
        session->waiting_count++;
        data += stop - start;
        start = stop;
    }
}

/* The bytes up to `end`, of which the reader waits for all from `expected`: those that a waiting segment has came first. */
static uint32_t deliver_in_order(struct session *session, uint32_t end, const uint8_t *data)
{
    uint32_t delivered = 0;
    while (behind(session->expected, end) < 0) {
        struct segment *next = session->waiting;
        uint32_t stop = next && behind(next->sequence, end) < 0 ? next->sequence : end;
        uint32_t bytes = stop - session->expected;
        delivered += deliver(data, bytes);
        data += bytes;
        session->expected = stop;
        if (stop != end) {
            delivered += deliver(next->data, next->bytes);
            session->expected += next->bytes;
            data += next->bytes;
            drop_first(session);
        }
    }
    return session->waiting ? delivered + deliver_waiting(session) : delivered;
}

static uint32_t add_segment(struct session *session, uint32_t start, uint32_t bytes, const uint8_t *data)
{
    uint32_t end = start + bytes;
    int32_t ahead = behind(start, session->expected);
    if (behind(end, session->expected) <= 0 || ahead > WINDOW_BYTES)
        return 0; /* all of it is old, or none of it is of this connection */
    if (ahead <= 0)
        return deliver_in_order(session, end, data - ahead);
    put_aside(session, start, end, data);
    uint32_t delivered = 0;
    while (session->waiting_count > waiting_max) {
        session->expected = session->waiting->sequence; /* gives the gap up */
        delivered += deliver_waiting(session);
    }
    return delivered;
}

/* Under the lock. */
static uint32_t process(const struct lc_flow *flow, uint32_t sequence, uint32_t flags, const uint8_t *data, uint32_t bytes)
{
    struct session **bucket = &buckets[lc_hash(flow) & bucket_mask];
    struct session *session = *bucket;
    while (session && !lc_same_flow(&session->flow, flow))
        session = session->next;
    if (!session) {
        if (flags & RST || !(bytes || flags & SYN) || !(session = add_session(flow, bucket, sequence)))
            return 0;
        session->expected += flags & SYN ? 1 : 0;
    } else {
        if (flags & RST) {
            remove_session(session);
            return 0;
        }
        lc_list_use(&sessions, &session->used);
        if (flags & SYN && sequence != session->initial) {
            /* The ports serve another connection. */
            drop_waiting(session);
            session->initial = sequence;
            session->expected = sequence + 1;
            session->finished = 0;
        }
    }
    uint32_t start = sequence + (flags & SYN ? 1 : 0);
    if (flags & FIN && behind(start + bytes, session->expected) >= 0 && behind(start, session->expected) <= WINDOW_BYTES) {
        session->finished = 1;
        session->final = start + bytes;
    }
    uint32_t delivered = bytes ? add_segment(session, start, bytes, data) : 0;
    if (session->finished && behind(session->expected, session->final) >= 0)
        remove_session(session);
    return delivered;
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    uint32_t data_bytes;
    uint8_t *data;
    stream_pieces.count = 0;
    if (!lc_parse(ip, bytes, &packet) || packet.protocol != LC_TCP || packet.fragment != LC_WHOLE ||
        !(data = lc_payload(&packet, &data_bytes)))
        return 0;
    struct lc_flow flow = lc_flow_of(&packet);
    uint32_t sequence = lc_swap32(lc_load(packet.body + 4));
    uint32_t flags = lc_load(packet.body + 12) >> 8;
    lc_lock(&sessions);
    uint32_t delivered = process(&flow, sequence, flags, data, data_bytes);
    lc_unlock(&sessions);
    return delivered;
}
