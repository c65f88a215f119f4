//! Programs as lists of steps: parts, extensions, threads that send block by block, and invalid combinations.

use insta::assert_snapshot;
use linecard_chips::{RunReport, RunRequest, describe, run};
use linecard_files::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A file of this process, which is removed when the value is dropped.
struct Program(PathBuf);

impl Program {
    fn new(name: &str, steps: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linecard-listed-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, format!("kind = 'program'\ntitle = 'P'\nsource = 'S'\n{steps}")).unwrap();
        Self(path)
    }

    fn run(&self, preset: &str, overrides: &[&str]) -> Result<RunReport, Error> {
        run_app(preset, self.0.to_str().unwrap(), overrides)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn run_app(preset: &str, app: &str, overrides: &[&str]) -> Result<RunReport, Error> {
    let request = RunRequest {
        chip: preset.to_owned(),
        program: Some(linecard_chips::Program::Listed(app.to_owned())),
        overrides: overrides.iter().map(|&text| text.to_owned()).collect(),
        seed: 1,
        packets: 200,
        warmup_packets: Some(20),
        ..RunRequest::default()
    };
    run(&request, &mut |_| ControlFlow::Continue(()))
}

/// One thread processes one packet after another, so that a packet takes the time of its steps.
const ALONE: [&str; 4] = ["traffic.arrivals=saturated", "input.engines=1", "input.threads=1", "in.count=1"];

/// Returns the engine cycles per packet of a program that runs alone.
fn cycles_each(program: &Program, overrides: &[&str]) -> f64 {
    let report = program.run("ixp1200_eval", &[&ALONE, overrides].concat()).unwrap();
    let found =
        report.metrics.iter().find(|m| m.component == "input" && m.metric == "engine_cycles_per_packet");
    found.unwrap().value
}

#[test]
fn a_packet_takes_its_cycles_and_its_accesses_one_after_another() {
    // Table 1 of Spalink 2000: 45 cycles for 32 bytes from the receive buffer to DRAM. The second instruction of a
    // move finds its row open, which saves one cycle of 88 MHz, 2.0 cycles of the engine.
    let of = |steps: &str| Program::new("cycles", steps);
    let one = cycles_each(&of("[[step]]\nop='transfer'\nat='fifo_to_dram'\nbytes=32"), &[]);
    let two = cycles_each(&of("[[step]]\nop='transfer'\nat='fifo_to_dram'\nbytes=64"), &[]);
    let opening = 177.0 / 88.0;
    assert!((one - 45.0).abs() < 0.3, "{one}");
    assert!((two - (2.0 * one - opening)).abs() < 0.3, "{two}");
    // Instructions take the same time anywhere among the accesses.
    let spread = "[[step]]\nop='spread'\ncycles=100\naccesses=[{op='transfer', at='fifo_to_dram', bytes=64}]";
    let before = "[[step]]\nop='transfer'\ncycles=100\nat='fifo_to_dram'\nbytes=64";
    let [spread, before] = [spread, before].map(|steps| cycles_each(&of(steps), &["input.branch_share=0"]));
    assert!((spread - before).abs() < 1.5 && (before - two - 100.0).abs() < 1.0, "{spread} {before}");
}

#[test]
fn a_step_is_addressed_by_its_name_and_by_its_number() {
    let program = Program::new("named", "[[step]]\nname='work'\ncycles=10\n[[step]]\ncycles=20");
    let still = ["input.branch_share=0"];
    let plain = cycles_each(&program, &still);
    let of = |set: &str| cycles_each(&program, &[still[0], set]);
    assert_eq!(of("program.step[work].cycles=15"), plain + 5.0);
    assert_eq!(of("program.step[1].cycles=15"), plain - 5.0);
}

#[test]
fn parts_are_left_out_and_what_leaves_nothing_out_is_refused() {
    let steps = "[[step]]\npart='a'\ncycles=10\n[[step]]\npart=['a','b']\ncycles=20\n[[step]]\ncycles=40";
    let program = Program::new("parts", steps);
    let still = ["input.branch_share=0"];
    let plain = cycles_each(&program, &still);
    let without = |set: &str| plain - cycles_each(&program, &[still[0], set]);
    assert_eq!(without("program.without=b"), 20.0);
    assert_eq!(without("program.without=[\"a\"]"), 30.0);
    let wrong = program.run("ixp1200_eval", &["program.without=c"]).unwrap_err().to_string();
    assert!(wrong.contains("program.without: no step belongs to the part `c`"), "{wrong}");
}

#[test]
fn an_extension_stands_where_the_list_says() {
    let steps = "[[step]]\nop='extend'\neach='cell'\n[[step]]\ncycles=40";
    let program = Program::new("extended", steps);
    let sized = ["input.branch_share=0", "traffic.packet_bytes=192"];
    let plain = cycles_each(&program, &sized);
    let extended = |set: &str| cycles_each(&program, &[sized[0], sized[1], set]) - plain;
    assert_eq!(extended("program.extension=[{cycles=7}, {cycles=3, times=2}]"), 3.0 * 13.0, "three cells");
    assert_eq!(extended("program.extension=[]"), 0.0);
}

/// Returns the error of a list on a chip whose threads send block by block.
fn said(steps: &str, overrides: &[&str]) -> String {
    let program = Program::new(&format!("said-{}", steps.len()), steps);
    let error = program.run("ixp1200_eval", overrides).map(|_| steps.to_owned()).unwrap_err();
    assert!(!error.to_string().contains("panicked"), "{error}");
    error.to_string().replace(program.0.to_str().unwrap(), "program.toml")
}

#[test]
fn what_does_not_fit_together_is_said_with_its_line_and_what_to_do() {
    let admit = "[[step]]\nop='admit'\n";
    let enqueue = "[[step]]\nop='enqueue'\n";
    let transmit = "[[step]]\nop='transmit'\n";
    let step = |keys: &str| format!("[[step]]\n{keys}\n");
    let cases = [
        format!("{enqueue}{transmit}"),
        admit.to_owned(),
        format!("{admit}{admit}{enqueue}{transmit}"),
        format!("{admit}{enqueue}"),
        format!("{admit}{enqueue}{transmit}{transmit}"),
        transmit.to_owned(),
        format!("{admit}{}{enqueue}{transmit}", step("op='drop'\nshare=0.5")),
        format!("{}{enqueue}{transmit}", step("op='admit'\nshare=0.5")),
        format!("{admit}{enqueue}{}{transmit}", step("op='look_up'")),
        format!("{admit}{enqueue}{}{transmit}", step("op='read'\nat='table'\nwhole_packet=true")),
        format!("{admit}{enqueue}{}{transmit}", step("op='transfer'\nat='table'\naddress='flow'")),
        step("op='spread'\ncycles=3"),
        step("op='spread'\naccesses=[{op='send'}]"),
        step("op='spread'\naccesses=3"),
        step("op='spread'\naccesses=[{op='transfer', at='table', bytes=65535, times=1000}]"),
        step("op='transfer'\nat='table'\nbytes=64\ntimes=60000"),
        step("op='transfer'\nat='table'\nposted=true"),
        step("op='transfer'\nat='table'\nbytes=0"),
        step("op='extend'\ncycles=3"),
        step("part=3"),
        step("each='frist_cell'"),
    ];
    assert_snapshot!(cases.map(|steps| said(&steps, &[])).join("\n\n"));
}

#[test]
fn an_extension_without_a_place_is_refused_and_so_is_one_in_another() {
    let extension = "program.extension=[{cycles=7}]";
    let without = said("[[step]]\ncycles=3", &[extension]);
    assert!(without.contains("extension: has no effect: no step has op = \"extend\""), "{without}");
    assert_eq!(without.matches("extension").count(), 1, "said once: {without}");
    let left = said("[[step]]\npart='p'\nop='extend'", &[extension, "program.without=p"]);
    assert!(left.contains("or the key `without` omits that step"), "{left}");
    let nested = said("[[step]]\nop='extend'", &["program.extension=[{op='extend'}]"]);
    assert!(
        nested.contains("program.extension[0].op: a step of an extension cannot be an extension itself"),
        "{nested}"
    );
    let no_list = said("[[step]]\nop='extend'", &["program.extension=3"]);
    assert!(no_list.contains("program.extension: expected a list of tables"), "{no_list}");
}

#[test]
fn lists_for_threads_that_send_block_by_block_need_a_chip_with_such_threads() {
    let steps = "[[step]]\nop='admit'\n[[step]]\nop='enqueue'\n[[step]]\nop='transmit'";
    let program = Program::new("elsewhere", steps);
    let error = program.run("example_smartnic", &[]).unwrap_err().to_string();
    assert!(error.contains("send block by block"), "{error}");
    let sends =
        Program::new("sends", "[[step]]\nop='send'").run("ixp1200_eval", &[]).unwrap_err().to_string();
    assert!(sends.contains("if a cluster moves blocks, and only then"), "{sends}");
}

#[test]
fn a_program_lies_under_its_chip_and_another_takes_its_place() {
    let row = |overrides: &[&str], key: &str| {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        let rows = describe("ixp1200_eval", &overrides).unwrap().parameters;
        rows.into_iter().find(|row| row.key == key).map(|row| row.value.to_string())
    };
    assert_eq!(row(&[], "program.step[4].name").as_deref(), Some("hash"));
    assert_eq!(row(&["program.step[hash].cycles=5"], "program.step[4].cycles").as_deref(), Some("5"));
    // Keys of the chip's own program do not exist for another program.
    let app = run_app("ixp1200_eval", "probe", &["program.without=input"]).unwrap_err().to_string();
    assert!(app.contains("no step belongs to the part `input`"), "{app}");
    let unknown = run_app("ixp1200_eval", "probe", &["program.step[hash].cycles=5"]).unwrap_err().to_string();
    assert!(unknown.contains("no element of `step` is called `hash`"), "{unknown}");
}

#[test]
fn a_step_that_lasts_for_seconds_is_refused() {
    // A finding of the fuzzer: steps of 10^9 cycles took minutes, and more cycles did not fit.
    let found = said("[[step]]\ncycles=10000000\ntimes=2", &[]);
    assert!(
        found.contains("2 times 10000000 cycles are 20000000 cycles, expected at most 10000000"),
        "{found}"
    );
}

/// Returns the error of `ixp1200_host` with changes.
fn said_of_host(overrides: &[&str]) -> String {
    run_app("ixp1200_host", "to_host", overrides).unwrap_err().to_string()
}

#[test]
fn what_hands_packets_over_is_told_what_does_not_fit() {
    let host = |change: &str| said_of_host(&[change]);
    // After a packet is lent, only steps that do not need it may follow.
    let lent = host("cluster.host.step[push_the_rest].op=finish");
    assert!(
        lent.contains("cluster.host.step[3].op") && lent.contains("another thread processes the packet"),
        "{lent}"
    );
    let some = host("cluster.host.step[show_the_first].share=0.5");
    assert!(some.contains("once for every packet"), "{some}");
    let both = host("cluster.host.step[show_the_first].if_room=true");
    assert!(both.contains("if_room or goes_on, not both"), "{both}");
    // Inboxes are identified by name.
    let unknown = host("cluster.core.step[store].from=bcak");
    assert!(unknown.contains("no inbox or ring is called `bcak`; did you mean `back`?"), "{unknown}");
    let two = host("cluster.host.program=forward");
    assert!(two.contains("this key names a program, but the file also lists steps"), "{two}");
    let bound = host("inbox.rx.window=3");
    assert!(bound.contains("must have neither a packet limit nor a window"), "{bound}");
    let shut = host("inbox.up.window=0");
    assert!(shut.contains("inbox.up.window") && shut.contains('1'), "{shut}");
}

#[test]
fn units_timed_by_size_and_polled_ones_say_what_they_expect() {
    for points in ["64:1", "64", "64:2, 32:3", "1:2, 2:1"] {
        let said = said_of_host(&[&format!("pci.read_times=\"{points}\"")]);
        assert!(
            said.contains("unit.pci.read_times") && said.contains("expected at least two points"),
            "{said}"
        );
    }
    let never = said_of_host(&["attention.every_ns=-1"]);
    assert!(never.contains("unit.attention.every_ns"), "{never}");
}
