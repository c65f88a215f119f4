/* Forwards IPv4: longest prefix to next hop, time to live and checksum (RFC 1141), new addresses, out of a port.
 *
 * What has no route, options or a time to live that ends goes up to the kernel.
 */
#include <lx_packet.h>

struct prefix {
	__u32 length;
	__be32 address;
};

struct hop {
	__u8 destination[ETH_ALEN];
	__u8 source[ETH_ALEN];
	__u32 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1 << 20);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, struct hop);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int router(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	struct ethhdr *ethernet = START(context);
	struct prefix prefix = { .length = 32 };
	struct hop *hop;
	__u32 sum;

	if (!ip || ip->ttl <= 1)
		return XDP_PASS;
	prefix.address = ip->daddr;
	hop = bpf_map_lookup_elem(&routes, &prefix);
	if (!hop)
		return XDP_PASS;
	sum = (__u32)ip->check + bpf_htons(0x0100);
	ip->check = sum + (sum >= 0xffff);
	ip->ttl--;
	memcpy(ethernet->h_dest, hop->destination, ETH_ALEN);
	memcpy(ethernet->h_source, hop->source, ETH_ALEN);
	return bpf_redirect_map(&ports, hop->port, XDP_DROP);
}
