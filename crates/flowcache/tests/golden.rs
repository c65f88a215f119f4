//! Does every policy decide as in the golden files? Each row is checked; differences are printed row by row.

use flate2::read::GzDecoder;
use linecard_flowcache::{
    Configuration, Geometry, LruRow, MissRatioCurve, Options, Policy, Row, Trace, digests_from_bytes,
    lru_all_ways, simulate_with,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/cache"))
}

/// Returns the digests of a golden trace; `None` if the golden files are not available.
fn digests(name: &str) -> Option<Vec<u32>> {
    let file = folder().join(format!("{name}.u32le.gz"));
    let Ok(packed) = File::open(&file) else {
        println!("skipped: {} is not there", file.display());
        return None;
    };
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("whole gzip data");
    Some(digests_from_bytes(&bytes).expect("whole digests"))
}

/// A line of a table: its fields by column.
type Line = BTreeMap<String, String>;

fn table(file: &str) -> Vec<Line> {
    let text = std::fs::read_to_string(folder().join(file)).expect("a table beside its trace");
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let line =
        |text: &str| columns.iter().map(|&c| c.to_owned()).zip(text.split(',').map(str::to_owned)).collect();
    lines.map(line).collect()
}

fn number(line: &Line, column: &str) -> u64 {
    line[column].parse().expect("a whole number")
}

/// Runs the configuration of a line. Returns its row and the SHA-256 of its hits, one byte per packet.
fn run(trace: &Trace, entries: u64, ways: u64, policy: &str) -> (Row, String) {
    let geometry = Geometry::new(entries as u32, ways as u32).unwrap();
    let configuration = Configuration::new(geometry, Policy::parse(policy).unwrap());
    let mut hash = Sha256::new();
    let see = |hits: &[bool]| hash.update(hits.iter().map(|&hit| u8::from(hit)).collect::<Vec<_>>());
    let row = simulate_with(trace, &configuration, &Options::default(), see).unwrap();
    (row, hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn set_associative_mismatches(trace: &Trace, line: &Line) -> Vec<String> {
    let (row, hash) = run(trace, number(line, "entries"), number(line, "ways"), &line["policy"]);
    let counts = [
        ("packets", row.packets),
        ("hits", row.hits),
        ("misses", row.misses),
        ("cold", row.cold),
        ("capacity", row.capacity),
        ("conflict", row.conflict),
        ("first_ref_misses", row.first_ref_misses),
        ("cold_but_fa_hit", row.cold_but_fa_hit),
        ("hit_but_fa_miss", row.hit_but_fa_miss),
    ];
    let differs = |&(column, found): &(&str, u64)| {
        (number(line, column) != found).then(|| format!("{column} {found}, golden {}", line[column]))
    };
    let mut mismatches: Vec<String> = counts.iter().filter_map(differs).collect();
    if hash != line["hit_seq_sha256"] {
        mismatches.push(format!("hits hash to {hash}"));
    }
    mismatches
}

fn check_set_associative(name: &str) {
    let Some(digests) = digests(name) else { return };
    let trace = Trace::new(&digests).unwrap();
    let lines = table(&format!("{name}.set_assoc.csv"));
    let mut exact = 0;
    for line in &lines {
        let mismatches = set_associative_mismatches(&trace, line);
        exact += usize::from(mismatches.is_empty());
        for mismatch in mismatches {
            println!(
                "{name} {} entries {}-way {}: {mismatch}",
                line["entries"], line["ways"], line["policy"]
            );
        }
    }
    println!("{name}.set_assoc.csv: {exact} of {} rows exact", lines.len());
    assert_eq!(exact, lines.len());
}

#[test]
fn set_associative_edge() {
    check_set_associative("edge");
}

#[test]
fn set_associative_core() {
    check_set_associative("core");
}

/// The permitted deviation from the miss count of a program whose policy differs in points that the papers leave
/// open.
const TOLERANCE: f64 = 0.02;

fn check_fully_associative(name: &str) {
    let Some(digests) = digests(name) else { return };
    let trace = Trace::new(&digests).unwrap();
    let lines = table(&format!("{name}.full_assoc.csv"));
    let (mut exact, mut close) = (0, 0);
    for line in &lines {
        let entries = number(line, "entries");
        let (row, _) = run(&trace, entries, entries, &line["policy"]);
        let golden = number(line, "misses");
        let off = (row.misses as f64 - golden as f64) / golden as f64;
        let same_law = ["LRU", "FIFO", "BELADY"].contains(&line["policy"].as_str());
        exact += usize::from(row.misses == golden);
        close += usize::from(row.misses == golden || (!same_law && off.abs() <= TOLERANCE));
        if row.misses != golden {
            let found = row.misses;
            println!(
                "{name} {entries} entries {}: {found} misses, golden {golden}, {:+.2} %",
                line["policy"],
                100.0 * off
            );
        }
    }
    println!("{name}.full_assoc.csv: {exact} of {} rows exact, {close} exact or within 2 %", lines.len());
    assert_eq!(close, lines.len());
}

#[test]
fn fully_associative_edge() {
    check_fully_associative("edge");
}

#[test]
fn fully_associative_core() {
    check_fully_associative("core");
}

fn check_one_pass(name: &str) {
    let Some(digests) = digests(name) else { return };
    let trace = Trace::new(&digests).unwrap();
    let curve = MissRatioCurve::of(&trace);
    let rows = lru_all_ways(&trace, &[16, 32, 64, 128, 256, 512, 1024], 16).unwrap();
    let lines = table(&format!("{name}.lru_all_sizes.csv"));
    let mut exact = 0;
    for line in &lines {
        let (sets, ways, golden) = (number(line, "sets"), number(line, "ways"), number(line, "misses"));
        let same = |row: &&LruRow| (u64::from(row.sets), u64::from(row.ways)) == (sets, ways);
        let row = if sets == 1 { curve.row(ways as u32) } else { *rows.iter().find(same).unwrap() };
        exact += usize::from(row.misses == golden);
        if row.misses != golden {
            println!("{name} {sets} sets {ways}-way: {} misses, golden {golden}", row.misses);
        }
    }
    println!("{name}.lru_all_sizes.csv: {exact} of {} rows exact", lines.len());
    assert_eq!(exact, lines.len());
}

#[test]
fn one_pass_edge() {
    check_one_pass("edge");
}

#[test]
fn one_pass_core() {
    check_one_pass("core");
}

/// Compares SP and ZSP at equal cost: ZSP has 4 bits of priority instead of SP's ranks of 2 bits, and therefore 2
/// bits fewer in its digest.
fn check_beyond_sp(name: &str) {
    let Some(digests) = digests(name) else { return };
    let shorter: Vec<u32> = digests.iter().map(|digest| digest & (u32::MAX >> 2)).collect();
    let (trace, shorter) = (Trace::new(&digests).unwrap(), Trace::new(&shorter).unwrap());
    for entries in [512, 1024, 2048] {
        let misses = |trace, policy| run(trace, entries, 4, policy).0.misses;
        let [sp, zsp, best] = [misses(&trace, "SP"), misses(&shorter, "ZSP"), misses(&trace, "OPT_BYPASS")];
        println!("{name} {entries} entries: SP {sp}, ZSP {zsp}, OPT_BYPASS {best} misses");
        assert!(zsp < sp);
    }
}

#[test]
fn zsp_beats_sp_at_equal_cost_edge() {
    check_beyond_sp("edge");
}

#[test]
fn zsp_beats_sp_at_equal_cost_core() {
    check_beyond_sp("core");
}
