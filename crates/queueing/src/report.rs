//! The results of a run.

use schemars::JsonSchema;
use serde::Serialize;

/// One manager under one workload. Rates are over the measured operations, shares over the measured time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Report {
    /// `nc`, `dc`, `sqc`, `qarray` or `qc`.
    pub manager: &'static str,
    /// Operations measured.
    pub operations: u64,
    /// Operations per simulated second, 10^6.
    pub throughput_mops: f64,
    /// Operations that found their descriptor in the cache, 0 to 1.
    pub hit_rate: f64,
    /// From when a thread takes an operation to when it is done, waiting for locks included.
    pub latency_mean_ns: f64,
    /// Median.
    pub latency_p50_ns: f64,
    /// 99th percentile.
    pub latency_p99_ns: f64,
    /// Largest.
    pub latency_max_ns: f64,
    /// Waiting for the lock, mean over all operations.
    pub lock_wait_mean_ns: f64,
    /// Messages from threads over the interconnect.
    pub messages_per_operation: f64,
    /// Memory reads.
    pub reads_per_operation: f64,
    /// Memory writes.
    pub writes_per_operation: f64,
    /// Both.
    pub references_per_operation: f64,
    /// What the document states (Table 5), not a count.
    pub instructions_per_operation: u32,
    /// Share of time that the memory's read port is busy, 0 to 1.
    pub read_port_utilization: f64,
    /// The same of the write port, which serves reads too where ports are shared.
    pub write_port_utilization: f64,
    /// The same of the interconnect towards memory.
    pub request_path_utilization: f64,
    /// The same of the interconnect towards threads.
    pub response_path_utilization: f64,
    /// Utilisation of the engines.
    pub engine_utilization: f64,
    /// Dequeues of the whole run that found their queue empty.
    pub empty_dequeues: u64,
    /// Packets in queues at the end.
    pub packets_left_inside: u64,
    /// Measured simulated time.
    pub simulated_ns: f64,
}
