//! The managers by name, and what is constant of each.

use crate::error::QueueingError;

/// The managers, by the names that the document gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `nc`: descriptors in memory, worked on by threads.
    NoCache,
    /// `dc`: the same with a data cache in front of the memory.
    DataCache,
    /// `sqc`: a cache of descriptors with engines, which threads load and empty by commands.
    SoftwareCache,
    /// `qarray`: `sqc` as the IXP2800 has it.
    QArray,
    /// `qc`: the queuing cache.
    QueuingCache,
}

/// Entries of the Q_array of an SRAM channel that hold descriptors, as many as a microengine's CAM has tags (IXP2800
/// Hardware Reference Manual, "Queue Data Structure Commands").
pub const Q_ARRAY_ENTRIES: u32 = 16;

/// Threads of the one microengine whose CAM holds the tags (same source).
pub const Q_ARRAY_THREADS: u32 = 8;

impl Kind {
    /// Every manager.
    pub const ALL: [Self; 5] =
        [Self::NoCache, Self::DataCache, Self::SoftwareCache, Self::QArray, Self::QueuingCache];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoCache => "nc",
            Self::DataCache => "dc",
            Self::SoftwareCache => "sqc",
            Self::QArray => "qarray",
            Self::QueuingCache => "qc",
        }
    }

    /// The manager of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn parse(name: &str) -> Result<Self, QueueingError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| QueueingError::unknown("manager", name, &Self::ALL.map(Self::name)))
    }

    /// Instructions of one operation (Tables 3 and 5).
    pub const fn instructions(self) -> u32 {
        match self {
            Self::NoCache | Self::DataCache => 30,
            Self::SoftwareCache | Self::QArray => 60,
            Self::QueuingCache => 4,
        }
    }

    /// Whether software keeps operations on the same queue apart; a queuing cache does it itself.
    pub const fn locks(self) -> bool {
        !matches!(self, Self::QueuingCache)
    }
}
