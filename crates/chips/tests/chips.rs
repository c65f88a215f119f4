//! Chips from files: every shipped one runs, has the times of its file without load, and reports an invalid change.

use linecard_chips::{Program, RunReport, RunRequest, check_chip, describe, run};
use linecard_config::Shown;
use linecard_files::preset::presets;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

fn request(preset: &str, overrides: &[&str]) -> RunRequest {
    RunRequest {
        chip: preset.to_owned(),
        overrides: overrides.iter().map(|&o| o.to_owned()).collect(),
        seed: 1,
        packets: 3_000,
        ..RunRequest::default()
    }
}

fn quick(request: &RunRequest) -> RunReport {
    run(request, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{}: {e}", request.chip))
}

fn refused(preset: &str, overrides: &[&str]) -> String {
    run(&request(preset, overrides), &mut |_| ControlFlow::Continue(())).unwrap_err().to_string()
}

/// Returns the shipped chips: platforms whose file is of this kind.
fn chips() -> Vec<String> {
    let platforms = presets().into_iter().filter(|p| p.kind == "platforms").map(|p| p.name);
    platforms.filter(|name| check_chip(name, &[]).is_ok_and(|c| !c.accesses.is_empty())).collect()
}

fn metric(report: &RunReport, component: &str, name: &str) -> f64 {
    report.metrics.iter().find(|m| m.component == component && m.metric == name).unwrap().value
}

#[test]
fn every_shipped_chip_carries_its_own_traffic_and_accounts_for_every_packet() {
    let chips = chips();
    assert!(chips.len() >= 2, "{chips:?}");
    for chip in chips {
        let mut report = quick(&request(&chip, &[]));
        // Nearly full lines take long until as many frames wait for them as in the long run.
        let is_short =
            |warning: &str| warning.contains("too short to judge") || warning.contains("wait for the line");
        if report.warnings.iter().any(|warning| is_short(warning)) {
            report = quick(&RunRequest { packets: 60_000, ..request(&chip, &[]) });
        }
        let s = &report.summary;
        // Chips of Girish 2008 and Hasan 2003 run at their limit, as in the documents.
        let at_its_limit = chip.starts_with("ixp2400") || chip.starts_with("hasan2003");
        assert!(at_its_limit || s.packets_dropped == 0, "{chip}: {:?}", report.drops);
        // If queues have no bound and ports always have a packet, some designs of Hasan 2003 fill up.
        let fills_up = chip.starts_with("hasan2003")
            && report.warnings.iter().any(|w| w.contains("packets inside the chip grew"));
        assert!(s.steady || fills_up, "{chip}: {:?}", report.warnings);
        let intervals = s.intervals.unwrap();
        assert!(
            intervals.throughput_gbps.low < s.throughput_gbps
                && s.throughput_gbps < intervals.throughput_gbps.high
        );
        let balance = metric(&report, "total", "packets_inside_at_start") + s.packets_in as f64
            - s.packets_out as f64
            - s.packets_dropped as f64;
        assert_eq!(balance, metric(&report, "total", "packets_inside_at_end"), "{chip}");
        assert!(
            report.resources.iter().all(|r| (0.0..=1.0).contains(&r.utilization)),
            "{:?}",
            report.resources
        );
        let parts: f64 = report.packet_time.iter().map(|p| p.mean_ns).sum();
        let mean = s.latency_ns.mean;
        assert!((parts / mean - 1.0).abs() < 0.03, "{chip}: parts {parts} ns, latency {mean} ns");
        let carries = report.bottleneck.component == "offered load";
        let values = describe(&chip, &[]).unwrap().parameters;
        let saturated = values
            .iter()
            .any(|row| row.key == "traffic.arrivals" && row.value == Shown::Text("saturated".to_owned()));
        assert!(at_its_limit || saturated || carries, "{chip}: {:?}", report.bottleneck);
    }
}

#[test]
fn the_same_request_gives_the_same_bytes_and_another_seed_others() {
    let text = |r: &RunRequest| serde_json::to_string(&quick(r)).unwrap();
    let first = request("example_smartnic", &[]);
    assert_eq!(text(&first), text(&first));
    assert_ne!(text(&first), text(&RunRequest { seed: 2, ..first.clone() }));
}

/// The limit is found by re-runs, which take several times as long as the run: they stop on request, too.
#[test]
fn re_runs_for_the_limit_stop_when_asked_to() {
    let overloaded = RunRequest {
        warmup_packets: Some(1_000),
        packets: 20_000,
        ..request("example_smartnic", &["clock.core_mhz=100"])
    };
    let mut calls = 0;
    let mut after_the_run = |p: linecard_chips::Progress| {
        calls += 1;
        if p.done >= p.total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = run(&overloaded, &mut after_the_run);
    assert!(matches!(stopped, Err(linecard_files::Error::Interrupted)), "{stopped:?} after {calls} calls");
    assert!(calls > 1);
}

/// Re-runs of a capture that is shorter than their warm-up measure all of it instead of nothing.
#[test]
fn the_limit_of_a_short_capture_is_found() {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/captures/edge-mix.pcap.gz");
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(capture).unwrap()).read_to_end(&mut whole).unwrap();
    let mut end = 24;
    for _ in 0..1_000 {
        let kept = u32::from_le_bytes(whole[end + 8..end + 12].try_into().unwrap());
        end += 16 + kept as usize;
    }
    let folder = tempfile::tempdir().unwrap();
    let short = folder.path().join("short.pcap");
    std::fs::write(&short, &whole[..end]).unwrap();
    let overloaded = RunRequest {
        trace: Some(short.to_string_lossy().into_owned()),
        packets: 0,
        ..request("example_smartnic", &["traffic.speedup=500", "clock.core_mhz=20", "buffer.rx.bytes=4 KiB"])
    };
    let report = quick(&overloaded);
    assert!(report.summary.packets_dropped > 0);
    assert_eq!(report.bottleneck.component, "engines of island", "{}", report.bottleneck.why);
}

#[test]
fn locks_that_would_stop_a_chip_are_refused_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locks.toml");
    let tried = |steps: &str| {
        let text = format!("kind = \"program\"\ntitle = \"locks\"\nsource = \"a test\"\n{steps}");
        std::fs::write(&file, text).unwrap();
        let with = RunRequest {
            program: Some(Program::Listed(file.to_str().unwrap().to_owned())),
            packets: 500,
            ..request("example_smartnic", &["traffic.rate_gbps=1"])
        };
        run(&with, &mut |_| ControlFlow::Continue(())).map(|_| ()).map_err(|e| e.to_string())
    };
    let step = |op: &str| format!("[[step]]\nop = \"{op}\"\n");
    let (lock, unlock) = (step("lock"), step("unlock"));
    for (steps, said) in [
        (unlock.clone(), "is not held here"),
        (lock.clone(), "is never released"),
        (format!("{lock}{lock}{unlock}"), "is already held"),
        (format!("{lock}{}{unlock}", step("drop")), "may end here while the packet holds lock 0"),
        (format!("{lock}share = 0.5\n{unlock}"), "must be executed once for every packet"),
    ] {
        let message = tried(&steps).unwrap_err();
        assert!(message.contains(said) && message.contains("locks.toml"), "{steps}{message}");
    }
    tried(&format!("{lock}{unlock}{lock}{unlock}")).unwrap();
}

