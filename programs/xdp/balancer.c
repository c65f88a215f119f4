/* A layer-4 load balancer: packets to a service go to one of its servers, the same for all packets of a connection.
 *
 * Connections are remembered (`connections`); new ones take the server that the place of the hash of their five-tuple
 * names on the service's ring of 251 places (`rings`), filled from outside by consistent hashing. The packet goes to the
 * server in another IPv4 header (RFC 2003).
 */
#include <lx_packet.h>

#define PLACES 251

struct service {
	__be32 address;
	__be16 port;
	__u8 protocol;
	__u8 zero;
};

struct server {
	__be32 address;
	__u8 mac[ETH_ALEN];
	__u8 zero[2];
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 512);
	__type(key, struct service);
	__type(value, __u32);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 512 * PLACES);
	__type(key, __u32);
	__type(value, __u32);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct server);
} servers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct lx_flow);
	__type(value, __u32);
} connections SEC(".maps");

SEC("xdp")
int balancer(struct xdp_md *context)
{
	struct iphdr *inner = lx_ipv4(context), *ip;
	struct ethhdr *before, *ethernet;
	struct service service = {};
	struct server *server;
	struct lx_flow flow;
	__u32 *number, *known, chosen;
	__u16 bytes;
	__u8 own[ETH_ALEN];

	if (!inner || !lx_flow(context, inner, &flow))
		return XDP_PASS;
	service.address = flow.destination;
	service.port = flow.destination_port;
	service.protocol = flow.protocol;
	number = bpf_map_lookup_elem(&services, &service);
	if (!number)
		return XDP_PASS;
	known = bpf_map_lookup_elem(&connections, &flow);
	if (known) {
		chosen = *known;
	} else {
		__u32 place = *number * PLACES + lx_flow_hash(&flow, 7) % PLACES;
		__u32 *of_place = bpf_map_lookup_elem(&rings, &place);

		if (!of_place)
			return XDP_DROP;
		chosen = *of_place;
		bpf_map_update_elem(&connections, &flow, &chosen, BPF_ANY);
	}
	server = bpf_map_lookup_elem(&servers, &chosen);
	if (!server || !server->address)
		return XDP_DROP;
	bytes = bpf_ntohs(inner->tot_len) + sizeof(*ip);
	before = START(context);
	memcpy(own, before->h_dest, ETH_ALEN);
	if (bpf_xdp_adjust_head(context, -(int)sizeof(*ip)))
		return XDP_DROP;
	ethernet = START(context);
	ip = (void *)(ethernet + 1);
	if (!FITS(ip, END(context)))
		return XDP_DROP;
	memcpy(ethernet->h_dest, server->mac, ETH_ALEN);
	memcpy(ethernet->h_source, own, ETH_ALEN);
	ethernet->h_proto = bpf_htons(ETH_P_IP);
	memset(ip, 0, sizeof(*ip));
	ip->version = 4;
	ip->ihl = 5;
	ip->tot_len = bpf_htons(bytes);
	ip->ttl = 64;
	ip->protocol = IPPROTO_IPIP;
	ip->saddr = service.address;
	ip->daddr = server->address;
	ip->check = lx_header_sum(ip);
	__sync_fetch_and_add(&server->packets, 1);
	__sync_fetch_and_add(&server->bytes, bytes);
	return XDP_TX;
}
