/* Reads a table N times a packet, at places that depend on what was read before and on the packet, and drops it.
 *
 * How many reads a packet a chip's memories and threads sustain (`read_words` reads alone). The sum goes to the place of
 * `sums` that the first word of the IP source names, so that nothing can be left out.
 */
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
	__type(value, __u32);
} table SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} sums SEC(".maps");

SEC("xdp")
int reads(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	__u32 sum = 0, place, *found;

	if (!ip)
		return XDP_PASS;
	place = ip->saddr;
#pragma unroll
	for (int read = 0; read < N; read++) {
		__u32 key = lx_hash(place + sum, read) % ENTRIES;

		found = bpf_map_lookup_elem(&table, &key);
		if (!found)
			return XDP_ABORTED;
		sum += *found;
	}
	place = ip->saddr & 255;
	found = bpf_map_lookup_elem(&sums, &place);
	if (found)
		*found = sum;
	return XDP_DROP;
}