/// For each place over its route, compares the result of `linecard check` with the wait of a program that makes one
/// read per packet, without other load.
#[test]
fn a_read_without_load_takes_what_the_check_says() {
    let folder = tempfile::tempdir().unwrap();
    for chip in chips() {
        let check = check_chip(&chip, &[]).unwrap();
        if check.program.contains(" + ") {
            // Stages that name their own programs do not run another one.
            continue;
        }
        let described = describe(&chip, &[]).unwrap();
        let keys = |end: &'static str| described.parameters.iter().filter(move |row| row.key.ends_with(end));
        let passes: Vec<String> =
            keys(".cache.replacement").map(|row| format!("{}=least_recent", row.key)).collect();
        for access in &check.accesses {
            // An access misses a data cache if accesses go round more lines than the cache holds.
            let is_cached = keys(".cache.of").any(|row| format!("{:?}", row.value).contains(&access.memory));
            let bytes = if is_cached { access.bytes.max(64) } else { access.bytes };
            let file = folder.path().join(format!("{}.toml", access.role));
            let text = format!(
                "kind = \"program\"\ntitle = \"reads once\"\nsource = \"a test\"\n[[step]]\nop = \"read\"\nat = \"{}\"\nbytes = {}\nwithin_bytes = {}\naddress = \"{}\"\n",
                access.role,
                bytes,
                // Within a line, the cache misses only once, before the measurement.
                if is_cached { 64 * bytes } else { bytes.max(64) },
                if is_cached { "in_order" } else { "any" },
            );
            std::fs::write(&file, text).unwrap();
            let overrides = [
                "traffic.kind=fixed",
                "traffic.packet_bytes=64",
                "traffic.arrivals=constant",
                "traffic.rate_gbps=0.05",
            ];
            let overrides: Vec<&str> =
                overrides.into_iter().chain(passes.iter().map(String::as_str)).collect();
            let app = file.to_str().unwrap().to_owned();
            let alone = RunRequest {
                program: Some(Program::Listed(app)),
                packets: 500,
                ..request(&chip, &overrides)
            };
            let Ok(report) = run(&alone, &mut |_| ControlFlow::Continue(())) else {
                // Stages that name their own programs cannot all run this one.
                continue;
            };
            let Some(waited) =
                report.packet_time.iter().find(|p| p.part == format!("wait {}", access.memory))
            else {
                continue;
            };
            let unloaded_ns = access.unloaded_ns;
            let range = match access.formula.contains("tRCD") {
                // An open row saves the activate; another row costs a precharge.
                true if report.dram.row_hit_rate > 0.0 => unloaded_ns - 20.0..=unloaded_ns + 20.0,
                // A command waits for its clock, which is 88 MHz at the slowest.
                true => unloaded_ns * 0.999..=unloaded_ns + 1e3 / 88.0,
                false => unloaded_ns * 0.999..=unloaded_ns * 1.001,
            };
            assert!(
                range.contains(&waited.mean_ns),
                "{chip} {}: {} ns, {range:?}",
                access.role,
                waited.mean_ns
            );
        }
    }
}

