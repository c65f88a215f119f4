/* A count-min sketch of flows with N rows (Cormode and Muthukrishnan 2005): each row counts the packet at the place that
 * its own hash of the flow gives. Flows whose least count exceeds `limit` are dropped, others pass.
 */
#include <lx_packet.h>

#ifndef N
#define N 4
#endif
#ifndef COLUMNS
#define COLUMNS 4096
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, N * COLUMNS);
	__type(key, __u32);
	__type(value, __u32);
} sketch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} limit SEC(".maps");

SEC("xdp")
int count_min(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	struct lx_flow flow;
	__u32 least = ~0u, zero = 0, *most;

	if (!ip || !lx_flow(context, ip, &flow))
		return XDP_PASS;
#pragma unroll
	for (int row = 0; row < N; row++) {
		__u32 key = row * COLUMNS + lx_flow_hash(&flow, row) % COLUMNS;
		__u32 *count = bpf_map_lookup_elem(&sketch, &key);

		if (!count)
			return XDP_ABORTED;
		__sync_fetch_and_add(count, 1);
		if (*count < least)
			least = *count;
	}
	most = bpf_map_lookup_elem(&limit, &zero);
	return most && *most && least > *most ? XDP_DROP : XDP_PASS;
}
