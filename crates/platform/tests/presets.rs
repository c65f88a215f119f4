//! Does every shipped preset resolve, run, and obey the laws that hold for any machine?

use linecard_platform::{RunRequest, describe, presets, run};
use std::ops::ControlFlow;

fn request(preset: &str, app: &str) -> RunRequest {
    RunRequest {
        preset: preset.to_owned(),
        app: Some(app.to_owned()),
        trace: None,
        overrides: Vec::new(),
        seed: 1,
        packets: 1500,
        warmup_packets: 500,
        map_addresses: false,
        strict: false,
        timeline: None,
    }
}

fn quick(request: &RunRequest) -> linecard_platform::RunReport {
    run(request, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{}: {e}", request.preset))
}

#[test]
fn every_platform_runs_every_application() {
    let platforms: Vec<_> = presets().into_iter().filter(|p| p.kind == "platforms").collect();
    assert!(platforms.len() >= 14);
    for platform in platforms {
        describe(&platform.name, &[]).unwrap_or_else(|e| panic!("{}: {e}", platform.name));
        for app in ["l3fwd16", "nat", "firewall"] {
            let report = quick(&request(&platform.name, app));
            let (name, s) = (&platform.name, &report.summary);
            assert!(
                s.throughput_gbps > 0.5 && s.throughput_gbps <= 3.2,
                "{name} {app}: {} Gbit/s",
                s.throughput_gbps
            );
            let d = &report.dram;
            let sum = d.data + d.row_miss + d.turnaround + d.refresh + d.idle;
            assert!((sum - 1.0).abs() < 0.01, "{name} {app}: DRAM time adds up to {sum}");
            assert!(report.resources.iter().all(|r| (0.0..=1.0).contains(&r.utilization)), "{name} {app}");
            let parts: f64 = report.packet_time.iter().map(|p| p.mean_ns).sum();
            let mean = s.latency_ns.mean;
            assert!((parts / mean - 1.0).abs() < 0.1, "{name} {app}: parts {parts} ns, latency {mean} ns");
        }
    }
}

#[test]
fn the_same_request_gives_the_same_report_and_another_seed_another() {
    let same = |r: &RunRequest| serde_json::to_string(&quick(r)).unwrap();
    let first = request("hasan2003_all_pf", "l3fwd16");
    assert_eq!(same(&first), same(&first));
    assert_ne!(same(&first), same(&RunRequest { seed: 2, ..first.clone() }));
}

#[test]
fn all_configuration_errors_come_at_once_with_the_nearest_names() {
    let overrides =
        ["dram.bank=4", "controller.queues=odd", "engine.threads=65", "nonsense"].map(str::to_owned);
    let bad = RunRequest { overrides: overrides.to_vec(), ..request("ixp1200", "l3fwd16") };
    let message = run(&bad, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 4, "{message}");
    for part in ["`dram.banks`", "odd_even", "from 1 to 64", "key=value"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    for (preset, near) in [("ixp120", "`ixp1200`"), ("missing.toml", "cannot read")] {
        let message = describe(preset, &[]).unwrap_err().to_string();
        assert!(message.contains(near), "{message}");
    }
}

#[test]
fn a_buffer_smaller_than_a_packet_drops_it_with_a_reason() {
    let overrides = ["buffer.page_bytes=1024"].map(str::to_owned).to_vec();
    let report = quick(&RunRequest { overrides, ..request("hasan2003_ref_base", "l3fwd16") });
    assert!(report.drops.iter().any(|d| d.reason == "too_large" && d.packets > 100), "{:?}", report.drops);
}

#[test]
fn a_part_is_described_but_cannot_run() {
    let part = describe("hasan2003_sdr100", &[]).unwrap();
    assert!(part.parameters.iter().any(|p| p.key == "dram.row_bytes" && p.value == "4096"));
    assert!(part.parameters.iter().any(|p| p.key == "dram.constraint.tRCD"));
    let error = run(&request("hasan2003_sdr100", "l3fwd16"), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("a part"), "{error}");
}
