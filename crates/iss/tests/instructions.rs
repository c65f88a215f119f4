//! The instruction set: random programs against QEMU (`golden/make_random.py`), and every kind of fault of a program.

use linecard_iss::{
    Class, Fault, Image, IssError, Lines, Machine, PACKET_ENTRY, Recorder, Segment, Silent, Symbol, Width,
    decode, expand, run_standalone,
};
use std::ops::ControlFlow;

const BASE: u32 = 0x10000;

fn image(code: Vec<u8>) -> Image {
    image_of(Width::Rv32, code)
}

fn image_of(width: Width, code: Vec<u8>) -> Image {
    let memory_bytes = code.len() as u32;
    let code = Segment { address: BASE, bytes: code, memory_bytes, executable: true };
    let data = Segment { address: 0x20000, bytes: Vec::new(), memory_bytes: 1024, executable: false };
    let symbols = vec![Symbol { address: BASE, name: "app_packet".to_owned(), code: true }];
    Image {
        file: "test".to_owned(),
        segments: vec![code, data],
        symbols,
        entry: BASE,
        width,
        lines: Lines::default(),
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn random_programs_end_as_in_qemu() {
    as_in_qemu(Width::Rv32, include_str!("golden/random32.txt"));
    as_in_qemu(Width::Rv64, include_str!("golden/random64.txt"));
}

fn as_in_qemu(width: Width, golden: &str) {
    let mut programs = 0;
    for line in golden.lines() {
        let (expected, hex) = line.split_once(' ').expect("two fields");
        let code = (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex"))
            .collect();
        let (result, _) = run_standalone(&image_of(width, code), 100_000).expect("a program that ends");
        assert_eq!(format!("{result:08x}"), expected, "{width:?}, program {programs}");
        programs += 1;
    }
    assert_eq!(programs, 48);
}

#[test]
fn every_halfword_expands_to_an_instruction_or_is_refused() {
    // Reserved encodings of the quadrants of RV32C and floating point are refused; nothing panics.
    for (width, half) in
        [Width::Rv32, Width::Rv64].into_iter().flat_map(|w| (0..=u16::MAX).map(move |h| (w, h)))
    {
        if half & 3 != 3
            && let Some(word) = expand(width, half)
        {
            assert_eq!(word & 3, 3, "{half:#06x} expands to a 32-bit instruction");
            let short = decode(width, 0, half, 0);
            let long = decode(width, 0, word as u16, (word >> 16) as u16);
            assert_eq!(
                (short.code, short.rd, short.rs1, short.rs2(), short.imm),
                (long.code, long.rd, long.rs1, long.rs2(), long.imm)
            );
            assert_eq!((short.halfwords(), long.halfwords()), (1, 2));
        }
    }
    assert_eq!(expand(Width::Rv32, 0), None, "all zeros is no instruction");
    assert_eq!(expand(Width::Rv64, 0), None);
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
        (vec![SW_TO_CODE, SW_T0], Fault::StoreToCode { address: BASE.into() }, 4),
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
    // addi sp, sp, -2048 and a store repeat: the stack is below the image, and below it is no memory.
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
fn packets_go_to_the_function_that_is_named() {
    // app_packet returns 1, filter 2.
    let code = words(&[0x0010_0513, RET, 0x0020_0513, RET]);
    let mut two = image(code);
    two.symbols.push(Symbol { address: BASE + 8, name: "filter".to_owned(), code: true });
    let load =
        |entry| Machine::new_until(two.clone(), entry, &[], 1000, true, &mut |_| ControlFlow::Continue(()));
    for (entry, result) in [(PACKET_ENTRY, 1), ("filter", 2)] {
        let mut machine = load(entry).expect("a machine");
        assert_eq!(machine.packet(&[0; 40], 0, &mut Silent).expect("a packet"), result);
    }
    let error = load("flter").expect_err("no such function").to_string();
    assert!(error.contains("no symbol `flter` (functions: app_packet, filter)"), "{error}");
}

#[test]
fn programs_that_leave_through_tohost_are_noticed_and_endless_ones_too() {
    // lui a1, 0x20; li a0, 7; then sw a0, 0(a1) and a jump back to it, for ever: result 3.
    let code = words(&[0x0002_05b7, 0x0070_0513, 0x00a5_a023, 0xffdf_f06f]);
    let mut leaving = image(code.clone());
    leaving.symbols.push(Symbol { address: 0x20000, name: "tohost".to_owned(), code: false });
    let (result, instructions) = run_standalone(&leaving, 1_000_000).expect("a result");
    assert_eq!(result, 3);
    assert!(instructions < 200_000);
    let error = run_standalone(&image(code), 300_000).expect_err("no end");
    assert!(matches!(error, IssError::Fault { fault: Fault::Runaway { budget: 300_000 }, .. }), "{error}");
}

const LR_A1_FROM_A0: u32 = 0x1005_25af; // lr.w a1, (a0)
const SC_A2_TO_A0: u32 = 0x18b5_262f; // sc.w a2, a1, (a0)
const SC_A3_TO_A0: u32 = 0x18b5_26af; // sc.w a3, a1, (a0)
const RET: u32 = 0x0000_8067;

/// Returns the result of a program.
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
    // A failure uses the reservation up, too: the last store goes back to the reserved word.
    const WORD_BEFORE: u32 = 0xffc5_0513; // addi a0, a0, -4
    let back = [LR_A1_FROM_A0, NEXT_WORD, SC_A2_TO_A0, WORD_BEFORE, SC_A3_TO_A0, RESULT_A3, RET];
    assert_eq!(returned(&back), 1);
}

#[test]
fn a_packet_begins_without_a_reservation() {
    // The first packet reserves a word, as its second byte requests; the second packet stores to it.
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
    assert_eq!(fault_of(&[OWN_CODE, AMOADD, RET]).0, Fault::StoreToCode { address: BASE.into() });
    // A standalone program may load unaligned data, but not with an atomic instruction.
    let alone = image(words(&[0x0002_0537, ONE_BYTE_ON, 0x0005_2583, AMOADD]));
    let error = run_standalone(&alone, 1000).expect_err("no atomic access");
    assert!(matches!(error, IssError::Fault { fault: Fault::Misaligned { .. }, pc: 0x1000c, .. }), "{error}");
}

#[test]
fn an_atomic_instruction_is_one_access_of_a_trace() {
    // lr, sc (which succeeds), sc (which fails) and amoadd access the packet's first word.
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

#[test]
fn short_instructions_of_64_bits_are_those_of_the_specification() {
    // Each instruction in its short and long form, and the instruction that RV32C has in place of the short one.
    let cases = [
        (0x6188, 0x0005_b503, None),              // c.ld a0, 0(a1): flw
        (0xe188, 0x00a5_b023, None),              // c.sd a0, 0(a1): fsw
        (0x7dec, 0x0f85_b583, None),              // c.ld a1, 248(a1)
        (0x2505, 0x0015_051b, Some(0x6200_00ef)), // c.addiw a0, 1: c.jal
        (0x3579, 0xffe5_051b, Some(0xe8ff_f0ef)), // c.addiw a0, -2: c.jal
        (0x9d2d, 0x00b5_053b, None),              // c.addw a0, a1
        (0x9d0d, 0x40b5_053b, None),              // c.subw a0, a1
        (0x6522, 0x0081_3503, None),              // c.ldsp a0, 8(sp)
        (0xe42a, 0x00a1_3423, None),              // c.sdsp a0, 8(sp)
        (0x1502, 0x0205_1513, None),              // c.slli a0, 32
        (0x9101, 0x0205_5513, None),              // c.srli a0, 32
        (0x957d, 0x43f5_5513, None),              // c.srai a0, 63
    ];
    for (half, long, narrow) in cases {
        assert_eq!(expand(Width::Rv64, half), Some(long), "{half:#06x}");
        assert_eq!(expand(Width::Rv32, half), narrow, "{half:#06x}");
    }
    // Reserved: c.addiw and c.ldsp to x0.
    assert_eq!((expand(Width::Rv64, 0x2001), expand(Width::Rv64, 0x6002)), (None, None));
}

#[test]
fn addresses_beyond_four_gigabytes_are_outside_memory_and_named() {
    const FAR: [u32; 2] = [0x0010_0513, 0x0205_1513]; // li a0, 1; slli a0, a0, 32
    let fault = |code: &[u32]| {
        let mut machine =
            Machine::new(image_of(Width::Rv64, words(code)), &[], 1000).expect("a machine that loads");
        match machine.packet(&[0; 40], 0, &mut Silent) {
            Err(IssError::Fault { fault, .. }) => fault,
            other => panic!("expected a fault, found {other:?}"),
        }
    };
    let far = 1 << 32;
    let (load, store) = ("load", "store");
    assert_eq!(fault(&[FAR[0], FAR[1], 0x0005_3583]), Fault::OutOfRange { what: load, address: far });
    assert_eq!(fault(&[FAR[0], FAR[1], 0x00b5_3023]), Fault::OutOfRange { what: store, address: far });
    assert_eq!(fault(&[FAR[0], FAR[1], 0x0005_0067]), Fault::Jump { target: far });
    // lb a0, -1(zero) and ld a0, -8(zero) access the end of the address space.
    assert_eq!(fault(&[0xfff0_0503]), Fault::OutOfRange { what: load, address: u64::MAX });
    assert_eq!(fault(&[0xff80_3503]), Fault::OutOfRange { what: load, address: u64::MAX - 7 });
    let misaligned = fault(&[0x0045_3583]);
    assert!(matches!(misaligned, Fault::Misaligned { what: "load", address, bytes: 8 } if address % 8 == 4));
}

/// An ELF file of 64 bits with one segment.
fn elf64(address: u64, entry: u64, code: &[u8]) -> Vec<u8> {
    elf64_of(&[(address, code.len() as u64)], entry, code)
}

/// An ELF file whose segments, at addresses and with sizes in memory, all begin with the same code.
fn elf64_of(segments: &[(u64, u64)], entry: u64, code: &[u8]) -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xf3\0\x01\0\0\0".to_vec();
    for word in [entry, 64, 0] {
        file.extend(word.to_le_bytes());
    }
    for half in [0u16, 0, 64, 56, segments.len() as u16, 64, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    let at = 64 + 56 * segments.len() as u64;
    for (address, memory_bytes) in segments {
        file.extend([1, 0, 0, 0, 5, 0, 0, 0]);
        for word in [at, *address, *address, code.len() as u64, *memory_bytes, 4096] {
            file.extend(word.to_le_bytes());
        }
    }
    [file, code.to_vec()].concat()
}

#[test]
fn files_that_would_take_all_memory_are_refused() {
    let code = [0x13u8, 0, 0, 0].repeat(4096);
    let whole = code.len() as u64;
    // A long segment before a short one, long code, and the same bytes many times.
    let long = [(0x10000, 3 << 30), (0x20000, whole)];
    let far = [(0x10000, whole), (0x200_0000, whole)];
    let often = vec![(0x10000, whole); 60_000];
    for (segments, says) in [(&long[..], "256 MiB"), (&far[..], "16 MiB"), (&often[..], "256 MiB")] {
        let error = Image::read("large.elf", &elf64_of(segments, 0x10000, &code)).expect_err("too large");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn files_of_64_bits_are_run_where_they_lie_below_four_gigabytes() {
    // li a0, 1; slli a0, a0, 40; srli a0, a0, 38; li a7, 93; ecall: 4.
    let code = words(&[0x0010_0513, 0x0285_1513, 0x0265_5513, 0x05d0_0893, 0x73]);
    let image = Image::read("wide.elf", &elf64(0x8000_0000, 0x8000_0000, &code)).expect("a program");
    assert_eq!((image.width, image.entry), (Width::Rv64, 0x8000_0000));
    assert_eq!(run_standalone(&image, 100).expect("a result"), (4, 5));
    for (address, entry) in
        [(1 << 32, 1 << 32), (u64::MAX - 8, 0x10000), (0xffff_fffc, 0), (0x10000, 1 << 40)]
    {
        let error = Image::read("far.elf", &elf64(address, entry, &code)).expect_err("too far").to_string();
        assert!(error.contains("below 4 GiB") && error.contains("link the program at 0x10000"), "{error}");
    }
    // auipc reads an address above 2 GiB without a sign.
    let code = words(&[0x0000_0517, 0x0205_5513, 0x05d0_0893, 0x73]);
    let image = Image::read("high.elf", &elf64(0x8000_0000, 0x8000_0000, &code)).expect("a program");
    assert_eq!(run_standalone(&image, 100).expect("a result").0, 0);
}
