//! The targets, by the kind of what they read.

mod captures;
mod chips;
mod machines;
mod memories;
mod nets;
mod programs;
mod words;
mod xdp;

/// A reader with what feeds it.
pub struct Target {
    /// What `make fuzz TARGET=…` calls it; its corpus lies in the folder of that name.
    pub name: &'static str,
    /// Reads these bytes and returns, whatever they are.
    pub run: fn(&[u8]),
}

macro_rules! targets {
    ($($place:ident::$name:ident,)*) => {
        /// All of them.
        pub const TARGETS: &[Target] = &[$(Target { name: stringify!($name), run: $place::$name },)*];
    };
}

targets! {
    captures::capture,
    captures::packed_capture,
    captures::digests,
    captures::prefixes,
    captures::sizes,
    chips::chip,
    chips::chip_overrides,
    chips::steps,
    machines::machine,
    machines::machine_overrides,
    machines::routes,
    machines::rules,
    machines::extension,
    machines::described_link,
    memories::dram_part,
    memories::dram_policy,
    memories::dram_overrides,
    memories::dram_trace,
    nets::pnml,
    nets::net,
    nets::expression,
    programs::elf,
    programs::control_data,
    programs::stored_trace,
    xdp::xdp_object,
    xdp::bytecode,
    words::sourced_toml,
    words::queueing,
    words::flow_cache,
}

/// The first byte, which chooses among variants of a target, and the rest.
fn choice(data: &[u8]) -> (usize, &[u8]) {
    data.split_first().map_or((0, data), |(&first, rest)| (usize::from(first), rest))
}

/// Lines of text as changes of `--set`, as many as anybody gives.
fn lines(data: &[u8]) -> Vec<String> {
    /// More only repeat the work.
    const MOST: usize = 8;
    String::from_utf8_lossy(data).lines().take(MOST).map(str::to_owned).collect()
}
