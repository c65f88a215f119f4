//! A hardware thread: its packet's steps, what it waits for, and where its time went.

use crate::packet::NONE;
use linecard_program::PacketId;
use linecard_program::script::{Block, Steps, Way};
use linecard_sim::Ticks;

/// No wake-up is known.
pub(crate) const NEVER: Ticks = Ticks::MAX;

/// What a thread is doing. Waiting for the place of a group is [`State::PLACES`] and the number of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(pub u16);

impl State {
    /// Its instructions run.
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
    /// Waits for the first group of places; the others follow.
    pub const PLACES: u16 = 11;

    /// Names of the states before those of places.
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

    /// Whether a thread in this state has no work in hand.
    pub fn is_free(number: usize) -> bool {
        number == usize::from(State::FREE.0) || number == usize::from(State::POLL.0)
    }
}

/// What a thread waits for among its posted operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posted {
    /// Nothing.
    No,
    /// Until there is room for one more.
    Room,
    /// Until none is under way.
    All,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub number: u32,
    pub engine: u32,
    pub cluster: u16,
    /// Number of the first target of its cluster, and of its cluster's first entry in the account of time.
    pub targets: u32,
    pub spent_at: u32,
    pub state: State,
    /// Since when; ahead of now while it waits in the state `ahead` and that has been entered to the end.
    pub since: Ticks,
    pub ahead: State,
    /// The packet that it holds.
    pub packet: PacketId,
    pub steps: Steps,
    /// The step whose cycles run, or whose action waits.
    pub next: u32,
    /// The cycles of the next step have been spent.
    pub spent: bool,
    /// When its wait is over, if that is known.
    pub wake: Ticks,
    /// Counts how often it has taken up a packet: a place in a list of free threads holds for one count.
    pub epoch: u32,
    /// Ends of posted operations that are known, and how many are not.
    pub posted_until: Vec<Ticks>,
    pub posted_unknown: u32,
    pub posted: Posted,
    /// Operations that it may have posted at a time.
    pub most_posted: u32,
    /// The block that it sends, and its packet.
    pub block: Option<(PacketId, Block)>,
    /// Lines of its engine's cache that it fetches.
    pub fetches: Vec<u64>,
    /// What the last question of its program found.
    pub answer: u32,
    /// The cell of which it moves the last part, if its end changes a buffer.
    pub moving: Option<(Way, u16)>,
    /// The packet that it has lent and still works for, and its number: packets leave without it.
    pub lent: Option<(PacketId, u64)>,
}

impl Thread {
    /// Takes a packet up, whose steps are then written down.
    #[inline]
    pub fn take_up(&mut self, id: PacketId) {
        self.packet = id;
        self.epoch = self.epoch.wrapping_add(1);
        (self.next, self.spent) = (0, false);
        self.steps.clear();
    }

    /// Whether it may post one more operation.
    #[inline(always)]
    pub fn has_posting_room(&mut self, now: Ticks) -> bool {
        // Those that are done are put away when their number matters.
        let few = |t: &Self| t.posted_until.len() as u32 + t.posted_unknown < t.most_posted;
        few(self) || {
            self.posted_until.retain(|&until| until > now);
            few(self)
        }
    }

    /// The operation of its program that it waits for, if it does and its program says which that is.
    pub fn waits_for(&self) -> Option<u32> {
        let step = match self.state {
            // It has yet to be issued.
            State::POSTED if self.posted == Posted::Room => self.next,
            State::POSTED => self.next.checked_sub(1)?,
            State::LOCK => self.next.checked_sub(1)?,
            State(number) if number >= State::PLACES => self.next.checked_sub(1)?,
            _ => return None,
        };
        self.steps.origin(step as usize)
    }

    /// A thread of a cluster, on a chip of so many roles and states, that may post so many operations.
    pub fn new(number: u32, engine: u32, cluster: u16, roles: usize, states: usize, posted: u32) -> Self {
        Self {
            number,
            engine,
            cluster,
            targets: u32::from(cluster) * roles as u32,
            spent_at: u32::from(cluster) * states as u32,
            state: State::READY,
            since: 0,
            ahead: State::READY,
            packet: NONE,
            steps: Steps::default(),
            next: 0,
            spent: false,
            wake: NEVER,
            epoch: 0,
            posted_until: Vec::with_capacity(posted as usize),
            posted_unknown: 0,
            posted: Posted::No,
            most_posted: posted,
            block: None,
            fetches: Vec::new(),
            answer: 0,
            moving: None,
            lent: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linecard_program::script::{Access, Action, RoleId};

    #[test]
    fn a_wait_counts_for_the_operation_that_waits_and_not_for_its_neighbour() {
        // Joined in front of the program, whose operations 40 and 41 are an access and a posted one.
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
        // Whoever joins or reads is behind the step; who has no room to post is still in front of it.
        assert_eq!(waits(1, State::POSTED, Posted::All), None);
        assert_eq!(waits(1, State::POSTED, Posted::No), None);
        assert_eq!(waits(2, State(State::PLACES), Posted::No), Some(40));
        assert_eq!(waits(2, State::POSTED, Posted::Room), Some(41));
        assert_eq!(waits(2, State::READY, Posted::No), None);
    }
}
