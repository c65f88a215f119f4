//! Messages about a wrong chip file: every mistake with its line, its key and the nearest name, and none that only
//! follows from another mistake.

use linecard_chips::check_chip;
use linecard_files::Error;
use std::path::Path;

/// A chip of two clusters, the second of which takes packets from a ring.
const CHIP: &str = r#"kind = "chip"
title = "two stages"
source = "a test"
[clock]
core_mhz = 1000
[cluster.first]
engines = 2
threads = 8
takes = "wire"
program = "first.toml"
[cluster.second]
engines = 2
threads = 8
takes = "work"
[memory.scratch]
latency_cycles = 20
access_cycles = 1
capacity_bytes = "128 KiB"
[memory.packets]
kind = "dram"
part = "ddr4_3200"
controller = "frfcfs"
pool_bytes = "16 MiB"
[link.bus]
rate_gbps = 1000
latency_cycles = 6
[[route]]
from = "first"
to = ["scratch", "packets"]
links = "bus"
[[route]]
from = "second"
to = ["scratch", "packets"]
links = "bus"
[buffer.rx]
bytes = "1 MiB"
[inbox.wire]
[ring.work]
memory = "scratch"
entries = 1024
[port.eth]
rate_gbps = 100
inbox = "wire"
receive_to = "packets"
send_from = "packets"
[[program.step]]
op = "read"
at = "scratch"
cycles = 50
[traffic]
kind = "imix"
rate_gbps = 1
"#;

/// The program of its first cluster.
const FIRST: &str = r#"kind = "program"
title = "hands packets over"
source = "a test"
[[step]]
op = "put"
to = "work"
cycles = 20
"#;

