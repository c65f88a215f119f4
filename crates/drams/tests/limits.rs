//! Are parts rejected that can never serve a request, and does a run without progress end?

use linecard_drams::{MemoryInput, MemoryRequest, run_memory};
use linecard_files::Error;
use std::ops::ControlFlow;

fn run(device: &str, policy: &str, changes: &[&str]) -> Result<(), Error> {
    run_limited(device, policy, changes, None, 10)
}

fn run_limited(
    device: &str,
    policy: &str,
    changes: &[&str],
    in_flight: Option<usize>,
    count: u64,
) -> Result<(), Error> {
    let request = MemoryRequest {
        device: device.to_owned(),
        policy: policy.to_owned(),
        overrides: changes.iter().map(|&change| change.to_owned()).collect(),
        input: MemoryInput::Pattern {
            name: "random".to_owned(),
            count,
            spacing: 0,
            reads: None,
            narrow: 0.0,
            seed: 1,
        },
        in_flight,
        requests: None,
        commands: None,
        tick_every_clock: false,
    };
    // A run that would never end is stopped here, which is a different error.
    let mut looks = 0;
    run_memory(&request, &mut |_| {
        looks += 1;
        if looks > 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .map(drop)
}

#[test]
fn a_row_that_opens_for_longer_than_refreshes_leave_is_refused_with_both_names() {
    for (device, change) in [
        ("ddr4_2400", "timing.tRCD=10000"),
        ("ddr4_2400", "timing.tREFI=400"),
        ("lpddr5_6400", "timing.tRFCpb=1000000"),
    ] {
        let error = run(device, "frfcfs_open", &[change]).unwrap_err();
        let Error::Config { problems } = &error else { panic!("{change}: {error}") };
        let message = &problems[0].message;
        assert!(message.contains("tRCD") && message.contains("tREFI"), "{change}: {message}");
        assert!(problems[0].key.starts_with("timing.tRCD"), "{change}: {}", problems[0].key);
    }
}

#[test]
fn a_run_without_progress_says_so() {
    // The activate and the data fit between two refreshes, but another required time does not.
    for change in ["timing.tRP=9000", "timing.tRAS=20000", "timing.tRRD_S=30000", "timing.tRRD_L=30000"] {
        match run("ddr4_2400", "frfcfs_open", &[change]) {
            Ok(()) | Err(Error::Config { .. }) => {}
            Err(Error::Run(message)) => assert!(message.contains("no request was served"), "{message}"),
            Err(other) => panic!("{change}: {other}"),
        }
    }
}

#[test]
fn a_limit_of_requests_below_what_starts_a_drain_of_writes_says_so() {
    // Without refreshes no event is left; with refreshes, they continue forever.
    for refresh in ["policy.refresh=false", "policy.refresh=true"] {
        // A drain starts when more than `write_idle` writes wait, or at `write_high`, whichever is first.
        for (idle, drains) in [("policy.write_idle=8", 9), ("policy.write_idle=1000", 32)] {
            let limited = |limit| run_limited("ddr4_2400", "split_open", &[refresh, idle], Some(limit), 2000);
            match limited(drains - 1) {
                Err(Error::Run(message)) => {
                    assert!(message.contains(&format!("--in-flight of at least {drains},")), "{message}");
                }
                other => panic!("{refresh} {idle}: {other:?}"),
            }
            limited(drains).unwrap_or_else(|error| panic!("{refresh} {idle}: {error}"));
        }
    }
}

/// Commands draw at least the standby current. A row of ddr4_2400 is open for 39 of 56 clocks, at 43 mA instead of
/// 34 mA: standby draws (43 x 39 + 34 x 17) / 56 = 40.27 mA.
#[test]
fn currents_below_standby_are_refused_with_their_condition() {
    for (changes, key, condition) in [
        (&["energy.IDD4R=42.9"][..], "energy.IDD4R", "expected IDD4R >= IDD3N, here 43 mA"),
        (&["energy.IDD4W=1"], "energy.IDD4W", "expected IDD4W >= IDD3N, here 43 mA"),
        (&["energy.IDD3N=130"], "energy.IDD4W", "expected IDD4W >= IDD3N, here 130 mA"),
        (&["energy.IDD5=33"], "energy.IDD5", "expected IDD5 >= IDD2N, here 34 mA"),
        (&["energy.IDD2N=251"], "energy.IDD5", "expected IDD5 >= IDD2N, here 251 mA"),
        (&["energy.IDD0=40.26"], "energy.IDD0", "/ tRC, here 40.27 mA"),
        (&["energy.IDD2N=100"], "energy.IDD0", "/ tRC, here 60.30 mA"),
    ] {
        let error = run("ddr4_2400", "frfcfs_open", changes).unwrap_err();
        let Error::Config { problems } = &error else { panic!("{changes:?}: {error}") };
        assert!(problems[0].key.starts_with(key), "{changes:?}: {}", problems[0].key);
        assert!(problems[0].message.contains(condition), "{changes:?}: {}", problems[0].message);
    }
}

#[test]
fn currents_that_equal_standby_are_accepted() {
    for changes in [
        &["energy.IDD4R=43", "energy.IDD4W=43", "energy.IDD5=34", "energy.IDD0=40.27"][..],
        &["energy.IDD0=43", "energy.IDD2N=43", "timing.tRC=0"],
        &["energy.IDD0=0.1", "energy.IDD2N=0.1", "energy.IDD3N=0.1"],
    ] {
        run("ddr4_2400", "frfcfs_open", changes).unwrap_or_else(|error| panic!("{changes:?}: {error}"));
    }
}
