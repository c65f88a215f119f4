/* What XDP programs need beside <linux/bpf.h>: sections, map definitions, helpers, byte order.
 *
 * Names and forms are those that programs for the Linux kernel use, so that sources written for other loaders compile
 * unchanged: <bpf/bpf_helpers.h> and <bpf/bpf_endian.h> of this folder include this file. Helpers are addressed by
 * their number (enum bpf_func_id of <linux/bpf.h>).
 */
#ifndef LINECARD_BPF_H
#define LINECARD_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>

#define SEC(name) __attribute__((section(name), used))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef __noinline
#define __noinline __attribute__((noinline))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif
#ifndef __hidden
#define __hidden __attribute__((visibility("hidden")))
#endif
#ifndef NULL
#define NULL ((void *)0)
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#define barrier() __asm__ volatile("" ::: "memory")
#define barrier_var(variable) __asm__ volatile("" : "+r"(variable))

/* Members of a map's definition. */
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
#define __array(name, value) typeof(value) *name[]

enum libbpf_pin_type { LIBBPF_PIN_NONE, LIBBPF_PIN_BY_NAME };

/* A map as older programs define it, in the section "maps". */
struct bpf_map_def {
	unsigned int type;
	unsigned int key_size;
	unsigned int value_size;
	unsigned int max_entries;
	unsigned int map_flags;
};

struct bpf_fib_lookup;

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, __u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static long (*const bpf_trace_printk)(const char *format, __u32 bytes, ...) = (void *)6;
static __u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static __u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
static long (*const bpf_tail_call)(void *context, void *programs, __u32 index) = (void *)12;
static long (*const bpf_redirect)(__u32 interface, __u64 flags) = (void *)23;
static long (*const bpf_perf_event_output)(void *context, void *map, __u64 flags, void *data, __u64 bytes) = (void *)25;
static __s64 (*const bpf_csum_diff)(__be32 *from, __u32 from_bytes, __be32 *to, __u32 to_bytes, __wsum seed) =
	(void *)28;
static long (*const bpf_xdp_adjust_head)(struct xdp_md *context, int by) = (void *)44;
static long (*const bpf_redirect_map)(void *map, __u64 key, __u64 flags) = (void *)51;
static long (*const bpf_xdp_adjust_meta)(struct xdp_md *context, int by) = (void *)54;
static long (*const bpf_xdp_adjust_tail)(struct xdp_md *context, int by) = (void *)65;
static long (*const bpf_fib_lookup)(void *context, struct bpf_fib_lookup *parameters, int bytes, __u32 flags) =
	(void *)69;
static long (*const bpf_spin_lock)(struct bpf_spin_lock *lock) = (void *)93;
static long (*const bpf_spin_unlock)(struct bpf_spin_lock *lock) = (void *)94;
static __u64 (*const bpf_jiffies64)(void) = (void *)118;
static __u64 (*const bpf_ktime_get_boot_ns)(void) = (void *)125;
static long (*const bpf_ringbuf_output)(void *ring, void *data, __u64 bytes, __u64 flags) = (void *)130;
static void *(*const bpf_ringbuf_reserve)(void *ring, __u64 bytes, __u64 flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *data, __u64 flags) = (void *)132;
static void (*const bpf_ringbuf_discard)(void *data, __u64 flags) = (void *)133;
static __u64 (*const bpf_ringbuf_query)(void *ring, __u64 flags) = (void *)134;
static __u64 (*const bpf_ktime_get_coarse_ns)(void) = (void *)160;
static __u64 (*const bpf_xdp_get_buff_len)(struct xdp_md *context) = (void *)188;
static long (*const bpf_xdp_load_bytes)(struct xdp_md *context, __u32 offset, void *buffer, __u32 bytes) = (void *)189;
static long (*const bpf_xdp_store_bytes)(struct xdp_md *context, __u32 offset, void *buffer, __u32 bytes) =
	(void *)190;
static void *(*const bpf_map_lookup_percpu_elem)(void *map, const void *key, __u32 cpu) = (void *)195;

#define bpf_printk(format, ...)                                                 \
	({                                                                      \
		static const char text[] = format;                              \
		bpf_trace_printk(text, sizeof(text), ##__VA_ARGS__);            \
	})

/* Byte order of the network; programs run on little-endian machines here. */
#define bpf_htons(value) ((__be16)__builtin_bswap16((__u16)(value)))
#define bpf_ntohs(value) ((__u16)__builtin_bswap16((__u16)(value)))
#define bpf_htonl(value) ((__be32)__builtin_bswap32((__u32)(value)))
#define bpf_ntohl(value) ((__u32)__builtin_bswap32((__u32)(value)))
#define bpf_cpu_to_be64(value) ((__be64)__builtin_bswap64((__u64)(value)))
#define bpf_be64_to_cpu(value) ((__u64)__builtin_bswap64((__u64)(value)))

#endif
