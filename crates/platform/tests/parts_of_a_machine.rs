//! Files of links, DRAM parts and policies: is everything that is wrong with them told at once, and are values taken in every
//! notation?

use linecard_platform::{Error, InputError, PacketInput};
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
            "3: flows.seed: missing: expected a number from 0 to 1000000000000000 (equal seeds give equal traffic)",
            "12: flows.rate: found `3 MHz`, a frequency (Hz, kHz, MHz, GHz), where the key wants a rate in packets \
             (packets/s, kpps, Mpps, Gpps); expected a number from 1 to 100000000",
            "14: flows.tcp: found `850`; expected a number from 0 to 100",
            "15: flows.hosts: unit is `flows`; expected `hosts`",
            "16: flows.sed: no such key; did you mean `seed`?",
            "17: sizes.percent: missing: expected a list of numbers (share of the packets that have each of these sizes)",
        ]
    );
}
