/* Reads the first N words of one large value, each once the one before has been tested, and passes the packet.
 *
 * The shape that Krude et al. (CoNEXT 2021) measured reads with: the value is looked up once, the packet is not touched, and
 * every word is 0, so that nothing else is done. `reads` does more: a hash and a lookup for each read, and a write.
 */
#include <linecard_bpf.h>

#ifndef N
#define N 4
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
int read_words(struct xdp_md *context)
{
	__u32 key = 0;
	volatile struct words *words = bpf_map_lookup_elem(&table, &key);

	if (!words)
		return XDP_PASS;
#pragma unroll
	for (int word = 0; word < N; word++)
		if (words->word[word])
			return XDP_DROP;
	return XDP_PASS;
}
