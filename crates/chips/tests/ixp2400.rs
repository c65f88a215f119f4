//! Do the chips of Girish 2008 run every scheme, obey the laws of any chip, and reject invalid settings?

use linecard_chips::{Program, RunReport, RunRequest, run};
use std::ops::ControlFlow;

fn request(preset: &str, overrides: &[&str]) -> RunRequest {
    RunRequest {
        chip: preset.to_owned(),
        overrides: overrides.iter().map(|&o| o.to_owned()).collect(),
        seed: 1,
        packets: 4000,
        warmup_packets: Some(500),
        ..RunRequest::default()
    }
}

fn quick(request: &RunRequest) -> RunReport {
    run(request, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{}: {e}", request.chip))
}

fn refused(preset: &str, overrides: &[&str]) -> String {
    run(&request(preset, overrides), &mut |_| ControlFlow::Continue(())).unwrap_err().to_string()
}

fn metric(report: &RunReport, component: &str, name: &str) -> f64 {
    let found = report.metrics.iter().find(|m| m.component == component && m.metric == name);
    found.unwrap_or_else(|| panic!("{component} {name}")).value
}

const FOUR_BY_FOUR: [&str; 2] = ["me.engines=4", "me.threads=4"];

#[test]
fn every_platform_runs_every_scheme_and_its_numbers_add_up() {
    for (preset, schemes) in [
        ("ixp2400", &["BASE", "HB", "FCB", "FCB+TB"][..]),
        ("ixp2400_backpressure", &["BASE", "FCB+TB"][..]),
        ("ixp2400_core", &["BASE", "HB", "FCB", "FCB+TB"][..]),
        ("ixp2400_dynamic", &["DYNAMIC", "FCB"][..]),
        ("ixp2400_detour", &["DETOUR", "DYNAMIC"][..]),
    ] {
        for scheme in schemes {
            let set = [format!("program.scheme={scheme}")];
            let mut request = request(preset, &[&set[0], "traffic.kind=PSC", "me.threads=4"]);
            request.packets = 2000;
            let report = quick(&request);
            let (s, d) = (&report.summary, &report.dram);
            let name = format!("{preset} {scheme}");
            assert!(s.throughput_gbps > 1.0 && s.throughput_gbps < 10.0, "{name}: {}", s.throughput_gbps);
            assert!((d.data + d.row_miss + d.turnaround + d.refresh + d.idle - 1.0).abs() < 1e-9, "{name}");
            assert!(report.resources.iter().all(|r| (0.0..=1.0).contains(&r.utilization)), "{name}");
            let parts: f64 = report.packet_time.iter().map(|p| p.mean_ns).sum();
            let mean = s.latency_ns.mean;
            assert!((parts / mean - 1.0).abs() < 0.05, "{name}: parts {parts} ns, latency {mean} ns");
            let balance = metric(&report, "total", "packets_inside_at_start")
                + metric(&report, "total", "packets_in")
                - metric(&report, "total", "packets_out")
                - metric(&report, "total", "packets_dropped");
            assert_eq!(balance, metric(&report, "total", "packets_inside_at_end"), "{name}");
            assert!(metric(&report, "program", "lookups") > 1000.0, "{name}");
        }
    }
}

/// 64-byte packets with fast memory: the hash unit takes 148 ns for each, and is the only limit.
#[test]
fn the_hash_unit_bounds_small_packets() {
    let fast = [FOUR_BY_FOUR[0], FOUR_BY_FOUR[1], "dram.bus_bytes=16", "dram.banks=8"];
    let report = quick(&request("ixp2400", &fast));
    let bound_mbps = 64.0 * 8e3 / 148.0;
    assert!((metric(&report, "total", "throughput_mbps") / bound_mbps - 1.0).abs() < 0.005);
    assert_eq!(report.bottleneck.component, "hash");
}

/// Three quarters of the addresses have no route. The chip still has a limit if it is overloaded, and none at a light
/// load.
#[test]
fn dropped_packets_do_not_hide_the_limit_of_an_overloaded_chip() {
    let file = std::env::temp_dir().join("linecard_quarter_of_the_routes.txt");
    std::fs::write(&file, "0.0.0.0/2 1\n").unwrap();
    let routes = format!("program.routes={}", file.display());
    let fast = [FOUR_BY_FOUR[0], FOUR_BY_FOUR[1], "dram.bus_bytes=16", "dram.banks=8", &routes];
    let at =
        |load: &[&str]| quick(&RunRequest { packets: 20_000, ..request("ixp2400", &[&fast, load].concat()) });
    let light =
        ["traffic.kind=fixed", "traffic.packet_bytes=64", "traffic.arrivals=poisson", "traffic.rate_gbps=1"];
    let overload = [light[0], light[1], light[2], "traffic.rate_gbps=20"];

    let report = at(&light);
    assert_eq!(report.bottleneck.component, "no route", "{}", report.bottleneck.why);
    assert!(
        report.bottleneck.why.ends_with("No part of the chip limits this run."),
        "{}",
        report.bottleneck.why
    );
    for load in [&overload[..], &[]] {
        let report = at(load);
        assert_eq!(report.bottleneck.component, "hash", "{}", report.bottleneck.why);
        assert!(report.bottleneck.why.contains("match no route"), "{}", report.bottleneck.why);
    }
}

#[test]
fn the_dram_limits_mixes_and_the_schemes_rank_as_published() {
    let of = |scheme: &str| {
        let scheme = format!("program.scheme={scheme}");
        let set = [FOUR_BY_FOUR[0], FOUR_BY_FOUR[1], "traffic.kind=FRG", &scheme];
        quick(&RunRequest { packets: 20_000, ..request("ixp2400", &set) })
    };
    let reports = ["BASE", "HB", "FCB", "FCB+TB"].map(of);
    let limits: Vec<&str> = reports.iter().map(|r| r.bottleneck.component.as_str()).collect();
    assert_eq!(limits, ["dram"; 4]);
    assert!(reports.windows(2).all(|p| p[0].summary.throughput_gbps < p[1].summary.throughput_gbps));
}

#[test]
fn a_scheme_that_does_not_fit_the_scratchpad_is_refused() {
    let set = ["program.scheme=FCB+TB", "me.threads=64", "me.engines=4"];
    let message = refused("ixp2400", &set);
    for part in ["memory.scratch", "32768", "16384"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    quick(&request("ixp2400", &["program.scheme=FCB", "me.threads=64", "me.engines=4"]));
    let none = ["program.scheme=HB", "scratch.capacity_bytes=1535"];
    assert!(refused("ixp2400", &none).contains("1536"), "64 threads of 24 bytes");
}

#[test]
fn what_contradicts_itself_is_refused_at_once() {
    let set = ["transmit.low_watermark_bytes=9999", "rbuf.bytes=100"];
    let message = refused("ixp2400_dynamic", &set);
    for part in ["low_watermark", "whole number of cells"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert!(
        refused("ixp2400_dynamic", &["out.count=64", "transmit.bytes=4096"])
            .contains("more cells than ports")
    );
    for scheme in ["program.scheme=DYNAMIC", "program.scheme=DETOUR"] {
        assert!(refused("ixp2400_core", &[scheme]).contains("watermarks"));
    }
    assert!(refused("ixp2400", &["program.scheme=FBC"]).contains("`FCB`"));
    assert!(refused("ixp2400", &["dram.capacity_mib=1048576"]).contains("at most 68719476736"));
    quick(&request("ixp2400", &["dram.capacity_mib=65536", "dram.banks=3"]));
    let other =
        RunRequest { program: Some(Program::Listed("forward".to_owned())), ..request("ixp2400_core", &[]) };
    let message = run(&other, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(message.contains("transmit buffer"), "{message}");
}

/// The chip has no rules of its own: a listed program runs on it, too.
#[test]
fn a_listed_program_runs_on_it() {
    let report = quick(&RunRequest {
        program: Some(Program::Listed("forward".to_owned())),
        ..request("ixp2400", &[])
    });
    assert!(report.summary.packets_out >= 4000);
}

#[test]
fn the_same_request_gives_the_same_report() {
    let set = ["traffic.rate_gbps=7"];
    let json = |seed| {
        serde_json::to_string(&quick(&RunRequest { seed, ..request("ixp2400_dynamic", &set) })).unwrap()
    };
    assert_eq!(json(1), json(1));
    assert_ne!(json(1), json(2));
}
