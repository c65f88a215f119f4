/* Lets TCP and UDP of IPv4 out and only answers to it in.
 *
 * A flow is known by addresses, ports and protocol as its first packet had them. Packets that come by the inner port make
 * theirs known and go to the outer port; those that come by the outer port go in where the flow of the other direction is known.
 */
#include <linecard_bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#define INNER 1
#define OUTER 2

struct flow {
	__be32 source;
	__be32 destination;
	__be16 source_port;
	__be16 destination_port;
	__u8 protocol;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct flow);
	__type(value, __u32);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 10);
	__type(key, int);
	__type(value, int);
} ports SEC(".maps");

SEC("xdp")
int simple_firewall(struct xdp_md *context)
{
	void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	struct ethhdr *ethernet = data;
	struct iphdr *ip = (void *)(ethernet + 1);
	struct udphdr *transport = (void *)(ip + 1);
	struct flow flow = {};
	__u32 known = 1;

	if ((void *)(transport + 1) > end)
		return XDP_DROP;
	if (ethernet->h_proto != bpf_htons(ETH_P_IP))
		return XDP_DROP;
	if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP)
		return XDP_DROP;
	flow.protocol = ip->protocol;
	if (context->ingress_ifindex == INNER) {
		flow.source = ip->saddr;
		flow.destination = ip->daddr;
		flow.source_port = transport->source;
		flow.destination_port = transport->dest;
		if (!bpf_map_lookup_elem(&flows, &flow))
			bpf_map_update_elem(&flows, &flow, &known, BPF_ANY);
		return bpf_redirect_map(&ports, OUTER, 0);
	}
	flow.source = ip->daddr;
	flow.destination = ip->saddr;
	flow.source_port = transport->dest;
	flow.destination_port = transport->source;
	if (!bpf_map_lookup_elem(&flows, &flow))
		return XDP_DROP;
	return bpf_redirect_map(&ports, INNER, 0);
}
