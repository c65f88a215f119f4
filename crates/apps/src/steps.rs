//! A program as a list of steps: what is done once a packet, once a cell, and on which role.
//!
//! The list is data (a file, or built in Python). What depends on the packet is real: a lookup walks the forwarding
//! table and its reads are the accesses; what matches no route is dropped.

use crate::RouteTable;
use linecard_program::script::{Access, Action, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, NetworkKind, PacketHead};
use std::rc::Rc;

/// How often a step is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Once a packet.
    Packet,
    /// Once for each cell; steps of this kind that follow each other are done in turn, cell by cell.
    Cell,
    /// The same, without the first cell.
    LaterCell,
}

/// How much an access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u16),
    /// All bytes of the packet.
    Packet,
}

/// Which address an access goes to, within the bytes that its step covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The same for packets of one flow.
    Flow,
    /// Another one each time.
    Any,
    /// The first.
    Same,
}

/// Where a packet goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutPort {
    /// Where the lookup said; without one, by flow.
    Chosen,
    /// This port.
    Port(u16),
}

/// What a step does after its cycles.
#[derive(Clone, Debug)]
pub enum Does {
    /// Nothing.
    Compute,
    /// An access of a place.
    Access {
        /// Which.
        role: RoleId,
        /// What.
        kind: Access,
        /// Whether the thread goes on at once.
        posted: bool,
        /// How much.
        amount: Amount,
        /// Which address.
        address: Address,
        /// Bytes that addresses are spread over.
        within_bytes: u32,
    },
    /// The cell moves from the receive buffer into a memory, or out of it.
    Cell {
        /// Which memory.
        role: RoleId,
        /// Into it, or out of it.
        write: bool,
        /// Whether the thread goes on at once.
        posted: bool,
    },
    /// Wait for what was posted.
    Join,
    /// Wait for a lock.
    Lock(u32),
    /// Give it back.
    Unlock(u32),
    /// Find the output port of the longest prefix; one read for each level of the table. Packets that are not IPv4, have
    /// no hops left or match no route are dropped.
    LookUp {
        /// Which memory holds the table.
        role: RoleId,
        /// Bytes of a read.
        bytes: u16,
    },
    /// Hand over to another inbox.
    Put(u8),
    /// Hand over to an output queue.
    Send {
        /// Which port.
        port: OutPort,
        /// Which class of its queues.
        class: u8,
    },
    /// The packet ends here, as it is meant to.
    Finish,
    /// Give the packet up.
    Drop,
}

/// A step of the list.
#[derive(Clone, Debug)]
pub struct ListedStep {
    /// How often.
    pub each: Each,
    /// Share of the packets for which it is done, 0 to 1, drawn by packet and step.
    pub share: f64,
    /// How many times one after another.
    pub times: u32,
    /// Cycles before what it does.
    pub cycles: u32,
    /// What it does.
    pub does: Does,
}

/// A step made ready: what does not depend on the packet has been worked out.
#[derive(Clone, Debug)]
struct Ready {
    each: Each,
    /// It is done for packets that draw less, of 2^32.
    below: u64,
    times: u32,
    cycles: u32,
    does: Does,
    /// Accesses of a fixed size that fit side by side into the bytes that they cover.
    places: u32,
}

impl Ready {
    fn new(step: ListedStep) -> Self {
        let places = match step.does {
            Does::Access { amount: Amount::Bytes(bytes), within_bytes, .. } => places(within_bytes, bytes),
            _ => 1,
        };
        Self {
            each: step.each,
            below: (step.share * 4_294_967_296.0).ceil() as u64,
            times: step.times,
            cycles: step.cycles,
            does: step.does,
            places,
        }
    }

    /// Whether it is done for the packet of this number; `draw` tells steps apart.
    #[inline(always)]
    fn is_done(&self, number: u64, draw: u32) -> bool {
        self.below > u64::from(u32::MAX) || u64::from(mix(number, !draw)) < self.below
    }
}

/// Accesses of so many bytes that fit side by side.
#[inline]
fn places(within_bytes: u32, bytes: u16) -> u32 {
    (within_bytes / u32::from(bytes.max(1))).max(1)
}

/// A program of listed steps.
#[derive(Clone, Debug)]
pub struct StepList {
    steps: Vec<Ready>,
    /// Number of the first step in the draws of the list that it is part of.
    first: u32,
    routes: Option<Rc<RouteTable>>,
    locks: u32,
}

impl StepList {
    /// A program; `routes` serve its lookups. A list without a last word (`Put`, `Send`, `Drop`) ends in `Send`.
    pub fn new(mut steps: Vec<ListedStep>, routes: Option<RouteTable>) -> Self {
        if !steps.last().is_some_and(ListedStep::is_last_word) {
            steps.push(ListedStep {
                each: Each::Packet,
                share: 1.0,
                times: 1,
                cycles: 0,
                does: Does::Send { port: OutPort::Chosen, class: 0 },
            });
        }
        Self::part(steps, 0, routes)
    }

