//! The runtime's allocator, memory and string functions, called one by one on the simulator.

use super::kit::Program;
use linecard_sim::{Stream, stream};
use std::collections::BTreeMap;

const MALLOC: u32 = 0;
const CALLOC: u32 = 1;
const FREE: u32 = 2;
const MEMCPY: u32 = 3;
const MEMMOVE: u32 = 4;
const MEMSET: u32 = 5;
const MEMCMP: u32 = 6;
const MEMCHR: u32 = 7;
const STRLEN: u32 = 8;
const STRCMP: u32 = 9;
const STRCHR: u32 = 10;
const STRRCHR: u32 = 11;
const STRSTR: u32 = 12;
const STRNCPY: u32 = 13;
const STRCAT: u32 = 14;

const HEAP_BYTES: u32 = 32 << 20;

struct Runtime(Program);

impl Runtime {
    /// Returns the runtime for registers of 32 bits, and that for 64 bits.
    fn of_both_widths() -> [Self; 2] {
        ["runtime", "runtime64"].map(|name| Self(Program::unchecked(&format!("tests/{name}.elf"), b"")))
    }

    fn call(&mut self, function: u32, arguments: [u32; 3]) -> u32 {
        let words = [function, arguments[0], arguments[1], arguments[2]];
        self.0.packet(&words.map(u32::to_le_bytes).concat())
    }

    /// Copies bytes to memory; the packet carries them.
    fn put(&mut self, address: u32, bytes: &[u8]) {
        let from = self.0.machine.layout().packet_low + 16;
        let words = [MEMCPY, address, from, bytes.len() as u32];
        assert_eq!(self.0.packet(&[&words.map(u32::to_le_bytes).concat(), bytes].concat()), address);
        assert_eq!(self.bytes(address, bytes.len()), bytes);
    }

    fn bytes(&self, address: u32, count: usize) -> &[u8] {
        self.0.machine.bytes(address, count)
    }
}

#[test]
fn live_objects_never_overlap_and_keep_their_bytes() {
    for mut runtime in Runtime::of_both_widths() {
        let mut draw = stream(1, "objects");
        let heap_low = runtime.0.machine.layout().heap_low;
        // By address of each live object: its size in bytes and its fill byte.
        let mut live: BTreeMap<u32, (u32, u8)> = BTreeMap::new();
        let mut live_bytes = 0;
        for round in 0..30_000u32 {
            if live_bytes > 8 << 20 || (draw.below(2) == 0 && !live.is_empty()) {
                let after = heap_low + draw.below(HEAP_BYTES);
                let (&address, &(bytes, fill)) =
                    live.range(after..).next().or_else(|| live.iter().next()).expect("a live object");
                assert!(
                    runtime.bytes(address, bytes as usize).iter().all(|&byte| byte == fill),
                    "{address:#x} was changed"
                );
                runtime.call(FREE, [address, 0, 0]);
                live.remove(&address);
                live_bytes -= bytes;
                continue;
            }
            let bytes = match draw.below(100) {
                0 => draw.below(300_000),
                1..10 => draw.below(20_000),
                _ => draw.below(200),
            };
            let zeroed = draw.below(3) == 0;
            let address = if zeroed {
                runtime.call(CALLOC, [bytes, 1, 0])
            } else {
                runtime.call(MALLOC, [bytes, 0, 0])
            };
            assert!(address != 0, "{live_bytes} bytes are live");
            assert_eq!(address % 16, 0);
            assert!(address >= heap_low && address + bytes <= heap_low + HEAP_BYTES);
            assert!(
                live.range(..=address)
                    .next_back()
                    .is_none_or(|(&at, &(bytes, _))| at + bytes.max(1) <= address)
            );
            assert!(live.range(address..).next().is_none_or(|(&at, _)| address + bytes <= at));
            assert!(!zeroed || runtime.bytes(address, bytes as usize).iter().all(|&byte| byte == 0));
            let fill = round as u8 | 1;
            runtime.call(MEMSET, [address, u32::from(fill), bytes]);
            live.insert(address, (bytes, fill));
            live_bytes += bytes;
        }
    }
}

#[test]
fn the_heap_ends_at_32_megabytes_and_freed_objects_come_back() {
    for mut runtime in Runtime::of_both_widths() {
        assert_eq!(runtime.call(MALLOC, [HEAP_BYTES + 1, 0, 0]), 0);
        assert_eq!(
            runtime.call(CALLOC, [1 << 16, 1 << 16, 0]),
            0,
            "a product that does not fit into 32 bits"
        );
        let mut objects = Vec::new();
        loop {
            match runtime.call(MALLOC, [1 << 20, 0, 0]) {
                0 => break,
                object => objects.push(object),
            }
        }
        assert_eq!(objects.len(), 32);
        assert_eq!(runtime.call(MALLOC, [16, 0, 0]), 0, "not even a small one");
        runtime.call(FREE, [objects[7], 0, 0]);
        assert_eq!(runtime.call(MALLOC, [1 << 20, 0, 0]), objects[7]);
        runtime.call(FREE, [0, 0, 0]);
    }
}

