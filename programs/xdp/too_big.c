/* Answers IPv4 packets of more than LARGEST bytes with "fragmentation needed" (ICMP type 3 code 4, RFC 792 and 1191).
 *
 * The packet is cut to what the answer quotes (bpf_xdp_adjust_tail), headers go in front (bpf_xdp_adjust_head), and it is
 * sent back. Others pass.
 */
#include <lx_packet.h>
#include <linux/icmp.h>

#ifndef LARGEST
#define LARGEST 600
#endif
/* What is quoted of a packet: its header and 64 bytes. */
#define QUOTED ((int)sizeof(struct iphdr) + 64)
#define PUSHED ((int)sizeof(struct iphdr) + (int)sizeof(struct icmphdr))

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} answered SEC(".maps");

SEC("xdp")
int too_big(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context), *quoted;
	struct ethhdr *before, *ethernet;
	struct icmphdr *icmp;
	__u8 here[ETH_ALEN], there[ETH_ALEN];
	int bytes = context->data_end - context->data;
	__be32 source, destination;
	__u32 zero = 0;
	__u64 *count;

	if (!ip || bytes - (int)sizeof(*before) <= LARGEST)
		return XDP_PASS;
	before = START(context);
	memcpy(here, before->h_dest, ETH_ALEN);
	memcpy(there, before->h_source, ETH_ALEN);
	source = ip->saddr;
	destination = ip->daddr;
	if (bpf_xdp_adjust_tail(context, (int)sizeof(*before) + QUOTED - bytes))
		return XDP_DROP;
	if (bpf_xdp_adjust_head(context, -PUSHED))
		return XDP_DROP;
	ethernet = START(context);
	ip = (void *)(ethernet + 1);
	icmp = (void *)(ip + 1);
	quoted = (void *)(icmp + 1);
	if ((void *)quoted + QUOTED > END(context))
		return XDP_DROP;
	memcpy(ethernet->h_dest, there, ETH_ALEN);
	memcpy(ethernet->h_source, here, ETH_ALEN);
	ethernet->h_proto = bpf_htons(ETH_P_IP);
	memset(ip, 0, sizeof(*ip));
	ip->version = 4;
	ip->ihl = 5;
	ip->tot_len = bpf_htons(PUSHED + QUOTED);
	ip->ttl = 64;
	ip->protocol = IPPROTO_ICMP;
	ip->saddr = destination;
	ip->daddr = source;
	ip->check = lx_header_sum(ip);
	memset(icmp, 0, sizeof(*icmp));
	icmp->type = ICMP_DEST_UNREACH;
	icmp->code = ICMP_FRAG_NEEDED;
	icmp->un.frag.mtu = bpf_htons(LARGEST);
	icmp->checksum = lx_fold(bpf_csum_diff(0, 0, (void *)icmp, sizeof(*icmp) + QUOTED, 0));
	count = bpf_map_lookup_elem(&answered, &zero);
	if (count)
		*count += 1;
	return XDP_TX;
}
