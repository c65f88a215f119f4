//! Requests found by the robustness campaign: each had a wrong number, an error without a message, or no end.

use linecard_platform::{
    Error, MemoryInput, MemoryRequest, PacketRequest, Program, ProgramFile, ProgramRequest, RunReport,
    RunRequest, describe, run, run_memory, trace_program,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn request(preset: &str, overrides: &[&str]) -> RunRequest {
    RunRequest {
        chip: preset.to_owned(),
        overrides: overrides.iter().map(|&text| text.to_owned()).collect(),
        seed: 1,
        packets: 20,
        warmup_packets: Some(0),
        ..RunRequest::default()
    }
}

fn ran(request: &RunRequest) -> Result<RunReport, Error> {
    run(request, &mut |_| ControlFlow::Continue(()))
}

fn words(result: Result<impl Sized, Error>) -> String {
    result.err().map(|error| error.to_string()).expect("it is refused")
}

/// A file of this process, which is removed when the value is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("linecard-refused-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_chip_whose_last_step_is_left_out_sends_all_the_same() {
    // Formerly the thread was never free again, and the run panicked.
    let report = ran(&request("example_smartnic", &["program.step[6].times=0"])).unwrap();
    assert_eq!(report.summary.packets_out, 20);
}

#[test]
fn cycles_of_a_memory_are_no_age() {
    // 2^40 cycles overflowed 64 bits of ticks.
    let found = words(ran(&request("ixp2400", &["memory.dram.column_cycles=1099511627776"])));
    assert!(found.contains("expected a whole number from 0 to 16777216"), "{found}");
}

#[test]
fn cycles_do_not_go_round_the_clock() {
    // If a cycle is not a round fraction of a second, ticks are so short that 64 bits of them last minutes. With a
    // bus that stops for eight seconds at a time, they overflowed in the runs that test for the bottleneck.
    let slow = [
        "clock.dram_mhz=2.106729162569902",
        "memory.dram.turnaround_cycles=16777216",
        "traffic.kind=Abilene",
    ];
    assert!(ran(&RunRequest { packets: 10, ..request("ixp2400", &slow) }).is_ok());
}

#[test]
fn a_run_beyond_the_end_of_the_clock_is_told_and_does_not_go_round() {
    // Three clocks without a common tick are counted in femtoseconds, and a million cycles of 1 Hz overflowed: a
    // packet that takes weeks was done after ten seconds.
    let clocks = [
        "clock.slow_mhz=0.000001",
        "cluster.process.clock=slow",
        "clock.odd_mhz=1234.567891",
        "cluster.receive.clock=odd",
        "clock.other_mhz=2106.729163",
        "cluster.transmit.clock=other",
        "cluster.process.issue_cycles=1000000",
    ];
    let file = Scratch::new("one.pcap", &capture(&[1]));
    let one = RunRequest { trace: Some(file.name().to_owned()), packets: 1, ..request("ixp2800", &clocks) };
    let error = words(ran(&one));
    assert!(error.contains("the run reached the end of the simulation clock"), "{error}");
}

#[test]
fn cycles_that_last_longer_than_a_second_are_refused() {
    // Their times are stored in picoseconds, of which 64 bits last 213 days.
    let slow = ["clock.slow_mhz=0.000001", "memory.sram.clock=slow", "memory.sram.latency_cycles=1000000000"];
    let error = words(ran(&request("ixp2800", &slow)));
    assert!(error.contains("1000000000 cycles of 1 Hz are 1000000000 s; expected at most 1 s"), "{error}");
}

#[test]
fn a_misspelt_region_of_a_program_is_not_passed_over() {
    // Formerly the packet stayed where the chip's own file binds it.
    let object = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/xdp/prebuilt/reads.o");
    let mut asked = request("nfp4000", &["bind.pakcet=imem"]);
    asked.program = Some(Program::Executed(ProgramFile {
        path: object.to_str().unwrap().to_owned(),
        name: "reads".to_owned(),
        section: None,
        entry: None,
        maps: vec![],
        routes: None,
        control: None,
        budget: 10_000,
        checked: true,
        cpus: 1,
        table: None,
    }));
    let message = words(ran(&asked));
    assert!(message.contains("bind.pakcet") && message.contains("did you mean `packet`?"), "{message}");
    asked.overrides = vec!["bind.packet=imem".to_owned()];
    ran(&asked).unwrap();
}

#[test]
fn a_unit_whose_access_outlasts_the_run_is_busy_throughout_and_no_longer() {
    // Formerly the report stated a busy time of 52,707 times the duration of the run.
    let report = ran(&request("ixp1200", &["sram.word_ns=1000000"])).unwrap();
    assert!(
        report.resources.iter().all(|used| (0.0..=1.0).contains(&used.utilization)),
        "{:?}",
        report.resources
    );
}

#[test]
fn a_machine_of_nothing_and_a_base_that_is_no_name_are_told_in_words() {
    let empty = Scratch::new("empty.toml", b"title = \"x\"\n[dram]\n");
    for error in [words(ran(&request(empty.name(), &[]))), words(describe(empty.name(), &[]))] {
        assert!(error.contains("missing: a chip needs"), "{error}");
    }
    for extends in ["[0.5]", "[0]", "3", "[[\"platforms/ixp1200\"]]"] {
        let file = Scratch::new("base.toml", format!("title = \"x\"\nextends = {extends}\n").as_bytes());
        let error = words(ran(&request(file.name(), &[])));
        assert!(error.contains(":2: extends"), "{extends}: {error}");
    }
}

