//! A packet processor as data: places, links, clusters of engines, ports; and the event kernel that runs it.
//!
//! A chip ([`ChipConfig`]) is lists of parts that refer to each other by number. One code path serves all chips:
//!
//! 1. A frame ends at a port ([`config::ReceiveConfig`]): it takes cells of a receive buffer, gets a place in the packet
//!    memory and its turn among those that it is kept in order with (`chip/receive.rs`, `order.rs`).
//! 2. An inbox gives it to a thread ([`DispatchRule`], `dispatch/`, `inbox.rs`), whose program does the work and writes the steps down
//!    ([`linecard_program::script`]).
//! 3. An engine runs the steps of one thread at a time (`engine.rs`, `chip/threads.rs`); an access goes over links to a
//!    place (`chip/travel.rs`, `place/`), and mostly its end is known when it is issued.
//! 4. `Send` hands the packet to an output queue when its turn has come, and a scheduler to the wire (`chip/send.rs`,
//!    `port.rs`).
//!
//! What it leaves out on purpose: instruction fetch, the contents of packets beyond what programs were told, and the
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
    Breakdown, BytesInside, ClusterCounts, Counts, DataCacheCounts, DramShares, InboxCounts, LinkCounts,
    NotIpCounts, PacketBufferCounts, Part, PlaceCounts, PoolCounts, PortCounts, SlotShares, Spent,
};
pub use dispatch::DispatchRule;
pub use loss::Loss;
pub use misfit::Misfit;
pub use recording::{Happened, LevelChange, LevelOf, Mark, Recording, StateSpan, Window};
pub use scheduler::SchedulerRule;
pub use series::{Series, Slice};
pub use turns::Endless;
