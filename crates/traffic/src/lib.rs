//! Packet sources: captures, generators and flow statistics.
//!
//! Everything Linecard simulates starts here, as a stream of plain [`Packet`] records behind the one trait
//! [`PacketSource`]. The stream comes from a capture file ([`open`]) or from a seeded generator
//! ([`generators`]); in both cases memory does not grow with its length.
//!
//! # Formats
//!
//! | format | notes |
//! |---|---|
//! | pcap | microseconds and nanoseconds, both byte orders, and Kuznetzov's modified format |
//! | pcapng | several sections and interfaces, `if_tsresol`, `if_tsoffset`; enhanced, simple and obsolete packet blocks |
//! | ERF | Ethernet, HDLC, ATM, AAL5, IPv4, IPv6, colour and multichannel variants, extension headers |
//! | TSH | 44-byte records: IPv4 and the first 16 bytes of the transport header |
//! | legacy DAG | 64-byte records of ATM, Ethernet and packet-over-SONET cards |
//! | CSV | named columns: time, length and the five-tuple |
//!
//! each of them plain or inside gzip, zstd or bzip2, also with several members.
//!
//! # Damage
//!
//! A damaged capture never panics and never passes silently. It is read as far as possible; the rest is described
//! in [`DamageReport`] with file, byte offset and packet number. See [`report`] for the definition of damage.
//!
//! # Not read
//!
//! Payload is neither reassembled nor interpreted: a tunnel's inner packet is payload, and the five-tuple is
//! that of the outermost IP header.

#![forbid(unsafe_code)]

mod capture;
mod checksum;
mod datagram;
mod error;
mod finding;
pub mod flows;
mod format;
pub mod frame;
pub mod generators;
pub mod ip;
pub mod link;
mod packet;
mod readers;
pub mod remap;
pub mod report;
pub mod rewrite;
pub mod write;
pub mod write_pcapng;

pub use capture::{CaptureReader, OpenOptions, Progress, open};
pub use datagram::{Datagrams, MOST_DATAGRAM_BYTES, Payload};
pub use error::TrafficError;
pub use flows::{FlowStatistics, FlowStatisticsBuilder, FlowTable};
pub use format::Format;
pub use link::LinkType;
pub use packet::{Decoded, FiveTuple, Network, Packet, PacketSource};
pub use readers::compression::Compression;
pub use report::{DamageKind, DamageReport, Diagnostic, Severity};
