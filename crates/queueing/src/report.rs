//! What a run tells.

use serde::Serialize;

/// One manager under one workload. Rates are over the measured operations, shares over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The manager's name.
    pub manager: &'static str,
    /// Operations measured.
    pub operations: u64,
    /// Operations per simulated second, 10^6.
    pub throughput_mops: f64,
    /// Operations that found their descriptor in the cache, of those that looked for it.
    pub hit_rate: f64,
    /// From when a thread takes an operation to when it is done with it, waiting for locks included.
    pub latency_mean_ns: f64,
    /// Median.
    pub latency_p50_ns: f64,
    /// 99th percentile.
    pub latency_p99_ns: f64,
    /// Largest.
    pub latency_max_ns: f64,
    /// Waiting for the lock, of all operations.
    pub lock_wait_mean_ns: f64,
    /// Messages from threads over the interconnect (section 5.3).
    pub messages_per_operation: f64,
    /// Memory reads (section 5.2).
    pub reads_per_operation: f64,
    /// Memory writes.
    pub writes_per_operation: f64,
    /// Both.
    pub references_per_operation: f64,
    /// Instructions (Table 5): what the document states, not a count.
    pub instructions_per_operation: u32,
    /// Share of time of the memory's read port (of the only one, if it is shared: the write port).
    pub read_port_utilization: f64,
    /// Share of time of the memory's write port.
    pub write_port_utilization: f64,
    /// Share of time of the interconnect towards memory.
    pub request_path_utilization: f64,
    /// Share of time of the interconnect towards threads.
    pub response_path_utilization: f64,
    /// Share of time that an engine works.
    pub engine_utilization: f64,
    /// Dequeues that found their queue empty, of the whole run.
    pub empty_dequeues: u64,
    /// Packets in queues at the end of the run.
    pub packets_left_inside: u64,
    /// Simulated time that was measured.
    pub simulated_ns: f64,
}
