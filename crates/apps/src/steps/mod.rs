//! A program as a list of steps: the actions per packet, per cell and per block, each on a role.
//!
//! The list is data (a file, or built in Python). Work that depends on the packet is real: a lookup walks the
//! forwarding table and its reads are the accesses; a packet without a route is dropped.

mod access;
mod by_inbox;
mod ready;
mod step;
mod template;
mod walk;

pub use access::{Address, Amount, ListedAccess, Reach, Span};
pub use by_inbox::StepsByInbox;
pub use step::{AfterPut, CYCLE_PARTS, Does, Each, ListedStep, OutPort};

use crate::RouteTable;
use crate::admission::{Admitted, NotIp, Protocols};
use linecard_program::script::{Access, Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, NetworkKind, PacketHead};
use ready::{REPETITIONS, Ready, Work};
use std::ops::Range;
use std::rc::Rc;
use walk::Walk;

/// A program of listed steps.
#[derive(Clone, Debug)]
pub struct StepList {
    steps: Vec<Ready>,
    /// The steps of output threads for a block: those after [`Does::Enqueue`].
    block: Vec<Ready>,
    /// Blocks sent.
    blocks: u64,
    sends_blocks: bool,
    routes: Option<Rc<RouteTable>>,
    locks: u32,
    /// Whether a step may pass a packet on, and whether one lends it.
    passes_on: bool,
    lends: bool,
    /// Mixed with the numbers of packets in draws: 0 for seed 1.
    salt: u64,
    not_ip: NotIp,
}

impl StepList {
    /// Returns a program; `routes` are for its lookups. `end` is appended to a list without a final step
    /// (`Put`, `Send`, `Enqueue`, …).
    pub fn new(mut steps: Vec<ListedStep>, end: Does, routes: Option<Rc<RouteTable>>) -> Self {
        let is_enqueue = |step: &ListedStep| matches!(step.does, Does::Enqueue);
        let at = steps.iter().position(is_enqueue).map_or(steps.len(), |at| at + 1);
        let block = steps.split_off(at);
        let block = Ready::list(block, at as u32);
        // A program that only hands packets over is compatible with both ways of sending.
        let does = |wanted: fn(&Does) -> bool| steps.iter().any(|step| wanted(&step.does));
        let sends_blocks = match does(|does| matches!(does, Does::Enqueue | Does::Leave)) {
            true => true,
            false => matches!(end, Does::Leave) && !does(|does| matches!(does, Does::Send { .. })),
        };
        let ends = steps.last().is_some_and(ListedStep::is_last_word) || steps.iter().any(ListedStep::lends);
        if !ends {
            steps.push(ListedStep {
                each: Each::Packet,
                share: 1.0,
                times: 1,
                cycles: 0,
                fraction: 0,
                does: end,
            });
        }
        Self { sends_blocks, block, ..Self::part(steps, 0, routes) }
    }

    /// Returns a list of steps that another list may follow.
    fn part(steps: Vec<ListedStep>, first: usize, routes: Option<Rc<RouteTable>>) -> Self {
        let locks = steps.iter().filter_map(|step| match step.does {
            Does::Lock(lock) | Does::Unlock(lock) => Some(lock + 1),
            _ => None,
        });
        Self {
            locks: locks.max().unwrap_or(0),
            passes_on: steps.iter().any(|step| matches!(step.does, Does::Put { .. } | Does::Send { .. })),
            lends: steps.iter().any(ListedStep::lends),
            routes,
            steps: Ready::list(steps, first as u32),
            block: Vec::new(),
            blocks: 0,
            sends_blocks: false,
            salt: 0,
            not_ip: NotIp::default(),
        }
    }

