//! Does ZSP beat SP at the same cost in bits, and how close does it come to OPT? One line per trace and size.
//!
//! ```text
//! cargo run --release -p linecard-flowcache --example beyond_sp -- [--policy NAME] FILE…
//! ```
//!
//! A file is a capture, whose 5-tuples are hashed by MD5, or a raw digest file (`.u32le`). All caches have 4 ways.
//! ZSP gets digests of 30 bits, SP and the oracle those of 32: the two bits pay for the wider priorities. `covered`
//! is the share of the way from SP to OPT_BYPASS, the least misses that are possible in 4-way sets; a cache without
//! fixed sets may go beyond.

use linecard_flowcache::{
    Configuration, Digester, Geometry, Hash, Key, Options, Policy, Trace, digests_from_bytes, simulate,
};
use linecard_traffic::{OpenOptions, PacketSource, open};
use std::path::Path;

/// Bits that a digest gives up for each bit of state that the policy takes beyond SP's.
fn shortened(digests: &[u32], policy: Policy, geometry: Geometry) -> Vec<u32> {
    let bits = |policy: Policy| policy.state_bits(geometry).unwrap_or(0);
    let sp = Policy::parse("SP").expect("a known policy");
    let extra = bits(policy).saturating_sub(bits(sp)).div_ceil(geometry.entries().into());
    digests.iter().map(|digest| digest & u32::MAX >> extra).collect()
}

fn digests(file: &str) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    if file.ends_with(".u32le") {
        return Ok(digests_from_bytes(&std::fs::read(file)?)?);
    }
    let mut capture = open(Path::new(file), &OpenOptions::default())?;
    let (key, digester) = (Key::five_tuple(), Digester::new(Hash::Md5, 32, 1)?);
    let mut digests = Vec::new();
    while let Some(packet) = capture.next_packet()? {
        digests.extend(key.of(&packet).map(|key| digester.digest(&key)));
    }
    Ok(digests)
}

fn misses(
    digests: &[u32],
    policies: &[Policy],
    geometry: Geometry,
) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
    let trace = Trace::new(digests)?;
    let misses = |&policy: &Policy| {
        let configuration = Configuration::new(geometry, policy);
        Ok(simulate(&trace, &configuration, &Options::default())?.misses)
    };
    policies.iter().map(misses).collect()
}

fn print(file: &str, challenger: Policy) -> Result<(), Box<dyn std::error::Error>> {
    let digests = digests(file)?;
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
    for entries in [512, 1024, 2048] {
        let geometry = Geometry::new(entries, 4)?;
        let bounds = ["LRU", "SP", "OPT_BYPASS"].map(|name| Policy::parse(name).expect("a known policy"));
        let found = misses(&digests, &bounds, geometry)?;
        let (lru, sp, best) = (found[0], found[1], found[2]);
        let own = misses(&shortened(&digests, challenger, geometry), &[challenger], geometry)?[0];
        let against_sp = 100.0 * (own as f64 / sp as f64 - 1.0);
        let covered =
            if sp == best { 100.0 } else { 100.0 * (sp as f64 - own as f64) / (sp as f64 - best as f64) };
        println!("{name:32} {entries:5} {lru:8} {sp:8} {own:8} {best:10} {against_sp:+7.2} {covered:7.1}");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut challenger = Policy::parse("ZSP")?;
    if files.first().is_some_and(|word| word == "--policy") {
        challenger = Policy::parse(files.get(1).map_or("", String::as_str))?;
        files.drain(..2);
    }
    let own = challenger.to_string();
    println!(
        "{:32} {:>5} {:>8} {:>8} {own:>8} {:>10} {:>7} {:>7}",
        "misses of", "size", "LRU", "SP", "OPT_BYPASS", "% of SP", "covered"
    );
    for file in files {
        if let Err(error) = print(&file, challenger) {
            eprintln!("{file}: {error}");
        }
    }
    Ok(())
}
