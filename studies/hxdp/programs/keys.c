/* One lookup with a key of BYTES bytes, all 0, and a drop. */
#include <linecard_bpf.h>

#ifndef BYTES
#define BYTES 4
#endif

struct key {
	__u8 bytes[BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, __u64);
} values SEC(".maps");

SEC("xdp")
int keys(struct xdp_md *context)
{
	struct key key = {};
	__u64 *value = bpf_map_lookup_elem(&values, &key);

	if (value)
		*value += 1;
	return XDP_DROP;
}