    /// Returns the same with a seed for its draws: the packets that execute a step with a share below 1, and
    /// addresses that differ each time.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { salt: seed.wrapping_sub(1).wrapping_mul(0xa076_1d64_78bd_642f), ..self }
    }

    /// Returns the same with this treatment of frames that are not IP, when headers are checked or looked up.
    #[must_use]
    pub fn with_not_ip(self, not_ip: NotIp) -> Self {
        Self { not_ip, ..self }
    }

    /// Returns the steps before number `at` and those from there on, for use before and after other work; no
    /// final step is added.
    pub fn parted(mut steps: Vec<ListedStep>, at: usize, routes: Option<Rc<RouteTable>>) -> (Self, Self) {
        let behind = steps.split_off(at.min(steps.len()));
        (Self::part(steps, 0, routes.clone()), Self::part(behind, at, routes))
    }

    /// Returns whether a step may pass a packet on, to an inbox or an output queue.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        self.passes_on
    }

    /// Returns whether a step may lend a packet ([`AfterPut::GoesOn`]).
    #[must_use]
    pub fn lends(&self) -> bool {
        self.lends
    }

    /// Writes all steps down. Returns whether a final step (`Put`, `Send`, `Finish`, `Drop`) was among them.
    /// `chosen` is the output port that is known by now.
    #[inline(always)]
    pub fn write_all(
        &self,
        head: &PacketHead,
        info: &PacketInfo,
        chosen: &mut Option<u16>,
        steps: &mut Steps,
    ) -> bool {
        let mut walk = Walk { head, info, number: info.number ^ self.salt, chosen: *chosen, over: false };
        self.write_list(&self.steps, || 0..head.cells() as u16, &mut walk, steps);
        *chosen = walk.chosen;
        walk.over
    }

    /// Writes the steps of a list down, for these cells of the packet.
    #[inline(always)]
    fn write_list(
        &self,
        mut list: &[Ready],
        cells: impl Fn() -> Range<u16>,
        walk: &mut Walk<'_>,
        steps: &mut Steps,
    ) {
        while let [step, behind @ ..] = list
            && !walk.over
        {
            if step.each == Each::Packet {
                if step.is_once {
                    self.write_once(walk, step, step.number.wrapping_mul(REPETITIONS), 0, steps);
                } else if step.times > 0 && step.is_done(walk.number, step.number) {
                    self.write(walk, step, step.number, 0, steps);
                }
                list = behind;
                continue;
            }
            let (group, behind) = list.split_at(step.group);
            for cell in cells() {
                for step in group {
                    let draw = step.number + 1000 * u32::from(cell);
                    let now = step.each.takes(cell) && step.times > 0;
                    if now && !walk.over && step.is_done(walk.number, draw) {
                        self.write(walk, step, draw, cell, steps);
                    }
                }
            }
            list = behind;
        }
    }
}

impl StepList {
    /// Writes one step down; `draw` distinguishes repetitions.
    #[inline(always)]
    fn write(&self, walk: &mut Walk<'_>, step: &Ready, draw: u32, cell: u16, steps: &mut Steps) {
        let mut draw = draw.wrapping_mul(REPETITIONS);
        let last = draw.wrapping_add(step.times - 1);
        loop {
            if step.fraction > 0 {
                steps.compute(step.carried(walk.number.wrapping_add(cell.into()), draw));
            }
            self.write_once(walk, step, draw, cell, steps);
            if draw == last || walk.over {
                return;
            }
            draw = draw.wrapping_add(1);
        }
    }

    #[inline(always)]
    fn write_once(&self, walk: &mut Walk<'_>, step: &Ready, draw: u32, cell: u16, steps: &mut Steps) {
        match &step.work {
            Work::Steps(template) => {
                template.write(walk.head, walk.info, walk.number, draw, steps);
                walk.over = step.ends;
            }
            Work::Does(does, cycles) => self.write_other(walk, does, *cycles, cell, steps),
        }
    }

    /// Writes an action that depends on the packet.
    #[inline(always)]
    fn write_other(&self, walk: &mut Walk<'_>, does: &Does, cycles: u32, cell: u16, steps: &mut Steps) {
        match *does {
            Does::Cell { role, write, posted } => {
                steps.push(cycles, Action::Cell { role, write, posted, cell, registers: 0 });
            }
            Does::Check => {
                steps.compute(cycles);
                if let Admitted::Ended(reason) = self.not_ip.admit(Protocols::Ip, walk.head) {
                    walk.end(0, Action::Drop(reason), steps);
                }
            }
            Does::LookUp { reads } => {
                steps.compute(cycles);
                self.look_up(walk, reads, steps);
            }
            Does::Send { class, .. } => walk.end(cycles, Action::Send { port: walk.port(), class }, steps),
            Does::Admit => steps.push(cycles, Action::Admit { port: walk.port() }),
            Does::Leave => {
                let port = walk.chosen.unwrap_or(0);
                walk.end(cycles, Action::Leave { port }, steps);
            }
            // These are written from a template.
            Does::Enqueue
            | Does::Finish
            | Does::Drop
            | Does::Compute
            | Does::Reach(_)
            | Does::Spread(_)
            | Does::Join
            | Does::Lock(_)
            | Does::Unlock(_)
            | Does::Put { .. }
            | Does::Alone
            | Does::Transmit => steps.compute(cycles),
        }
    }

