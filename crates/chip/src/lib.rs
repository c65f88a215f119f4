//! A packet processor as data (memories, units, links, clusters of engines, ports), and the event kernel that
//! simulates it.
//!
//! A chip ([`ChipConfig`]) is lists of parts that refer to each other by number. One code path simulates all
//! chips:
//!
//! 1. The last bit of a frame arrives at a port ([`config::ReceiveConfig`]). The frame takes cells of a receive
//!    buffer, room in the packet memory, and a turn in its order (`chip/receive.rs`, `order.rs`).
//! 2. An inbox dispatches it to a thread ([`DispatchRule`], `dispatch/`, `inbox.rs`), whose program processes
//!    it and writes the steps down ([`linecard_program::script`]).
//! 3. An engine executes the steps of one thread at a time (`engine.rs`, `chip/threads.rs`). An access crosses
//!    links to a memory (`chip/travel.rs`, `place/`); mostly its completion time is known at issue.
//! 4. `Send` moves the packet to an output queue when its turn has come, and a scheduler to the wire
//!    (`chip/send.rs`, `port.rs`).
//!
//! Deliberately not modelled: instruction fetch, the contents of packets beyond what programs receive, and the
//! time that an engine takes to notice a completed wait.
#![forbid(unsafe_code)]

mod account;
mod block_queue;
mod chip;
pub mod config;
mod counts;
mod data_cache;
mod dispatch;
mod due;
mod engine;
mod features;
mod group;
mod inbox;
mod link;
mod loads;
mod lock;
mod loss;
mod misfit;
mod order;
mod packet;
mod packet_memory;
pub mod place;
mod port;
mod queue_caches;
mod rate;
mod recording;
mod request;
mod scheduler;
mod series;
mod spread;
mod tally;
mod target;
mod thread;
mod transmit_slots;
mod turns;
mod wakes;
mod wire;

pub use chip::{
    Arrival, Chip, Departure, DepartureSink, LossSink, Lost, LostBytesSink, Outcome, RunLimit, TrafficSource,
};
pub use config::ChipConfig;
pub use counts::{
    Breakdown, BytesInside, ClusterCounts, Counts, DataCacheCounts, DramShares, InboxCounts, LastArrival,
    LinkCounts, NotIpCounts, PacketBufferCounts, Part, PlaceCounts, PoolCounts, PortCounts, SlotShares,
    Spent,
};
pub use dispatch::DispatchRule;
pub use loss::Loss;
pub use misfit::Misfit;
pub use recording::{Happened, LevelChange, LevelOf, Mark, Recording, StateSpan, Window};
pub use scheduler::SchedulerRule;
pub use series::{Series, Slice};
pub use turns::Endless;