    /// Steps that a list may go on behind.
    fn part(steps: Vec<ListedStep>, first: usize, routes: Option<RouteTable>) -> Self {
        let locks = steps.iter().filter_map(|step| match step.does {
            Does::Lock(lock) | Does::Unlock(lock) => Some(lock + 1),
            _ => None,
        });
        let locks = locks.max().unwrap_or(0);
        Self {
            locks,
            routes: routes.map(Rc::new),
            first: first as u32,
            steps: steps.into_iter().map(Ready::new).collect(),
        }
    }

    /// The steps before number `at` and those from there on, for what is done in front of something else and behind it; a
    /// last word is not added.
    pub fn parted(mut steps: Vec<ListedStep>, at: usize, routes: Option<RouteTable>) -> (Self, Self) {
        let behind = steps.split_off(at.min(steps.len()));
        (Self::part(steps, 0, routes), Self::part(behind, at, None))
    }

    /// Writes all steps down; whether a last word (`Put`, `Send`, `Finish`, `Drop`) was among them. `chosen` is the output
    /// port that is known by now.
    #[inline(always)]
    pub fn write_all(
        &self,
        head: &PacketHead,
        info: &PacketInfo,
        chosen: &mut Option<u16>,
        steps: &mut Steps,
    ) -> bool {
        let mut walk = Walk { head, info, chosen: *chosen, over: false };
        let cells = walk.head.cells() as u16;
        let mut at = 0;
        while let Some(step) = self.steps.get(at)
            && !walk.over
        {
            let number = self.first + at as u32;
            if step.each == Each::Packet {
                if step.times > 0 && step.is_done(info.number, number) {
                    self.write(&mut walk, step, number, 0, steps);
                }
                at += 1;
                continue;
            }
            let group = self.steps[at..].iter().take_while(|step| step.each != Each::Packet).count();
            for cell in 0..cells {
                for member in 0..group {
                    let step = &self.steps[at + member];
                    let draw = number + member as u32 + 1000 * u32::from(cell);
                    let now = cell > 0 || step.each == Each::Cell;
                    if now && step.times > 0 && !walk.over && step.is_done(info.number, draw) {
                        self.write(&mut walk, step, draw, cell, steps);
                    }
                }
            }
            at += group;
        }
        *chosen = walk.chosen;
        walk.over
    }
}

impl ListedStep {
    /// Whether nothing comes behind it.
    fn is_last_word(&self) -> bool {
        matches!(self.does, Does::Put(_) | Does::Send { .. } | Does::Finish | Does::Drop) && self.share >= 1.0
    }
}

/// A number that looks drawn, the same for the same packet and step.
#[inline(always)]
fn mix(number: u64, step: u32) -> u32 {
    let mut x =
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(step).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (x >> 32) as u32
}

/// What is known of the packet while its steps are written down.
struct Walk<'a> {
    head: &'a PacketHead,
    info: &'a PacketInfo,
    chosen: Option<u16>,
    over: bool,
}

impl StepList {
    /// Write one step down; `draw` tells apart what is done several times.
    #[inline(always)]
    fn write(&self, walk: &mut Walk<'_>, step: &Ready, draw: u32, cell: u16, steps: &mut Steps) {
        let draw = draw.wrapping_mul(64);
        self.write_once(walk, step, draw, cell, steps);
        for time in 1..step.times {
            if walk.over {
                return;
            }
            self.write_once(walk, step, draw.wrapping_add(time), cell, steps);
        }
    }

