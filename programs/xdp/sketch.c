/* A count-min sketch as printed by Krude et al. (CoNEXT 2021): N rows count the packet, nothing is read back, and the packet is
 * dropped. In the printed index the row is lost, as + binds tighter than &: all rows count in the same ENTRIES counters, which
 * are all that the map has here. As printed, ENTRIES is 8388608; the hashes are this project's own. `count_min` does more: rows
 * apart, counters read back, a limit.
 */
#include <lx_packet.h>

#ifndef N
#define N 4
#endif
#ifndef ENTRIES
#define ENTRIES 16384
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ENTRIES);
	__type(key, __u32);
	__type(value, __u32);
} counters SEC(".maps");

/* Two rounds of shift and multiplication. */
static __always_inline __u32 mixed(__u32 value, __u32 row)
{
	value = (value >> 15) * (0x9e3779b1u + 2 * row);
	value = (value >> 12) * (0x85ebca6bu + 4 * row);
	return value ^ (value >> 15);
}

SEC("xdp")
int sketch(struct xdp_md *context)
{
	struct ethhdr *ethernet = START(context);
	struct iphdr *ip = (void *)(ethernet + 1);
	struct udphdr *ports = (void *)(ip + 1);
	__u32 key;

	if (!FITS(ports, END(context)))
		return XDP_PASS;
	key = mixed(ethernet->h_proto, 0);
	if (ethernet->h_proto == bpf_htons(ETH_P_IP)) {
		key ^= mixed(ip->saddr, 0) ^ mixed(ip->daddr, 0) ^ mixed(ip->protocol, 0);
		if (ip->protocol == IPPROTO_UDP || ip->protocol == IPPROTO_TCP)
			key ^= mixed(ports->source, 0) ^ mixed(ports->dest, 0);
	}
#pragma unroll
	for (__u32 row = 0; row < N; row++) {
		__u32 index = (row * ENTRIES + mixed(key, row)) & (ENTRIES - 1);
		__u32 *counter = bpf_map_lookup_elem(&counters, &index);

		if (counter)
			__sync_fetch_and_add(counter, 1);
	}
	return XDP_DROP;
}
