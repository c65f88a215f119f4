/* Counts packets by receive queue, and does with them what user space has set: an action, and whether headers are read or
 * Ethernet addresses swapped before. */
#include "swap.h"
#include <linux/if_ether.h>

#define QUEUES 64
#define READ_HEADER 1
#define SWAP_ADDRESSES 2
/* A smaller one is a length: IEEE 802.3. */
#define LEAST_KIND 0x0600

struct settings {
	__u32 action;
	__u32 interface;
	__u32 options;
};

struct record {
	__u64 packets;
	__u64 issues;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct settings);
} settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record);
} all SEC(".maps");

/* The last one is for queues beyond. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, QUEUES + 1);
	__type(key, __u32);
	__type(value, struct record);
} queues SEC(".maps");

SEC("xdp")
int rxq_info(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct record *record, *queue;
	struct settings *set;
	__u32 key = 0;

	set = bpf_map_lookup_elem(&settings, &key);
	if (!set)
		return XDP_ABORTED;
	record = bpf_map_lookup_elem(&all, &key);
	if (!record)
		return XDP_ABORTED;
	record->packets++;
	if (context->ingress_ifindex != set->interface) {
		record->issues++;
		return XDP_ABORTED;
	}
	key = context->rx_queue_index;
	if (key >= QUEUES)
		key = QUEUES;
	queue = bpf_map_lookup_elem(&queues, &key);
	if (!queue)
		return XDP_ABORTED;
	queue->packets++;
	if (key == QUEUES)
		queue->issues++;
	if (set->options & (READ_HEADER | SWAP_ADDRESSES)) {
		struct ethhdr *ethernet = data;

		if ((void *)(ethernet + 1) > end)
			return XDP_ABORTED;
		if (bpf_ntohs(ethernet->h_proto) < LEAST_KIND)
			return XDP_ABORTED;
		if (set->options & SWAP_ADDRESSES)
			swap(data);
	}
	return set->action;
}
