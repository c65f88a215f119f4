//! Are a memory's latency without load and its bandwidth under full load those of its datasheet?

use crate::kit;

use kit::{columns, part_names, pattern_request, policy_names, run, run_logged};
use linecard_drams::{MemoryInput, MemoryReport, MemoryRequest, describe};

/// Requests so far apart that each finds an idle memory.
fn alone(device: &str, policy: &str, count: u64) -> MemoryRequest {
    let input = MemoryInput::Pattern {
        name: "random".to_owned(),
        count,
        spacing: 3000,
        reads: Some(1.0),
        narrow: 0.0,
        seed: 3,
    };
    let overrides = vec!["policy.refresh=false".to_owned()];
    MemoryRequest { input, overrides, ..pattern_request(device, policy, "random", count) }
}

fn clocks(device: &str, name: &str) -> u64 {
    let part = describe(device, &[]).unwrap().unwrap();
    let found = part.parameters.iter().find(|p| p.key == format!("timing.{name}"));
    found.map_or(0, |p| p.meaning.trim_end_matches(" clocks").parse::<f64>().unwrap().ceil() as u64)
}

/// One clock to the command queue, tRCD, read latency, burst; and tRP before them if another row is open.
#[test]
fn unloaded_reads_take_the_closed_form_on_every_part() {
    for device in part_names() {
        let activate_to_read = clocks(&device, "tRCD").max(clocks(&device, "tRCDRD"));
        for policy in ["frfcfs", "frfcfs_closed", "fcfs_open", "fcfs_close", "split_watermark"] {
            let (report, log) = run_logged(alone(&device, policy, 200), "requests");
            let burst = report.time.read * report.end_clock as f64 / 200.0;
            let closed = 1 + activate_to_read + clocks(&device, "RL") + burst.round() as u64;
            assert_eq!(report.unloaded_read_clocks, closed, "{device}");
            let conflict = closed + clocks(&device, "tRP");
            for [accept, complete] in columns(&log, ["accept", "complete"]) {
                let took = complete.parse::<u64>().unwrap() - accept.parse::<u64>().unwrap();
                let open = policy == "frfcfs" || policy == "fcfs_open" || policy == "split_watermark";
                assert!(
                    took == closed || (open && took == conflict),
                    "{device} {policy}: {took}, not {closed}"
                );
            }
        }
    }
}

/// The bus is full except for refreshes: rows are closed, one per clock, the rank refreshes, and a row is opened
/// again.
#[test]
fn streams_reach_the_peak_that_refresh_leaves_on_every_part() {
    for device in part_names() {
        let part = describe(&device, &[]).unwrap().unwrap();
        let count = |key: &str| -> u64 {
            part.parameters.iter().find(|p| p.key == key).unwrap().value.to_string().parse().unwrap()
        };
        let mut request = pattern_request(&device, "frfcfs", "stream", 60_000);
        let (groups, banks) = (count("organization.bank_groups"), count("organization.banks_per_group"));
        if groups > 1 {
            // Neighbouring accesses go to different groups: within a group, columns are further apart than bursts.
            request.overrides.push("map.order=row column bank bankgroup".to_owned());
        }
        let report = run(&request);
        let open = if groups > 1 { groups * banks } else { 1 };
        let activate_to_read = clocks(&device, "tRCD").max(clocks(&device, "tRCDRD"));
        let is_per_bank =
            part.parameters.iter().any(|p| p.key == "refresh.mode" && p.value.to_string() == "per_bank");
        let lost = match is_per_bank {
            true => 0,
            false => clocks(&device, "tRFC") + clocks(&device, "tRP") + activate_to_read + open - 1,
        };
        let peak = 1.0 - lost as f64 / clocks(&device, "tREFI") as f64;
        let reached = report.time.read + report.time.write;
        assert!(
            (reached / peak - 1.0).abs() < 0.01,
            "{device}: {reached:.4} of the bus, {peak:.4} are possible"
        );
    }
}

