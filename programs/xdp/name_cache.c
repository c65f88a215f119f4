/* Answers short name queries out of a cache, in the style of DNS over UDP (header and question of RFC 1035).
 *
 * A query to port 53 with one question of at most 32 bytes, as sent, type A, is looked up in `names`, filled from outside.
 * Known names are answered in the packet itself: addresses and ports swapped, the answer behind the question
 * (bpf_xdp_adjust_tail); others pass and are counted.
 */
#include <lx_packet.h>

#define MOST_NAME 32
#define ANSWER 16

struct header {
	__be16 id;
	__be16 flags;
	__be16 questions;
	__be16 answers;
	__be16 authorities;
	__be16 additional;
};

struct name {
	__u8 bytes[MOST_NAME];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct name);
	__type(value, __be32);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} answers SEC(".maps");

static __always_inline void count(__u32 which)
{
	__u64 *found = bpf_map_lookup_elem(&answers, &which);

	if (found)
		__sync_fetch_and_add(found, 1);
}

SEC("xdp")
int name_cache(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	struct udphdr *udp;
	struct header *header;
	struct ethhdr *ethernet;
	struct name name = {};
	__u8 *question, *answer;
	__be32 *address, found, other;
	__be16 port;
	int length = 0;

	if (!ip || ip->protocol != IPPROTO_UDP || (ip->frag_off & bpf_htons(0x3fff)))
		return XDP_PASS;
	udp = (void *)(ip + 1);
	header = (void *)(udp + 1);
	if (!FITS(header, END(context)) || udp->dest != bpf_htons(53))
		return XDP_PASS;
	if ((header->flags & bpf_htons(0xf800)) || header->questions != bpf_htons(1) || header->answers ||
	    header->authorities || header->additional)
		return XDP_PASS;
	question = (void *)(header + 1);
	for (int at = 0; at < MOST_NAME; at++) {
		if ((void *)(question + at + 1) > END(context))
			return XDP_PASS;
		name.bytes[at] = question[at];
		if (!question[at]) {
			length = at + 1;
			break;
		}
	}
	/* The name ends, and behind it stand type A, class IN, and nothing. */
	if (!length || (void *)(question + length + 4) != END(context))
		return XDP_PASS;
	if (question[length] || question[length + 1] != 1 || question[length + 2] || question[length + 3] != 1)
		return XDP_PASS;
	address = bpf_map_lookup_elem(&names, &name);
	if (!address) {
		count(1);
		return XDP_PASS;
	}
	found = *address;
	if (bpf_xdp_adjust_tail(context, ANSWER))
		return XDP_PASS;
	ethernet = START(context);
	ip = (void *)(ethernet + 1);
	udp = (void *)(ip + 1);
	header = (void *)(udp + 1);
	question = (void *)(header + 1);
	length &= 63;
	answer = question + length + 4;
	if ((void *)(answer + ANSWER) > END(context))
		return XDP_ABORTED;
	/* Name by reference to the question, type A, class IN, 300 seconds, 4 bytes. */
	answer[0] = 0xc0;
	answer[1] = sizeof(*header);
	answer[2] = 0;
	answer[3] = 1;
	answer[4] = 0;
	answer[5] = 1;
	answer[6] = 0;
	answer[7] = 0;
	answer[8] = 300 >> 8;
	answer[9] = 300 & 255;
	answer[10] = 0;
	answer[11] = 4;
	memcpy(answer + 12, &found, 4);
	header->flags = bpf_htons(0x8180);
	header->answers = bpf_htons(1);
	port = udp->source;
	udp->source = udp->dest;
	udp->dest = port;
	udp->len = bpf_htons(bpf_ntohs(udp->len) + ANSWER);
	udp->check = 0;
	other = ip->saddr;
	ip->saddr = ip->daddr;
	ip->daddr = other;
	ip->tot_len = bpf_htons(bpf_ntohs(ip->tot_len) + ANSWER);
	ip->check = 0;
	ip->check = lx_header_sum(ip);
	lx_swap_macs(ethernet);
	count(0);
	return XDP_TX;
}