/// A chip of a cluster that reads 64 bytes twice over a link of 1 Gbit/s, as fast as it can.
const BEHIND_A_LINK: &str = r#"
kind = "chip"
title = "a memory behind a link"
source = "a test"
[clock]
core_mhz = 1000
[cluster.c]
count = 2
engines = 1
threads = 8
[memory.m]
kind = "ideal"
[link.l]
rate_gbps = 1
latency_cycles = 100
[[route]]
from = "c"
to = "m"
links = "l"
[buffer.rx]
bytes = "4 MiB"
[inbox.work]
[port.p]
rate_gbps = 0
[order]
kept = "none"
[[program.step]]
op = "read"
at = "m"
bytes = 64
cycles = 50
[traffic]
kind = "fixed"
packet_bytes = 125
arrivals = "saturated"
"#;

#[test]
fn a_place_serves_no_more_than_the_links_before_it_carry() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("link.toml");
    std::fs::write(&file, BEHIND_A_LINK).unwrap();
    let chip = file.to_str().unwrap();
    // The cases are one link for all, one for each of two clusters, and one that is crossed twice.
    for (change, gbps) in [("l.rate_gbps=1", 1.0), ("l.per=c", 2.0), ("route[0].links=[\"l\", \"l\"]", 0.5)] {
        let check = check_chip(chip, &[change.to_owned()]).unwrap();
        let access = &check.accesses[0];
        assert!((access.peak_gbps.unwrap() - gbps).abs() < 1e-9, "{change}: {access:?}");
        assert!(access.formula.ends_with("limited by link l"), "{change}: {access:?}");
        let reads = quick(&request(chip, &[change])).summary.throughput_mpps;
        assert!((reads * 64.0 * 8.0 / 1e3 / gbps - 1.0).abs() < 0.01, "{change}: {reads} million a second");
    }
    // A memory that is slower than the link is still the limit.
    let check = check_chip(chip, &["m.kind=server", "m.access_cycles=1000"].map(str::to_owned)).unwrap();
    assert!((check.accesses[0].peak_mops.unwrap() - 1.0).abs() < 1e-9, "{check:?}");
}

