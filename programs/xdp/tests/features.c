/* What an object can hold, for tests of the loader and of helpers: one program for each thing, and several in a section. */
#include <lx_packet.h>

/* Global variables in all sections, and a function that is called, in .text. */
const volatile __u32 constant = 5;
__u32 initialised = 7;
__u64 zeroed;
static __u32 hidden_counter;

__noinline __u64 sum_of(__u64 a, __u64 b)
{
	return a + b + constant;
}

SEC("xdp")
int globals(struct xdp_md *context)
{
	zeroed = sum_of(zeroed, initialised);
	hidden_counter++;
	initialised += 1;
	return zeroed > 40 ? XDP_DROP : XDP_PASS;
}

/* Two calls deep, with a stack each. */
static __noinline int inner_call(__u8 *bytes)
{
	volatile __u8 own[64];

	for (int at = 0; at < 64; at++)
		own[at] = bytes[at & 7];
	return own[63] + own[1];
}

static __noinline int outer_call(int number)
{
	__u8 bytes[8] = { number, 2, 3, 4, 5, 6, 7, 8 };

	return inner_call(bytes) * 2;
}

SEC("xdp")
int calls(struct xdp_md *context)
{
	/* 2 * (8 + 2) and back. */
	return outer_call(9) == 20 ? XDP_TX : XDP_ABORTED;
}

/* Tail calls, to what the object says and to what is put there later. */
int second(struct xdp_md *context);
int third(struct xdp_md *context);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__uint(key_size, sizeof(__u32));
	__array(values, int(void *));
} next_programs SEC(".maps") = { .values = { [1] = (void *)&second } };

SEC("xdp/first")
int first(struct xdp_md *context)
{
	bpf_tail_call(context, &next_programs, context->rx_queue_index);
	return XDP_PASS;
}

SEC("xdp/second")
int second(struct xdp_md *context)
{
	return XDP_DROP;
}

SEC("xdp/third")
int third(struct xdp_md *context)
{
	/* Without end, but for the limit on tail calls. */
	hidden_counter++;
	bpf_tail_call(context, &next_programs, 2);
	return XDP_TX;
}

/* Maps of maps: one that the object fills, one that is filled from outside. */
struct inner_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
};

struct inner_map known_inner SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__uint(key_size, sizeof(__u32));
	__array(values, struct inner_map);
} by_index SEC(".maps") = { .values = { [2] = &known_inner } };

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u64);
	__array(values, struct inner_map);
} by_key SEC(".maps");

SEC("xdp")
int nested(struct xdp_md *context)
{
	__u32 index = context->rx_queue_index, place = 3;
	__u64 key = index, *value;
	void *inner = bpf_map_lookup_elem(&by_index, &index);

	if (!inner)
		inner = bpf_map_lookup_elem(&by_key, &key);
	if (!inner)
		return XDP_PASS;
	value = bpf_map_lookup_elem(inner, &place);
	if (!value)
		return XDP_ABORTED;
	*value += 1;
	return XDP_DROP;
}

