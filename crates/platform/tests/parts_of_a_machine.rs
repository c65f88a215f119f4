//! Files of links, DRAM parts and policies: are all their problems reported at once, and are values accepted in every
//! notation?

use insta::assert_snapshot;
use linecard_platform::{Error, InputError, PacketInput, describe};
use std::path::PathBuf;

/// Files of one test, which are removed when the value is dropped.
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

/// Returns `line: key: message` of every problem.
fn told(error: Error, file: &str) -> String {
    let Error::Config { problems } = error else { panic!("{error}") };
    let lines = problems.iter().map(|problem| problem.to_string().replace(&format!("{file}:"), ""));
    lines.collect::<Vec<_>>().join("\n")
}

const LINK: &str = "title = 'mine'\nsource = 'measured'\n[flows]\npackets = 20000\nsingle_flows = '45 %'\n\
    packets_in_single_flows = 3\nlarge_flows = 0.4\npackets_in_large_flows = 45\nlargest_flow_packets = 15000\n\
    concurrent_flows = 400\ntime_out = '1000 ms'\nrate = '3 kpps'\nskip = 25\ntcp = 85\nhosts = 1500\nseed = 11\n\
    [sizes]\nsource = 'counted'\nbytes = [40, 1500]\npercent = [60, 40]\n";

fn link(text: &str) -> Result<u64, String> {
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
    assert_snapshot!(link(&wrong).unwrap_err());
}

/// Returns the rows of a file as `key=value unit`, or its problems.
fn described(text: &str, overrides: &[&str]) -> Result<Vec<String>, String> {
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
    assert_snapshot!(
        described(&wrong, &["policy.refresh=0", "policy.transaction_queue=0", "timing.tRCD=4"]).unwrap_err()
    );
    assert_snapshot!(described(&POLICY.replace("packet_buffer", "packet_bufer"), &[]).unwrap_err());
}

#[test]
fn marks_of_a_queue_of_writes_may_stay_in_a_file_without_one_but_are_not_set() {
    let text = "title = 'mine'\nextends = 'policies/split_watermark'\n[policy]\nsource = 'a choice'\nwrites = 'unified'";
    assert!(described(text, &[]).unwrap().iter().any(|row| row.starts_with("policy.write_high=")));
    assert_snapshot!(described(text, &["policy.write_high=3"]).unwrap_err());
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
    assert_snapshot!(described(&wrong, &["foo.x=1"]).unwrap_err());
}

#[test]
fn times_of_refreshes_that_there_are_none_of_may_stay_in_a_file_but_are_not_set() {
    let text = "title = 'mine'\nextends = 'dram/ddr4_2400'\n[refresh]\nsource = 'a choice'\nmode = 'none'";
    assert!(described(text, &[]).unwrap().iter().any(|row| row.starts_with("timing.tRFC=")));
    assert_snapshot!(described(text, &["timing.tREFI=1"]).unwrap_err());
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
