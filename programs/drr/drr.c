/* drr: puts each packet into the queue of its flow and sends one by deficit round robin.
 *
 * Source: Shreedhar and Varghese, "Efficient Fair Queueing using Deficit Round Robin" (SIGCOMM 1995), section 3.2. A queue in turn
 * gets a quantum of bytes and sends while its deficit covers the packet at its head; then the next queue has its turn.
 * To hold the scheduler at work, the link sends one packet for each that arrives once `backlog` packets wait.
 * Control file (optional): `queues N`, a power of two (1024); `quantum BYTES` (1500); `backlog PACKETS` (256).
 * Returns: the number of the packet that is sent, counting arrivals from 1; 0 when none is, or for a packet whose headers do not
 * fit, which is neither counted nor queued.
 * Shared state: queues, the list of active ones, the descriptors and the number that waits: all under one lock, because
 * each enqueue and each dequeue may change the list.
 */
#include "lc_flow.h"
#include "lc_text.h"
#include "linecard.h"

#include <stdlib.h>

struct descriptor {
    struct descriptor *next;
    uint32_t bytes;
    uint32_t number;
};

struct queue {
    struct descriptor *first, *last;
    struct queue *next; /* active queue after this one */
    uint32_t deficit;
    uint32_t in_turn; /* has its quantum of this turn */
} __attribute__((aligned(16)));

static LC_STATE struct {
    struct queue *first, *last; /* active queues; the first one is served */
    uint32_t arrived, waiting;
    struct descriptor *unused;
} scheduler; /* its address is the lock */

static struct queue *queues;
static uint32_t queue_mask = 1024 - 1;
static uint32_t quantum_bytes = 1500;
static uint32_t backlog = 256;

void app_init(const uint8_t *control, uint32_t bytes)
{
    struct lc_text text = lc_text_of(control, bytes);
    while (lc_next_line(&text)) {
        if (lc_take_word(&text, "queues"))
            queue_mask = lc_need_number(&text) - 1;
        else if (lc_take_word(&text, "quantum"))
            quantum_bytes = lc_need_number(&text);
        else if (lc_take_word(&text, "backlog"))
            backlog = lc_need_number(&text);
        else
            lc_bad_control_line(text.line);
        if (!lc_at_end(&text) || queue_mask & (queue_mask + 1) || !(queue_mask + 1) || quantum_bytes < 64 || quantum_bytes > 1 << 20)
            lc_bad_control_line(text.line);
    }
    queues = calloc(queue_mask + 1, sizeof *queues);
    if (!queues)
        lc_out_of_memory();
}

static inline void activate(struct queue *queue)
{
    queue->next = 0;
    if (scheduler.first)
        scheduler.last->next = queue;
    else
        scheduler.first = queue;
    scheduler.last = queue;
}

/* Descriptors go round; the heap is asked only while the backlog grows. */
static inline struct descriptor *take_descriptor(void)
{
    struct descriptor *descriptor = scheduler.unused;
    if (!descriptor)
        return malloc(sizeof *descriptor);
    scheduler.unused = descriptor->next;
    return descriptor;
}

static inline void enqueue(struct queue *queue, uint32_t bytes)
{
    struct descriptor *descriptor = take_descriptor();
    if (!descriptor)
        return;
    descriptor->next = 0;
    descriptor->bytes = bytes;
    descriptor->number = ++scheduler.arrived;
    if (queue->first) {
        queue->last->next = descriptor;
    } else {
        queue->first = descriptor;
        activate(queue);
    }
    queue->last = descriptor;
    scheduler.waiting++;
}

/* Something waits. */
static inline uint32_t send_one(void)
{
    struct queue *queue = scheduler.first;
    for (;;) {
        if (!queue->in_turn) {
            queue->in_turn = 1;
            queue->deficit += quantum_bytes;
        }
        struct descriptor *descriptor = queue->first;
        if (descriptor->bytes <= queue->deficit) {
            uint32_t number = descriptor->number;
            queue->deficit -= descriptor->bytes;
            queue->first = descriptor->next;
            descriptor->next = scheduler.unused;
            scheduler.unused = descriptor;
            scheduler.waiting--;
            if (!queue->first) {
                queue->deficit = 0;
                queue->in_turn = 0;
                scheduler.first = queue->next;
            }
            return number;
        }
        queue->in_turn = 0;
        if (queue->next) {
            scheduler.first = queue->next;
            activate(queue);
            queue = scheduler.first;
        }
    }
}

uint32_t app_packet(uint8_t *ip, uint32_t bytes)
{
    struct lc_packet packet;
    if (!lc_parse(ip, bytes, &packet))
        return 0;
    struct lc_flow flow = lc_flow_of(&packet);
    struct queue *queue = &queues[lc_hash(&flow) & queue_mask];
    lc_lock(&scheduler);
    enqueue(queue, bytes);
    uint32_t sent = scheduler.waiting > backlog ? send_one() : 0;
    lc_unlock(&scheduler);
    return sent;
}