#[test]
fn parts_of_latency_and_of_bus_time_add_up_for_every_part_and_policy() {
    for device in part_names() {
        for policy in policy_names() {
            for pattern in ["random", "packet_cells"] {
                let request = pattern_request(&device, &policy, pattern, 1500);
                let (report, log) = run_logged(request, "requests");
                let t = report.time;
                let sum = t.read
                    + t.write
                    + t.row_miss
                    + t.bank_conflict
                    + t.turnaround
                    + t.activate_window
                    + t.refresh
                    + t.spacing
                    + t.idle;
                assert!((sum - 1.0).abs() < 1e-9, "{device} {policy} {pattern}: {sum}");
                let names =
                    ["accept", "complete", "queue_clocks", "bank_clocks", "bus_clocks", "refresh_clocks"];
                let rows = columns(&log, names);
                assert_eq!(rows.len(), 1500);
                for row in rows {
                    let [accept, complete, queue, bank, bus, refresh] =
                        row.map(|n| n.parse::<i64>().unwrap());
                    if complete >= 0 {
                        assert_eq!(complete - accept, queue + bank + bus + refresh, "{device} {policy}");
                    }
                }
                let sent: u64 = report.banks.iter().map(|b| b.reads + b.writes).sum();
                let kept =
                    report.writes_left + report.writes_merged + report.reads_forwarded + report.reads_merged;
                assert_eq!(sent + kept, 1500, "{device} {policy} {pattern}: requests lost or repeated");
            }
        }
    }
}

/// A read that arrives during a refresh of its rank waits for its end, and opens its row right behind it: no activate of
/// another row delays it.
#[test]
fn a_row_that_is_opened_behind_a_refresh_is_a_row_miss() {
    let path = std::env::temp_dir().join(format!("linecard-refresh-{}.csv", std::process::id()));
    // DDR4-2400: a refresh is due at tREFI, and holds the banks for tRFC.
    let (due, holds) = (clocks("ddr4_2400", "tREFI"), clocks("ddr4_2400", "tRFC"));
    std::fs::write(&path, format!("arrival,op,address\n{},R,0x8000\n", due + holds / 2)).unwrap();
    let input = MemoryInput::Trace { path: path.to_str().unwrap().to_owned(), format: None };
    let report = run(&MemoryRequest { input, ..pattern_request("ddr4_2400", "frfcfs", "random", 1) });
    std::fs::remove_file(&path).unwrap();
    let spent = |share: f64| (share * report.end_clock as f64).round() as u64;
    let opens = clocks("ddr4_2400", "tRCD") + clocks("ddr4_2400", "RL");
    assert_eq!((spent(report.time.row_miss), spent(report.time.activate_window)), (opens, 0));
    assert!(spent(report.time.refresh) + 1 >= holds / 2);
}

/// The loop skips clocks in which nothing happens; running them all gives the same results.
#[test]
fn skipping_idle_clocks_changes_nothing() {
    for device in part_names() {
        for policy in policy_names() {
            for (spacing, count) in [(0, 800), (7, 800), (190, 150)] {
                let mut request = pattern_request(&device, &policy, "random", count);
                request.input = MemoryInput::Pattern {
                    name: "packet_cells".to_owned(),
                    count,
                    spacing,
                    reads: None,
                    narrow: 0.2,
                    seed: 11,
                };
                let (skipped, log) = run_logged(request.clone(), "requests");
                request.tick_every_clock = true;
                let (ticked, ticked_log) = run_logged(request, "requests");
                assert_eq!(log, ticked_log, "{device} {policy} {spacing}");
                assert_eq!(format!("{skipped:?}"), format!("{ticked:?}"), "{device} {policy} {spacing}");
            }
        }
    }
}

