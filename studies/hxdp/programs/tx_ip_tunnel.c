/* Puts packets to known addresses and ports into a tunnel, IPv4 in IPv4 or IPv6 in IPv6, and sends them back out.
 *
 * `tunnels` has for protocol, destination and port the ends of the tunnel and the next hop's Ethernet address; other packets pass.
 */
#include <linecard_bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <string.h>

/* Families of addresses, as sockets number them. */
#define FAMILY4 2
#define FAMILY6 10
#define HOPS 8

union address {
	__be32 v6[4];
	__be32 v4;
};

struct service {
	union address address;
	__u16 port;
	__u16 family;
	__u8 protocol;
};

struct tunnel {
	union address source;
	union address destination;
	__u16 family;
	__u8 mac[ETH_ALEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, struct service);
	__type(value, struct tunnel);
} tunnels SEC(".maps");

static __always_inline void count(__u32 protocol)
{
	__u64 *found = bpf_map_lookup_elem(&counts, &protocol);

	if (found)
		*found += 1;
}

/* The destination port; 0 where the protocol has none, -1 where the packet is cut. */
static __always_inline int port(void *transport, void *end, __u8 protocol)
{
	struct tcphdr *tcp = transport;
	struct udphdr *udp = transport;

	switch (protocol) {
	case IPPROTO_TCP:
		return (void *)(tcp + 1) > end ? -1 : tcp->dest;
	case IPPROTO_UDP:
		return (void *)(udp + 1) > end ? -1 : udp->dest;
	default:
		return 0;
	}
}

static __always_inline void ethernet_header(struct ethhdr *new, const struct ethhdr *old, const struct tunnel *tunnel,
					    __be16 kind)
{
	memcpy(new->h_source, old->h_dest, ETH_ALEN);
	memcpy(new->h_dest, tunnel->mac, ETH_ALEN);
	new->h_proto = kind;
}

static __always_inline int ipv4(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct iphdr *ip = data + sizeof(struct ethhdr);
	struct service service = {};
	struct ethhdr *new, *old;
	struct tunnel *tunnel;
	__u16 payload, *word;
	__u32 sum = 0;
	int found;

	if ((void *)(ip + 1) > end)
		return XDP_DROP;
	found = port(ip + 1, end, ip->protocol);
	if (found == -1)
		return XDP_DROP;
	service.protocol = ip->protocol;
	service.family = FAMILY4;
	service.address.v4 = ip->daddr;
	service.port = found;
	payload = bpf_ntohs(ip->tot_len);
	tunnel = bpf_map_lookup_elem(&tunnels, &service);
	if (!tunnel || tunnel->family != FAMILY4)
		return XDP_PASS;
	if (bpf_xdp_adjust_head(context, -(int)sizeof(*ip)))
		return XDP_DROP;
	data = (void *)(long)context->data;
	end = (void *)(long)context->data_end;
	new = data;
	ip = data + sizeof(*new);
	old = data + sizeof(*ip);
	if ((void *)(new + 1) > end || (void *)(old + 1) > end || (void *)(ip + 1) > end)
		return XDP_DROP;
	ethernet_header(new, old, tunnel, bpf_htons(ETH_P_IP));
	ip->version = 4;
	ip->ihl = 5;
	ip->frag_off = 0;
	ip->protocol = IPPROTO_IPIP;
	ip->check = 0;
	ip->tos = 0;
	ip->tot_len = bpf_htons(payload + sizeof(*ip));
	ip->daddr = tunnel->destination.v4;
	ip->saddr = tunnel->source.v4;
	ip->ttl = HOPS;
	word = (__u16 *)ip;
#pragma unroll
	for (int at = 0; at < (int)sizeof(*ip) / 2; at++)
		sum += *word++;
	ip->check = ~((sum & 0xffff) + (sum >> 16));
	count(service.protocol);
	return XDP_TX;
}

static __always_inline int ipv6(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ipv6hdr *ip = data + sizeof(struct ethhdr);
	struct service service = {};
	struct ethhdr *new, *old;
	struct tunnel *tunnel;
	__u16 payload;
	int found;

	if ((void *)(ip + 1) > end)
		return XDP_DROP;
	found = port(ip + 1, end, ip->nexthdr);
	if (found == -1)
		return XDP_DROP;
	service.protocol = ip->nexthdr;
	service.family = FAMILY6;
	memcpy(service.address.v6, &ip->daddr, sizeof(service.address.v6));
	service.port = found;
	payload = ip->payload_len;
	tunnel = bpf_map_lookup_elem(&tunnels, &service);
	if (!tunnel || tunnel->family != FAMILY6)
		return XDP_PASS;
	if (bpf_xdp_adjust_head(context, -(int)sizeof(*ip)))
		return XDP_DROP;
	data = (void *)(long)context->data;
	end = (void *)(long)context->data_end;
	new = data;
	ip = data + sizeof(*new);
	old = data + sizeof(*ip);
	if ((void *)(new + 1) > end || (void *)(old + 1) > end || (void *)(ip + 1) > end)
		return XDP_DROP;
	ethernet_header(new, old, tunnel, bpf_htons(ETH_P_IPV6));
	ip->version = 6;
	ip->priority = 0;
	memset(ip->flow_lbl, 0, sizeof(ip->flow_lbl));
	ip->payload_len = bpf_htons(bpf_ntohs(payload) + sizeof(*ip));
	ip->nexthdr = IPPROTO_IPV6;
	ip->hop_limit = HOPS;
	memcpy(&ip->saddr, tunnel->source.v6, sizeof(tunnel->source.v6));
	memcpy(&ip->daddr, tunnel->destination.v6, sizeof(tunnel->destination.v6));
	count(service.protocol);
	return XDP_TX;
}

SEC("xdp")
int tx_ip_tunnel(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ethhdr *ethernet = data;

	if ((void *)(ethernet + 1) > end)
		return XDP_DROP;
	if (ethernet->h_proto == bpf_htons(ETH_P_IP))
		return ipv4(context);
	if (ethernet->h_proto == bpf_htons(ETH_P_IPV6))
		return ipv6(context);
	return XDP_PASS;
}
