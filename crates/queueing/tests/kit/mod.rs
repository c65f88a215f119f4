//! The machine of Table 1 and section 4.1, for results worked out by hand. `presets/queueing/kumar2006.toml` has
//! every value with its source; a test of `linecard-queues` compares the two.

use linecard_queueing::{Entry, Locking, Replacement, Settings, Token};

pub fn table_1() -> Settings {
    Settings {
        threads: 32,
        queues: 4096,
        instruction_ps: [10_000, 10_000, 35_000, 35_000, 5_000],
        cam_ps: 5_000,
        interconnect_ps: 40_000,
        slot_ps: 2_500,
        memory_ps: 40_000,
        port_ps: 8_000,
        shared_port: false,
        locking: Locking::End,
        entries: 32,
        engines: 32,
        clock_ps: 5_000,
        token: Token::Rotating,
        entry: Entry::Pointer,
        requests: 32,
        words: 128,
        ways: 2,
        line_words: 1,
        mshrs: 32,
        cache_ps: 2_500,
        write_through: false,
        allocate: true,
        replacement: Replacement::Lru,
        backlog: 128,
        burst: 3,
        levels: 1,
        classes: 8,
        flows: 32,
    }
}
