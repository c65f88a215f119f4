/* Puts IPv4 packets to known services into another IPv4 header (RFC 2003) and sends them back out.
 *
 * `services` has for destination, port and protocol the ends of the tunnel and the next hop; other packets pass.
 */
#include <lx_packet.h>

struct service {
	__be32 address;
	__be16 port;
	__u8 protocol;
	__u8 zero;
};

struct tunnel {
	__be32 source;
	__be32 destination;
	__u8 mac[ETH_ALEN];
	__u8 zero[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct service);
	__type(value, struct tunnel);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} tunnelled SEC(".maps");

SEC("xdp")
int tunnel(struct xdp_md *context)
{
	struct iphdr *inner = lx_ipv4(context), *ip;
	struct ethhdr *before, *ethernet;
	struct service service = {};
	struct tunnel *tunnel;
	struct lx_flow flow;
	__u16 bytes;
	__u8 service_class, own[ETH_ALEN];
	__u32 zero = 0;
	__u64 *count;

	if (!inner || !lx_flow(context, inner, &flow))
		return XDP_PASS;
	service.address = flow.destination;
	service.port = flow.destination_port;
	service.protocol = flow.protocol;
	tunnel = bpf_map_lookup_elem(&services, &service);
	if (!tunnel)
		return XDP_PASS;
	bytes = bpf_ntohs(inner->tot_len) + sizeof(*ip);
	service_class = inner->tos;
	before = START(context);
	memcpy(own, before->h_dest, ETH_ALEN);
	if (bpf_xdp_adjust_head(context, -(int)sizeof(*ip)))
		return XDP_DROP;
	ethernet = START(context);
	ip = (void *)(ethernet + 1);
	if (!FITS(ip, END(context)))
		return XDP_DROP;
	memcpy(ethernet->h_dest, tunnel->mac, ETH_ALEN);
	memcpy(ethernet->h_source, own, ETH_ALEN);
	ethernet->h_proto = bpf_htons(ETH_P_IP);
	ip->version = 4;
	ip->ihl = 5;
	ip->tos = service_class;
	ip->tot_len = bpf_htons(bytes);
	ip->id = 0;
	ip->frag_off = 0;
	ip->ttl = 64;
	ip->protocol = IPPROTO_IPIP;
	ip->check = 0;
	ip->saddr = tunnel->source;
	ip->daddr = tunnel->destination;
	ip->check = lx_header_sum(ip);
	count = bpf_map_lookup_elem(&tunnelled, &zero);
	if (count)
		*count += 1;
	return XDP_TX;
}
