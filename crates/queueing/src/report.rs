//! The results of a run.

use schemars::JsonSchema;
use serde::Serialize;

/// One manager under one workload. Rates are over the measured operations, shares over the measured time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Report {
    /// Name of the queue manager: `nc`, `dc`, `sqc`, `qarray` or `qc`.
    pub manager: &'static str,
    /// Number of measured operations.
    pub operations: u64,
    /// Throughput in million operations per simulated second.
    pub throughput_mops: f64,
    /// Fraction of operations whose descriptor is in the cache, from 0 to 1.
    pub hit_rate: f64,
    /// Mean time from the start of an operation in a thread to its end, including time spent waiting for locks.
    pub latency_mean_ns: f64,
    /// Median.
    pub latency_p50_ns: f64,
    /// 99th percentile of the latency.
    pub latency_p99_ns: f64,
    /// Largest.
    pub latency_max_ns: f64,
    /// Mean waiting time for the lock per operation; operations that do not wait count as 0.
    pub lock_wait_mean_ns: f64,
    /// Number of messages that threads send over the interconnect per operation.
    pub messages_per_operation: f64,
    /// Memory reads per operation.
    pub reads_per_operation: f64,
    /// Memory writes per operation.
    pub writes_per_operation: f64,
    /// Memory reads and writes per operation.
    pub references_per_operation: f64,
    /// Instructions per operation, as stated in Table 5 of Kumar and Crowley (2006); the run does not count
    /// instructions.
    pub instructions_per_operation: u32,
    /// Fraction of time in which the memory's read port is busy, from 0 to 1. If reads and writes share one port, the
    /// value is that of the port, as in `write_port_utilization`.
    pub read_port_utilization: f64,
    /// Fraction of time in which the memory's write port is busy, from 0 to 1.
    pub write_port_utilization: f64,
    /// Fraction of time in which the interconnect towards the memory is busy.
    pub request_path_utilization: f64,
    /// Fraction of time in which the interconnect towards the threads is busy.
    pub response_path_utilization: f64,
    /// Utilisation of the engines.
    pub engine_utilization: f64,
    /// Number of dequeues from an empty queue in the whole run.
    pub empty_dequeues: u64,
    /// Number of packets that are still in queues at the end of the run.
    pub packets_left_inside: u64,
    /// Duration of the measurement, in simulated time.
    pub simulated_ns: f64,
}
