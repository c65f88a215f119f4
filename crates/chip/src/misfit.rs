//! Why a chip cannot be built.

use std::fmt;

/// An inconsistency of a chip's configuration. Rules have variants if the reader of a chip's file can say more
/// about them; the sentence of each variant speaks of the chip alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Ports send from a transmit buffer that the program of a cluster does not fill.
    NobodyFillsTransmitBuffer,
    /// Packets are kept for congested ports, and free threads are in several lists.
    SeveralListsOfFreeThreads,
    /// A cluster moves blocks, and the chip also keeps an order of packets.
    OrderBesideBlocks,
    /// The program of this cluster sends block by block and no cluster moves blocks, or the reverse.
    BlocksWithoutMovers(String),
    /// The packet memory is partitioned by queue without caches of queues, or the reverse.
    SpaceByQueueWithoutCaches,
    /// Anything else.
    Other(String),
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::NobodyFillsTransmitBuffer => {
                f.write_str("ports send from a transmit buffer, but the program does not fill the transmit \
                             buffer")
            }
            Misfit::SeveralListsOfFreeThreads => f.write_str(
                "watermarks require one inbox with one list of free threads, because any free thread must \
                 be able to fetch a congested port's packets from memory",
            ),
            Misfit::OrderBesideBlocks => f.write_str(
                "if a cluster moves blocks, packets leave in the order in which they were stored; no other \
                 order is possible",
            ),
            Misfit::BlocksWithoutMovers(cluster) => write!(
                f,
                "{cluster}: programs must send block by block if a cluster moves blocks, and only then"
            ),
            Misfit::SpaceByQueueWithoutCaches => f.write_str(
                "a packet memory partitioned by queue requires queue caches, because only queue caches release \
                 memory in queue order",
            ),
            Misfit::Other(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Misfit {}

impl From<String> for Misfit {
    fn from(sentence: String) -> Self {
        Misfit::Other(sentence)
    }
}
