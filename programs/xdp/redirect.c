/* Sends packets out of the interface that `ports` has for the one they came by, addresses swapped; the rest goes up. */
#include <lx_packet.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int redirect(struct xdp_md *context)
{
	struct ethhdr *ethernet = START(context);

	if (!FITS(ethernet, END(context)))
		return XDP_DROP;
	lx_swap_macs(ethernet);
	return bpf_redirect_map(&ports, context->ingress_ifindex, XDP_PASS);
}
