//! The instruction set: random programs against QEMU (`golden/make_random.py`), and every way a program can go wrong.

use linecard_iss::{
    Class, Fault, Image, IssError, Machine, Recorder, Segment, Silent, Symbol, decode, expand, run_alone,
};

const BASE: u32 = 0x10000;

fn image(code: Vec<u8>) -> Image {
    let memory_bytes = code.len() as u32;
    let code = Segment { address: BASE, bytes: code, memory_bytes, executable: true };
    let data = Segment { address: 0x20000, bytes: Vec::new(), memory_bytes: 1024, executable: false };
    let symbols = vec![Symbol { address: BASE, name: "app_packet".to_owned(), code: true }];
    Image { file: "test".to_owned(), segments: vec![code, data], symbols, entry: BASE }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn random_programs_end_as_in_qemu() {
    let golden = include_str!("golden/random32.txt");
    let mut programs = 0;
    for line in golden.lines() {
        let (expected, hex) = line.split_once(' ').expect("two fields");
        let code = (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex"))
            .collect();
        let (result, _) = run_alone(&image(code), 100_000).expect("a program that ends");
        assert_eq!(format!("{result:08x}"), expected, "program {programs}");
        programs += 1;
    }
    assert_eq!(programs, 48);
}

#[test]
fn every_halfword_expands_to_an_instruction_or_is_refused() {
    // What the quadrants of RV32C leave reserved, and floating point, is refused; nothing panics.
    for half in 0..=u16::MAX {
        if half & 3 != 3
            && let Some(word) = expand(half)
        {
            assert_eq!(word & 3, 3, "{half:#06x} expands to a 32-bit instruction");
            let short = decode(0, half, 0);
            let long = decode(0, word as u16, (word >> 16) as u16);
            assert_eq!(
                (short.code, short.rd, short.rs1, short.rs2(), short.imm),
                (long.code, long.rd, long.rs1, long.rs2(), long.imm)
            );
            assert_eq!((short.halfwords(), long.halfwords()), (1, 2));
        }
    }
    assert_eq!(expand(0), None, "all zeros is no instruction");
}

fn fault_of(code: &[u32]) -> (Fault, u32, String) {
    let mut machine = Machine::new(image(words(code)), &[], 1000).expect("a machine");
    match machine.packet(&[0; 40], 0, &mut Silent) {
        Err(error @ IssError::Fault { fault, pc, .. }) => (fault, pc, error.to_string()),
        other => panic!("expected a fault, found {other:?}"),
    }
}

#[test]
fn faults_name_what_where_and_which_packet() {
    const NOP: u32 = 0x13;
    const LW_FROM_ZERO: u32 = 0x0000_2503; // lw a0, 0(zero)
    const LW_MISALIGNED: u32 = 0x0015_2503; // lw a0, 1(a0)
    const SW_TO_CODE: u32 = 0x0000_0297; // auipc t0, 0; then sw zero, 0(t0)
    const SW_T0: u32 = 0x0002_a023;
    const LOOP: u32 = 0x0000_006f; // j .
    const FAR: u32 = 0x0000_0067; // jr zero
    const LOCK_A0: u32 = 0x0405_000b;
    const UNLOCK_A0: u32 = 0x0605_000b;
    const ECALL: u32 = 0x73;
    let cases = [
        (vec![NOP, 0xffff_ffff], Fault::Illegal { word: 0xffff_ffff }, 4),
        (vec![NOP, ECALL], Fault::System { word: ECALL }, 4),
        (vec![LW_FROM_ZERO], Fault::OutOfRange { what: "load", address: 0 }, 0),
        (vec![SW_TO_CODE, SW_T0], Fault::StoreToCode { address: BASE }, 4),
        (vec![LOOP], Fault::Runaway { budget: 1000 }, 0),
        (vec![FAR], Fault::Jump { target: 0 }, 0),
    ];
    for (code, expected, offset) in cases {
        let (fault, pc, text) = fault_of(&code);
        assert_eq!((fault, pc), (expected, BASE + offset), "{text}");
        assert!(text.starts_with("packet 1: ") && text.contains("app_packet"), "{text}");
    }
    assert!(matches!(fault_of(&[LW_MISALIGNED]).0, Fault::Misaligned { what: "load", bytes: 4, .. }));
    assert!(matches!(fault_of(&[LOCK_A0, LOCK_A0, RET]).0, Fault::LockedTwice { .. }));
    assert!(matches!(fault_of(&[UNLOCK_A0, RET]).0, Fault::NotLocked { .. }));
    assert!(matches!(fault_of(&[LOCK_A0, RET]).0, Fault::NeverUnlocked { .. }));
}

#[test]
fn a_stack_that_runs_over_is_noticed() {
    // addi sp, sp, -2048 and a store, again and again: the stack lies below the image and ends in nothing.
    const GROW: u32 = 0x8001_0113;
    const STORE: u32 = 0x0001_2023;
    const BACK: u32 = 0xff9f_f06f;
    let (fault, _, text) = fault_of(&[GROW, STORE, BACK]);
    assert!(matches!(fault, Fault::OutOfRange { what: "store", .. }), "{text}");
}

#[test]
fn files_that_are_no_programs_are_told() {
    for bytes in [&b"int main;"[..], b"\x7fELF", b"\x7fELF\x02\x01\x01", &[0; 64]] {
        let error = Image::read("my.elf", bytes).expect_err("no program");
        assert!(error.to_string().starts_with("my.elf: found"), "{error}");
    }
    let mut stripped = image(words(&[0x0000_8067]));
    stripped.symbols.clear();
    let error = Machine::new(stripped, &[], 1000).expect_err("no entry");
    assert!(error.to_string().contains("app_packet"), "{error}");
}

#[test]
fn programs_that_leave_through_tohost_are_noticed_and_endless_ones_too() {
    // lui a1, 0x20; li a0, 7; then sw a0, 0(a1) and jump back to it, for ever: result 3.
    let code = words(&[0x0002_05b7, 0x0070_0513, 0x00a5_a023, 0xffdf_f06f]);
    let mut leaving = image(code.clone());
    leaving.symbols.push(Symbol { address: 0x20000, name: "tohost".to_owned(), code: false });
    let (result, instructions) = run_alone(&leaving, 1_000_000).expect("a result");
    assert_eq!(result, 3);
    assert!(instructions < 200_000);
    let error = run_alone(&image(code), 300_000).expect_err("no end");
    assert!(matches!(error, IssError::Fault { fault: Fault::Runaway { budget: 300_000 }, .. }), "{error}");
}

const LR_A1_FROM_A0: u32 = 0x1005_25af; // lr.w a1, (a0)
const SC_A2_TO_A0: u32 = 0x18b5_262f; // sc.w a2, a1, (a0)
const SC_A3_TO_A0: u32 = 0x18b5_26af; // sc.w a3, a1, (a0)
const RET: u32 = 0x0000_8067;

/// What a program returns.
fn returned(code: &[u32]) -> u32 {
    let mut machine = Machine::new(image(words(code)), &[], 1000).expect("a machine");
    machine.packet(&[7; 40], 0, &mut Silent).expect("a packet")
}

#[test]
fn a_conditional_store_needs_a_reservation_of_its_word() {
    const RESULT_A2: u32 = 0x0006_0513; // mv a0, a2
    const RESULT_A3: u32 = 0x0006_8513; // mv a0, a3
    const RESULT_WORD: u32 = 0x0005_2503; // lw a0, 0(a0)
    const A1_IS_5: u32 = 0x0050_0593; // li a1, 5
    const NEXT_WORD: u32 = 0x0045_0513; // addi a0, a0, 4
    assert_eq!(returned(&[SC_A2_TO_A0, RESULT_A2, RET]), 1, "nothing is reserved");
    assert_eq!(returned(&[A1_IS_5, SC_A2_TO_A0, RESULT_WORD, RET]), 0x0707_0707, "and nothing is stored");
    assert_eq!(returned(&[LR_A1_FROM_A0, SC_A2_TO_A0, RESULT_A2, RET]), 0);
    assert_eq!(returned(&[LR_A1_FROM_A0, A1_IS_5, SC_A2_TO_A0, RESULT_WORD, RET]), 5);
    assert_eq!(returned(&[LR_A1_FROM_A0, SC_A2_TO_A0, SC_A3_TO_A0, RESULT_A3, RET]), 1, "it is used up");
    assert_eq!(returned(&[LR_A1_FROM_A0, NEXT_WORD, SC_A2_TO_A0, RESULT_A2, RET]), 1, "another word");
    // A failure uses it up, too: back to the word that was reserved.
    const WORD_BEFORE: u32 = 0xffc5_0513; // addi a0, a0, -4
    let back = [LR_A1_FROM_A0, NEXT_WORD, SC_A2_TO_A0, WORD_BEFORE, SC_A3_TO_A0, RESULT_A3, RET];
    assert_eq!(returned(&back), 1);
}

#[test]
fn a_packet_begins_without_a_reservation() {
    // The first packet reserves a word (its second byte tells), the second stores to it.
    const SECOND_BYTE: u32 = 0x0015_4703; // lbu a4, 1(a0)
    const SKIP: u32 = 0x0007_0663; // beqz a4, 12
    let code = [SECOND_BYTE, SKIP, LR_A1_FROM_A0, RET, SC_A2_TO_A0, 0x0006_0513, RET];
    let mut machine = Machine::new(image(words(&code)), &[], 1000).expect("a machine");
    machine.packet(&[1; 40], 0, &mut Silent).expect("a packet");
    assert_eq!(machine.packet(&[0; 40], 0, &mut Silent).expect("a packet"), 1);
}

#[test]
fn atomic_instructions_are_aligned_accesses_of_memory() {
    const ONE_BYTE_ON: u32 = 0x0015_0513; // addi a0, a0, 1
    const AMOADD: u32 = 0x00b5_262f; // amoadd.w a2, a1, (a0)
    const TO_ZERO: u32 = 0x0000_0513; // li a0, 0
    for code in [LR_A1_FROM_A0, SC_A2_TO_A0, AMOADD] {
        let (fault, _, text) = fault_of(&[ONE_BYTE_ON, code, RET]);
        assert!(matches!(fault, Fault::Misaligned { what: "atomic access", bytes: 4, .. }), "{text}");
        let (fault, _, text) = fault_of(&[TO_ZERO, code, RET]);
        assert_eq!(fault, Fault::OutOfRange { what: "atomic access", address: 0 }, "{text}");
    }
    const OWN_CODE: u32 = 0x0000_0517; // auipc a0, 0
    assert_eq!(fault_of(&[OWN_CODE, AMOADD, RET]).0, Fault::StoreToCode { address: BASE });
    // A program that runs by itself may load what is not aligned, but not atomically.
    let alone = image(words(&[0x0002_0537, ONE_BYTE_ON, 0x0005_2583, AMOADD]));
    let error = run_alone(&alone, 1000).expect_err("no atomic access");
    assert!(matches!(error, IssError::Fault { fault: Fault::Misaligned { .. }, pc: 0x1000c, .. }), "{error}");
}

#[test]
fn an_atomic_instruction_is_one_access_of_a_trace() {
    // lr, sc (which succeeds), sc (which fails) and amoadd of the packet's first word.
    const AMOADD: u32 = 0x00b5_262f;
    let code = [LR_A1_FROM_A0, SC_A2_TO_A0, SC_A2_TO_A0, AMOADD, RET];
    let mut machine = Machine::new(image(words(&code)), &[], 1000).expect("a machine");
    let mut recorder = Recorder::new(&machine);
    recorder.packet(&mut machine, &[7; 40], 0).expect("a packet");
    let at = machine.layout().packet_low;
    let mut found = Vec::new();
    let code = machine.code();
    recorder.trace().walk(0, code, |step| found.push((code.class(step.index), step.address)));
    let classes = [Class::Load, Class::Store, Class::Store, Class::Atomic];
    let expected: Vec<_> = classes.map(|class| (class, Some(at))).into_iter().collect();
    assert_eq!(found, [expected, vec![(Class::Jump, None)]].concat());
    assert_eq!((code.access_bytes(6), code.reads(6), code.writes(6)), (4, 1 << 10 | 1 << 11, 1 << 12));
}