#[test]
fn bases_that_double_at_every_step_end() {
    let folder = std::env::temp_dir().join(format!("linecard-doubling-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |level: u32| folder.join(format!("{level}.toml")).to_str().unwrap().to_owned();
    std::fs::write(path(0), "title = \"x\"\nextends = \"platforms/ixp1200\"\n").unwrap();
    for level in 1..60 {
        let below = path(level - 1);
        std::fs::write(path(level), format!("title = \"x\"\nextends = [{below:?}, {below:?}]\n")).unwrap();
    }
    // There would be 2^59 visits if a file were read at every mention.
    assert!(ran(&request(&path(59), &[])).is_ok());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_refresh_interval_of_less_than_a_clock_is_told_in_words() {
    for interval in ["0", "0.00000003382483527096135"] {
        let request = MemoryRequest {
            device: "ddr4_2400".to_owned(),
            policy: "frfcfs_open".to_owned(),
            overrides: vec![format!("timing.tREFI={interval}")],
            input: MemoryInput::Pattern {
                name: "random".to_owned(),
                count: 10,
                spacing: 0,
                reads: None,
                narrow: 0.0,
                seed: 1,
            },
            in_flight: None,
            requests: None,
            commands: None,
            tick_every_clock: false,
        };
        let error = words(run_memory(&request, &mut |_| ControlFlow::Continue(())));
        assert!(error.contains("timing.tREFI"), "{error}");
    }
}

#[test]
fn packets_beyond_all_counting_are_refused() {
    // The sum of both overflowed; in a build with overflow checks it ended the process.
    for (packets, warmup) in [(u64::MAX, 0), (1, u64::MAX), (u64::MAX / 2 + 1, u64::MAX / 2 + 1)] {
        for preset in ["ixp1200", "ixp2400", "example_smartnic"] {
            let request = RunRequest { packets, warmup_packets: Some(warmup), ..request(preset, &[]) };
            let error = words(ran(&request));
            assert!(error.contains("expected at most 1000000000000000"), "{preset}: {error}");
        }
    }
}

/// A capture of Ethernet packets at these times in seconds.
fn capture(seconds: &[u32]) -> Vec<u8> {
    let mut bytes = [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 1].map(u32::to_le_bytes).concat();
    for second in seconds {
        let mut frame = vec![0u8; 60];
        (frame[12], frame[14], frame[17], frame[22], frame[23]) = (8, 0x45, 46, 64, 17);
        bytes.extend([*second, 0, 60, 60].map(u32::to_le_bytes).concat());
        bytes.extend(frame);
    }
    bytes
}

#[test]
fn an_arrival_beyond_the_end_of_the_machines_clock_is_told_and_does_not_go_round() {
    // A hundred years are more picoseconds than 64 bits hold.
    let file = Scratch::new("century.pcap", &capture(&[1, 2, 3_155_760_000]));
    let whole =
        RunRequest { trace: Some(file.name().to_owned()), packets: 0, ..request("example_smartnic", &[]) };
    let error = words(ran(&whole));
    // 3,155,759,999 s.
    assert!(
        error.contains("packet 3 arrives 876600.0 hours after the first packet; expected at most"),
        "{error}"
    );
    assert!(error.contains("century.pcap") && error.contains("traffic.speedup"), "{error}");
}

#[test]
fn hours_without_a_packet_are_over_at_once() {
    // Formerly every refresh of every channel in that time was simulated: an hour of work that Ctrl-C could not
    // interrupt.
    let file = Scratch::new("hours.pcap", &capture(&[1, 10_801, 14_402]));
    let whole =
        RunRequest { trace: Some(file.name().to_owned()), packets: 0, ..request("example_smartnic", &[]) };
    let report = ran(&whole).unwrap();
    assert_eq!(report.summary.packets_out + report.summary.packets_dropped, 3);
}

#[test]
fn a_program_that_initialises_for_ever_or_a_packet_without_end_can_be_stopped() {
    let budget = |budget| ProgramRequest {
        elf: format!("{}/../../programs/prebuilt/patricia.elf", env!("CARGO_MANIFEST_DIR")),
        entry: None,
        control: Some(format!("{}/../../programs/control/routes.txt", env!("CARGO_MANIFEST_DIR"))),
        packets: PacketRequest {
            traffic: "edge".to_owned(),
            packets: 5,
            payload: "random".to_owned(),
            seed: 1,
            routes: None,
            strict: false,
        },
        budget,
        checked: true,
    };
    assert!(Path::new(&budget(1).elf).is_file());
    let error = words(trace_program(&budget(100_000_001), &mut |_, _| ControlFlow::Continue(())));
    assert!(error.contains("expected at most 100000000"), "{error}");
    assert!(trace_program(&budget(1_000_000), &mut |_, _| ControlFlow::Continue(())).is_ok());
}

#[test]
fn a_chip_that_waits_for_seconds_adds_up_the_time_of_its_threads_without_going_round() {
    // For 640 threads that wait for 56 s each, the sum in femtoseconds exceeds 64 bits.
    let report = ran(&request("example_smartnic", &["traffic.rate_gbps=0.000001"])).unwrap();
    let shares: f64 = report.packet_time.iter().map(|part| part.share).sum();
    assert!((0.0..1.000_001).contains(&shares), "{:?}", report.packet_time);
}

#[test]
fn more_room_for_packets_than_the_simulator_has_memory_for_is_refused() {
    // A packet buffer of 111 GB took 10.7 GB of memory and 46 seconds before the first packet.
    let error = words(ran(&request("hasan2003_adapt_pf", &["memory.dram.capacity_mib=111163"])));
    assert!(error.contains("116562853888 bytes for packets, expected at most 2147483648 bytes"), "{error}");
}

#[test]
fn more_threads_than_memory_holds_are_refused() {
    // A table would take more than 4 GB.
    let error = words(ran(&request("ixp2800", &["cluster.process.engines=65536"])));
    assert!(error.contains("expected at most 262144 threads"), "{error}");
}
