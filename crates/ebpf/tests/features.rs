//! Contents of objects and effects of helpers: `programs/xdp/tests/features.c` has a program for each.

use crate::kit;

use kit::{held, long, map, udp, word};
use linecard_ebpf::{
    Arrival, Counters, EbpfError, Machine, Object, Options, Profile, Route, Silent, Target, Verdict,
};
use std::net::{IpAddr, Ipv4Addr};

fn object() -> Object {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/xdp/tests/features.o");
    Object::read("features.o", &std::fs::read(file).expect("the object")).expect("an object")
}

fn load(program: &str) -> Machine {
    Machine::load(&object(), Some(program), Options { cpus: 2, ..Options::default() }).expect("a program")
}

/// A frame of 60 bytes.
fn frame() -> Vec<u8> {
    udp(([10, 0, 0, 1], 1000), ([10, 0, 0, 2], 53), &[7; 18])
}

fn verdict(machine: &mut Machine, queue: u32) -> Verdict {
    let arrival = Arrival { queue, ..Arrival::default() };
    machine.packet(&frame(), arrival, &mut Silent).expect("no fault").verdict
}

#[test]
fn global_variables_keep_their_values() {
    let mut machine = load("globals");
    // zeroed: 12, 25, 39, 54.
    let found: Vec<Verdict> = (0..4).map(|_| verdict(&mut machine, 0)).collect();
    assert_eq!(found, [Verdict::Pass, Verdict::Pass, Verdict::Pass, Verdict::Drop]);
    assert_eq!(word(&held(&machine, ".data")[0].1), 11);
    // A constant of the program can be set like any map.
    let constants = map(&machine, ".rodata");
    let bytes = machine.entries(constants).expect("constants")[0].values[0].len();
    let mut value = held(&machine, ".rodata")[0].1.clone();
    let at = value.windows(4).position(|bytes| word(bytes) == 5).expect("the constant");
    value[at] = 100;
    let mut machine = load("globals");
    machine.insert(constants, &[0; 4], &value).expect("a constant");
    assert_eq!((verdict(&mut machine, 0), bytes), (Verdict::Drop, value.len()));
}

#[test]
fn functions_call_functions() {
    assert_eq!(verdict(&mut load("calls"), 0), Verdict::Tx);
}

#[test]
fn tail_calls_go_where_the_map_says() {
    let mut machine = load("xdp/first");
    assert_eq!(machine.program(), "first");
    assert_eq!(verdict(&mut machine, 0), Verdict::Pass, "nothing there");
    assert_eq!(verdict(&mut machine, 1), Verdict::Drop, "what the object says");
    assert_eq!(verdict(&mut machine, 9), Verdict::Pass, "no such place");
    let programs = map(&machine, "next_programs");
    machine.insert_program(programs, 2, "third").expect("a program");
    assert_eq!(verdict(&mut machine, 2), Verdict::Tx, "after as many tail calls as the kernel allows");
    let counter: u32 =
        held(&machine, ".bss").iter().map(|(_, value)| value.chunks(4).map(word).sum::<u32>()).sum();
    assert_eq!(counter, 33);
    let refused = machine.insert_program(programs, 3, "nothing").expect_err("no such program");
    assert!(refused.to_string().contains("`third` in xdp/third"), "{refused}");
    // A program that cannot run here is reported when it is inserted, not when it is called.
    let refused = machine.insert_program(programs, 3, "unsupported").expect_err("unsupported");
    assert!(matches!(refused, EbpfError::Unsupported { .. }), "{refused}");
}

#[test]
fn maps_of_maps() {
    let mut machine = load("nested");
    assert_eq!(verdict(&mut machine, 2), Verdict::Drop, "what the object says");
    assert_eq!(long(&held(&machine, "known_inner")[0].1), 1);
    assert_eq!(verdict(&mut machine, 1), Verdict::Pass, "nothing there");
    let by_key = map(&machine, "by_key");
    let inner = machine.insert_inner(by_key, &1u64.to_le_bytes()).expect("an inner map");
    machine.insert(inner, &3u32.to_le_bytes(), &41u64.to_le_bytes()).expect("a value");
    assert_eq!(verdict(&mut machine, 1), Verdict::Drop);
    assert_eq!(machine.entries(inner).expect("the inner map")[0].values[0], 42u64.to_le_bytes());
    let by_index = map(&machine, "by_index");
    assert!(machine.insert_inner(by_index, &9u32.to_le_bytes()).is_err(), "no such place");
}

#[test]
fn records_are_counted() {
    let mut machine = load("records");
    for _ in 0..1000 {
        assert_eq!(verdict(&mut machine, 0), Verdict::Pass);
    }
    assert_eq!(machine.emitted(map(&machine, "ring")), (2000, 24_000));
    assert_eq!(machine.emitted(map(&machine, "events")), (1000, 28_000), "with 20 bytes of the packet each");
    let kept = load("kept_record").packet(&frame(), Arrival::default(), &mut Silent).expect_err("kept");
    assert!(kept.to_string().contains("a ring buffer record is still reserved at the end"), "{kept}");
}

