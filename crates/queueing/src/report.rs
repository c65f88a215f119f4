//! The results of a run.

use serde::Serialize;

/// The results of one manager under one workload. Rates are over the measured operations, utilisations over the
/// measured time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The manager's name.
    pub manager: &'static str,
    /// Operations measured.
    pub operations: u64,
    /// Operations per simulated second, 10^6.
    pub throughput_mops: f64,
    /// Fraction of the lookups that found their descriptor in the cache.
    pub hit_rate: f64,
    /// From when a thread takes an operation to its completion, with the wait for locks.
    pub latency_mean_ns: f64,
    /// Median.
    pub latency_p50_ns: f64,
    /// 99th percentile.
    pub latency_p99_ns: f64,
    /// Largest.
    pub latency_max_ns: f64,
    /// Wait for the lock, mean over all operations.
    pub lock_wait_mean_ns: f64,
    /// Messages from threads over the interconnect (section 5.3).
    pub messages_per_operation: f64,
    /// Memory reads (section 5.2).
    pub reads_per_operation: f64,
    /// Memory writes.
    pub writes_per_operation: f64,
    /// Both.
    pub references_per_operation: f64,
    /// Instructions (Table 5): the document's number, not a count.
    pub instructions_per_operation: u32,
    /// Utilisation of the memory's read port (of a shared port, see the write port).
    pub read_port_utilization: f64,
    /// Utilisation of the memory's write port.
    pub write_port_utilization: f64,
    /// Utilisation of the interconnect towards memory.
    pub request_path_utilization: f64,
    /// Utilisation of the interconnect towards threads.
    pub response_path_utilization: f64,
    /// Utilisation of the engines.
    pub engine_utilization: f64,
    /// Dequeues that found their queue empty, of the whole run.
    pub empty_dequeues: u64,
    /// Packets in queues at the end of the run.
    pub packets_left_inside: u64,
    /// Measured simulated time.
    pub simulated_ns: f64,
}