/// No more requests overlap than the limit of requests in flight permits.
#[test]
fn requests_in_flight_stay_below_their_limit() {
    for limit in [1, 2, 5] {
        let mut request = pattern_request("ddr4_2400", "frfcfs", "random", 2000);
        request.in_flight = Some(limit);
        let (_, log) = run_logged(request, "requests");
        let mut moves: Vec<(u64, i64)> = Vec::new();
        for [accept, complete] in columns(&log, ["accept", "complete"]) {
            moves.push((accept.parse().unwrap(), 1));
            moves.push((complete.parse().unwrap(), -1));
        }
        moves.sort_unstable();
        let mut inside = 0;
        let most = moves
            .iter()
            .map(|&(_, step)| {
                inside += step;
                inside
            })
            .max()
            .unwrap();
        assert_eq!(most, limit as i64);
    }
}

#[test]
fn energy_is_the_sum_of_what_the_commands_and_standby_draw() {
    let report: MemoryReport = run(&pattern_request("ddr4_2400", "frfcfs", "random", 5000));
    let energy = report.energy.expect("the part has currents");
    // 8 parts at 1.2 V; mA x V x ns = pJ. An activate takes 48 mA for tRC, less standby (43 mA open, 34 mA closed).
    let activate = 8.0 * 1.2 * (48.0 * 56.0 - 43.0 * 39.0 - 34.0 * 17.0) * 0.83 / 1000.0;
    assert!((energy.activate_nj - activate * report.commands.act as f64).abs() < 1e-6);
    let read = 8.0 * 1.2 * (135.0 - 43.0) * 4.0 * 0.83 / 1000.0;
    assert!((energy.read_nj - read * report.commands.rd as f64).abs() < 1e-6);
    let parts = energy.activate_nj + energy.read_nj + energy.write_nj + energy.refresh_nj;
    let standby = energy.open_standby_nj + energy.closed_standby_nj;
    assert!((parts + standby - energy.total_nj).abs() < 1e-6);
    assert!(run(&pattern_request("sdr100", "frfcfs", "random", 100)).energy.is_none());
}

/// Two channels of four open a row at clock 2, one clock after they accept their first request. The rows stay open
/// until the last data of the first channel, although the second channel is idle from clock 40 on.
#[test]
fn channels_without_requests_draw_standby_until_the_end_of_the_run() {
    let channel = 1u64 << 33;
    let trace = format!("0x0 READ 0\n{channel:#x} READ 0\n0x40 READ 1000000\n");
    let path = std::env::temp_dir().join(format!("linecard-standby-{}.trc", std::process::id()));
    std::fs::write(&path, trace).unwrap();
    let changes =
        ["organization.channels=4", "map.order=channel row bank bankgroup column", "policy.refresh=false"];
    let report = run(&MemoryRequest {
        input: MemoryInput::Trace { path: path.to_str().unwrap().to_owned(), format: None },
        overrides: changes.map(str::to_owned).to_vec(),
        ..pattern_request("ddr4_2400", "frfcfs_open", "random", 0)
    });
    std::fs::remove_file(path).unwrap();
    let energy = report.energy.expect("the part has currents");
    // The row is open: the last read takes the read latency and a burst of 4 clocks.
    assert_eq!(report.end_clock, 1_000_002 + 17 + 4);
    let open = 2.0 * (1_000_023.0 - 2.0);
    let nj = |ma: f64, clocks: f64| 8.0 * 1.2 * ma * clocks * 0.83 / 1000.0;
    assert!((energy.open_standby_nj - nj(43.0, open)).abs() < 1e-3, "{energy:?}");
    assert!((energy.closed_standby_nj - nj(34.0, 4.0 * 1_000_023.0 - open)).abs() < 1e-3, "{energy:?}");
}

/// The 16 banks open one row each, and none is closed: together, the rows are open for the whole run.
#[test]
fn rows_that_a_packet_buffer_leaves_open_draw_the_current_of_open_rows() {
    let mut request = pattern_request("ddr4_2400", "packet_base", "stream", 2000);
    request.overrides.push("policy.refresh=false".to_owned());
    let report = run(&request);
    assert_eq!((report.commands.act, report.commands.pre), (16, 0));
    let energy = report.energy.expect("the part has currents");
    let standby = 8.0 * 1.2 * 43.0 * report.end_clock as f64 * 0.83 / 1000.0;
    assert!((energy.open_standby_nj - standby).abs() < 1e-6, "{energy:?}");
    assert_eq!(energy.closed_standby_nj, 0.0);
}

