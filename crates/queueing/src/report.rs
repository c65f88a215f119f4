//! The results of a run.

use schemars::JsonSchema;
use serde::Serialize;

/// One manager under one workload. Rates are over the measured operations, shares over the measured time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Report {
    /// `nc`, `dc`, `sqc`, `qarray` or `qc`.
    pub manager: &'static str,
    /// Measured operations.
    pub operations: u64,
    /// Million operations per simulated second.
    pub throughput_mops: f64,
    /// Share of operations whose descriptor is in the cache, 0 to 1.
    pub hit_rate: f64,
    /// Mean time from the start of an operation in a thread to its end, waiting for locks included.
    pub latency_mean_ns: f64,
    /// Median.
    pub latency_p50_ns: f64,
    /// 99th percentile.
    pub latency_p99_ns: f64,
    /// Largest.
    pub latency_max_ns: f64,
    /// Mean waiting time for the lock over all operations.
    pub lock_wait_mean_ns: f64,
    /// Messages from threads over the interconnect.
    pub messages_per_operation: f64,
    /// Memory reads.
    pub reads_per_operation: f64,
    /// Memory writes.
    pub writes_per_operation: f64,
    /// Memory reads and writes.
    pub references_per_operation: f64,
    /// Number that the document states (Table 5), not a count.
    pub instructions_per_operation: u32,
    /// Share of time in which the memory's read port is busy, 0 to 1.
    pub read_port_utilization: f64,
    /// The same for the write port, which also serves reads if ports are shared.
    pub write_port_utilization: f64,
    /// The same for the interconnect towards memory.
    pub request_path_utilization: f64,
    /// The same for the interconnect towards threads.
    pub response_path_utilization: f64,
    /// Utilisation of the engines.
    pub engine_utilization: f64,
    /// Dequeues from an empty queue in the whole run.
    pub empty_dequeues: u64,
    /// Packets in queues at the end.
    pub packets_left_inside: u64,
    /// Measured simulated time.
    pub simulated_ns: f64,
}