    fn look_up(&self, walk: &mut Walk<'_>, reads: Option<(RoleId, u16)>, steps: &mut Steps) {
        let found = match (self.not_ip.admit(Protocols::Ip, walk.head), &self.routes) {
            (Admitted::Ended(reason), _) => Err(reason),
            (Admitted::Passed, _) | (Admitted::Worked, None) => Ok(None),
            (Admitted::Worked, Some(routes)) => {
                let (port, levels) = routes.route(walk.head);
                if let Some((role, bytes)) = reads {
                    for level in 0..levels {
                        // Nodes of a level have separate addresses, which depend on the destination.
                        let address = node(walk.head, level).wrapping_mul(0x9e37_79b1) >> 12 << 2;
                        steps.access(role, Access::Read, bytes, address);
                    }
                }
                port.map(Some).ok_or(DropReason::NoRoute)
            }
        };
        match found {
            Ok(port) => walk.chosen = port.or(walk.chosen),
            Err(reason) => walk.end(0, Action::Drop(reason), steps),
        }
    }
}

/// Returns the bits of a packet's destination down to a level of the table, as a number of 32 bits.
fn node(head: &PacketHead, level: u32) -> u32 {
    if head.network != NetworkKind::Ipv6 {
        return head.destination >> (16 - 8 * level.min(2));
    }
    let above = head.destination_v6() >> (112 - 8 * level);
    [0, 32, 64, 96].into_iter().fold(0, |mixed: u32, word| mixed.rotate_left(5) ^ (above >> word) as u32)
}

