//! Prints how many accesses per second the flow cache simulates on one core.
//!
//! ```text
//! cargo run --release -p linecard-flowcache --example flowcache_speed -- [DIGESTS.u32le] [--repeat N] [--only NAME]
//! ```
//!
//! Without a file the digests are drawn: flows of Zipf's law over 100,000 flows, four million packets, fixed seed.
//! `--only` runs one line of the table, for counting instructions:
//! `valgrind --tool=callgrind target/release/examples/flowcache_speed --repeat 1 --only LRU`.

use linecard_flowcache::{
    Configuration, FlowCache, Geometry, MissRatioCurve, Policy, Trace, digests_from_bytes, lru_all_ways,
};
use std::time::Instant;

/// Packets drawn where no file is given.
const PACKETS: usize = 4_000_000;
const FLOWS: u32 = 100_000;
const SETS: [u32; 7] = [16, 32, 64, 128, 256, 512, 1024];

struct Arguments {
    file: Option<String>,
    repeat: u32,
    only: Option<String>,
}

fn arguments() -> Arguments {
    let mut arguments = Arguments { file: None, repeat: 5, only: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--repeat" => arguments.repeat = words.next().and_then(|n| n.parse().ok()).expect("--repeat N"),
            "--only" => arguments.only = Some(words.next().expect("--only NAME")),
            _ => arguments.file = Some(word),
        }
    }
    arguments
}

/// Digests by Zipf's law: the rank of a uniform u is about FLOWS^u.
fn drawn() -> Vec<u32> {
    let mut draws = linecard_sim::stream(1, "speed digests");
    let rank = |unit: f64| f64::from(FLOWS).powf(unit) as u32;
    (0..PACKETS)
        .map(|_| rank(draws.unit()).wrapping_mul(0x9e37_79b1).rotate_left(16).wrapping_mul(0x85eb_ca6b))
        .collect()
}

/// Runs the work several times and prints the best.
fn time(arguments: &Arguments, name: &str, packets: usize, mut work: impl FnMut() -> u64) {
    if arguments.only.as_ref().is_some_and(|only| only != name) {
        return;
    }
    let mut best = f64::INFINITY;
    let mut misses = 0;
    for _ in 0..arguments.repeat {
        let start = Instant::now();
        misses = std::hint::black_box(work());
        best = best.min(start.elapsed().as_secs_f64());
    }
    let millions = packets as f64 / best / 1e6;
    println!("{name:24} {millions:8.1} M accesses/s   miss ratio {:.4}", misses as f64 / packets as f64);
}

/// Misses of one configuration, in blocks as a sweep runs them.
fn misses(digests: &[u32], configuration: &Configuration) -> u64 {
    let mut cache = FlowCache::new(configuration, 1).expect("a policy for hardware");
    let mut hits = [false; 4096];
    let block = |digests: &[u32]| {
        let hits = &mut hits[..digests.len()];
        cache.replay(digests, hits);
        hits.iter().map(|&hit| u64::from(!hit)).sum::<u64>()
    };
    digests.chunks(4096).map(block).sum()
}

fn main() {
    let arguments = arguments();
    let digests = match &arguments.file {
        Some(file) => {
            digests_from_bytes(&std::fs::read(file).expect("a readable file")).expect("whole digests")
        }
        None => drawn(),
    };
    for policy in [
        "LRU", "SP", "FIFO", "LIP", "BIP32", "DIP", "SRRIP2", "CLOCK", "LFU", "ARC", "LIRS", "S3FIFO",
        "WTINYLFU",
    ] {
        let geometry = Geometry::new(1024, 4).expect("256 sets");
        let configuration = Configuration::new(geometry, Policy::parse(policy).expect("a known policy"));
        time(&arguments, policy, digests.len(), || misses(&digests, &configuration));
    }
    let trace = || Trace::new(&digests).expect("some packets");
    let fully = |row: Option<&linecard_flowcache::LruRow>| row.expect("a row").misses;
    time(&arguments, "previous packets", digests.len(), || trace().previous().len() as u64);
    time(&arguments, "all sizes, 1 set", digests.len(), || MissRatioCurve::of(&trace()).misses(1024));
    time(&arguments, "256 sets, 1-16 ways", digests.len(), || {
        fully(lru_all_ways(&trace(), &[256], 16).expect("16 ways").get(3))
    });
    time(&arguments, "16-1024 sets, 1-16 ways", digests.len(), || {
        fully(lru_all_ways(&trace(), &SETS, 16).expect("16 ways").get(67))
    });
    time(&arguments, "all of these", digests.len(), || {
        let trace = trace();
        MissRatioCurve::of(&trace).misses(1024)
            + fully(lru_all_ways(&trace, &SETS, 16).expect("16 ways").last())
    });
}