#[test]
fn another_memory_is_one_line_and_every_part_fits() {
    let parts: Vec<String> = presets().into_iter().filter(|p| p.kind == "dram").map(|p| p.name).collect();
    for part in parts.iter().filter(|part| !part.starts_with("hasan") && !part.starts_with("girish")) {
        let set = format!("packets.part={part}");
        let slow = ["traffic.rate_gbps=5", set.as_str()];
        let report = quick(&request("example_smartnic", &slow));
        assert_eq!(report.summary.packets_dropped, 0, "{part}: {:?}", report.bottleneck);
    }
}

#[test]
fn every_controller_serves_the_packet_buffer_and_its_bus_time_adds_up() {
    let policies: Vec<String> =
        presets().into_iter().filter(|p| p.kind == "policies").map(|p| p.name).collect();
    assert!(policies.len() > 10);
    for policy in policies {
        let set = format!("packets.controller={policy}");
        let slow = ["traffic.rate_gbps=5", set.as_str()];
        let Ok(report) = run(&request("example_smartnic", &slow), &mut |_| ControlFlow::Continue(())) else {
            panic!("{policy}")
        };
        assert_eq!(report.summary.packets_dropped, 0, "{policy}: {:?}", report.bottleneck);
        let d = report.dram;
        let sum = d.data + d.row_miss + d.turnaround + d.refresh + d.spacing + d.idle;
        assert!((sum - 1.0).abs() < 1e-9 && d.data > 0.0, "{policy}: {d:?}");
    }
}

#[test]
fn the_bus_time_of_a_busy_packet_buffer_adds_up() {
    // An access that begins before the end of the run and moves its data behind it counts whole.
    for packets in [300, 2_000] {
        let d = quick(&RunRequest { packets, ..request("hasan2003_ref_base", &[]) }).dram;
        let sum = d.data + d.row_miss + d.turnaround + d.refresh + d.spacing + d.idle;
        assert!((sum - 1.0).abs() < 1e-12 && d.data > 0.0, "{packets}: {d:?}");
    }
}

#[test]
fn a_chip_that_ignores_the_times_of_a_capture_says_so() {
    let says = |chip: &str, overrides: &[&str]| {
        let request = RunRequest { trace: Some("edge".to_owned()), ..request(chip, overrides) };
        quick(&request).warnings.iter().any(|warning| warning.contains("traffic.arrivals=captured"))
    };
    assert!(says("nfp4000", &[]));
    assert!(!says("nfp4000", &["traffic.arrivals=captured"]));
    assert!(!says("nfp4000", &["traffic.arrivals=saturated"]));
    assert!(!says("example_smartnic", &[]));
}

#[test]
fn what_is_wrong_comes_at_once_with_places_and_nearest_names() {
    let message = refused(
        "example_smartnic",
        &[
            "island.engine=4",
            "packets.part=ddr4_2401",
            "local.capacity_bytes=64",
            "work.rule=round",
            "eth.rate_gbps=2 GHz",
        ],
    );
    for part in ["did you mean `engines`?", "ddr4_2400", "64 bytes", "least_loaded", "--set (number 5)"] {
        assert!(message.contains(part), "{part} in\n{message}");
    }
    let message = refused("example_smartnic", &["bind.table=shard", "traffic.rate_gbps=500"]);
    assert!(message.contains("`shared`") && message.contains("at most"), "{message}");
}

