/* Hands packets of a receive queue to the socket that is bound to it; others pass. */
#include <linecard_bpf.h>

#define QUEUES 64

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, QUEUES);
	__type(key, int);
	__type(value, int);
} bound SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, QUEUES);
	__type(key, int);
	__type(value, int);
} sockets SEC(".maps");

SEC("xdp")
int xdpsock(struct xdp_md *context)
{
	int queue = context->rx_queue_index;
	int *found = bpf_map_lookup_elem(&bound, &queue);

	if (!found)
		return XDP_ABORTED;
	if (*found)
		return bpf_redirect_map(&sockets, queue, 0);
	return XDP_PASS;
}
