//! Are the settings of queue managers those of their file, with changes and in files of a user's own, and are all
//! their problems reported?

use insta::assert_snapshot;
use linecard_files::{ConfigProblem, Error};
use linecard_queueing::{Entry, Locking, Settings, Token};
use linecard_queues::{describe, queue_settings};
use std::io::Write;

#[path = "../../queueing/tests/kit/mod.rs"]
mod kit;

fn with(machine: &str, changes: &[&str]) -> Result<Settings, Error> {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    queue_settings(machine, &changes).map(|(settings, _)| settings)
}

fn problems(machine: &str, changes: &[&str]) -> Vec<ConfigProblem> {
    match with(machine, changes) {
        Err(Error::Config { problems }) => problems,
        other => panic!("{changes:?}: {other:?}"),
    }
}

fn file(text: &str) -> tempfile::TempPath {
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.into_temp_path()
}

#[test]
fn the_shipped_machine_is_that_of_table_1() {
    assert_eq!(with("kumar2006", &["locking=end", "entry=pointer"]).unwrap(), kit::table_1());
    // The document leaves these two settings open.
    let read = Settings { locking: Locking::Queue, entry: Entry::Descriptor, ..kit::table_1() };
    assert_eq!(with("kumar2006", &[]).unwrap(), read);
}

#[test]
fn every_setting_reads_what_it_shows() {
    let (settings, described) = queue_settings("kumar2006", &[]).unwrap();
    let changes: Vec<String> = described.iter().map(|each| format!("{}={}", each.key, each.value)).collect();
    assert_eq!(queue_settings("kumar2006", &changes).unwrap().0, settings);
    assert!(described.iter().all(|each| !each.source.is_empty() && !each.allowed.is_empty()));
}

#[test]
fn every_wrong_change_is_said() {
    let wrong = ["threads=0", "engine=4", "memory_ns=-1", "write=around", "queues=65537", "burst"];
    let texts: Vec<_> = problems("kumar2006", &wrong).iter().map(ToString::to_string).collect();
    assert_snapshot!(texts.join("\n"));
}

#[test]
fn values_that_do_not_go_together_stand_at_their_key() {
    for (changes, key) in [
        (["words=100", "ways=3"], "words"),
        (["line_words=3", "words=126"], "line_words"),
        (["levels=2", "threads=4"], "levels"),
        (["queues=65536", "levels=3"], "queues"),
    ] {
        let found = problems("kumar2006", &changes);
        assert_eq!(found.iter().map(|each| each.key.as_str()).collect::<Vec<_>>(), [key]);
        assert_eq!(found[0].place, "--set (number 1)");
    }
    // A value that is wrong by itself is reported alone, without contradictions.
    assert_eq!(problems("kumar2006", &["ways=0", "words=100"]).len(), 1);
}

#[test]
fn a_file_of_its_own_says_what_differs() {
    let mine = file(
        "title = \"Mine\"\nextends = [\"queueing/kumar2006\"]\nsource = \"measured\"\nmemory_ns = \"0.06 us\"\n\
         token = \"idle\"\nbacklog = \"64 packets\"\n",
    );
    let path = mine.to_str().unwrap();
    let read = with("kumar2006", &[]).unwrap();
    let expected = Settings { memory_ps: 60_000, token: Token::Idle, backlog: 64, threads: 4, ..read };
    assert_eq!(with(path, &["threads=4"]).unwrap(), expected);
    let found = describe(path, &["threads=4".to_owned()]).unwrap().unwrap();
    let source = |key: &str| &found.parameters.iter().find(|each| each.key == key).unwrap().source;
    assert_eq!(source("memory_ns"), "measured");
    assert_eq!(source("threads"), "given with --set");
    assert_eq!(source("cam_ns"), "Kumar 2006 Table 1");
    assert_eq!(found.extends, ["queueing/kumar2006"]);
}

#[test]
fn what_is_wrong_with_a_file_stands_at_its_line() {
    let mine = file(
        "title = \"Mine\"\nextends = [\"queueing/kumar2006\"]\nthreads = { value = 0, source = \"x\" }\nengine = 3\n\
         memory_ns = { value = \"3 MHz\", source = \"x\" }\n",
    );
    let path = mine.to_str().unwrap();
    let found: Vec<_> = problems(path, &[]).iter().map(ToString::to_string).collect();
    assert_snapshot!(found.join("\n").replace(path, "mine.toml"));
}

#[test]
fn files_of_other_kinds_are_refused() {
    for (machine, said) in [
        ("dram/ddr4_2400", "found none; expected `queueing`"),
        ("platforms/ixp1200", "found chip; expected `queueing`"),
        ("kumar2005", "did you mean `kumar2006`?"),
        ("ddr4_2400", "no preset is called `queueing/ddr4_2400`"),
    ] {
        let found = problems(machine, &[]);
        assert!(found.len() == 1 && found[0].message.contains(said), "{found:?}");
    }
}
