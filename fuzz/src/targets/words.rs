//! Sourced TOML by itself, and the small languages of options.

use super::{choice, lines};
use linecard_config::{Either, Request, Section};
use linecard_flowcache::{Geometry, Hash, Key, Options, Policy, Trace, simulate};
use linecard_platform::queue_settings;
use linecard_queueing::{Kind, Window, Workload, run};

const TIMES: [Either; 2] =
    [Either { unit: "clocks", what: "clocks", step: 0.5 }, Either { unit: "ns", what: "a time", step: 0.0 }];

/// Every typed read of every key, three tables deep.
fn read_all(section: &Section<'_>, depth: u32) {
    for key in section.keys() {
        section.has(&key);
        section.integer(&key, 1..=5, "m");
        section.number_or(&key, 1.0, 0.0..=5.0, "m");
        section.text(&key, "m");
        section.texts(&key, "m");
        section.numbers(&key, 0.0..=1.0, "m");
        section.switch_or(&key, true, "m");
        section.choice(&key, &[("a", 1)], "m");
        section.choices(&key, &[("a", 1)], "m");
        section.in_unit("requests").integer(&key, 1..=5, "m");
        section.number_in_either_if(&key, &TIMES, 0.0..=1.0, "m");
        section.understood_if(&key, "text", "m", |text| Ok(text.len()));
        if depth > 0 {
            section.list(&key).iter().for_each(|s| read_all(s, depth - 1));
            section.sections(&key).iter().for_each(|s| read_all(s, depth - 1));
            section.section(&key).iter().for_each(|s| read_all(s, depth - 1));
        }
    }
}

/// A file of the one reader, what it extends, and changes: parted by lines of `----`.
pub fn sourced_toml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split("\n----\n");
    let (top, base) = (parts.next().unwrap_or(""), parts.next().unwrap_or("title = \"base\""));
    let changes: Vec<String> = parts.next().unwrap_or("").lines().take(4).map(str::to_owned).collect();
    let finder = |name: &str| match name {
        "top" => Ok(("top.toml".to_owned(), top.to_owned())),
        "base" => Ok(("base.toml".to_owned(), base.to_owned())),
        other => Err(format!("no file is called {other}")),
    };
    let request = Request {
        overrides: &changes,
        components: &["cluster", "memory"],
        named_rows: &["constraint"],
        ..Request::of("top", &finder)
    };
    let document = request.read();
    read_all(&document.root(), 3);
    let _ = document.finish();
}

/// A workload in its notation, then settings, one a line; every manager runs them.
pub fn queueing(data: &[u8]) {
    let (chosen, rest) = choice(data);
    let text = lines(rest);
    let Some((workload, changes)) = text.split_first() else { return };
    let settings = queue_settings("kumar2006", changes);
    let (Ok(workload), Ok((settings, _))) = (Workload::parse(workload), settings) else { return };
    let Ok(operations) = workload.operations(&settings, 200, 1) else { return };
    let window = Window { warmup: 0, measured: operations.len() as u64 };
    if let Ok(report) =
        run(Kind::ALL[chosen % Kind::ALL.len()], &settings, &operations, window, &mut |_| true)
    {
        assert!(report.throughput_mops.is_finite() && report.throughput_mops >= 0.0);
    }
}

/// A policy, a key, a hash and a shape, one a line.
pub fn flow_cache(data: &[u8]) {
    let text = lines(data);
    let [policy, key, hash, shape, ..] = &text[..] else { return };
    let _ = (Key::parse(key), Hash::parse(hash));
    let (entries, ways) = shape.split_once(' ').unwrap_or((shape, "1"));
    let (Ok(entries), Ok(ways)) = (entries.parse(), ways.parse()) else { return };
    let (Ok(policy), Ok(geometry)) = (Policy::parse(policy), Geometry::new(entries, ways)) else { return };
    // A cache as large as it may be is no finding; many of them are one of patience.
    if entries > 1 << 16 {
        return;
    }
    let digests: Vec<u32> = (0..2_000u32).map(|n| n.wrapping_mul(2_654_435_761) >> 22).collect();
    let Ok(trace) = Trace::new(&digests) else { return };
    let configuration = linecard_flowcache::Configuration::new(geometry, policy);
    if let Ok(row) = simulate(&trace, &configuration, &Options::default()) {
        assert_eq!(row.hits + row.misses, digests.len() as u64);
    }
}
