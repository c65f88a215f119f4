//! Programs that the kernel's verifier rejects stop here at the instruction, or are rejected before the run.

use crate::kit;

use kit::{constant, exit, machine, run, slot};
use linecard_ebpf::{Counters, Machine, Object, Options, Silent, Slot};

/// Expects a program to fail with a message that contains each part.
fn refused(slots: &[Slot], parts: &[&str]) {
    let message = run(slots, &[0; 64]).expect_err("a fault").to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

#[test]
fn an_endless_loop_ends_at_its_budget() {
    refused(
        &[slot(0x05, 0, 0, -1, 0), exit()],
        &["more than 1000000 instructions", "instruction 0 of section raw"],
    );
}

#[test]
fn accesses_outside_of_what_a_pointer_points_to() {
    // Accesses after the end of the packet, before it, and across its end.
    let packet = slot(0x61, 2, 1, 0, 0);
    refused(
        &[packet, slot(0x71, 0, 2, 64, 0), exit()],
        &[
            "packet 1: read of 1 bytes at offset 320 of packet",
            "has bytes 256 to 319",
            "data_end",
            "instruction 1",
        ],
    );
    refused(&[packet, slot(0x71, 0, 2, -1, 0), exit()], &["at offset 255 of packet"]);
    refused(&[packet, slot(0x79, 0, 2, 60, 0), exit()], &["read of 8 bytes at offset 316 of packet"]);
    // The stack has 512 bytes, below r10.
    refused(
        &[slot(0x7a, 10, 0, 0, 1), exit()],
        &["write of 8 bytes at offset 512 of stack", "has bytes 0 to 511"],
    );
    refused(&[slot(0x7a, 10, 0, -520, 1), exit()], &["write of 8 bytes at offset -8 of stack"]);
    refused(&[slot(0x61, 0, 1, 24, 0), exit()], &["offset 24 of context", "struct xdp_md"]);
    refused(&[slot(0x62, 1, 0, 0, 0), exit()], &["write of 4 bytes to context", "read-only"]);
}

#[test]
fn pointers_that_are_none() {
    refused(
        &[slot(0xb7, 1, 0, 0, 0), slot(0x79, 0, 1, 8, 0), exit()],
        &["at 0x8, which is outside the program's memory", "NULL"],
    );
    let mut far = Vec::from(constant(1, 0x1234_5678_9abc_def0));
    far.extend([slot(0x79, 0, 1, 0, 0), exit()]);
    refused(&far, &["which is outside the program's memory"]);
    // An access whose end wraps around.
    for address in [u64::MAX, u64::MAX - 7, 4095, 0x10fc] {
        let mut slots = Vec::from(constant(1, address));
        slots.extend([slot(0x79, 0, 1, 0, 0), exit()]);
        assert!(run(&slots, &[0; 64]).is_err(), "{address:#x}");
    }
}

#[test]
fn registers_that_nobody_wrote() {
    refused(&[slot(0xbf, 0, 7, 0, 0), exit()], &["r7 is read before it is written", "instruction 0"]);
    refused(&[exit()], &["r0 is read before it is written"]);
    let after_call = [slot(0x85, 0, 0, 0, 8), slot(0xbf, 0, 1, 0, 0), exit()];
    refused(&after_call, &["r1 is read before it is written; calls leave r1 to r5 undefined"]);
    refused(&[slot(0x85, 0, 0, 0, 44), slot(0xb7, 0, 0, 0, 2), exit()], &["r2 is read before"]);
}

/// A compiler knows that some paths are never taken; the verifier, and this check, follow each of them.
#[test]
fn a_register_written_on_the_path_that_reads_it_is_fine() {
    let slots = [
        slot(0xb7, 3, 0, 0, 1),
        slot(0x15, 3, 0, 1, 0),
        slot(0xb7, 4, 0, 0, 2),
        slot(0x15, 3, 0, 2, 0),
        slot(0xbf, 0, 4, 0, 0),
        exit(),
        slot(0xb7, 0, 0, 0, 1),
        exit(),
    ];
    assert_eq!(run(&slots, &[0; 64]).expect("no fault").returned, 2);
    let mut loaded = machine(&slots).expect("a program");
    let mut counters = Counters::new(loaded.code());
    loaded.packet(&[0; 64], linecard_ebpf::Arrival::default(), &mut counters).expect("no fault");
    assert_eq!(
        counters.executed(loaded.code()),
        [1, 1, 1, 1, 1, 1, 0, 0, 0],
        "guarded or not, each counts once"
    );
}

#[test]
fn what_is_not_there_is_named_before_the_run() {
    let named = |slots: &[Slot], part: &str| {
        let message = machine(slots).expect_err("refused").to_string();
        assert!(message.contains(part) && message.contains("cannot run here"), "{message}");
    };
    named(&[slot(0x85, 0, 0, 0, 181), exit()], "the helper bpf_loop, which is not supported");
    named(&[slot(0x85, 0, 0, 0, 9999), exit()], "the helper number 9999");
    named(&[slot(0x85, 0, 2, 0, 1), exit()], "a call of kind 2");
    named(&[slot(0xff, 0, 0, 0, 0), exit()], "is not an instruction of ISA v1 to v4");
    named(&[slot(0xb7, 10, 0, 0, 0), exit()], "a write to r10, the frame pointer, which is read-only");
    named(&[slot(0x05, 0, 0, 7, 0), exit()], "a jump to slot 8, where no instruction begins");
    named(&[slot(0xb7, 0, 0, 0, 0)], "code that ends without an exit");
    let [first, second] = constant(1, 5);
    named(&[slot(0x05, 0, 0, 1, 0), first, second, exit()], "a jump to slot 2");
    // Unreachable slots do not matter.
    assert!(machine(&[slot(0xb7, 0, 0, 0, 2), exit(), slot(0x85, 0, 0, 0, 181), exit()]).is_ok());
}

#[test]
fn calls_nest_eight_deep() {
    let endless = [slot(0x85, 0, 1, 0, -1), exit()];
    refused(&endless, &["more than 8 nested calls"]);
}

#[test]
fn atomic_operations_on_packets_are_refused() {
    let on_packet = [slot(0x61, 2, 1, 0, 0), slot(0xb7, 0, 0, 0, 1), slot(0xc3, 2, 0, 0, 0), exit()];
    refused(&on_packet, &["atomic operation on 4 bytes of packet"]);
    refused(&[slot(0xb7, 0, 0, 0, 1), slot(0xdb, 10, 0, -12, 0), exit()], &["aligned"]);
}

#[test]
fn helpers_say_which_argument_they_do_not_take() {
    let lookup = [
        slot(0xb7, 1, 0, 0, 0),
        slot(0xbf, 2, 10, 0, 0),
        slot(0x85, 0, 0, 0, 1),
        slot(0xb7, 0, 0, 0, 2),
        exit(),
    ];
    refused(&lookup, &["bpf_map_lookup_elem: found 0x0 as argument 1, expected a map", "instruction 2"]);
}

#[test]
fn files_that_are_no_objects() {
    let message = |bytes: &[u8]| Object::read("file.o", bytes).expect_err("refused").to_string();
    assert!(message(b"").contains("0 bytes without an ELF header"));
    assert!(message(b"#include <linux/bpf.h>").contains("raw instructions of 8 bytes each"));
    assert!(message(b"\x7fELF").contains("clang -target bpfel"));
    let riscv = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/prebuilt/md5.elf"))
        .expect("the file");
    assert!(message(&riscv).contains("an object file for eBPF"));
}

#[test]
fn a_packet_that_is_too_large_is_refused() {
    let mut loaded: Machine = machine(&[slot(0xb7, 0, 0, 0, 2), exit()]).expect("a program");
    let packet = vec![0; (1 << 18) + 1];
    let message =
        loaded.packet(&packet, linecard_ebpf::Arrival::default(), &mut Silent).expect_err("refused");
    assert!(message.to_string().contains("262145 bytes, expected at most 262144"), "{message}");
    assert!(Machine::load(loaded.object(), None, Options { cpus: 0, ..Options::default() }).is_err());
}
