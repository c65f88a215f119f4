/* The smallest programs: sent back, sent out of a port (that one, so that all ports share), and N calls of a helper; each by itself with its macro. */
#include "swap.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} values SEC(".maps");

SEC("xdp")
int anchor(struct xdp_md *context)
{
#if defined(TX) || defined(REDIRECT)
	void *data = (void *)(long)context->data;

	if (data + 14 > (void *)(long)context->data_end)
		return XDP_DROP;
	swap(data);
#ifdef TX
	return XDP_TX;
#else
	return bpf_redirect(context->ingress_ifindex, 0);
#endif
#else
	__u32 key = 0;

#pragma unroll
	for (int call = 0; call < N; call++) {
#ifdef LOOKUP
		bpf_map_lookup_elem(&values, &key);
#else
		bpf_ktime_get_ns();
#endif
	}
	return XDP_DROP + key;
#endif
}
