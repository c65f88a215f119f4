/* Passes TCP and UDP packets of known five-tuples only.
 *
 * `rules` says for a five-tuple what to do (1 drops, 2 passes) and is filled from outside. Packets that come by interface
 * 1, the inside, open the way for the answers: their reversed five-tuple goes into `open` and they pass. What is neither
 * TCP nor UDP in IPv4 passes.
 */
#include <lx_packet.h>

#define INSIDE 1

struct rule {
	__u32 action;
	__u32 hits;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct lx_flow);
	__type(value, struct rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct lx_flow);
	__type(value, __u64);
} open SEC(".maps");

SEC("xdp")
int stateful_firewall(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	struct lx_flow flow;
	struct rule *rule;
	__u64 *seen;

	if (!ip || !lx_flow(context, ip, &flow))
		return XDP_PASS;
	rule = bpf_map_lookup_elem(&rules, &flow);
	if (rule) {
		__sync_fetch_and_add(&rule->hits, 1);
		return rule->action;
	}
	if (context->ingress_ifindex == INSIDE) {
		struct lx_flow answer = {
			.source = flow.destination,
			.destination = flow.source,
			.source_port = flow.destination_port,
			.destination_port = flow.source_port,
			.protocol = flow.protocol,
		};
		__u64 one = 1;

		bpf_map_update_elem(&open, &answer, &one, BPF_ANY);
		return XDP_PASS;
	}
	seen = bpf_map_lookup_elem(&open, &flow);
	if (!seen)
		return XDP_DROP;
	__sync_fetch_and_add(seen, 1);
	return XDP_PASS;
}
