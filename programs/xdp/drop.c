/* Drops every packet: the least that a program can do. */
#include <linecard_bpf.h>

SEC("xdp")
int drop(struct xdp_md *context)
{
	return XDP_DROP;
}
