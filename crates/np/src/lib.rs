//! A network processor: multithreaded engines, shared units, a packet buffer in DRAM, receive and transmit buffers.
//!
//! What it models: engines that run one hardware thread at a time, without preemption, and switch at each memory
//! reference; units (SRAM, scratchpad, hash, result cache) as servers with a queue; the packet buffer cell by cell
//! through a DRAM controller, or through the per-queue caches of ADAPT, or by single instructions; queue managers of
//! `linecard-queueing`, with a memory of their own; output queues with a bound on packets in transit; transmit slots with a handshake. [`hierarchy`] is a model of its own: a core and a host
//! above the engines. What it leaves out on purpose: instruction fetch, contention on the buses between engines and
//! units.
//!
//! The programs are `async fn`s of `linecard-program`; a [`Machine`] is their executor. Nothing runs at an instant at
//! which nothing happens.
#![forbid(unsafe_code)]

mod bus;
mod config;
mod engine;
pub mod hierarchy;
mod lock;
mod machine;
mod memory;
mod output;
mod packet;
mod paths;
mod receive;
mod report;
mod result_cache;
mod thread;
mod unit;
mod watch;
mod wide;

pub use config::{
    BranchConfig, BufferPath, EngineConfig, MachineConfig, MemoryConfig, OutputConfig, PathsConfig,
    QueueManagerConfig, ReceiveConfig, ReceiveMode, ResultCacheConfig, UnitConfig,
};
pub use machine::{
    Arrival, Departure, DepartureSink, Machine, MeasureHook, Outcome, RunLimit, TrafficSource,
};
pub use paths::PathCounts;
pub use report::{Counts, PartTime};
pub use watch::Watch;
