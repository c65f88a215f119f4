//! Kinds of memories and units that files may name. Each kind has a file, and a line in `kinds!`.

mod table;

use linecard_chip::config::PlaceKind;
pub(super) use table::PlaceTable;

/// A kind.
pub(super) struct Kind {
    /// Name in files, which is that of its own file.
    pub name: &'static str,
    /// The tables that may name it, each with its name in results.
    tables: &'static [(&'static str, &'static str)],
    /// Its own keys.
    pub keys: &'static [&'static str],
    /// Whether it has the times of a server.
    pub has_times: bool,
    pub read: fn(&PlaceTable<'_>) -> PlaceKind,
}

impl Kind {
    /// Returns its name in results if it is in this table; `None` if it must not be.
    pub fn words(&self, table: &str) -> Option<&'static str> {
        self.tables.iter().find(|(name, _)| *name == table).map(|(_, words)| *words)
    }
}

macro_rules! kinds {
    ($($file:ident { $($table:ident: $words:literal),+ },)*) => {
        $(pub(super) mod $file;)*

        /// Every kind.
        pub(super) const KINDS: &[Kind] = &[$(Kind {
            name: stringify!($file),
            tables: &[$((stringify!($table), $words)),+],
            keys: $file::KEYS,
            has_times: $file::HAS_TIMES,
            read: $file::read,
        }),*];
    };
}

kinds! {
    server { memory: "server", unit: "accelerator" },
    ideal { memory: "ideal" },
    banked { memory: "banked" },
    dram { memory: "dram" },
    cached { memory: "cached" },
    slots { memory: "slots" },
    result_cache { unit: "result cache" },
    queue_manager { unit: "queue manager" },
    by_size { unit: "timed by size" },
    polled { unit: "polled" },
}
