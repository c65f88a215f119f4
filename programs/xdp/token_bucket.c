/* A token bucket for each source: packets that find too few tokens are dropped.
 *
 * Tokens are bytes; a bucket holds BURST of them and gains RATE a second. The last source that comes takes the place of
 * the one that was heard least recently. A lock keeps two packets of a source apart.
 */
#include <lx_packet.h>

#ifndef RATE
#define RATE 1000000
#endif
#ifndef BURST
#define BURST 3000
#endif

struct bucket {
	struct bpf_spin_lock lock;
	__u32 zero;
	__u64 tokens;
	__u64 time_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __be32);
	__type(value, struct bucket);
} buckets SEC(".maps");

SEC("xdp")
int token_bucket(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	__u64 now = bpf_ktime_get_ns(), bytes = context->data_end - context->data, elapsed, tokens;
	struct bucket *bucket;
	__be32 source;
	int action = XDP_DROP;

	if (!ip)
		return XDP_PASS;
	source = ip->saddr;
	bucket = bpf_map_lookup_elem(&buckets, &source);
	if (!bucket) {
		struct bucket full = { .tokens = BURST, .time_ns = now };

		bpf_map_update_elem(&buckets, &source, &full, BPF_NOEXIST);
		bucket = bpf_map_lookup_elem(&buckets, &source);
		if (!bucket)
			return XDP_ABORTED;
	}
	bpf_spin_lock(&bucket->lock);
	elapsed = now - bucket->time_ns;
	/* A second fills any bucket; more would only overflow. */
	if (elapsed > 1000000000)
		elapsed = 1000000000;
	tokens = bucket->tokens + elapsed * RATE / 1000000000;
	if (tokens > BURST)
		tokens = BURST;
	if (tokens >= bytes) {
		tokens -= bytes;
		action = XDP_PASS;
	}
	bucket->tokens = tokens;
	bucket->time_ns = now;
	bpf_spin_unlock(&bucket->lock);
	return action;
}
