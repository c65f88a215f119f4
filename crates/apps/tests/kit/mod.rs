//! A minimal executor: threads whose steps alternate at random, without time, and locks for which threads wait.

use linecard_apps::{Io, IoCosts, IoRoles, NotIp};
use linecard_program::script::{Action, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, NetworkKind, PacketHead};
use linecard_sim::stream;
use std::collections::{HashMap, VecDeque};

/// The loops of all tests.
pub fn io(not_ip: NotIp) -> Io {
    let costs = IoCosts {
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
    };
    let roles = IoRoles { packets: RoleId(0), descriptors: RoleId(1), flags: RoleId(2), queues: None };
    Io::new(costs, roles, not_ip)
}

/// The role of every table.
pub const TABLE: RoleId = RoleId(3);

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Put into a queue with this header.
    Sent { queue: u16, head: PacketHead },
    /// Dropped.
    Dropped(DropReason),
}

/// The fate of every packet, and the packet numbers in the order of these fates.
#[derive(Debug, Default)]
pub struct Fates {
    pub of: HashMap<u32, Fate>,
    pub order: Vec<u32>,
}

impl Fates {
    /// Returns the queue and the header of a packet that was sent.
    #[track_caller]
    pub fn sent(&self, number: u32) -> (u16, PacketHead) {
        match self.of[&number] {
            Fate::Sent { queue, head } => (queue, head),
            fate => panic!("packet {number}: {fate:?}"),
        }
    }

    /// Counts the packets that were dropped for a reason.
    pub fn dropped(&self, reason: DropReason) -> usize {
        self.of.values().filter(|f| **f == Fate::Dropped(reason)).count()
    }
}

#[derive(Default)]
struct Thread {
    waiting: VecDeque<(u32, PacketHead)>,
    /// The thread's packet, its steps, and the next of them.
    packet: Option<(u32, PacketHead)>,
    steps: Steps,
    next: usize,
    queue: u16,
    /// Whether the thread waits for a lock.
    blocked: bool,
}

/// Runs a program on packets numbered in order. Thread `n` gets the packets for which `thread_of` returns `n` (as a
/// chip keeps flows on threads); the threads alternate, step by step, in an order drawn from `seed`.
pub fn run(
    program: &mut dyn PacketProgram,
    threads: u32,
    seed: u64,
    packets: &[PacketHead],
    thread_of: impl Fn(&PacketHead) -> u32,
) -> Fates {
    let mut threads: Vec<Thread> = (0..threads).map(|_| Thread::default()).collect();
    for (number, head) in packets.iter().enumerate() {
        let lane = thread_of(head) as usize % threads.len();
        threads[lane].waiting.push_back((number as u32, *head));
    }
    let mut locks: Vec<(Option<usize>, VecDeque<usize>)> =
        vec![(None, VecDeque::new()); program.locks() as usize];
    let mut random = stream(seed, "turns");
    let mut fates = Fates::default();
    let mut meet = |number: u32, fate: Fate| {
        assert_eq!(fates.of.insert(number, fate), None, "packet {number} met two fates");
        fates.order.push(number);
    };
    loop {
        let ready: Vec<usize> = (0..threads.len())
            .filter(|&t| {
                !threads[t].blocked && (threads[t].packet.is_some() || !threads[t].waiting.is_empty())
            })
            .collect();
        if ready.is_empty() {
            break;
        }
        let t = ready[random.below(ready.len() as u32) as usize];
        let thread = &mut threads[t];
        let Some((number, head)) = &mut thread.packet else {
            let (number, mut head) = thread.waiting.pop_front().unwrap();
            thread.steps.clear();
            thread.next = 0;
            let info = PacketInfo { number: u64::from(number), ..PacketInfo::default() };
            program.packet(&mut head, &info, &mut thread.steps);
            thread.packet = Some((number, head));
            continue;
        };
        let step = thread.steps.get(thread.next).expect("the last step leaves the thread free");
        thread.next += 1;
        match step.action {
            Action::Lock(lock) => match &mut locks[lock as usize] {
                (owner @ None, _) => *owner = Some(t),
                (_, waiting) => {
                    waiting.push_back(t);
                    thread.blocked = true;
                }
            },
            Action::Unlock(lock) => {
                let (owner, waiting) = &mut locks[lock as usize];
                assert_eq!(*owner, Some(t), "lock {lock} is not this thread's");
                *owner = waiting.pop_front();
                if let Some(next) = *owner {
                    threads[next].blocked = false;
                }
            }
            Action::More { part } => {
                thread.steps.clear();
                thread.next = 0;
                program.more(part, 0, head, &mut thread.steps);
            }
            Action::Admit { port } => thread.queue = port,
            Action::Enqueue => {
                meet(*number, Fate::Sent { queue: thread.queue, head: *head });
                thread.packet = None;
            }
            Action::Drop(reason) => {
                meet(*number, Fate::Dropped(reason));
                thread.packet = None;
            }
            Action::Access { .. } | Action::Cell { .. } | Action::Room | Action::Join | Action::Allocate => {}
            action => panic!("{action:?} of an input program"),
        }
    }
    assert!(locks.iter().all(|(owner, waiting)| owner.is_none() && waiting.is_empty()), "a lock was kept");
    assert_eq!(fates.of.len(), packets.len(), "every packet meets one fate");
    fates
}

/// Computes the checksum of RFC 1071 word by word: the ones' complement of the ones' complement sum of the header's
/// other words.
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
