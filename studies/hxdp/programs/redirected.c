/* Swaps Ethernet addresses and sends out of a port: that one, so that all ports share. */
#include "swap.h"

SEC("xdp")
int redirected(struct xdp_md *context)
{
	void *data = (void *)(long)context->data;

	if (data + 14 > (void *)(long)context->data_end)
		return XDP_DROP;
	swap(data);
	return bpf_redirect(context->ingress_ifindex, 0);
}
