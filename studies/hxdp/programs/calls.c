/* N calls of a helper: one without arguments, or with LOOKUP a lookup in a table of one value. */
#include <linecard_bpf.h>

#ifndef N
#define N 1
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} values SEC(".maps");

SEC("xdp")
int calls(struct xdp_md *context)
{
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
}