/// A text of few different letters, so that comparisons often find equal ones.
fn text(draw: &mut Stream, bytes: u32) -> Vec<u8> {
    (0..bytes).map(|_| b'a' + draw.below(2) as u8).collect()
}

#[test]
fn memory_functions_do_at_every_alignment_what_slices_do() {
    for mut runtime in Runtime::of_both_widths() {
        let mut draw = stream(2, "memory");
        let area = runtime.call(MALLOC, [256, 0, 0]);
        for _ in 0..3000 {
            let mut expected = text(&mut draw, 256);
            runtime.put(area, &expected);
            let (to, from, bytes) = (draw.below(100), draw.below(100), draw.below(101));
            let (at, end) = (to as usize, (to + bytes) as usize);
            let source = expected[from as usize..(from + bytes) as usize].to_vec();
            match draw.below(5) {
                0 if to.abs_diff(from) >= bytes => {
                    assert_eq!(runtime.call(MEMCPY, [area + to, area + from, bytes]), area + to);
                    expected[at..end].copy_from_slice(&source);
                }
                1 => {
                    let value = draw.bits() as u32;
                    assert_eq!(runtime.call(MEMSET, [area + to, value, bytes]), area + to);
                    expected[at..end].fill(value as u8);
                }
                2 => {
                    let found = runtime.call(MEMCMP, [area + to, area + from, bytes.min(6)]) as i32;
                    let count = bytes.min(6) as usize;
                    assert_eq!(found.signum(), expected[at..at + count].cmp(&source[..count]) as i32);
                }
                3 => {
                    let found = runtime.call(MEMCHR, [area + to, u32::from(b'b') | 0x100, bytes]);
                    let place = expected[at..end].iter().position(|&byte| byte == b'b');
                    assert_eq!(found, place.map_or(0, |place| area + to + place as u32));
                }
                _ => {
                    assert_eq!(runtime.call(MEMMOVE, [area + to, area + from, bytes]), area + to);
                    expected[at..end].copy_from_slice(&source);
                }
            }
            assert_eq!(runtime.bytes(area, 256), expected);
        }
    }
}

#[test]
fn string_functions_do_what_their_definitions_say() {
    for mut runtime in Runtime::of_both_widths() {
        let mut draw = stream(3, "strings");
        let area = runtime.call(MALLOC, [128, 0, 0]);
        let (left_at, right_at) = (area + draw.below(4), area + 64);
        for _ in 0..2000 {
            let (left_bytes, right_bytes) = (draw.below(20), draw.below(5));
            let (left, right) = (text(&mut draw, left_bytes), text(&mut draw, right_bytes));
            runtime.put(left_at, &[&left[..], &[0]].concat());
            runtime.put(right_at, &[&right[..], &[0]].concat());
            assert_eq!(runtime.call(STRLEN, [left_at, 0, 0]), left_bytes);
            let most = draw.below(8);
            let cut = |text: &[u8]| text[..text.len().min(most as usize)].to_vec();
            let order = runtime.call(STRCMP, [left_at, right_at, most]) as i32;
            assert_eq!(order.signum(), cut(&left).cmp(&cut(&right)) as i32);
            let found = |place: Option<usize>| place.map_or(0, |place| left_at + place as u32);
            let letter = u32::from(b'b');
            let (first, last) = (left.iter().position(|&b| b == b'b'), left.iter().rposition(|&b| b == b'b'));
            assert_eq!(runtime.call(STRCHR, [left_at, letter, 0]), found(first));
            assert_eq!(runtime.call(STRRCHR, [left_at, letter, 0]), found(last));
            assert_eq!(
                runtime.call(STRCHR, [left_at, 0, 0]),
                left_at + left_bytes,
                "the end is part of a string"
            );
            let place = (0..=left.len()).find(|&place| left[place..].starts_with(&right));
            assert_eq!(runtime.call(STRSTR, [left_at, right_at, 0]), found(place));
            runtime.call(STRCAT, [left_at, right_at, 0]);
            let joined = [&left[..], &right, &[0]].concat();
            assert_eq!(runtime.bytes(left_at, joined.len()), joined);
            runtime.call(STRNCPY, [left_at, right_at, 7]);
            let mut padded = right.clone();
            padded.resize(7, 0);
            assert_eq!(runtime.bytes(left_at, 7), padded);
        }
    }
}
