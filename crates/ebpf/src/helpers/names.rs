//! Names of helpers (`enum bpf_func_id`): of the supported ones, and of others that XDP programs use.

/// Supported helpers: number, name, arguments.
const SUPPORTED: [(u32, &str, u32); 32] = [
    (1, "bpf_map_lookup_elem", 2),
    (2, "bpf_map_update_elem", 4),
    (3, "bpf_map_delete_elem", 2),
    (5, "bpf_ktime_get_ns", 0),
    (6, "bpf_trace_printk", 2),
    (7, "bpf_get_prandom_u32", 0),
    (8, "bpf_get_smp_processor_id", 0),
    (12, "bpf_tail_call", 3),
    (23, "bpf_redirect", 2),
    (25, "bpf_perf_event_output", 5),
    (28, "bpf_csum_diff", 5),
    (44, "bpf_xdp_adjust_head", 2),
    (51, "bpf_redirect_map", 3),
    (54, "bpf_xdp_adjust_meta", 2),
    (65, "bpf_xdp_adjust_tail", 2),
    (69, "bpf_fib_lookup", 4),
    (93, "bpf_spin_lock", 1),
    (94, "bpf_spin_unlock", 1),
    (118, "bpf_jiffies64", 0),
    (125, "bpf_ktime_get_boot_ns", 0),
    (130, "bpf_ringbuf_output", 4),
    (131, "bpf_ringbuf_reserve", 3),
    (132, "bpf_ringbuf_submit", 2),
    (133, "bpf_ringbuf_discard", 2),
    (134, "bpf_ringbuf_query", 2),
    (160, "bpf_ktime_get_coarse_ns", 0),
    (177, "bpf_trace_vprintk", 2),
    (188, "bpf_xdp_get_buff_len", 1),
    (189, "bpf_xdp_load_bytes", 4),
    (190, "bpf_xdp_store_bytes", 4),
    (195, "bpf_map_lookup_percpu_elem", 3),
    (208, "bpf_ktime_get_tai_ns", 0),
];

/// Helpers that the kernel supports in XDP programs, but Linecard does not.
const OTHERS: [(u32, &str); 29] = [
    (4, "bpf_probe_read"),
    (14, "bpf_get_current_pid_tgid"),
    (42, "bpf_get_numa_node_id"),
    (84, "bpf_sk_lookup_tcp"),
    (85, "bpf_sk_lookup_udp"),
    (86, "bpf_sk_release"),
    (87, "bpf_map_push_elem"),
    (88, "bpf_map_pop_elem"),
    (89, "bpf_map_peek_elem"),
    (99, "bpf_skc_lookup_tcp"),
    (100, "bpf_tcp_check_syncookie"),
    (110, "bpf_tcp_gen_syncookie"),
    (113, "bpf_probe_read_kernel"),
    (163, "bpf_check_mtu"),
    (164, "bpf_for_each_map_elem"),
    (165, "bpf_snprintf"),
    (169, "bpf_timer_init"),
    (170, "bpf_timer_set_callback"),
    (171, "bpf_timer_start"),
    (172, "bpf_timer_cancel"),
    (181, "bpf_loop"),
    (182, "bpf_strncmp"),
    (194, "bpf_kptr_xchg"),
    (197, "bpf_dynptr_from_mem"),
    (204, "bpf_tcp_raw_gen_syncookie_ipv4"),
    (205, "bpf_tcp_raw_gen_syncookie_ipv6"),
    (206, "bpf_tcp_raw_check_syncookie_ipv4"),
    (207, "bpf_tcp_raw_check_syncookie_ipv6"),
    (211, "bpf_user_ringbuf_drain"),
];

/// Returns the name of a helper; the number of an unknown one.
#[must_use]
pub fn helper_name(number: u32) -> String {
    let supported = SUPPORTED.iter().map(|&(known, name, _)| (known, name));
    let known = supported.chain(OTHERS).find(|(known, _)| *known == number);
    known.map_or_else(|| format!("number {number}"), |(_, name)| name.to_owned())
}

/// Returns whether a helper is supported.
pub(crate) fn supported(number: u32) -> bool {
    SUPPORTED.iter().any(|(known, ..)| *known == number)
}

/// Returns the arguments of a helper.
pub(crate) fn arguments(number: u32) -> u32 {
    SUPPORTED.iter().find(|(known, ..)| *known == number).map_or(0, |&(_, _, arguments)| arguments)
}