/// Returns the number of the line of `CHIP` with this start.
fn line(start: &str) -> usize {
    1 + CHIP.lines().position(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no line {start}"))
}

/// Returns the problems of the chip with parts of its text replaced, without the name of its file.
fn problems(changes: &[(&str, &str)], set: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("first.toml");
    std::fs::write(&program, FIRST).unwrap();
    problems_in(folder.path(), &program, changes, set)
}

fn problems_in(folder: &Path, program: &Path, changes: &[(&str, &str)], set: &[&str]) -> Vec<String> {
    let chip = folder.join("chip.toml");
    let mut text = CHIP.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    text = text.replace("first.toml", program.to_str().unwrap());
    std::fs::write(&chip, text).unwrap();
    let set: Vec<String> = set.iter().map(|&change| change.to_owned()).collect();
    match check_chip(chip.to_str().unwrap(), &set) {
        Ok(_) => Vec::new(),
        Err(Error::Config { problems }) => problems
            .iter()
            .map(|problem| problem.to_string().replace(chip.to_str().unwrap(), "chip"))
            .collect(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_part_or_a_controller_that_is_not_there_is_told_at_its_memory() {
    let found = problems(&[("ddr4_3200", "ddr4_3300"), ("\"frfcfs\"", "\"frfcs\"")], &[]);
    assert_eq!(found.len(), 2, "{found:?}");
    let (part, controller) = (line("part ="), line("controller ="));
    let said = format!(
        "chip:{part}: memory.packets.part: no preset is called `dram/ddr4_3300`; did you mean `ddr4_3200`?"
    );
    assert!(found[0].starts_with(&said), "{found:?}");
    let said = format!(
        "chip:{controller}: memory.packets.controller: no preset is called `policies/frfcs`; did you mean `frfcfs`?"
    );
    assert!(found[1].starts_with(&said), "{found:?}");
    // A missing part is one problem; it does not also count as a part without a name.
    let found = problems(&[("part = \"ddr4_3200\"\n", "")], &[]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn what_follows_from_a_wrong_clock_or_a_wrong_step_is_not_told() {
    let clock = ("core_mhz = 1000", "core_mhz = \"1.5 parsec\"");
    let found = problems(&[clock], &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(": clock.core_mhz: found `1.5 parsec`"), "{found:?}");
    // The keys of a step depend on its operation.
    let found = problems(&[("op = \"read\"", "op = \"raed\"")], &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("program.step[0].op: found `raed`; did you mean `read`?"), "{found:?}");
    // The same holds for a list that is written as a table.
    let found = problems(&[("[[program.step]]", "[program.step]")], &[]);
    assert_eq!(found.iter().filter(|said| said.contains("program.step")).count(), 1, "{found:?}");
    // Keys that can be checked are still checked.
    let found = problems(&[("op = \"read\"", "op = \"raed\"\nshare = 2")], &[]);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_program_that_is_not_there_is_one_problem_which_says_where_it_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let found = problems_in(folder.path(), Path::new("no_such_program.toml"), &[], &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    let said = format!("chip:{}: cluster.first.program: cannot read the preset file", line("program ="));
    assert!(only.starts_with(&said) && only.ends_with("a path is relative to the current folder"), "{only}");
    // The other cluster is checked nevertheless.
    let without =
        ("from = \"second\"\nto = [\"scratch\", \"packets\"]", "from = \"second\"\nto = \"packets\"");
    let found = problems_in(folder.path(), Path::new("no_such_program.toml"), &[without], &[]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found.iter().any(|said| said
            .contains("the program of `second` uses `scratch`, but no [[route]] leads to `scratch`")),
        "{found:?}"
    );
}

#[test]
fn a_file_that_is_no_toml_is_one_problem() {
    let found = problems(&[("[clock]\n", "[clock\n")], &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(only.starts_with(&format!("chip:{}: not TOML: ", line("[clock]"))), "{only}");
    // The error of a missing base states where it was searched.
    let found = problems(&[("title =", "extends = \"no_such_base.toml\"\ntitle =")], &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        only.contains("relative to the current folder, and there is no `")
            && only.contains("/no_such_base.toml`"),
        "{only}"
    );
}

#[test]
fn keys_for_packets_are_told_by_where_packets_are_kept() {
    // The port names a memory that does not exist: this is the only error.
    let wrong = [("receive_to = \"packets\"", "receive_to = \"packet\""), ("send_from = \"packets\"\n", "")];
    let found = problems(&wrong, &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        only.starts_with(&format!("chip:{}: ", line("receive_to"))) && only.contains("`packets`"),
        "{only}"
    );
    let here = format!("chip:{}: memory.packets.pool_bytes: has no effect: ", line("pool_bytes"));
    // No port names a memory.
    let none = [("receive_to = \"packets\"\n", ""), ("send_from = \"packets\"\n", "")];
    let found = problems(&none, &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        only.starts_with(&here) && only.contains("no port writes packets to a memory (receive_to)"),
        "{only}"
    );
    // Another memory keeps the packets.
    let other = [("receive_to = \"packets\"", "receive_to = \"scratch\""), ("send_from = \"packets\"\n", "")];
    let found = problems(&other, &["scratch.capacity_bytes=16777216", "scratch.pool_bytes=1048576"]);
    assert_eq!(found, [format!("{here}packets are kept in `scratch`")], "{found:?}");
}

#[test]
fn whose_memory_it_is_and_who_takes_from_a_ring_are_told_at_their_lines() {
    let per = ("[memory.scratch]\n", "[memory.scratch]\nper = \"secnod\"\n");
    let found = problems(&[per], &[]);
    let said = format!(
        "chip:{}: memory.scratch.per: no cluster is called `secnod`; did you mean `second`?",
        line("[memory.scratch]") + 1
    );
    assert!(found.contains(&said), "{found:?}");
    let found = problems(&[("takes = \"work\"", "takes = \"wire\"")], &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        only.starts_with(&format!(
            "chip:{}: ring.work: no cluster takes packets from `work`",
            line("[ring.work]")
        )),
        "{only}"
    );
    // A misspelt name of this inbox is one error.
    let found = problems(&[("takes = \"work\"", "takes = \"wrok\"")], &[]);
    let said = format!(
        "chip:{}: cluster.second.takes: no inbox or ring is called `wrok`; did you mean `work`?",
        line("takes = \"work\"")
    );
    assert_eq!(found, [said]);
}

#[test]
fn a_chip_without_receiving_ports_has_one_problem_and_no_limit_of_its_rate() {
    let sends_only = ("[port.eth]\n", "[port.eth]\ndirection = \"out\"\n");
    let found = problems(&[sends_only, ("receive_to = \"packets\"\n", "")], &[]);
    let told = |what: &str| found.iter().any(|problem| problem.contains(what));
    assert!(told("no port receives packets") && !told("on the wire"), "{found:?}");
}

#[test]
fn more_threads_than_a_number_holds_are_one_problem() {
    let found = problems(&[], &["cluster.first.engines=65536", "cluster.first.threads=65536"]);
    assert!(found.iter().any(|problem| problem.contains("expected at most")), "{found:?}");
}

#[test]
fn rings_take_room_in_their_memory() {
    // The ring's 1,024 entries of 8 bytes do not fit beside the 64 KiB that the program reads.
    let found = problems(&[("128 KiB", "64 KiB")], &[]);
    let said = format!(
        "chip:{}: memory.scratch: the capacity is 65536 bytes, but 73728 bytes of data are bound to this memory \
         (scratch 65536, ring work 8192)",
        line("[memory.scratch]")
    );
    assert!(found.len() == 1 && found[0].starts_with(&said), "{found:?}");
    assert_eq!(problems(&[], &["scratch.capacity_bytes=73728"]), [""; 0]);
    assert_eq!(problems(&[], &["ring.work.entry_bytes=4096", "ring.work.memory=packets"]), [""; 0]);
}

#[test]
fn bursts_without_a_peak_are_one_problem_and_whole_numbers_may_have_an_exponent() {
    let found = problems(&[], &["traffic.arrivals=on_off"]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(only.contains("traffic.peak_gbps: missing: expected a number"), "{only}");
    let found = problems(&[], &["traffic.arrivals=on_off", "traffic.peak_gbps=0.5"]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(only.contains("0.5 Gbit/s is not above the mean rate of 1 Gbit/s"), "{only}");
    assert_eq!(problems(&[], &["traffic.flows=1e4", "ring.work.entries=2.0"]), [""; 0]);
    let found = problems(&[], &["traffic.flows=1.5"]);
    assert!(found.len() == 1 && found[0].contains("expected a whole number"), "{found:?}");
}

#[test]
fn a_key_for_another_choice_may_stay_in_a_file_and_is_no_change() {
    let idle = [
        ("rate_gbps = 100\n", "rate_gbps = 100\nquantum_bytes = 3000\n"),
        ("kind = \"imix\"", "kind = \"imix\"\nburst_packets = 4"),
    ];
    assert_eq!(problems(&idle, &[]), [""; 0]);
    for change in ["eth.quantum_bytes=3000", "traffic.burst_packets=4"] {
        let found = problems(&[], &[change]);
        assert!(found.len() == 1 && found[0].contains("has no effect here"), "{found:?}");
    }
}

#[test]
fn words_without_time_are_legal_and_leave_their_size_without_effect() {
    let timed = ("access_cycles = 1\n", "access_cycles = 1\nword_cycles = 1\nword_bytes = 8\n");
    assert_eq!(problems(&[timed], &[]), [""; 0]);
    assert_eq!(problems(&[timed], &["scratch.word_cycles=0"]), [""; 0]);
    // The points of a sweep over both keys are legal, too.
    assert_eq!(problems(&[timed], &["scratch.word_cycles=0", "scratch.word_bytes=4"]), [""; 0]);
    let untimed = ("access_cycles = 1\n", "access_cycles = 1\nword_cycles = 0\nword_bytes = 8\n");
    assert_eq!(problems(&[untimed], &[]), [""; 0]);
    let found = problems(&[untimed], &["scratch.word_bytes=4"]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(only.contains("memory.scratch.word_bytes: has no effect here: words take no"), "{only}");
}

#[test]
fn a_key_without_effect_is_told_what_gives_it_one() {
    let takes = "takes = \"wire\"\n";
    let with = |key: &str| problems(&[(takes, &format!("{takes}{key}\n"))], &[]);
    let said = |found: &[String], place: &str, what: &str| {
        let [only] = found else { panic!("{found:?}") };
        assert!(only.contains(place) && only.contains(what), "{only}");
    };
    said(&with("fill = \"thread_by_thread\""), "cluster.first.fill: has no effect", "set threads_in_use");
    assert_eq!(with("fill = \"thread_by_thread\"\nthreads_in_use = 16"), [""; 0]);
    said(&with("branch_share = 0.1"), "branch_share: has no effect", "set branch_lost_cycles above 0");
    said(&with("branch_lost_cycles = 2"), "branch_lost_cycles: has no effect", "set branch_share above 0");
    let port = ("send_from = \"packets\"\n", "send_cells = 64\n");
    said(&problems(&[port], &[]), "port.eth.send_cells: has no effect", "set send_from");
    let step = "[[program.step]]\nop = \"send\"\n[[program.step]]\ncycles = 3\n[traffic]\n";
    let found = problems(&[("[traffic]\n", step)], &[]);
    said(&found, "program.step[2].op: no packet reaches this step", "put this step before");
    // The step that ends the packet may be left out.
    assert_eq!(problems(&[("[traffic]\n", &step.replacen("op", "part = \"out\"\nop", 1))], &[]), [""; 0]);
    let some = step.replacen("op", "share = 0.5\nop", 1);
    assert_eq!(problems(&[("[traffic]\n", &some)], &["program.step[1].share=1"]), [""; 0]);
    // Points of a sweep that takes the effect away are no mistakes.
    let lost = "first.branch_lost_cycles";
    assert_eq!(problems(&[], &["first.branch_share=0.1", &format!("{lost}=0")]), [""; 0]);
    assert_eq!(problems(&[], &["first.branch_share=0", &format!("{lost}=2")]), [""; 0]);
}

#[test]
fn a_key_for_another_choice_is_told_that_choice_if_it_is_set() {
    let order = ("[traffic]\n", "[order]\nkept = \"none\"\nwindow_packets = 9\n[traffic]\n");
    let turn = (
        "[memory.scratch]\n",
        "[memory.scratch]\nkind = \"banked\"\nbanks = 2\nby = \"turn\"\ninterleave_bytes = 64\n",
    );
    for (changes, key, choice, what) in [
        (&[order][..], "order.window_packets=4", "order.kept=none", "set order.kept to flow or port"),
        (&[turn], "memory.scratch.interleave_bytes=32", "memory.scratch.by=turn", "set by = \"address\""),
        (&[], "port.eth.quantum_bytes=3000", "port.eth.scheduler=strict", "set scheduler = \"deficit\""),
    ] {
        assert_eq!(problems(changes, &[]), [""; 0]);
        let found = problems(changes, &[key]);
        let [only] = found.as_slice() else { panic!("{found:?}") };
        let name = key.split('=').next().unwrap_or_default();
        assert!(only.contains(&format!("{name}: has no effect here: ")) && only.ends_with(what), "{only}");
        // A sweep over the choice may set the key for all of its points.
        assert_eq!(problems(changes, &[key, choice]), [""; 0]);
    }
}

#[test]
fn a_buffer_whose_packets_ports_write_releases_no_cells() {
    let found = problems(&[("[buffer.rx]\n", "[buffer.rx]\nrelease = \"cell\"\n")], &[]);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    let said = format!(
        "chip:{}: buffer.rx.release: found `cell`, but ports write packets to a memory (receive_to)",
        line("[buffer.rx]") + 1
    );
    assert!(only.starts_with(&said) && only.ends_with("expected packet"), "{only}");
}

#[test]
fn what_nothing_uses_is_told_and_no_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let (chip, program) = (folder.path().join("chip.toml"), folder.path().join("first.toml"));
    std::fs::write(&program, FIRST).unwrap();
    let more = "[memory.idle]\nlatency_ns = 3\n[memory.front]\nkind = \"cached\"\nbehind = \"idle\"\ncache_bytes = 1024\nline_bytes = 64\nways = 2\nlatency_ns = 1\n[unit.nobody]\nlatency_ns = 4\n";
    let text = CHIP
        .replace("first.toml", program.to_str().unwrap())
        .replace("[link.bus]", &format!("{more}[link.bus]"));
    std::fs::write(&chip, &text).unwrap();
    let check = |change: &str| check_chip(chip.to_str().unwrap(), &[change.to_owned()]).unwrap().unused;
    assert_eq!(check("wire.rule=free_list"), ["memory.idle", "memory.front", "unit.nobody"]);
    // A memory behind a used cache is used, too.
    let reached =
        text.replace("to = [\"scratch\", \"packets\"]", "to = [\"scratch\", \"packets\", \"front\"]");
    std::fs::write(&chip, reached).unwrap();
    assert_eq!(check("bind.scratch=front"), ["memory.scratch", "unit.nobody"]);
}

#[test]
fn a_mix_does_not_have_the_name_of_a_kind_of_traffic() {
    // The kind came first, and the mix had no effect.
    let found = problems(&[("[traffic]\n", "[mix]\nimix = \"64:1,128:1\"\n[traffic]\n")], &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found.iter().any(|said| said.contains("mix.imix: is the name of a kind of traffic")),
        "{found:?}"
    );
}
