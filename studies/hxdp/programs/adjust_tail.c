/* Answers IPv4 packets of more than 600 bytes with ICMP "fragmentation needed" (RFC 792, RFC 1191); others pass.
 *
 * The packet is cut to 98 bytes, and 28 are put in front of it: a new IPv4 header and that of ICMP. Its Ethernet header moves to the
 * front with its addresses swapped; answers are counted.
 */
#include <linecard_bpf.h>
#include <linux/icmp.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <string.h>

#define LARGEST 600
#define KEPT 98
#define HEADERS (sizeof(struct iphdr) + sizeof(struct icmphdr))
#define TTL 64

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} answers SEC(".maps");

static __always_inline void count(void)
{
	__u32 key = 0;
	__u64 *found = bpf_map_lookup_elem(&answers, &key);

	if (found)
		*found += 1;
}

/* The checksum of some words: RFC 1071. */
static __always_inline __u16 checksum(void *data, __u32 bytes)
{
	__u32 sum = bpf_csum_diff(0, 0, data, bytes, 0);

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static __always_inline int answer(struct xdp_md *context)
{
	struct ethhdr *ethernet, *before;
	struct iphdr *ip, *its;
	struct icmphdr *icmp;
	void *data, *end;

	if (bpf_xdp_adjust_head(context, -(int)HEADERS))
		return XDP_DROP;
	data = (void *)(long)context->data;
	end = (void *)(long)context->data_end;
	if (data + KEPT + HEADERS > end)
		return XDP_DROP;
	before = data + HEADERS;
	ethernet = data;
	its = (void *)(before + 1);
	ip = (void *)(ethernet + 1);
	icmp = (void *)(ip + 1);

	memcpy(ethernet->h_dest, before->h_source, ETH_ALEN);
	memcpy(ethernet->h_source, before->h_dest, ETH_ALEN);
	ethernet->h_proto = before->h_proto;

	icmp->type = ICMP_DEST_UNREACH;
	icmp->code = ICMP_FRAG_NEEDED;
	icmp->un.frag.mtu = bpf_htons(LARGEST - sizeof(*ethernet));
	icmp->checksum = 0;
	icmp->checksum = checksum(icmp, KEPT + HEADERS - sizeof(*ethernet) - sizeof(*ip));

	ip->version = 4;
	ip->ihl = 5;
	ip->tos = 0;
	ip->tot_len = bpf_htons(KEPT + HEADERS - sizeof(*ethernet));
	ip->id = 0;
	ip->frag_off = 0;
	ip->ttl = TTL;
	ip->protocol = IPPROTO_ICMP;
	ip->daddr = its->saddr;
	ip->saddr = its->daddr;
	ip->check = 0;
	ip->check = checksum(ip, sizeof(*ip));
	count();
	return XDP_TX;
}

SEC("xdp")
int adjust_tail(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ethhdr *ethernet = data;
	int bytes = end - data;

	if ((void *)(ethernet + 1) > end)
		return XDP_DROP;
	if (ethernet->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if (bytes > LARGEST) {
		if (bpf_xdp_adjust_tail(context, KEPT - bytes))
			return XDP_PASS;
		return answer(context);
	}
	return XDP_PASS;
}
