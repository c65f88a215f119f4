//! The managers by name, and the constants of each.

use crate::error::QueueingError;

/// The managers, by the names in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `nc`: threads work on descriptors in memory.
    NoCache,
    /// `dc`: the same with a data cache in front of the memory.
    DataCache,
    /// `sqc`: a cache of descriptors with engines, which threads load and write back by commands.
    SoftwareCache,
    /// `qarray`: `sqc` as in the IXP2800.
    QArray,
    /// `qc`: the queuing cache.
    QueuingCache,
}

/// Entries of the Q_array of an SRAM channel that hold descriptors, equal to the tags of a microengine's CAM
/// (IXP2800 Hardware Reference Manual, "Queue Data Structure Commands").
pub const Q_ARRAY_ENTRIES: u32 = 16;

/// Threads of the one microengine whose CAM holds the tags (same source).
pub const Q_ARRAY_THREADS: u32 = 8;

impl Kind {
    /// All managers.
    pub const ALL: [Self; 5] =
        [Self::NoCache, Self::DataCache, Self::SoftwareCache, Self::QArray, Self::QueuingCache];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoCache => "nc",
            Self::DataCache => "dc",
            Self::SoftwareCache => "sqc",
            Self::QArray => "qarray",
            Self::QueuingCache => "qc",
        }
    }

    /// Returns the manager of a name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn parse(name: &str) -> Result<Self, QueueingError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| QueueingError::unknown("manager", name, &Self::ALL.map(Self::name)))
    }

    /// Returns the instructions of one operation (Tables 3 and 5).
    pub const fn instructions(self) -> u32 {
        match self {
            Self::NoCache | Self::DataCache => 30,
            Self::SoftwareCache | Self::QArray => 60,
            Self::QueuingCache => 4,
        }
    }

    /// Returns whether software serialises operations on the same queue; a queuing cache does it itself.
    pub const fn locks(self) -> bool {
        !matches!(self, Self::QueuingCache)
    }
}
