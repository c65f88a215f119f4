/* Counts packets, swaps their Ethernet addresses and sends them out of the first port of a map. */
#include "swap.h"
#include <linux/if_ether.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 100);
	__type(key, int);
	__type(value, int);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, long);
} counts SEC(".maps");

SEC("xdp")
int redirect_map(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ethhdr *ethernet = data;
	__u32 key = 0;
	long *count;

	if ((void *)(ethernet + 1) > end)
		return XDP_DROP;
	count = bpf_map_lookup_elem(&counts, &key);
	if (count)
		*count += 1;
	swap(data);
	return bpf_redirect_map(&ports, 0, 0);
}