/// Currents of a part that refreshes bank by bank, without that of these refreshes.
const CURRENTS: [&str; 8] = [
    "energy.parts=1",
    "energy.VDD=1",
    "energy.IDD0=50",
    "energy.IDD2N=30",
    "energy.IDD3N=40",
    "energy.IDD4R=200",
    "energy.IDD4W=190",
    "energy.IDD5=130",
];

/// Of 16 banks, each is refreshed once in 3125 clocks of 1.25 ns (3906 ns). Without standby, the part draws 15 mA.
#[test]
fn refreshes_of_single_banks_draw_their_current_over_their_share_of_the_interval() {
    let mut request = alone("lpddr5_6400", "frfcfs_open", 20);
    request.overrides =
        [&CURRENTS[..], &["energy.IDD5PB=45"]].concat().into_iter().map(str::to_owned).collect();
    let report = run(&request);
    let each = 15.0 * 3125.0 / 16.0 * 1.25 / 1000.0;
    let energy = report.energy.expect("the part has currents");
    assert!(report.commands.refb > 280, "{:?}", report.commands);
    assert!((energy.refresh_nj - each * report.commands.refb as f64).abs() < 1e-6, "{energy:?}");
    // All banks are refreshed together for 210 ns, which is 168 clocks.
    request.overrides.push("refresh.mode=all_bank".to_owned());
    let report = run(&request);
    let energy = report.energy.expect("the part has currents");
    assert!((energy.refresh_nj - 100.0 * 168.0 * 1.25 / 1000.0 * report.commands.r#ref as f64).abs() < 1e-6);
}

#[test]
fn without_the_current_of_refreshes_of_single_banks_a_run_states_no_energy() {
    let request = MemoryRequest {
        overrides: CURRENTS.map(str::to_owned).to_vec(),
        ..pattern_request("lpddr5_6400", "frfcfs_open", "random", 10)
    };
    let report = linecard_drams::run_memory(&request, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.energy.is_none());
}

/// A stream of row hits delays every precharge by tRTP, which is longer than the distance between two reads: without
/// a strict cap, 120 younger reads of an open row pass a read of another row of the bank.
#[test]
fn a_strict_cap_bounds_the_row_hits_that_pass_an_older_request() {
    let other_row = 4;
    let lines: String = (0..124)
        .map(|n| match n {
            n if n == other_row => "LD 0x20000\n".to_owned(),
            n => format!("LD {:#x}\n", 64 * n),
        })
        .collect();
    let trace = std::env::temp_dir().join(format!("linecard-cap-{}.txt", std::process::id()));
    std::fs::write(&trace, lines).unwrap();
    let passed = |policy: &str, overrides: &[&str]| {
        let input = MemoryInput::Trace { path: trace.to_str().unwrap().to_owned(), format: None };
        let overrides = overrides.iter().map(|&o| o.to_owned()).collect();
        let request = MemoryRequest { input, overrides, ..pattern_request("ddr4_2400", policy, "stream", 1) };
        let (_, log) = run_logged(request, "requests");
        let complete: Vec<i64> = columns(&log, ["complete"]).iter().map(|[c]| c.parse().unwrap()).collect();
        complete.iter().filter(|&&c| c < complete[other_row]).count()
    };
    assert_eq!(passed("frfcfs", &[]), 123);
    assert_eq!(passed("frfcfs_cap16", &[]), 16);
    assert_eq!(passed("frfcfs", &["policy.row_hit_cap=6"]), 6);
    assert_eq!(passed("frfcfs_open", &[]), 123, "the cap of DRAMsim3 is not strict");
    std::fs::remove_file(trace).unwrap();
}