    #[inline(always)]
    fn write_once(&self, walk: &mut Walk<'_>, step: &Ready, draw: u32, cell: u16, steps: &mut Steps) {
        let cycles = step.cycles;
        match step.does {
            Does::Compute => steps.compute(cycles),
            Does::Access { role, kind, posted, amount, address, within_bytes } => {
                let (bytes, places) = match amount {
                    Amount::Bytes(bytes) => (bytes, step.places),
                    Amount::Packet => {
                        let bytes = walk.head.bytes.min(u32::from(u16::MAX)) as u16;
                        (bytes, places(within_bytes, bytes))
                    }
                };
                let place = match address {
                    Address::Same => 0,
                    Address::Flow => walk.info.flow_hash.wrapping_mul(0x9e37_79b1),
                    Address::Any => mix(walk.info.number, draw),
                };
                let address = ((u64::from(place) * u64::from(places)) >> 32) as u32 * u32::from(bytes.max(1));
                steps.push(cycles, Action::Access { role, kind, posted, bytes, address, used_after: 1 });
            }
            Does::Cell { role, write, posted } => {
                steps.push(cycles, Action::Cell { role, write, posted, cell, registers: 0 });
            }
            Does::Join => steps.push(cycles, Action::Join),
            Does::Lock(lock) => steps.push(cycles, Action::Lock(lock)),
            Does::Unlock(lock) => steps.push(cycles, Action::Unlock(lock)),
            Does::LookUp { role, bytes } => {
                steps.compute(cycles);
                self.look_up(walk, role, bytes, steps);
            }
            Does::Put(inbox) => {
                steps.push(cycles, Action::Put { inbox });
                walk.over = true;
            }
            Does::Send { port, class } => {
                let by_flow = || (walk.info.flow_hash >> 7) as u16;
                let port = match port {
                    OutPort::Port(port) => port,
                    OutPort::Chosen => walk.chosen.unwrap_or_else(by_flow),
                };
                steps.push(cycles, Action::Send { port, class });
                walk.over = true;
            }
            Does::Finish => {
                steps.push(cycles, Action::Finish);
                walk.over = true;
            }
            Does::Drop => {
                steps.push(cycles, Action::Drop(DropReason::FirewallRule));
                walk.over = true;
            }
        }
    }

    fn look_up(&self, walk: &mut Walk<'_>, role: RoleId, bytes: u16, steps: &mut Steps) {
        let refused = match walk.head.network {
            NetworkKind::Ipv4 if walk.head.ttl > 1 => None,
            NetworkKind::Ipv4 => Some(DropReason::TtlExpired),
            NetworkKind::Ipv6 | NetworkKind::Other => Some(DropReason::NotIpv4),
        };
        let found = match (refused, &self.routes) {
            (Some(reason), _) => Err(reason),
            (None, None) => Ok(None),
            (None, Some(routes)) => {
                let (port, reads) = routes.lookup(walk.head.destination);
                for level in 0..reads {
                    // Nodes of a level lie apart; which one it is follows from the address.
                    let node = walk.head.destination >> (16 - 8 * level.min(2));
                    let address = node.wrapping_mul(0x9e37_79b1) >> 12 << 2;
                    steps.access(role, Access::Read, bytes, address);
                }
                port.map(Some).ok_or(DropReason::NoRoute)
            }
        };
        match found {
            Ok(port) => walk.chosen = port,
            Err(reason) => {
                steps.push(0, Action::Drop(reason));
                walk.over = true;
            }
        }
    }
}

impl PacketProgram for StepList {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        self.write_all(head, info, &mut None, steps);
    }

    fn locks(&self) -> u32 {
        self.locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Route;

    const TABLE: RoleId = RoleId(0);

    fn step(each: Each, cycles: u32, does: Does) -> ListedStep {
        ListedStep { each, share: 1.0, times: 1, cycles, does }
    }

    fn read(times: u32) -> ListedStep {
        let does = Does::Access {
            role: TABLE,
            kind: Access::Read,
            posted: false,
            amount: Amount::Bytes(4),
            address: Address::Same,
            within_bytes: 4096,
        };
        ListedStep { times, ..step(Each::Packet, 3, does) }
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
        let mut list = StepList::new(
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
        let table = RouteTable::new(&[Route { prefix: 0x0a00_0000, length: 24, port: 3 }]);
        let look_up = step(Each::Packet, 7, Does::LookUp { role: TABLE, bytes: 4 });
        let mut list = StepList::new(vec![look_up], Some(table));
        let found = steps_of(&mut list, ipv4(64, 0x0a00_0001));
        assert_eq!((found.len(), found[0].0, found[2].1), (3, 7, Action::Send { port: 3, class: 0 }));
        let lost = steps_of(&mut list, ipv4(64, 0x0b00_0001));
        assert_eq!(lost.last().map(|s| s.1), Some(Action::Drop(DropReason::NoRoute)));
        let old = PacketHead { ttl: 1, ..ipv4(64, 0x0a00_0001) };
        assert_eq!(steps_of(&mut list, old), [(7, Action::Drop(DropReason::TtlExpired))]);
    }

    #[test]
    fn shares_are_kept_over_many_packets_and_steps_are_repeated() {
        let mut list = StepList::new(vec![ListedStep { share: 0.25, ..read(2) }], None);
        let mut steps = Steps::default();
        let mut reads = 0;
        for number in 0..40_000 {
            steps.clear();
            list.packet(&mut ipv4(64, 0), &PacketInfo { number, ..PacketInfo::default() }, &mut steps);
            reads += steps.list().len() - 1;
        }
        assert!((reads as f64 / 40_000.0 - 0.5).abs() < 0.02, "{reads}");
    }
}