impl PacketProgram for StepList {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        self.write_all(head, info, &mut None, steps);
        // A thread works on after it has lent its packet.
        steps.end();
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        // Only the cells of the packet are known; draws use the number of the block.
        let (head, info) =
            (PacketHead::default(), PacketInfo { number: self.blocks, ..PacketInfo::default() });
        let number = self.blocks ^ self.salt;
        self.blocks += 1;
        let mut walk = Walk { head: &head, info: &info, number, chosen: Some(block.port), over: false };
        let cells = || block.first_cell..block.first_cell + block.cells;
        self.write_list(&self.block, cells, &mut walk, steps);
        // A thread works on after it has handed its block over.
        steps.end();
    }

    fn sends_blocks(&self) -> bool {
        self.sends_blocks
    }

    fn locks(&self) -> u32 {
        self.locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Route;
    use linecard_program::script::Step;

    const TABLE: RoleId = RoleId(0);

    fn step(each: Each, cycles: u32, does: Does) -> ListedStep {
        ListedStep { each, share: 1.0, times: 1, cycles, fraction: 0, does }
    }

    fn listed(steps: Vec<ListedStep>, routes: Option<RouteTable>) -> StepList {
        StepList::new(steps, Does::Send { port: OutPort::Chosen, class: 0 }, routes.map(Rc::new))
    }

    const SPAN: Span = Span { address: Address::Same, within_bytes: 4096, per_thread: false };

    fn reads_of(bytes: u16, times: u32) -> ListedAccess {
        let reach = Reach::Access { kind: Access::Read, posted: false, amount: Amount::Bytes(bytes) };
        ListedAccess { role: TABLE, reach, span: SPAN, times }
    }

    fn transfer(bytes: u16) -> ListedAccess {
        ListedAccess { role: TABLE, reach: Reach::Transfer { bytes }, span: SPAN, times: 1 }
    }

    fn read(times: u32) -> ListedStep {
        ListedStep { times, ..step(Each::Packet, 3, Does::Reach(reads_of(4, 1))) }
    }

    fn steps_of(list: &mut StepList, head: PacketHead) -> Vec<(u32, Action)> {
        let mut steps = Steps::default();
        let mut head = head;
        list.packet(&mut head, &PacketInfo::default(), &mut steps);
        steps.list().iter().map(|s| (s.cycles, s.action)).collect()
    }

    fn ipv4(bytes: u32, destination: u32) -> PacketHead {
        PacketHead { bytes, destination, ttl: 9, network: NetworkKind::Ipv4, ..PacketHead::default() }
    }

    #[test]
    fn cells_are_done_in_turn_and_cycles_add_up_to_the_next_action() {
        let cell = Does::Cell { role: TABLE, write: true, posted: true };
        let mut list = listed(
            vec![
                step(Each::Packet, 10, Does::Compute),
                step(Each::Cell, 2, cell),
                step(Each::LaterCell, 5, Does::Compute),
                step(Each::Packet, 1, Does::Join),
            ],
            None,
        );
        let moved = |cell| Action::Cell { role: TABLE, write: true, posted: true, cell, registers: 0 };
        let send = Action::Send { port: 0, class: 0 };
        // 150 bytes are three cells; what is computed after a cell counts before the next action.
        assert_eq!(
            steps_of(&mut list, ipv4(150, 0)),
            [(12, moved(0)), (2, moved(1)), (7, moved(2)), (6, Action::Join), (0, send)]
        );
    }

    #[test]
    fn a_lookup_reads_a_word_a_level_and_drops_what_matches_nothing() {
        let table = RouteTable::new(&[Route { prefix: 0x0a00_0000, length: 24, port: 3 }], &[]).unwrap();
        let look_up = step(Each::Packet, 7, Does::LookUp { reads: Some((TABLE, 4)) });
        let mut list = listed(vec![look_up], Some(table));
        let found = steps_of(&mut list, ipv4(64, 0x0a00_0001));
        assert_eq!((found.len(), found[0].0, found[2].1), (3, 7, Action::Send { port: 3, class: 0 }));
        let lost = steps_of(&mut list, ipv4(64, 0x0b00_0001));
        assert_eq!(lost.last().map(|s| s.1), Some(Action::Drop(DropReason::NoRoute)));
        let old = PacketHead { ttl: 1, ..ipv4(64, 0x0a00_0001) };
        assert_eq!(steps_of(&mut list, old), [(7, Action::Drop(DropReason::TtlExpired))]);
    }

    #[test]
    fn shares_are_kept_over_many_packets_and_steps_are_repeated() {
        let mut list = listed(vec![ListedStep { share: 0.25, ..read(2) }], None);
        let mut steps = Steps::default();
        let mut reads = 0;
        for number in 0..40_000 {
            steps.clear();
            list.packet(&mut ipv4(64, 0), &PacketInfo { number, ..PacketInfo::default() }, &mut steps);
            reads += steps.list().len() - 1;
        }
        assert!((reads as f64 / 40_000.0 - 0.5).abs() < 0.02, "{reads}");
    }

    #[test]
    fn another_seed_draws_other_packets_as_often() {
        let done_for = |seed: u64| -> Vec<u64> {
            let mut list = listed(vec![ListedStep { share: 0.3, ..read(1) }], None).with_seed(seed);
            let mut steps = Steps::default();
            let has_read = |number: &u64| {
                steps.clear();
                list.packet(
                    &mut ipv4(64, 0),
                    &PacketInfo { number: *number, ..PacketInfo::default() },
                    &mut steps,
                );
                steps.list().len() > 1
            };
            (0..10_000).filter(has_read).collect()
        };
        let counts: Vec<usize> = (1..=20).map(|seed| done_for(seed).len()).collect();
        // Binomial: 3,000 with a standard deviation of 46.
        assert!(counts.iter().all(|count| (2_800..3_200).contains(count)), "{counts:?}");
        assert!(counts.iter().max() > counts.iter().min(), "{counts:?}");
        assert_ne!(done_for(1), done_for(2));
        assert_eq!(done_for(7), done_for(7));
    }

    fn access(kind: Access, bytes: u16, address: u32) -> Action {
        Action::Access { role: TABLE, kind, posted: false, bytes, address, used_after: 1 }
    }

    const SEND: Action = Action::Send { port: 0, class: 0 };

    #[test]
    fn a_transfer_takes_an_instruction_for_each_32_bytes_and_goes_on_where_it_was() {
        let mut list = listed(vec![step(Each::Packet, 9, Does::Reach(transfer(70)))], None);
        assert_eq!(
            steps_of(&mut list, ipv4(64, 0)),
            [
                (9, access(Access::Read, 32, 0)),
                (0, access(Access::Continue, 32, 32)),
                (0, access(Access::Continue, 6, 64)),
                (0, SEND)
            ]
        );
    }

    #[test]
    fn cycles_are_spread_before_between_and_behind_the_instructions_of_a_step() {
        // 24 cycles over 3 reads and a move of two instructions: 6 gaps of 4 (Spalink 2000, Figure 5: move IN_FIFO to DRAM).
        let even = Does::Spread(vec![reads_of(4, 3), transfer(64)]);
        let mut list = listed(vec![step(Each::Packet, 24, even)], None);
        let read = (4, access(Access::Read, 4, 0));
        let moves = [(4, access(Access::Read, 32, 0)), (4, access(Access::Continue, 32, 32))];
        assert_eq!(steps_of(&mut list, ipv4(64, 0)), [read, read, read, moves[0], moves[1], (4, SEND)]);
        // The remainder comes last: 7 cycles over two reads are 2, 2 and 3.
        let mut list = listed(vec![step(Each::Packet, 7, Does::Spread(vec![reads_of(4, 2)]))], None);
        let cycles: Vec<u32> = steps_of(&mut list, ipv4(64, 0)).iter().map(|step| step.0).collect();
        assert_eq!(cycles, [2, 2, 3]);
    }

    #[test]
    fn spread_cycles_and_instructions_are_all_there_however_many_there_are() {
        for cycles in 0..40 {
            for reads in 0..9 {
                let spread = Does::Spread(vec![reads_of(4, reads), transfer(33)]);
                let mut list = listed(vec![step(Each::Packet, cycles, spread)], None);
                let steps = steps_of(&mut list, ipv4(64, 0));
                let gaps: Vec<u32> = steps.iter().map(|step| step.0).collect();
                assert_eq!(gaps.len() as u32, reads + 3);
                assert_eq!(gaps.iter().sum::<u32>(), cycles);
                let (low, high) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
                assert!(high - low <= 1, "{cycles} over {gaps:?}");
            }
        }
    }

    #[test]
    fn a_lookup_without_a_memory_finds_the_port_and_makes_no_access() {
        let table = RouteTable::new(&[Route { prefix: 0x0a00_0000, length: 8, port: 3 }], &[]).unwrap();
        let look_up = step(Each::Packet, 7, Does::LookUp { reads: None });
        let mut list = listed(vec![look_up], Some(table));
        let send = Action::Send { port: 3, class: 0 };
        assert_eq!(steps_of(&mut list, ipv4(64, 0x0a00_0001)), [(7, send)]);
        assert_eq!(steps_of(&mut list, ipv4(64, 0x0b00_0001)), [(7, Action::Drop(DropReason::NoRoute))]);
    }

    #[test]
    fn a_check_drops_what_cannot_be_forwarded_before_anything_else_is_done() {
        let mut list = listed(vec![step(Each::Packet, 2, Does::Check), read(1)], None);
        assert_eq!(steps_of(&mut list, ipv4(64, 0)).len(), 2);
        let old = PacketHead { ttl: 1, ..ipv4(64, 0) };
        assert_eq!(steps_of(&mut list, old), [(2, Action::Drop(DropReason::TtlExpired))]);
        let other = PacketHead { network: NetworkKind::Other, ..ipv4(64, 0) };
        assert_eq!(steps_of(&mut list, other), [(2, Action::Drop(DropReason::NotIpv4))]);
    }

    #[test]
    fn an_ipv6_lookup_reads_a_word_for_each_level_of_its_table() {
        let prefix = 0x2001_0db8_0001 << 80;
        let table = RouteTable::new(&[], &[Route { prefix, length: 48, port: 3 }]).unwrap();
        let look_up = step(Each::Packet, 7, Does::LookUp { reads: Some((TABLE, 4)) });
        let mut list = listed(vec![look_up], Some(table));
        let to = |high: [u32; 3]| PacketHead {
            network: NetworkKind::Ipv6,
            destination_above: high,
            ..ipv4(64, 1)
        };
        // 16 bits, then 8 each up to bit 48: five reads, each at another node.
        let found = steps_of(&mut list, to([0x2001_0db8, 0x0001_ffff, 0]));
        assert_eq!((found.len(), found[5].1), (6, Action::Send { port: 3, class: 0 }));
        let nodes: std::collections::HashSet<_> =
            found[..5].iter().map(|step| format!("{:?}", step.1)).collect();
        assert_eq!(nodes.len(), 5);
        // The first level shows that no prefix begins with these bits.
        let lost = steps_of(&mut list, to([0x2a00_0db8, 1 << 16, 0]));
        assert_eq!((lost.len(), lost[1].1), (2, Action::Drop(DropReason::NoRoute)));
        let old = PacketHead { ttl: 1, ..to([0x2001_0db8, 1 << 16, 0]) };
        assert_eq!(steps_of(&mut list, old), [(7, Action::Drop(DropReason::TtlExpired))]);
    }

    #[test]
    fn frames_that_are_not_ip_go_where_the_list_sends_them() {
        let steps =
            [Does::Check, Does::LookUp { reads: Some((TABLE, 4)) }].map(|does| step(Each::Packet, 7, does));
        let arp = PacketHead { network: NetworkKind::NotIp, ..ipv4(64, 0) };
        let ends = |not_ip| {
            let list = listed(steps.to_vec(), Some(RouteTable::default()));
            steps_of(&mut list.with_not_ip(not_ip), arp)
        };
        assert_eq!(ends(NotIp::Punt), [(7, Action::Drop(DropReason::Punted))]);
        assert_eq!(ends(NotIp::Drop), [(7, Action::Drop(DropReason::NotIp))]);
        // A frame that is not IP has neither an address to look up nor a hop limit.
        assert_eq!(ends(NotIp::Forward), [(14, SEND)]);
    }

    #[test]
    fn steps_behind_enqueue_are_those_of_each_block() {
        let once = |cycles, does| step(Each::Packet, cycles, does);
        let mut list = listed(
            vec![
                once(1, Does::Admit),
                once(2, Does::Enqueue),
                step(Each::Cell, 3, Does::Reach(reads_of(4, 1))),
                step(Each::FirstCell, 4, Does::Reach(reads_of(8, 1))),
                step(Each::LaterCell, 5, Does::Reach(reads_of(12, 1))),
                once(6, Does::Transmit),
            ],
            None,
        );
        assert!(list.sends_blocks());
        assert_eq!(steps_of(&mut list, ipv4(200, 0)), [(1, Action::Admit { port: 0 }), (2, Action::Enqueue)]);
        let mut block = |first_cell, cells| {
            let mut steps = Steps::default();
            list.block(&Block { first_cell, cells, ..Block::default() }, &mut steps);
            steps.list().iter().map(|step| (step.cycles, step.action)).collect::<Vec<_>>()
        };
        let [each, first, later] = [(3, 4), (4, 8), (5, 12)].map(|(c, b)| (c, access(Access::Read, b, 0)));
        let transmit = (6, Action::Transmit);
        // A packet of four cells in blocks of three: only the first block contains the first cell.
        assert_eq!(block(0, 3), [each, first, each, later, each, later, transmit]);
        assert_eq!(block(3, 1), [each, later, transmit]);
    }

    #[test]
    fn cycles_behind_the_last_action_are_spent() {
        let once = |cycles, does| step(Each::Packet, cycles, does);
        let lend = Does::Put { inbox: 1, then: AfterPut::GoesOn };
        let mut list = listed(vec![once(3, lend), once(40, Does::Compute), once(2, Does::Compute)], None);
        assert_eq!(steps_of(&mut list, ipv4(64, 0)), [(3, Action::Lend { inbox: 1 }), (42, Action::Nothing)]);
        let sending = [once(0, Does::Enqueue), once(5, Does::Transmit), once(7, Does::Compute)];
        let mut list = listed(sending.to_vec(), None);
        let mut steps = Steps::default();
        list.block(&Block { cells: 1, ..Block::default() }, &mut steps);
        let [transmit, behind] = [(5, Action::Transmit), (7, Action::Nothing)];
        assert_eq!(steps.list(), [transmit, behind].map(|(cycles, action)| Step { cycles, action }));
    }

    #[test]
    fn a_list_without_a_last_word_ends_as_it_is_told() {
        let mut list = StepList::new(vec![read(1)], Does::Leave, None);
        assert!(list.sends_blocks(), "threads that send have nothing to do");
        assert_eq!(steps_of(&mut list, ipv4(64, 0))[1], (0, Action::Leave { port: 0 }));
        let drop = step(Each::Packet, 0, Does::Drop);
        assert_eq!(steps_of(&mut StepList::new(vec![drop], Does::Leave, None), ipv4(64, 0)).len(), 1);
    }

    #[test]
    fn a_last_word_that_some_packets_do_not_reach_is_none() {
        let never = ListedStep { times: 0, ..step(Each::Packet, 0, Does::Drop) };
        let by_large_ones = step(Each::LaterCell, 0, Does::Drop);
        for last in [never, by_large_ones] {
            let mut list = StepList::new(vec![last], Does::Leave, None);
            assert_eq!(steps_of(&mut list, ipv4(64, 0)), [(0, Action::Leave { port: 0 })]);
        }
    }
}
