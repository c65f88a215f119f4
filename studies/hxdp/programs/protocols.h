/* Counts IP protocols behind up to two VLAN tags, and drops, or sends UDP back (with TX). */
#include "swap.h"
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

struct tag {
	__be16 control;
	__be16 kind;
};

static __always_inline __u32 ipv4(void *data, __u64 at, void *end)
{
	struct iphdr *ip = data + at;

	return (void *)(ip + 1) > end ? 0 : ip->protocol;
}

static __always_inline __u32 ipv6(void *data, __u64 at, void *end)
{
	struct ipv6hdr *ip = data + at;

	return (void *)(ip + 1) > end ? 0 : ip->nexthdr;
}

SEC("xdp")
int protocols(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ethhdr *ethernet = data;
	int action = XDP_DROP;
	__u64 at = sizeof(*ethernet);
	__u64 *count;
	__u32 protocol;
	__be16 kind;

	if (data + at > end)
		return action;
	kind = ethernet->h_proto;
#pragma unroll
	for (int tags = 0; tags < 2; tags++) {
		if (kind == bpf_htons(ETH_P_8021Q) || kind == bpf_htons(ETH_P_8021AD)) {
			struct tag *tag = data + at;

			at += sizeof(*tag);
			if (data + at > end)
				return action;
			kind = tag->kind;
		}
	}
	if (kind == bpf_htons(ETH_P_IP))
		protocol = ipv4(data, at, end);
	else if (kind == bpf_htons(ETH_P_IPV6))
		protocol = ipv6(data, at, end);
	else
		protocol = 0;
	count = bpf_map_lookup_elem(&counts, &protocol);
	if (count)
		*count += 1;
#ifdef TX
	if (protocol == IPPROTO_UDP) {
		swap(data);
		action = XDP_TX;
	}
#endif
	return action;
}
