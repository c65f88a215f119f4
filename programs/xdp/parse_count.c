/* Counts packets and bytes by IP protocol, behind up to two VLAN tags, and drops them: what is no IP counts as 255. */
#include <lx_packet.h>

struct count {
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, struct count);
} counts SEC(".maps");

struct tag {
	__be16 control;
	__be16 kind;
};

static __always_inline __u32 protocol_of(struct xdp_md *context)
{
	struct ethhdr *ethernet = START(context);
	void *next = ethernet + 1, *end = END(context);
	__be16 kind;

	if (next > end)
		return 255;
	kind = ethernet->h_proto;
#pragma unroll
	for (int tags = 0; tags < 2; tags++) {
		struct tag *tag = next;

		if (kind != bpf_htons(ETH_P_8021Q) && kind != bpf_htons(ETH_P_8021AD))
			break;
		if (!FITS(tag, end))
			return 255;
		kind = tag->kind;
		next = tag + 1;
	}
	if (kind == bpf_htons(ETH_P_IP)) {
		struct iphdr *ip = next;

		return FITS(ip, end) ? ip->protocol : 255;
	}
	if (kind == bpf_htons(ETH_P_IPV6)) {
		struct ipv6hdr *ip = next;

		return FITS(ip, end) ? ip->nexthdr : 255;
	}
	return 255;
}

SEC("xdp")
int parse_count(struct xdp_md *context)
{
	__u32 protocol = protocol_of(context);
	struct count *count = bpf_map_lookup_elem(&counts, &protocol);

	if (count) {
		count->packets++;
		count->bytes += context->data_end - context->data;
	}
	return XDP_DROP;
}