/* Records for user space. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} events SEC(".maps");

SEC("xdp")
int records(struct xdp_md *context)
{
	__u64 record = 1, *reserved = bpf_ringbuf_reserve(&ring, 16, 0);

	if (!reserved)
		return XDP_ABORTED;
	reserved[0] = reserved[1] = record;
	bpf_ringbuf_submit(reserved, 0);
	reserved = bpf_ringbuf_reserve(&ring, 16, 0);
	if (!reserved)
		return XDP_ABORTED;
	bpf_ringbuf_discard(reserved, 0);
	bpf_ringbuf_output(&ring, &record, sizeof(record), 0);
	bpf_perf_event_output(context, &events, BPF_F_CURRENT_CPU | 20ull << 32, &record, sizeof(record));
	return bpf_ringbuf_query(&ring, 1) == 4096 ? XDP_PASS : XDP_ABORTED;
}

SEC("xdp")
int kept_record(struct xdp_md *context)
{
	return bpf_ringbuf_reserve(&ring, 16, 0) ? XDP_PASS : XDP_ABORTED;
}

/* Where packets can go. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} devices SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} processors SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

SEC("xdp")
int targets(struct xdp_md *context)
{
	switch (context->rx_queue_index) {
	case 0:
		return bpf_redirect_map(&devices, 77, XDP_TX);
	case 1:
		return bpf_redirect_map(&processors, 3, XDP_TX);
	case 2:
		return bpf_redirect_map(&sockets, 2, XDP_TX);
	case 3:
		return bpf_redirect_map(&devices, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
	case 4:
		return bpf_redirect(9, 0);
	default:
		return bpf_redirect_map(&devices, 78, XDP_TX);
	}
}

/* The packet by helpers: bytes in front of it, copies, its length. */
SEC("xdp")
int edges(struct xdp_md *context)
{
	__u8 bytes[6] = {};
	__u32 *meta;

	if (bpf_xdp_adjust_meta(context, -4))
		return XDP_ABORTED;
	meta = (void *)(long)context->data_meta;
	if ((void *)(meta + 1) > START(context))
		return XDP_ABORTED;
	*meta = 0xabcd;
	if (bpf_xdp_load_bytes(context, 6, bytes, 6) || bpf_xdp_store_bytes(context, 0, bytes, 6))
		return XDP_ABORTED;
	/* What is in front moves with the head. */
	if (bpf_xdp_adjust_head(context, -8))
		return XDP_ABORTED;
	meta = (void *)(long)context->data_meta;
	if ((void *)(meta + 1) > START(context) || *meta != 0xabcd)
		return XDP_ABORTED;
	if (bpf_xdp_adjust_head(context, -4096) == 0 || bpf_xdp_adjust_tail(context, 100000) == 0)
		return XDP_ABORTED;
	return bpf_xdp_get_buff_len(context) == 68 ? XDP_TX : XDP_ABORTED;
}

/* The kernel's routes. */
SEC("xdp")
int routed(struct xdp_md *context)
{
	struct bpf_fib_lookup parameters = {};
	struct ethhdr *ethernet = START(context);
	struct iphdr *ip = lx_ipv4(context);

	if (!ip)
		return XDP_PASS;
	parameters.family = 2;
	parameters.ipv4_src = ip->saddr;
	parameters.ipv4_dst = ip->daddr;
	parameters.ifindex = context->ingress_ifindex;
	if (bpf_fib_lookup(context, &parameters, sizeof(parameters), 0) != BPF_FIB_LKUP_RET_SUCCESS)
		return XDP_DROP;
	memcpy(ethernet->h_dest, parameters.dmac, ETH_ALEN);
	memcpy(ethernet->h_source, parameters.smac, ETH_ALEN);
	return bpf_redirect(parameters.ifindex, 0);
}

/* Reads without comparing: a message names this line of the source. */
SEC("xdp")
int careless(struct xdp_md *context)
{
	__u8 *bytes = START(context);

	return bytes[60] ? XDP_PASS : XDP_DROP;
}

/* Time, chance, processor, and text that is not printed. */
SEC("xdp")
int asks(struct xdp_md *context)
{
	__u64 now = bpf_ktime_get_ns();

	bpf_printk("at %d\n", now);
	if (bpf_get_prandom_u32() == bpf_get_prandom_u32())
		return XDP_ABORTED;
	zeroed = now + bpf_get_smp_processor_id();
	return XDP_PASS;
}

/* A map as older programs define it. */
struct bpf_map_def SEC("maps") old_style = {
	.type = BPF_MAP_TYPE_HASH,
	.key_size = 4,
	.value_size = 12,
	.max_entries = 10,
};

SEC("xdp")
int legacy(struct xdp_md *context)
{
	__u32 key = 1;
	struct {
		__u32 words[3];
	} value = { { 1, 2, 3 } };

	bpf_map_update_elem(&old_style, &key, &value, BPF_ANY);
	return bpf_map_delete_elem(&old_style, &key) == 0 && bpf_map_delete_elem(&old_style, &key) ? XDP_TX :
												     XDP_ABORTED;
}

/* What there is not here: a kind of map, a helper. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__type(value, __u32);
} waiting SEC(".maps");

SEC("xdp")
int unsupported(struct xdp_md *context)
{
	static long (*const push)(void *map, const void *value, __u64 flags) = (void *)87;
	__u32 value = 1;

	return push(&waiting, &value, 0) ? XDP_DROP : XDP_PASS;
}
