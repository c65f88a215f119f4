//! The smallest executor: input threads that take turns at random, ops that are answered at once, locks that are not.

#![allow(dead_code, reason = "each test binary uses some of these")]

use linecard_apps::IoCosts;
use linecard_program::{
    Application, Ctx, DropReason, Mailbox, NetworkKind, Op, PacketHead, PacketId, Program,
};
use linecard_sim::stream;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::task::{Context, Waker};

pub const COSTS: IoCosts = IoCosts {
    input_first_cell_cycles: 10,
    input_later_cell_cycles: 5,
    input_cell_scratch: 1,
    enqueue_cycles: 3,
    enqueue_scratch: 1,
    output_first_block_cycles: 7,
    output_first_block_scratch: 1,
    output_later_block_cycles: 4,
    output_later_block_scratch: 1,
    output_blocked_cell_cycles: 2,
    queue_manager_cycles: None,
};

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Put into a queue with this header.
    Sent { queue: u16, head: PacketHead },
    /// Dropped.
    Dropped(DropReason),
}

/// The fate of every packet and the order, by its number, in which it was met.
#[derive(Debug, Default)]
pub struct Fates {
    pub of: HashMap<u32, Fate>,
    pub order: Vec<u32>,
}

impl Fates {
    /// The header of a packet that was sent, and its queue.
    #[track_caller]
    pub fn sent(&self, number: u32) -> (u16, PacketHead) {
        match self.of[&number] {
            Fate::Sent { queue, head } => (queue, head),
            fate => panic!("packet {number}: {fate:?}"),
        }
    }

    /// Packets dropped for a reason.
    pub fn dropped(&self, reason: DropReason) -> usize {
        self.of.values().filter(|f| **f == Fate::Dropped(reason)).count()
    }
}

struct Thread {
    program: Program,
    mailbox: Rc<Mailbox>,
    waiting: VecDeque<(u32, PacketHead)>,
    /// Waits for a lock, or for a packet.
    blocked: bool,
}

/// Run the input programs of `application` on packets numbered in order. Thread `n` gets the packets for which
/// `thread_of` says n (as a machine keeps flows on threads); the threads take turns in an order drawn from `seed`.
pub fn run(
    application: &dyn Application,
    threads: u32,
    seed: u64,
    packets: &[PacketHead],
    thread_of: impl Fn(&PacketHead) -> u32,
) -> Fates {
    let mut lanes: Vec<VecDeque<(u32, PacketHead)>> = vec![VecDeque::new(); threads as usize];
    for (number, head) in packets.iter().enumerate() {
        lanes[(thread_of(head) % threads) as usize].push_back((number as u32, *head));
    }
    let mut threads: Vec<Thread> = lanes
        .into_iter()
        .map(|waiting| {
            let mailbox = Rc::new(Mailbox::default());
            let program = application.input(Ctx::new(Rc::clone(&mailbox)));
            Thread { program, mailbox, waiting, blocked: false }
        })
        .collect();
    let mut locks: Vec<(Option<usize>, VecDeque<usize>)> =
        vec![(None, VecDeque::new()); application.locks() as usize];
    let mut random = stream(seed, "turns");
    let mut fates = Fates::default();
    let mut meet = |packet: PacketId, fate: Fate| {
        assert_eq!(fates.of.insert(packet.0, fate), None, "packet {packet:?} met two fates");
        fates.order.push(packet.0);
    };
    loop {
        let ready: Vec<usize> = (0..threads.len()).filter(|&t| !threads[t].blocked).collect();
        if ready.is_empty() {
            break;
        }
        let t = ready[random.below(ready.len() as u32) as usize];
        let thread = &mut threads[t];
        let poll = thread.program.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(poll.is_pending(), "a packet program returned");
        match thread.mailbox.take().0 {
            Op::Receive => match thread.waiting.pop_front() {
                Some((number, head)) => thread.mailbox.answer_packet(PacketId(number), head),
                None => thread.blocked = true,
            },
            Op::Lock(lock) => match &mut locks[lock as usize] {
                (owner @ None, _) => *owner = Some(t),
                (_, waiting) => {
                    waiting.push_back(t);
                    thread.blocked = true;
                }
            },
            Op::Unlock(lock) => {
                let (owner, waiting) = &mut locks[lock as usize];
                assert_eq!(*owner, Some(t), "lock {lock} is not this thread's");
                *owner = waiting.pop_front();
                if let Some(next) = *owner {
                    threads[next].blocked = false;
                }
            }
            Op::Allocate { .. } => thread.mailbox.answer(0),
            Op::Enqueue { packet, queue } => {
                let head = thread.mailbox.head();
                meet(packet, Fate::Sent { queue, head });
            }
            Op::Discard { packet, reason } => meet(packet, Fate::Dropped(reason)),
            Op::Access { .. } | Op::Admit { .. } | Op::WriteCell { .. } | Op::Join => {}
            op @ (Op::Recall
            | Op::Transfer { .. }
            | Op::Post { .. }
            | Op::Queue { .. }
            | Op::Depart { .. }
            | Op::NextBlock
            | Op::ReadBlock(_)
            | Op::Transmit(_)) => {
                panic!("{op:?} of an input program")
            }
        }
    }
    assert!(locks.iter().all(|(owner, waiting)| owner.is_none() && waiting.is_empty()), "a lock was kept");
    assert_eq!(fates.of.len(), packets.len(), "every packet meets one fate");
    fates
}

/// RFC 1071, word by word: the ones' complement of the ones' complement sum of the header's other words.
pub fn naive_checksum(head: &PacketHead) -> u16 {
    let half = |address: u32, high: bool| if high { (address >> 16) as u16 } else { address as u16 };
    let words = [
        0x4500,
        head.bytes.saturating_sub(14) as u16,
        0x1234,
        0x4000,
        u16::from(head.ttl) << 8 | u16::from(head.protocol),
        half(head.source, true),
        half(head.source, false),
        half(head.destination, true),
        half(head.destination, false),
    ];
    let mut sum = 0u16;
    for word in words {
        let (added, carry) = sum.overflowing_add(word);
        sum = added + u16::from(carry);
    }
    !sum
}

/// A TCP packet with a valid checksum.
pub fn packet(source: u32, destination: u32, source_port: u16, destination_port: u16) -> PacketHead {
    with_checksum(PacketHead {
        bytes: 540,
        source,
        destination,
        source_port,
        destination_port,
        protocol: 6,
        ttl: 64,
        network: NetworkKind::Ipv4,
        ..PacketHead::default()
    })
}

pub fn with_checksum(head: PacketHead) -> PacketHead {
    PacketHead { checksum: naive_checksum(&head), ..head }
}
