/* Headers of a packet, each looked at only where all of it is there. */
#ifndef LX_PACKET_H
#define LX_PACKET_H

#include <linecard_bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <string.h>

#define START(context) ((void *)(long)(context)->data)
#define END(context) ((void *)(long)(context)->data_end)
/* Whether all of what a pointer points to lies in front of the end. */
#define FITS(pointer, end) ((void *)((pointer) + 1) <= (end))

/* Ethernet and IPv4 without options in front of anything else; NULL where that is not what came. */
static __always_inline struct iphdr *lx_ipv4(struct xdp_md *context)
{
	struct ethhdr *ethernet = START(context);
	struct iphdr *ip = (void *)(ethernet + 1);

	if (!FITS(ip, END(context)) || ethernet->h_proto != bpf_htons(ETH_P_IP) || ip->version != 4 || ip->ihl != 5)
		return NULL;
	return ip;
}

/* Protocol, addresses and ports, as they stand in the packet. */
struct lx_flow {
	__be32 source;
	__be32 destination;
	__be16 source_port;
	__be16 destination_port;
	__u8 protocol;
	__u8 zero[3];
};

/* Fills a flow; 0 where the packet is neither TCP nor UDP, is a fragment, or is cut. */
static __always_inline int lx_flow(struct xdp_md *context, struct iphdr *ip, struct lx_flow *flow)
{
	__be16 *ports = (void *)(ip + 1);

	if ((void *)(ports + 2) > END(context) || (ip->frag_off & bpf_htons(0x3fff)))
		return 0;
	if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP)
		return 0;
	flow->source = ip->saddr;
	flow->destination = ip->daddr;
	flow->source_port = ports[0];
	flow->destination_port = ports[1];
	flow->protocol = ip->protocol;
	memset(flow->zero, 0, sizeof(flow->zero));
	return 1;
}

/* A sum of 16-bit words, folded and inverted: RFC 1071. */
static __always_inline __u16 lx_fold(__u64 sum)
{
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* The checksum of an IPv4 header without options; its own field counts, so set it to zero first. */
static __always_inline __u16 lx_header_sum(const struct iphdr *ip)
{
	const __u16 *words = (const void *)ip;
	__u64 sum = 0;

#pragma unroll
	for (int at = 0; at < 10; at++)
		sum += words[at];
	return lx_fold(sum);
}

static __always_inline void lx_swap_macs(struct ethhdr *ethernet)
{
	__u8 mac[ETH_ALEN];

	memcpy(mac, ethernet->h_source, ETH_ALEN);
	memcpy(ethernet->h_source, ethernet->h_dest, ETH_ALEN);
	memcpy(ethernet->h_dest, mac, ETH_ALEN);
}

/* A hash of a word: multiplication and folding, a different one for each seed. */
static __always_inline __u32 lx_hash(__u32 word, __u32 seed)
{
	__u32 hash = (word ^ seed) * 0x9e3779b1;

	hash = (hash ^ hash >> 15) * 0x85ebca6b;
	return hash ^ hash >> 13;
}

static __always_inline __u32 lx_flow_hash(const struct lx_flow *flow, __u32 seed)
{
	__u32 ports = (__u32)flow->source_port << 16 | flow->destination_port;

	return lx_hash(flow->source ^ lx_hash(flow->destination ^ lx_hash(ports ^ flow->protocol, seed), seed), seed);
}

#endif
