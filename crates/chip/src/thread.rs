//! A hardware thread: its packet's steps, its waits, and where its time went.

use crate::loads::Loads;
use crate::packet::NONE;
use linecard_program::PacketId;
use linecard_program::script::{Block, Steps, Way};
use linecard_sim::Ticks;

/// No wake-up is known.
pub(crate) const NEVER: Ticks = Ticks::MAX;

/// The state of a thread. Waiting for a group of memories or units is [`State::PLACES`] plus the number of the
/// group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(pub u16);

impl State {
    /// It executes instructions.
    pub const COMPUTE: State = State(0);
    /// Its wait is over, but its engine runs another thread.
    pub const READY: State = State(1);
    /// Waits for a packet.
    pub const FREE: State = State(2);
    /// Waits for a lock.
    pub const LOCK: State = State(3);
    /// Waits for room in an inbox.
    pub const INBOX: State = State(4);
    /// Waits for room in an output queue.
    pub const QUEUE: State = State(5);
    /// Waits for room in the reorder window.
    pub const ORDER: State = State(6);
    /// Waits for posted operations.
    pub const POSTED: State = State(7);
    /// Waits for room in the packet memory.
    pub const BUFFER: State = State(8);
    /// Waits for a block to send.
    pub const POLL: State = State(9);
    /// Waits for cells to cross the bus from its port.
    pub const BUS: State = State(10);
    /// Waits for the first group of memories or units; the others follow.
    pub const PLACES: u16 = 11;

    /// Names of the states before those of memories and units.
    pub const NAMES: [&str; State::PLACES as usize] = [
        "compute",
        "wait thread slot",
        "wait packet",
        "wait lock",
        "wait inbox room",
        "wait queue room",
        "wait order",
        "wait posted",
        "wait buffer space",
        "wait block",
        "wait bus",
    ];

    /// Returns whether a thread in this state has no work.
    pub fn is_free(number: usize) -> bool {
        number == usize::from(State::FREE.0) || number == usize::from(State::POLL.0)
    }
}

/// The posted operations that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posted {
    /// None.
    No,
    /// The first to complete, to post one more.
    Room,
    /// All of them.
    All,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub number: u32,
    pub engine: u32,
    pub cluster: u16,
    /// First target of its cluster, and first entry of its cluster in the account of time.
    pub targets: u32,
    pub spent_at: u32,
    pub state: State,
    /// Start of the present state. It is after the present if the thread waits in the state `ahead` and that
    /// wait has been entered to its end.
    pub since: Ticks,
    pub ahead: State,
    /// Start of the wait in the state `ahead`, if waits count by operation.
    pub waits_since: Ticks,
    /// The packet that it holds.
    pub packet: PacketId,
    pub steps: Steps,
    /// The step whose cycles run, or whose action has not been performed.
    pub next: u32,
    /// The cycles of the next step have been spent.
    pub spent: bool,
    /// Number of packets that it has taken: an entry in a list of free threads is valid for one value.
    pub epoch: u32,
    /// Completion times of posted operations that are known, and the number that are not.
    pub posted_until: Vec<Ticks>,
    pub posted_unknown: u32,
    pub posted: Posted,
    /// Most posted operations outstanding at a time.
    pub most_posted: u32,
    /// The block that it sends, and its packet.
    pub block: Option<(PacketId, Block)>,
    /// Lines of its engine's cache that it is fetching.
    pub fetches: Vec<u64>,
    /// Loads that hit its engine's cache.
    pub loads: Loads,
    /// The step of the load whose value it waits for, if it has left the engine meanwhile.
    pub waits_for_load: Option<u32>,
    /// The answer to the last query of its program.
    pub answer: u32,
    /// The cell whose last part it is moving, if the end of the move changes a buffer.
    pub moving: Option<(Way, u16)>,
    /// The packet that it has lent and still works on, and its number: packets may depart before it is done.
    pub lent: Option<(PacketId, u64)>,
    /// An inbox keeps room for its packet.
    pub reserved: bool,
}

impl Thread {
    /// Takes a packet; its steps are then written down.
    #[inline]
    pub fn take_up(&mut self, id: PacketId) {
        self.packet = id;
        self.epoch = self.epoch.wrapping_add(1);
        (self.next, self.spent) = (0, false);
        self.steps.clear();
        self.loads.clear();
    }

    /// Returns whether it may post one more operation.
    #[inline(always)]
    pub fn has_posting_room(&mut self, now: Ticks) -> bool {
        // Completed operations are removed only when the thread seems to have reached the limit.
        let few = |t: &Self| t.posted_until.len() as u32 + t.posted_unknown < t.most_posted;
        few(self) || {
            self.posted_until.retain(|&until| until > now);
            few(self)
        }
    }

    /// Returns the operation of its program that caused its last step, if the program names it.
    pub fn last_operation(&self) -> Option<u32> {
        self.steps.origin(self.next.checked_sub(1)? as usize)
    }

    /// Returns the operation of its program that it waits for, if the program names it.
    pub fn waits_for(&self) -> Option<u32> {
        match self.state {
            // The operation has not been issued: it is the next step.
            State::POSTED if self.posted == Posted::Room => self.steps.origin(self.next as usize),
            State::POSTED | State::LOCK => self.last_operation(),
            State(number) if number >= State::PLACES => match self.waits_for_load {
                Some(step) => self.steps.origin(step as usize),
                None => self.last_operation(),
            },
            _ => None,
        }
    }

    /// Returns a thread of a cluster, given the numbers of roles and states of the chip and its limit of posted
    /// operations.
    pub fn new(number: u32, engine: u32, cluster: u16, roles: usize, states: usize, posted: u32) -> Self {
        Self {
            number,
            engine,
            cluster,
            targets: u32::from(cluster) * roles as u32,
            spent_at: u32::from(cluster) * states as u32,
            state: State::FREE,
            since: 0,
            ahead: State::READY,
            waits_since: 0,
            packet: NONE,
            steps: Steps::default(),
            next: 0,
            spent: false,
            epoch: 0,
            posted_until: Vec::with_capacity(posted as usize),
            posted_unknown: 0,
            posted: Posted::No,
            most_posted: posted,
            block: None,
            fetches: Vec::new(),
            loads: Loads::default(),
            waits_for_load: None,
            answer: 0,
            moving: None,
            lent: None,
            reserved: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linecard_program::script::{Access, Action, RoleId};

    #[test]
    fn a_wait_counts_for_the_operation_that_waits_and_not_for_its_neighbour() {
        // The join precedes the program. Operation 40 of the program is an access, and operation 41 a posted
        // one.
        let mut thread = Thread::new(0, 0, 0, 1, 1, 1);
        thread.steps.push(0, Action::Join);
        thread.steps.access(RoleId(0), Access::Read, 4, 0);
        thread.steps.comes_from(40);
        thread.steps.post(RoleId(0), Access::Write, 4, 0);
        thread.steps.comes_from(41);
        let mut waits = |next: u32, state: State, posted: Posted| {
            (thread.next, thread.state, thread.posted) = (next, state, posted);
            thread.waits_for()
        };
        // While a thread joins or reads, `next` is the step after; while it may not post, `next` is the
        // posting step itself.
        assert_eq!(waits(1, State::POSTED, Posted::All), None);
        assert_eq!(waits(1, State::POSTED, Posted::No), None);
        assert_eq!(waits(2, State(State::PLACES), Posted::No), Some(40));
        assert_eq!(waits(2, State::POSTED, Posted::Room), Some(41));
        assert_eq!(waits(2, State::READY, Posted::No), None);
    }
}
