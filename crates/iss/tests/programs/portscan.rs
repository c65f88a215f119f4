//! portscan, against sets of accesses and lists in order of use.

use super::kit::{ICMP, Program, TCP, UDP, of_flow};
use linecard_sim::{Stream, stream};

const SCAN: u32 = 1 << 31;

/// A model in lists, with the most recently used entry last.
struct Model {
    limit: usize,
    window_us: u64,
    idle_us: u64,
    conversations_most: usize,
    sources_most: usize,
    conversations: Vec<(Conversation, u64)>,
    sources: Vec<(u32, Vec<(Access, u64)>)>,
}

/// Protocol and both ends, the smaller first.
type Conversation = (u8, [(u32, u16); 2]);
type Access = (u32, u16, u8);

impl Model {
    fn begins(&mut self, conversation: Conversation, now_us: u64) -> bool {
        let known = self.conversations.iter().position(|(each, _)| *each == conversation);
        let last_us = known.map(|place| self.conversations.remove(place).1);
        if self.conversations.len() == self.conversations_most {
            self.conversations.remove(0);
        }
        self.conversations.push((conversation, now_us));
        last_us.is_none_or(|last_us| now_us - last_us > self.idle_us)
    }

    fn accesses(&mut self, source: u32, access: Access, now_us: u64) -> u32 {
        let known = self.sources.iter().position(|(each, _)| *each == source);
        let mut accesses = known.map(|place| self.sources.remove(place).1).unwrap_or_default();
        if self.sources.len() == self.sources_most {
            self.sources.remove(0);
        }
        accesses.retain(|&(each, at_us)| now_us - at_us <= self.window_us && each != access);
        if accesses.len() > self.limit {
            accesses.remove(0);
        }
        accesses.push((access, now_us));
        let count = accesses.len();
        self.sources.push((source, accesses));
        count as u32 | if count > self.limit { SCAN } else { 0 }
    }
}

#[test]
fn accesses_are_counted_as_sets_count_them() {
    for round in 0..12 {
        let mut draw = stream(round, "accesses");
        let pick = |draw: &mut Stream, of: [usize; 3]| of[draw.below(3) as usize];
        let limit = pick(&mut draw, [1, 5, 30]);
        let (window, idle) = (pick(&mut draw, [1, 5, 60]), pick(&mut draw, [1, 5, 60]));
        let (conversations, sources) = (pick(&mut draw, [4, 50, 16384]), pick(&mut draw, [2, 3, 4096]));
        let control = format!(
            "limit {limit}\nwindow {window}\nidle {idle}\nconversations {conversations}\nsources {sources}\n"
        );
        let mut program = Program::new("portscan", control.as_bytes());
        let mut model = Model {
            limit,
            window_us: window as u64 * 1_000_000,
            idle_us: idle as u64 * 1_000_000,
            conversations_most: conversations,
            sources_most: sources,
            conversations: Vec::new(),
            sources: Vec::new(),
        };
        let mut now_us = 0;
        for _ in 0..3000 {
            now_us += u64::from([0, 1000, 50_000, draw.below(500_000)][draw.below(4) as usize]);
            let (src, dst) = (draw.below(4), draw.below(6));
            let ports = (1 + draw.below(4) as u16, 1 + draw.below(8) as u16);
            let protocol = [TCP, UDP, ICMP][draw.below(3) as usize];
            let found = program.packet_at(&of_flow(src, dst, protocol, ports, 0), now_us as u32);
            if protocol == ICMP {
                assert_eq!((found, program.locks), (0, 0));
                continue;
            }
            let mut ends = [(src, ports.0), (dst, ports.1)];
            ends.sort_unstable();
            let begins = model.begins((protocol, ends), now_us);
            let expected = if begins { model.accesses(src, (dst, ports.1, protocol), now_us) } else { 0 };
            assert_eq!((found, program.locks), (expected, 2), "{control}at {now_us} us");
        }
    }
}

#[test]
fn a_scanner_is_found_and_a_busy_server_is_not() {
    let mut program = Program::shipped("portscan", Some("portscan.txt"));
    let mut alarms = [0, 0];
    for number in 0..200u16 {
        let now_us = u32::from(number) * 100_000;
        // One host scans port after port; a server answers many clients that opened their connections.
        let scan = program.packet_at(&of_flow(66, 7, TCP, (40_000, number + 1), 0), now_us);
        let client =
            program.packet_at(&of_flow(1000 + u32::from(number), 80, TCP, (5000 + number, 443), 0), now_us);
        let answer =
            program.packet_at(&of_flow(80, 1000 + u32::from(number), TCP, (443, 5000 + number), 0), now_us);
        assert_eq!((client, answer), (1, 0));
        alarms[0] += u32::from(scan & SCAN != 0);
        alarms[1] += u32::from((client | answer) & SCAN != 0);
    }
    assert_eq!(alarms, [180, 0], "from the 21st port on");
}
