//! Does every shipped preset resolve, run, and obey the laws of any machine?

use linecard_platform::{Program, RunRequest, Shown, describe, presets, run};
use std::ops::ControlFlow;

fn request(preset: &str, app: &str) -> RunRequest {
    RunRequest {
        chip: preset.to_owned(),
        program: Some(Program::Listed(app.to_owned())),
        seed: 1,
        packets: 1500,
        warmup_packets: Some(500),
        ..RunRequest::default()
    }
}

fn quick(request: &RunRequest) -> linecard_platform::RunReport {
    run(request, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{}: {e}", request.chip))
}

#[test]
fn every_platform_runs_every_application() {
    let platforms: Vec<_> = presets().into_iter().filter(|p| p.kind == "platforms").collect();
    assert!(platforms.len() >= 15);
    for platform in platforms {
        let description = describe(&platform.name, &[]).unwrap_or_else(|e| panic!("{}: {e}", platform.name));
        if !description
            .parameters
            .iter()
            .any(|p| p.key.ends_with(".block_cells") && p.key.starts_with("cluster."))
        {
            continue; // without threads that send: tests/chips.rs
        }
        for app in ["l3fwd16", "nat", "firewall", "vanilla_ip"] {
            if app == "vanilla_ip" && platform.name.contains("adapt") {
                let refused = run(&request(&platform.name, app), &mut |_| ControlFlow::Continue(()));
                assert!(refused.unwrap_err().to_string().contains("which per_queue_linear requires"));
                continue;
            }
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
    let overrides = ["dram.bank=4", "dram.queues=odd", "input.threads=0", "nonsense"].map(str::to_owned);
    let bad = RunRequest { overrides: overrides.to_vec(), ..request("ixp1200", "l3fwd16") };
    let message = run(&bad, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 4, "{message}");
    for part in ["`banks`", "odd_even", "from 1 to 65536", "key=value"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    for (preset, near) in [("ixp120", "`ixp1200`"), ("missing.toml", "cannot read")] {
        let message = describe(preset, &[]).unwrap_err().to_string();
        assert!(message.contains(near), "{message}");
    }
}

#[test]
fn a_buffer_smaller_than_a_packet_drops_it_with_a_reason() {
    let overrides = ["dram.page_bytes=1024"].map(str::to_owned).to_vec();
    let report = quick(&RunRequest { overrides, ..request("hasan2003_ref_base", "l3fwd16") });
    assert!(report.drops.iter().any(|d| d.reason == "too_large" && d.packets > 100), "{:?}", report.drops);
}

#[test]
fn a_part_is_described_but_cannot_run() {
    let part = describe("hasan2003_sdr100", &[]).unwrap();
    assert!(
        part.parameters.iter().any(|p| p.key == "organization.row_bytes" && p.value == Shown::Whole(4096))
    );
    assert!(part.parameters.iter().any(|p| p.key == "timing.tRCD"));
    let error = run(&request("hasan2003_sdr100", "l3fwd16"), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("a DRAM part"), "{error}");
}

#[test]
fn problems_of_every_stage_come_at_once() {
    let overrides = [
        "dram.banks=3",
        "dram.caches.cache_cells=3",
        "dram.allocator=per_queue_linear",
        "clock.engine_mhz=x",
    ];
    let refused = |app: &str| {
        let overrides = overrides.map(str::to_owned).to_vec();
        let bad = RunRequest { overrides, ..request("ixp1200", app) };
        run(&bad, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string()
    };
    let message = refused("l3fwd16");
    for part in ["clock.engine_mhz", "3 is not a power of two", "each of 16 queues"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let message = refused("zzz");
    for part in ["clock.engine_mhz", "programs/zzz", "3 is not a power of two"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let twice = ["dram.banks=2", "dram.banks=4"].map(str::to_owned);
    assert!(describe("ixp1200", &twice).unwrap_err().to_string().contains("set twice"));
}

#[test]
fn the_parts_of_a_packets_time_add_up_to_its_latency_whatever_is_dropped() {
    let overrides = ["nat.entries=3000"].map(str::to_owned).to_vec();
    let report = quick(&RunRequest { overrides, packets: 10_000, ..request("ixp1200", "nat") });
    assert!(report.summary.packets_dropped > 5000, "{:?}", report.drops);
    let parts: f64 = report.packet_time.iter().map(|p| p.mean_ns).sum();
    let mean = report.summary.latency_ns.mean;
    assert!((parts / mean - 1.0).abs() < 0.1, "parts {parts} ns, latency {mean} ns");
    assert_eq!(report.bottleneck.component, "nat table full");
    assert!(report.summary.loss_fraction <= 1.0);
    let metric = |name: &str| report.metrics.iter().find(|m| m.metric == name).unwrap().value;
    let balance = metric("packets_inside_at_start") + metric("packets_in")
        - metric("packets_out")
        - metric("packets_dropped");
    assert_eq!(balance, metric("packets_inside_at_end"));
}

#[test]
fn a_run_in_which_nothing_fits_is_refused() {
    let fixed = ["traffic.kind=fixed", "traffic.packet_bytes=9000"].map(str::to_owned).to_vec();
    let refused = |overrides: Vec<String>| {
        let request = RunRequest { overrides, ..request("ixp1200", "l3fwd16") };
        run(&request, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string()
    };
    assert!(refused(fixed.clone()).contains("raise cells of the [buffer]"));
    let roomy = [fixed, vec!["buffer.rx.cells=1000".to_owned()]].concat();
    let refused = refused(roomy);
    assert!(refused.contains("or page_bytes"), "{refused}");
}

#[test]
fn a_change_without_effect_is_said_to_have_none() {
    let overrides =
        ["dram.caches.block_cells=8", "dram.banks=2", "nat.entries=4"].map(str::to_owned).to_vec();
    let bad = RunRequest { overrides, ..request("hasan2003_all_pf", "l3fwd16") };
    let said = run(&bad, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    for key in ["dram.caches.block_cells", "nat.entries"] {
        assert!(said.contains(&format!("{key}: has no effect")), "{said}");
    }
    assert!(!said.contains("dram.banks"), "{said}");
}