#[test]
fn a_described_link_stands_where_a_capture_does() {
    let of = |trace: &str, overrides: &[&str]| {
        let request = RunRequest { trace: Some(trace.to_owned()), ..request("example_smartnic", overrides) };
        run(&request, &mut |_| ControlFlow::Continue(()))
    };
    let slow = of("edge", &[]).unwrap();
    // 3,000 packets of 492 bytes per second, plus Ethernet headers and check sequences.
    let gbps = 3_000.0 * (492.0 + 18.0) * 8.0 / 1e9;
    assert!((slow.summary.offered_gbps / gbps - 1.0).abs() < 0.2, "{} Gbit/s", slow.summary.offered_gbps);
    assert_eq!(slow.summary.packets_dropped, 0);
    let fast = of("edge", &["traffic.speedup=1000"]).unwrap().summary.offered_gbps;
    assert!((fast / slow.summary.offered_gbps / 1000.0 - 1.0).abs() < 0.05, "{fast} Gbit/s");
    let unknown = of("egde", &[]).unwrap_err().to_string();
    assert!(unknown.contains("egde") && unknown.contains("edge"), "{unknown}");
}

#[test]
fn values_may_carry_units_and_descriptions_tell_what_is_allowed() {
    let of = |key: &str| {
        let description =
            describe("example_smartnic", &["core_mhz=800 MHz".replace("core_mhz", "clock.core_mhz")])
                .unwrap();
        description.parameters.into_iter().find(|p| p.key == key).unwrap()
    };
    assert_eq!(
        (of("clock.core_mhz").value.to_string().as_str(), of("clock.core_mhz").unit.as_str()),
        ("800", "MHz")
    );
    assert!(of("inbox.work.rule").allowed.contains("lanes"));
    assert_eq!(of("memory.shared.capacity_bytes").value, Shown::Whole(8_388_608));
}

#[test]
fn the_verdict_names_what_was_planted() {
    let overload = ["traffic.kind=fixed", "traffic.packet_bytes=64", "traffic.rate_gbps=140"];
    let with = |packets: u64, more: &[&str]| {
        let all: Vec<&str> = overload.iter().chain(more).copied().collect();
        quick(&RunRequest { packets, ..request("example_smartnic", &all) })
    };
    for (change, packets, component) in [
        ("island.engines=1", 6_000, "engines of island"),
        ("shared.access_cycles=200", 6_000, "shared"),
        ("packets.channels=1", 6_000, "packets"),
        // Its queue takes longer to fill.
        ("mesh.rate_gbps=20", 30_000, "mesh"),
    ] {
        let report = with(packets, &[change]);
        assert_eq!(report.bottleneck.component, component, "{change}: {}", report.bottleneck.why);
        assert!(report.bottleneck.why.contains("measured"), "{}", report.bottleneck.why);
    }
    let report = quick(&request(
        "example_smartnic",
        &["island.threads=1", "island.engines=1", "shared.latency_cycles=4000"],
    ));
    assert_eq!(report.bottleneck.component, "threads of island", "{}", report.bottleneck.why);
}

#[test]
fn a_backlog_that_grows_and_a_run_too_short_are_said() {
    let report = quick(&RunRequest {
        packets: 20_000,
        ..request(
            "example_smartnic",
            &[
                "island.engines=1",
                "island.threads=1",
                "rx.bytes=64 MiB",
                "packets.pool_bytes=1 GiB",
                "traffic.rate_gbps=150",
            ],
        )
    });
    assert!(!report.summary.steady, "{:?}", report.summary);
    assert!(
        report.warnings.iter().any(|w| w.contains("packets inside the chip grew")),
        "{:?}",
        report.warnings
    );
    let report = quick(&RunRequest { packets: 5, ..request("example_smartnic", &[]) });
    assert!(report.warnings.iter().any(|w| w.contains("too short")), "{:?}", report.warnings);
}

