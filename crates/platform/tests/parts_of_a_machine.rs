//! Files of links, DRAM parts and policies: is everything that is wrong with them told at once, and are values taken in every
//! notation?

use linecard_platform::{Error, InputError, PacketInput, describe};
use std::path::PathBuf;

/// Files of one test, removed with the value.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// `line: key: message` of every problem.
fn told(error: Error, file: &str) -> Vec<String> {
    let Error::Config { problems } = error else { panic!("{error}") };
    problems.iter().map(|problem| problem.to_string().replace(&format!("{file}:"), "")).collect()
}

const LINK: &str = "title = 'mine'\nsource = 'measured'\n[flows]\npackets = 20000\nsingle_flows = '45 %'\n\
    packets_in_single_flows = 3\nlarge_flows = 0.4\npackets_in_large_flows = 45\nlargest_flow_packets = 15000\n\
    concurrent_flows = 400\ntime_out = '1000 ms'\nrate = '3 kpps'\nskip = 25\ntcp = 85\nhosts = 1500\nseed = 11\n\
    [sizes]\nsource = 'counted'\nbytes = [40, 1500]\npercent = [60, 40]\n";

fn link(text: &str) -> Result<u64, Vec<String>> {
    let folder = Folder::new();
    let file = folder.write("link.toml", text);
    match PacketInput::open(&file, 1, false) {
        Ok(_) => Ok(1),
        Err(InputError::Link(error)) => Err(told(error, &file)),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_link_has_one_source_for_its_values_and_units_in_text() {
    assert_eq!(link(LINK), Ok(1));
}

#[test]
fn all_that_is_wrong_with_a_link_is_told_at_once() {
    let wrong = LINK
        .replace("tcp = 85", "tcp = 850")
        .replace("seed = 11", "sed = 11")
        .replace("rate = '3 kpps'", "rate = '3 MHz'")
        .replace("hosts = 1500", "hosts = { value = 1500, unit = 'flows' }")
        .replace("percent = [60, 40]", "");
    assert_eq!(
        link(&wrong).unwrap_err(),
        [
            "3: flows.seed: missing: expected a number from 0 to 1000000000000000 (seed; the same seed generates identical traffic)",
            "12: flows.rate: found `3 MHz`, a frequency (Hz, kHz, MHz, GHz), but the key requires a rate in packets \
             (packets/s, kpps, Mpps, Gpps); expected a number from 1 to 100000000",
            "14: flows.tcp: found `850`; expected a number from 0 to 100",
            "15: flows.hosts: unit is `flows`; expected `hosts`",
            "16: flows.sed: no such key; did you mean `seed`?",
            "17: sizes.percent: missing: expected a list of numbers (share of the packets with each of these sizes)",
        ]
    );
}

/// Rows of a file as `key=value unit`, or what is wrong with it.
fn described(text: &str, overrides: &[&str]) -> Result<Vec<String>, Vec<String>> {
    let folder = Folder::new();
    let file = folder.write("mine.toml", text);
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let rows = describe(&file, &overrides).map_err(|error| told(error, &file))?.parameters;
    Ok(rows.iter().map(|row| format!("{}={} {} ({})", row.key, row.value, row.unit, row.source)).collect())
}

const POLICY: &str = "title = 'mine'\n[policy]\nsource = 'a choice'\ncontroller = 'packet_buffer'\nrefresh = false\n\
    transaction_queue = '64 requests'\nqueues = 'odd_even'\nprecharge = 'lazy'\nbatch_k = 4\n\
    batch_break = { value = 'any_miss', source = 'Hasan 2003' }\nprefetch = true\nideal = false\n";

#[test]
fn a_policy_has_one_source_for_its_values_and_units_in_text() {
    let rows = described(POLICY, &["policy.batch_k=8 requests"]).unwrap();
    assert!(rows.contains(&"policy.transaction_queue=64 requests (a choice)".to_owned()), "{rows:?}");
    assert!(rows.contains(&"policy.batch_break=any_miss  (Hasan 2003)".to_owned()), "{rows:?}");
    assert!(rows.contains(&"policy.batch_k=8 requests (given with --set)".to_owned()), "{rows:?}");
    assert!(rows.is_sorted());
}

#[test]
fn all_that_is_wrong_with_a_policy_is_told_at_once() {
    let wrong = POLICY
        .replace("batch_k = 4", "batch_k = '4 clocks'")
        .replace("ideal = false", "idael = false")
        .replace("'lazy'", "'lzay'")
        .replace("prefetch = true", "prefetch = 1\nscheduler = 'fcfs'");
    assert_eq!(
        described(&wrong, &["policy.refresh=0", "policy.transaction_queue=0", "timing.tRCD=4"]).unwrap_err(),
        [
            "2: policy.ideal: missing: expected true or false (every access takes the time of a row hit)",
            "8: policy.precharge: found `lzay`; did you mean `lazy`? expected one of eager, lazy",
            "9: policy.batch_k: found `4 clocks` with the unknown unit `clocks`, but the key requires `requests`; expected a \
             whole number from 0 to 1024",
            "11: policy.prefetch: found `1`; expected true or false",
            "12: policy.scheduler: has no effect: policy.controller is packet_buffer",
            "13: policy.idael: no such key; did you mean `ideal`?",
            "--set (number 1): policy.refresh: found `0`; expected true or false",
            "--set (number 2): policy.transaction_queue: found `0`; expected a whole number from 1 to 1024",
            "--set (number 3): timing.tRCD: no such key",
        ]
    );
    assert_eq!(
        described(&POLICY.replace("packet_buffer", "packet_bufer"), &[]).unwrap_err(),
        [
            "4: policy.controller: found `packet_bufer`; did you mean `packet_buffer`? expected one of queued, packet_buffer"
        ]
    );
}

#[test]
fn marks_of_a_queue_of_writes_may_stay_in_a_file_without_one_but_are_not_set() {
    let text = "title = 'mine'\nextends = 'policies/split_watermark'\n[policy]\nsource = 'a choice'\nwrites = 'unified'";
    assert!(described(text, &[]).unwrap().iter().any(|row| row.starts_with("policy.write_high=")));
    assert_eq!(
        described(text, &["policy.write_high=3"]).unwrap_err(),
        ["--set (number 1): policy.write_high: has no effect: policy.writes is unified"]
    );
}

const PART: &str = "title = 'mine'\nsource = 'a datasheet'\nextends = 'standards/sdram'\n[clock]\nperiod_ns = '5000 ps'\n\
    [organization]\nchannels = 1\nranks = 1\nbank_groups = 1\nbanks_per_group = '4 banks'\nrows = 4096\n\
    row_bytes = '4 KiB'\nbus_bytes = 8\nbeats_per_clock = 2\naccess_bytes = 64\n\
    [timing]\nRL = '2.5 clocks'\nWL = '1 clocks'\ntRCD = '18 ns'\ntRP = '0.018 us'\ntRAS = '42 ns'\ntRC = '60 ns'\n\
    tRRD = '12 ns'\ntCCD = '1 clocks'\ntWTR = '1 clocks'\ntRTP = '2 clocks'\ntWR = '15 ns'\ntRTRS = '1 clocks'\n\
    tRFC = '72 ns'\ntREFI = { value = 7.8, unit = 'us' }\n\
    [map]\norder = 'row bank column'\n[energy]\nsource = 'another datasheet'\nparts = 4\nVDD = '2.5 V'\nIDD0 = 100\n\
    IDD2N = 40\nIDD3N = 50\nIDD4R = 150\nIDD4W = 160\nIDD5 = '200 mA'\n";

#[test]
fn a_part_has_one_source_for_its_values_and_units_in_text() {
    let text =
        PART.replace("{ value = 7.8, unit = 'us' }", "'7.8 us'").replace("row bank", "row bankgroup bank");
    let rows =
        described(&text, &["timing.tRAS=45", "timing.tWR=3 clocks", "constraint[tRRD].cycles=tRRD + 3"])
            .unwrap();
    for row in [
        "clock.period_ns=5 ns (a datasheet)",
        "organization.row_bytes=4096 bytes (a datasheet)",
        "timing.RL=2.5 clocks (a datasheet)",
        "timing.tRP=18 ns (a datasheet)",
        "timing.tRAS=45 ns (given with --set)",
        "timing.tWR=3 clocks (given with --set)",
        "timing.tREFI=7800 ns (a datasheet)",
        "energy.IDD5=200 mA (another datasheet)",
        "constraint.tRCD=4 clocks (JESD79F (DDR SDRAM): active to read or write)",
        "constraint.tRRD=6 clocks (given with --set)",
    ] {
        assert!(rows.iter().any(|each| each == row), "{row} in {rows:#?}");
    }
}

#[test]
fn all_that_is_wrong_with_a_part_is_told_at_once() {
    let wrong = PART
        .replace("ranks = 1", "ranks = 9")
        .replace("rows = 4096", "rows = 4000")
        .replace("bus_bytes = 8", "bus_bytes = '8 ns'")
        .replace("'18 ns'", "'18 MHz'")
        .replace("tRRD =", "tRDR =")
        .replace("row bank column", "row bnak column")
        .replace("IDD0 = 100\n", "")
        + "[refresh]\nmode = 'al_bank'\n[[constraint]]\nname = 'mine'\nlevel = 'banks'\nbefore = ['ACT']\nafter = ['RDD']\n\
           cycles = 'tRCD +'\nwindw = 4\n";
    let times = "whole or half clocks (unit `clocks`) or a time (unit `ns`)";
    let powers = "a size (bytes, KB, KiB, MB, MiB, GB, GiB)";
    let expected = [
        "8: organization.ranks: found `9`; expected a whole number from 1 to 8".to_owned(),
        "11: organization.rows: 4000 is not a power of two".to_owned(),
        format!(
            "13: organization.bus_bytes: found `8 ns`, a time (ps, ns, us, ms, s), but the key requires {powers}; expected a \
             whole number from 1 to 256"
        ),
        format!("16: timing.tRRD: missing: expected {times}: the standard's table, or the data bus, needs it"),
        format!("19: timing.tRCD: found `18 MHz`; expected {times}"),
        "23: timing.tRDR: no such key; did you mean `tRRD`?".to_owned(),
        format!("30: timing.tREFI: found `7.8` with unit `us`; expected {times}"),
        "32: map.order: no field is called `bnak`; did you mean `bank`? expected the fields channel, rank, bankgroup, bank, row \
         and column, in any order"
            .to_owned(),
        "33: energy.IDD0: missing: expected a number from 0 to 10000 (one bank activated and precharged every tRC)".to_owned(),
        "43: refresh.mode: found `al_bank`; did you mean `all_bank`? expected none, all_bank or per_bank".to_owned(),
        "46: constraint[18].level: found `banks`; did you mean `bank`? expected one of rank, group, bank, other_ranks".to_owned(),
        "48: constraint[18].after[0]: found `RDD`; did you mean `RD`? expected names out of ACT, PRE, RD, WR, REF, REFB"
            .to_owned(),
        "49: constraint[18].cycles: formula `tRCD +` ends early, expected a name or a number; expected a number of clocks, or a \
         formula over the names of times such as max(tRTP, 4)"
            .to_owned(),
        "50: constraint[18].windw: no such key; did you mean `window`?".to_owned(),
        "--set (number 1): foo.x: no such key".to_owned(),
    ];
    assert_eq!(described(&wrong, &["foo.x=1"]).unwrap_err(), expected);
}

#[test]
fn times_of_refreshes_that_there_are_none_of_may_stay_in_a_file_but_are_not_set() {
    let text = "title = 'mine'\nextends = 'dram/ddr4_2400'\n[refresh]\nsource = 'a choice'\nmode = 'none'";
    assert!(described(text, &[]).unwrap().iter().any(|row| row.starts_with("timing.tRFC=")));
    assert_eq!(
        described(text, &["timing.tREFI=1"]).unwrap_err(),
        ["--set (number 1): timing.tREFI: has no effect: refresh.mode is none"]
    );
}

#[test]
fn a_standard_is_described_and_is_no_part() {
    let standard = "title = 'mine'\nextends = 'standards/ddr3'\nsource = 'a standard'\n[[constraint]]\nname = 'tRCD'\n\
        level = 'bank'\nbefore = 'ACT'\nafter = ['RD', 'WR']\ncycles = 'max(tRCD, 3)'";
    let rows = described(standard, &[]).unwrap();
    assert!(rows.contains(&"constraint.tRCD=max(tRCD, 3)  (a standard)".to_owned()), "{rows:#?}");
    assert_eq!(rows.iter().filter(|row| row.starts_with("constraint.tRCD=")).count(), 1);
    let alike = format!(
        "{standard}\n[clock]\nsource = 'x'\nperiod_ns = 5\n[map]\nsource = 'x'\norder = 'row column'"
    );
    assert!(described(&alike, &[]).unwrap().contains(&"clock.period_ns=5 ns (x)".to_owned()));
}
