//! Flow statistics of a packet stream: the output of `linecard flows`.
//!
//! A flow is a one-way five-tuple; see [`FiveTuple`](crate::FiveTuple). Packets without one are counted under
//! `skipped` by reason, and still count as packets and bytes.

mod sizes;
mod statistics;
mod table;

pub use sizes::{SIZE_BINS, SizeBin, SizeHistogram};
pub use statistics::{FlowStatistics, FlowStatisticsBuilder};
pub use table::{FlowCount, FlowTable};
