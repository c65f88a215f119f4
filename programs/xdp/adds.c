/* Adds to N counters a packet, atomically, at places that the packet's source decides, and drops it. */
#include <lx_packet.h>

#ifndef N
#define N 4
#endif
#ifndef ENTRIES
#define ENTRIES 65536
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

SEC("xdp")
int adds(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);

	if (!ip)
		return XDP_PASS;
#pragma unroll
	for (int add = 0; add < N; add++) {
		__u32 key = lx_hash(ip->saddr, add) % ENTRIES;
		__u64 *counter = bpf_map_lookup_elem(&counters, &key);

		if (counter)
			__sync_fetch_and_add(counter, 1);
	}
	return XDP_DROP;
}
