//! Why a chip cannot be built.

use std::fmt;

/// What does not fit together in a chip. Rules for which whoever describes chips has more to say have names; the sentence of
/// each speaks of the chip alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Ports send out of a transmit buffer that the program of a cluster does not fill.
    NobodyFillsTransmitBuffer,
    /// Packets are kept for congested ports, and free threads stand in several lists.
    SeveralListsOfFreeThreads,
    /// A cluster moves blocks, and the chip keeps an order of packets besides.
    OrderBesideBlocks,
    /// The program of this cluster sends block by block and no cluster moves blocks, or the other way round.
    BlocksWithoutMovers(String),
    /// Packets have space kept apart by queue without caches of queues, or the other way round.
    SpaceByQueueWithoutCaches,
    /// Anything else.
    Other(String),
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::NobodyFillsTransmitBuffer => {
                f.write_str("ports send out of a transmit buffer, and the program does not fill it")
            }
            Misfit::SeveralListsOfFreeThreads => f.write_str(
                "packets that are kept for congested ports go to any thread that is free: the chip needs one inbox with one \
                 list of free threads",
            ),
            Misfit::OrderBesideBlocks => f.write_str(
                "where a cluster moves blocks, packets leave in the order in which they were stored, and no other order is \
                 kept",
            ),
            Misfit::BlocksWithoutMovers(cluster) => write!(
                f,
                "{cluster}: a program that sends block by block and a cluster that moves blocks go together"
            ),
            Misfit::SpaceByQueueWithoutCaches => f.write_str(
                "space kept apart by queue must be given back in the order of the queue, which only the caches of queues see \
                 to",
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
