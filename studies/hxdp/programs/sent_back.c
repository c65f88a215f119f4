/* Swaps Ethernet addresses and sends back. */
#include "swap.h"

SEC("xdp")
int sent_back(struct xdp_md *context)
{
	void *data = (void *)(long)context->data;

	if (data + 14 > (void *)(long)context->data_end)
		return XDP_DROP;
	swap(data);
	return XDP_TX;
}
