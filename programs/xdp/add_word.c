/* Adds a constant to one word N times, atomically, and passes the packet.
 *
 * The shape that Krude et al. (CoNEXT 2021) measured additions with: the value is looked up once, and nobody waits for the
 * sums. `adds` does more: a hash and a lookup for each addition.
 */
#include <linecard_bpf.h>

#ifndef N
#define N 10
#endif

/* The measured value had 4 MiB (WORDS=1048576), of which no more is touched. */
#ifndef WORDS
#define WORDS 16384
#endif

struct words {
	__u32 word[WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct words);
} table SEC(".maps");

SEC("xdp")
int add_word(struct xdp_md *context)
{
	__u32 key = 0;
	struct words *words = bpf_map_lookup_elem(&table, &key);

	if (!words)
		return XDP_PASS;
#pragma unroll
	for (int add = 0; add < N; add++)
		__sync_fetch_and_add(&words->word[0], 5);
	return XDP_PASS;
}