#[test]
fn packets_go_to_interfaces_processors_and_sockets() {
    let mut machine = load("targets");
    let fill = |machine: &mut Machine, name: &str, key: u32, value: &[u8]| {
        let number = map(machine, name);
        machine.insert(number, &key.to_le_bytes(), value).expect("a value");
    };
    assert_eq!(verdict(&mut machine, 0), Verdict::Tx, "nothing there: the lower bits of the flags");
    fill(&mut machine, "devices", 77, &[5, 0, 0, 0, 0, 0, 0, 0]);
    fill(&mut machine, "processors", 3, &[0, 1, 0, 0]);
    fill(&mut machine, "sockets", 2, &[1, 0, 0, 0]);
    let found: Vec<Verdict> = (0..6).map(|queue| verdict(&mut machine, queue)).collect();
    let to = Verdict::Redirect;
    assert_eq!(
        found,
        [
            to(Target::Interface(5)),
            to(Target::Cpu(3)),
            to(Target::Socket(2)),
            to(Target::Broadcast),
            to(Target::Interface(9)),
            Verdict::Tx,
        ]
    );
}

#[test]
fn edges_of_the_packet_move() {
    let mut machine = load("edges");
    assert_eq!(verdict(&mut machine, 0), Verdict::Tx);
    let (left, frame) = (machine.packet_left(), frame());
    assert_eq!(left.len(), 68);
    assert_eq!(left[8..14], frame[6..12], "source copied over destination");
    assert_eq!(left[14..], frame[6..]);
}

#[test]
fn routes_of_the_kernel() {
    let mut machine = load("routed");
    assert_eq!(verdict(&mut machine, 0), Verdict::Drop, "no route");
    for (length, interface) in [(8, 3), (24, 4), (25, 5)] {
        let prefix = IpAddr::from(Ipv4Addr::new(10, 0, 0, if length == 25 { 128 } else { 0 }));
        machine.add_route(Route { prefix, length, interface, source_mac: [1; 6], destination_mac: [2; 6] });
    }
    assert_eq!(verdict(&mut machine, 0), Verdict::Redirect(Target::Interface(4)));
    assert_eq!(machine.packet_left()[..12], [2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_fault_names_the_source_line() {
    let fault =
        load("careless").packet(&frame(), Arrival::default(), &mut Silent).expect_err("a fault").to_string();
    let source = include_str!("../../../programs/xdp/tests/features.c");
    let line = 1 + source.lines().position(|line| line.contains("bytes[60]")).expect("the line");
    let place = format!("features.c:{line}: return bytes[60] ? XDP_PASS : XDP_DROP;");
    assert!(
        fault.starts_with("packet 1: read of 1 bytes at offset 316 of packet") && fault.ends_with(&place),
        "{fault}"
    );
    assert!(fault.contains("of section xdp (careless + "), "{fault}");
}

#[test]
fn time_chance_and_processor() {
    let mut machine = load("asks");
    let mut profile = Profile::new(machine.code());
    let arrival = Arrival { time_ns: 1000, cpu: 1, ..Arrival::default() };
    machine.packet(&frame(), arrival, &mut profile).expect("no fault");
    let zeroed = held(&machine, ".bss")[0].1.chunks(4).any(|bytes| word(bytes) == 1001);
    assert!(zeroed, "time and processor");
    assert_eq!(
        profile.helpers().iter().map(|(&helper, &count)| (helper, count)).collect::<Vec<_>>(),
        [(5, 1), (6, 1), (7, 2), (8, 1)]
    );
}

/// Every instruction is counted at its position, with calls, returns, tail calls and loops.
#[test]
fn counters_sum_up_to_all_instructions() {
    for program in ["globals", "calls", "first", "third", "nested", "records", "edges", "routed", "legacy"] {
        let mut machine = load(program);
        let programs = map(&machine, "next_programs");
        machine.insert_program(programs, 2, "third").expect("a program");
        let mut counters = Counters::new(machine.code());
        let mut instructions = 0;
        for queue in 0..4 {
            let arrival = Arrival { queue, ..Arrival::default() };
            instructions += machine.packet(&frame(), arrival, &mut counters).expect("no fault").instructions;
        }
        let counts = counters.executed(machine.code());
        assert_eq!(counts.iter().sum::<u64>(), instructions, "{program}");
    }
}

#[test]
fn legacy_maps() {
    assert_eq!(verdict(&mut load("legacy"), 0), Verdict::Tx);
}

#[test]
fn what_is_not_there_is_named_with_its_place() {
    let refused =
        Machine::load(&object(), Some("unsupported"), Options::default()).expect_err("refused").to_string();
    for part in [
        "program `unsupported` cannot run here",
        "the map `waiting`, whose kind QUEUE is not supported",
        "the helper bpf_map_push_elem, which is not supported",
        "features.c:",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
}
