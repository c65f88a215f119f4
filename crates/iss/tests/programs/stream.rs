//! stream: segments in any order, duplicated and overlapping, result in the byte stream; the first segment with a
//! byte determines it.

use super::kit::{Program, TCP, UDP, carrying, ipv4, of_flow, tcp_body};
use linecard_sim::{Stream, stream};
use std::collections::{BTreeMap, VecDeque};

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

fn segment(src: u32, sequence: u32, flags: u8, data: &[u8]) -> Vec<u8> {
    ipv4(src, 7, TCP, &tcp_body((80, 9), sequence, flags, data))
}

/// Processes a packet. Returns the bytes that became available, and expects their number to be the program's result.
fn received(program: &mut Program, packet: &[u8]) -> Vec<u8> {
    let count = program.packet(packet);
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let pieces = word(program.object("stream_pieces", 4)) as usize;
    let list = program.object("stream_pieces", 4 + 8 * pieces)[4..].to_vec();
    let bytes: Vec<u8> = list
        .chunks(8)
        .flat_map(|piece| program.machine.bytes(word(&piece[..4]), word(&piece[4..]) as usize).to_vec())
        .collect();
    assert_eq!(bytes.len(), count as usize);
    bytes
}

struct Sender {
    src: u32,
    initial: u32,
    bytes: usize,
    segments: VecDeque<(usize, usize)>,
    /// The bytes that the receiver has, by position in the stream.
    have: BTreeMap<usize, u8>,
    read: usize,
}

impl Sender {
    fn new(src: u32, draw: &mut Stream) -> Self {
        let bytes: usize = 1 + draw.below(5000) as usize;
        let initial = [0, 0xffff_fff0, 0x7fff_ff00, draw.bits() as u32][draw.below(4) as usize];
        let longest = [100, 536, 1400][draw.below(3) as usize].max(bytes.div_ceil(40));
        let mut segments: Vec<(usize, usize)> =
            (0..bytes).step_by(longest).map(|first| (first, (first + longest).min(bytes))).collect();
        for _ in 0..draw.below(8) {
            let first = draw.below(bytes as u32) as usize;
            segments.push((first, (first + 1 + draw.below(1400) as usize).min(bytes)));
        }
        if draw.below(3) > 0 {
            draw.shuffle(&mut segments);
        }
        Self { src, initial, bytes, segments: segments.into(), have: BTreeMap::new(), read: 0 }
    }

    /// Sends the next segment, with new data even if another segment had some of its bytes.
    fn send(&mut self, program: &mut Program, draw: &mut Stream) {
        let (first, behind) = self.segments.pop_front().expect("a segment to send");
        let data: Vec<u8> = (first..behind).map(|_| draw.bits() as u8).collect();
        for (place, &byte) in (first..behind).zip(&data) {
            self.have.entry(place).or_insert(byte);
        }
        let available: Vec<u8> = self
            .have
            .range(self.read..)
            .zip(self.read..)
            .take_while(|((at, _), place)| *at == place)
            .map(|((_, byte), _)| *byte)
            .collect();
        self.read += available.len();
        let flags = if behind == self.bytes { ACK | FIN } else { ACK };
        let sequence = self.initial.wrapping_add(1 + first as u32);
        assert_eq!(
            received(program, &segment(self.src, sequence, flags, &data)),
            available,
            "{first} to {behind}"
        );
        if self.read == self.bytes {
            self.segments.clear();
        }
    }
}

#[test]
fn shuffled_doubled_and_overlapping_segments_give_the_stream() {
    for round in 0..60 {
        let mut draw = stream(round, "segments");
        let mut program = Program::unchecked("prebuilt/stream.elf", b"sessions 100\nwaiting 62\n");
        let mut senders: Vec<Sender> =
            (0..1 + draw.below(4)).map(|src| Sender::new(src, &mut draw)).collect();
        for sender in &senders {
            assert_eq!(program.packet(&segment(sender.src, sender.initial, SYN, b"")), 0);
        }
        while !senders.is_empty() {
            let number = draw.below(senders.len() as u32) as usize;
            senders[number].send(&mut program, &mut draw);
            if senders[number].segments.is_empty() {
                assert_eq!(senders[number].read, senders[number].bytes, "the whole stream was read");
                senders.remove(number);
            }
        }
    }
}

#[test]
fn a_gap_is_given_up_when_too_many_segments_wait() {
    let mut program = Program::unchecked("prebuilt/stream.elf", b"waiting 3\n");
    let mut send = |sequence, data: &[u8]| received(&mut program, &segment(1, sequence, ACK, data));
    assert_eq!(send(100, b"ab"), b"ab", "heard late: the first data is the beginning");
    // Bytes 102 to 109 are missing.
    assert_eq!(send(110, b"k"), b"");
    assert_eq!(send(112, b"m"), b"");
    assert_eq!(send(111, b"l"), b"");
    assert_eq!(send(120, b"u"), b"klm", "the fourth that waits");
    assert_eq!(send(105, b"late"), b"", "old now");
    assert_eq!(send(113, b"nopqrst"), b"nopqrstu");
}

#[test]
fn the_least_recently_used_session_goes_and_its_segments_with_it() {
    let mut program = Program::unchecked("prebuilt/stream.elf", b"sessions 2\n");
    let mut send = |src, sequence, data: &[u8]| received(&mut program, &segment(src, sequence, ACK, data));
    assert_eq!(send(1, 10, b"a"), b"a");
    assert_eq!(send(1, 20, b"k"), b"", "waits for 11 to 19");
    assert_eq!(send(2, 10, b"a"), b"a");
    assert_eq!(send(1, 30, b"u"), b"", "session 1 is the latest used");
    assert_eq!(send(3, 10, b"a"), b"a", "session 2 goes");
    assert_eq!(send(1, 11, b"bcdefghij"), b"bcdefghijk");
    assert_eq!(send(2, 50, b"x"), b"x", "begins anew, and session 3 goes");
    assert_eq!(send(3, 70, b"y"), b"y", "begins anew");
}

#[test]
fn resets_and_new_connections_begin_anew() {
    let mut program = Program::unchecked("prebuilt/stream.elf", b"");
    let mut send = |sequence, flags, data: &[u8]| received(&mut program, &segment(1, sequence, flags, data));
    assert_eq!(send(10, SYN, b""), b"");
    assert_eq!(send(11, ACK, b"ab"), b"ab");
    assert_eq!(send(10, SYN, b""), b"", "the same SYN again changes nothing");
    assert_eq!(send(13, ACK, b"c"), b"c");
    assert_eq!(send(500, SYN, b""), b"", "another connection of the same ports");
    assert_eq!(send(501, ACK, b"new"), b"new");
    assert_eq!(send(504, RST, b""), b"");
    assert_eq!(send(900, ACK, b"z"), b"z", "nothing is known after a reset");
    assert_eq!(send(0x8000_0000, ACK, b"far"), b"", "of no window");
}

#[test]
fn what_is_no_segment_takes_no_lock() {
    let mut program = Program::unchecked("prebuilt/stream.elf", b"");
    assert_eq!((program.packet(&carrying(b"datagram")), program.locks), (0, 0));
    let mut fragment = of_flow(1, 2, TCP, (3, 4), 100);
    fragment[6] = 0x20;
    assert_eq!((program.packet(&fragment), program.locks), (0, 0));
    assert_eq!((program.packet(&of_flow(1, 2, UDP, (3, 4), 100)), program.locks), (0, 0));
    assert_eq!((program.packet(&of_flow(1, 2, TCP, (3, 4), 100)), program.locks), (100, 2));
}