#[test]
fn thousands_of_threads_run() {
    let report =
        quick(&request("example_smartnic", &["island.count=16", "island.engines=16", "island.threads=16"]));
    assert_eq!(report.summary.packets_dropped, 0);
    let one = [
        "island.count=1",
        "island.engines=1",
        "island.threads=4096",
        "traffic.rate_gbps=1",
        "local.capacity_bytes=1 MiB",
    ];
    assert!(quick(&request("example_smartnic", &one)).summary.packets_out > 0);
}

#[test]
fn what_always_finds_a_packet_shows_what_the_chip_can_do() {
    let saturated =
        ["traffic.arrivals=saturated", "traffic.kind=fixed", "traffic.packet_bytes=64", "eth.rate_gbps=1000"];
    let report = quick(&request("example_smartnic", &saturated));
    assert!(report.summary.throughput_mpps > 100.0, "{:?}", report.summary);
    assert_ne!(report.bottleneck.component, "offered load");
}

#[test]
fn another_program_runs_on_the_same_chip() {
    let gateway = RunRequest {
        program: Some(Program::Listed("secure_gateway".to_owned())),
        ..request("example_smartnic", &[])
    };
    let report = quick(&gateway);
    assert_eq!(report.program, "secure_gateway");
    let encrypted = metric(&report, "crypto", "accesses") / report.summary.packets_out as f64;
    assert!((encrypted - 0.333).abs() < 0.05, "{encrypted} of the packets");
    let missing = RunRequest { program: Some(Program::Listed("secure_gatway".to_owned())), ..gateway };
    let message = run(&missing, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(message.contains("`secure_gateway`") && message.lines().count() == 1, "{message}");
}

/// A thread of a timeline has one state at a time; arrows begin at an arrival and end at a departure; the timeline
/// covers its window only.
#[test]
fn a_timeline_shows_its_window_packet_by_packet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json.gz").to_str().unwrap().to_owned();
    let overload = ["island.count=1", "island.engines=1", "packets.pool_bytes=64 KiB"];
    let whole = quick(&RunRequest { packets: 2_000, ..request("example_smartnic", &overload) });
    let asked = RunRequest {
        packets: 2_000,
        timeline: Some(path.clone()),
        timeline_from_us: 5.0,
        timeline_for_us: Some(20.0),
        ..request("example_smartnic", &overload)
    };
    let report = quick(&asked);
    assert_eq!(report.summary.throughput_gbps, whole.summary.throughput_gbps, "recording changes nothing");
    let mut text = String::new();
    let packed = std::fs::File::open(&path).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed), &mut text).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let of = |kind: &str| events.iter().filter(|e| e["ph"] == kind).cloned().collect::<Vec<_>>();
    let number = |e: &serde_json::Value, key: &str| e[key].as_f64().unwrap();
    let first = of("X").iter().map(|e| number(e, "ts")).fold(f64::MAX, f64::min);
    let mut tracks: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
    for event in of("X") {
        assert!(number(&event, "ts") - first < 20.1, "{event}");
        if event["pid"] != 1 {
            let track = format!("{}/{}", event["pid"], event["tid"]);
            let ended = tracks.insert(track, number(&event, "ts") + number(&event, "dur")).unwrap_or(0.0);
            assert!(number(&event, "ts") >= ended - 1e-5, "{event} begins before {ended}");
        }
    }
    assert!(!tracks.is_empty() && of("C").len() > 100, "{}", of("C").len());
    let ids = |kind: &str| {
        of(kind).iter().map(|e| e["id"].as_u64().unwrap()).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(ids("s").intersection(&ids("f")).count() > 5 && ids("s").intersection(&ids("t")).count() > 5);
    assert!(of("i").iter().any(|e| e["name"] == "lost: packet_memory_full"), "drops are instants");
}
