/* Forwards IPv4: a destination that is known exactly, or else the longest prefix and the neighbour's Ethernet address.
 *
 * What is sent gets new Ethernet addresses and is counted by protocol; other IPv4 is dropped, ARP passes.
 */
#include <linecard_bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>

struct prefix {
	__u32 length;
	__u8 address[4];
};

struct route {
	__u8 prefix[4];
	__be64 own;
	int interface;
	int metric;
	__be32 gateway;
};

struct neighbour {
	__be32 address;
	__be64 mac;
};

/* A destination that is known: no route is looked for. */
struct direct {
	struct neighbour neighbour;
	int interface;
	__be64 own;
};

struct vlan {
	__be16 control;
	__be16 kind;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 50);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, struct route);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 50);
	__type(key, __be32);
	__type(value, __be64);
} neighbours SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 50);
	__type(key, __be32);
	__type(value, struct direct);
} directs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 100);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

/* New addresses of a packet, in words of 16 bits: packets and values are aligned to them. */
static __always_inline void readdress(void *data, void *own, void *mac)
{
	__u16 *words = data, *source = own, *destination = mac;

	words[0] = destination[0];
	words[1] = destination[1];
	words[2] = destination[2];
	words[3] = source[0];
	words[4] = source[1];
	words[5] = source[2];
}

SEC("xdp")
int router_ipv4(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ethhdr *ethernet = data;
	__be64 *own = 0, *mac = 0;
	__u64 at = sizeof(*ethernet);
	__u64 *count;
	int interface = 0;
	__u32 protocol;
	__be16 kind;

	if (data + at > end)
		return XDP_DROP;
	kind = ethernet->h_proto;
#pragma unroll
	for (int tags = 0; tags < 2; tags++) {
		if (kind == bpf_htons(ETH_P_8021Q) || kind == bpf_htons(ETH_P_8021AD)) {
			struct vlan *tag = data + at;

			at += sizeof(*tag);
			if (data + at > end)
				return XDP_DROP;
			kind = tag->kind;
		}
	}
	if (kind == bpf_htons(ETH_P_ARP))
		return XDP_PASS;
	if (kind == bpf_htons(ETH_P_IP)) {
		struct iphdr *ip = data + at;
		struct direct *direct;
		__be32 destination;

		if ((void *)(ip + 1) > end)
			return XDP_DROP;
		destination = ip->daddr;
		protocol = ip->protocol;
		direct = bpf_map_lookup_elem(&directs, &destination);
		if (direct && direct->own && direct->neighbour.mac) {
			own = &direct->own;
			mac = &direct->neighbour.mac;
			interface = direct->interface;
		} else {
			struct prefix prefix;
			struct route *route;

			prefix.length = 32;
			prefix.address[0] = destination & 0xff;
			prefix.address[1] = destination >> 8 & 0xff;
			prefix.address[2] = destination >> 16 & 0xff;
			prefix.address[3] = destination >> 24 & 0xff;
			route = bpf_map_lookup_elem(&routes, &prefix);
			if (!route)
				return XDP_DROP;
			own = &route->own;
			mac = bpf_map_lookup_elem(&neighbours, &destination);
			if (!mac) {
				if (!route->gateway)
					return XDP_DROP;
				destination = route->gateway;
				mac = bpf_map_lookup_elem(&neighbours, &destination);
			}
			interface = route->interface;
		}
	} else {
		protocol = 0;
	}
	if (own && mac) {
		readdress(data, own, mac);
		count = bpf_map_lookup_elem(&counts, &protocol);
		if (count)
			*count += 1;
		return bpf_redirect_map(&ports, interface, 0);
	}
	return XDP_DROP;
}
