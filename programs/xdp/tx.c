/* Sends every packet back where it came from, with its Ethernet addresses swapped. */
#include <lx_packet.h>

SEC("xdp")
int tx(struct xdp_md *context)
{
	struct ethhdr *ethernet = START(context);

	if (!FITS(ethernet, END(context)))
		return XDP_DROP;
	lx_swap_macs(ethernet);
	return XDP_TX;
}
