//! Checks that the steps of a list are compatible.

use super::placed::Placed;
use linecard_apps::{Address, AfterPut, Amount, Does, Each, ListedAccess, Reach};
use linecard_config::Section;

impl Placed<'_> {
    fn is_done_once(&self) -> bool {
        let step = &self.step;
        step.each == Each::Packet && step.share >= 1.0 && step.times == 1
    }

    /// Returns whether it may be the packet's last step.
    fn may_end(&self) -> bool {
        matches!(
            self.step.does,
            Does::Check
                | Does::LookUp { .. }
                | Does::Put { then: AfterPut::Free | AfterPut::FreeIfRoom, .. }
                | Does::Send { .. }
                | Does::Enqueue
                | Does::Leave
                | Does::Finish
                | Does::Drop
        )
    }
}

/// Checks that every packet executes certain steps once, such as locks and queue operations; otherwise threads would
/// wait for ever.
pub(super) fn once_where_it_must_be(listed: &[Placed<'_>]) {
    for placed in listed {
        let must = placed.runs
            || matches!(
                placed.step.does,
                Does::Lock(_)
                    | Does::Unlock(_)
                    | Does::Admit
                    | Does::Enqueue
                    | Does::Transmit
                    | Does::Put { then: AfterPut::GoesOn, .. }
            );
        if must && !placed.is_done_once() {
            let message =
                "this step must be executed once for every packet; omit `each`, `share` and `times`";
            placed.section.fail("op", message);
        }
    }
}

/// Checks that locks are taken once and released by the packet that took them.
pub(super) fn locks(listed: &[Placed<'_>]) {
    let mut held: Vec<(u32, &Section<'_>)> = Vec::new();
    for placed in listed.iter().filter(|placed| !is_repeated_lock(placed)) {
        let section = &placed.section;
        match placed.step.does {
            Does::Lock(lock) if held.iter().any(|&(other, _)| other == lock) => {
                section.fail("lock", format!("{lock} is already held, so the thread would wait for itself"));
            }
            Does::Lock(lock) => held.push((lock, section)),
            Does::Unlock(lock) => match held.iter().position(|&(other, _)| other == lock) {
                Some(at) => drop(held.remove(at)),
                None => section.fail(
                    "lock",
                    format!("{lock} is not held here; add a step with op = \"lock\" before this one"),
                ),
            },
            _ => {
                if let Some((lock, _)) = held.first().filter(|_| placed.may_end()) {
                    let message = format!(
                        "processing of the packet may end here while the packet holds lock {lock}; release the lock \
                         before this step"
                    );
                    section.fail("op", message);
                }
            }
        }
    }
    for (lock, section) in held {
        section.fail("lock", format!("{lock} is never released; add a step with op = \"unlock\""));
    }
}

/// Checks that only steps without a packet follow a step that lends it: another thread has the packet.
pub(super) fn lent(listed: &[Placed<'_>]) {
    let lends = |placed: &&Placed<'_>| matches!(placed.step.does, Does::Put { then: AfterPut::GoesOn, .. });
    for placed in listed.iter().skip_while(|placed| !lends(placed)).skip(1) {
        let needs_none = matches!(
            placed.step.does,
            Does::Compute | Does::Reach(_) | Does::Spread(_) | Does::Join | Does::Lock(_) | Does::Unlock(_)
        );
        if !needs_none || placed.runs {
            let message = "after goes_on, another thread processes the packet, so only compute, accesses, join \
                           and locks may follow";
            placed.section.fail("op", message);
        }
    }
}

/// Checks that packets reach every step: no earlier step ends all of them. `inboxes` are those with a list of their own,
/// and `None` for the packets of the others.
pub(super) fn reached(listed: &[Placed<'_>], inboxes: &[Option<u16>]) {
    // Another choice, or another point of a sweep, may let packets pass. Steps behind op = "enqueue" are those of blocks.
    let stays = |Placed { section, .. }: &Placed<'_>| {
        !["part", "unless_executed"].iter().any(|key| section.has(key))
            && !["share", "times", "each", "op"].iter().any(|key| section.is_set(key))
    };
    let ends = |placed: &Placed<'_>| {
        placed.step.is_last_word() && !matches!(placed.step.does, Does::Enqueue) && stays(placed)
    };
    let is_of = |placed: &Placed<'_>, inbox| placed.from.is_none() || placed.from == inbox;
    let is_cut_off = |number: usize, inbox| listed[..number].iter().any(|p| is_of(p, inbox) && ends(p));
    let mut idle = listed.iter().enumerate().filter(|(number, placed)| {
        let mut own = inboxes.iter().filter(|inbox| is_of(placed, **inbox));
        own.all(|&inbox| is_cut_off(*number, inbox))
    });
    if let Some((_, placed)) = idle.next() {
        let message = "no packet reaches this step, because an earlier step ends the processing of every packet; put \
                       this step before that one, or omit it";
        placed.section.fail("op", message);
    }
}

/// Returns whether the problems of a lock step have already been reported.
fn is_repeated_lock(placed: &Placed<'_>) -> bool {
    matches!(placed.step.does, Does::Lock(_) | Does::Unlock(_)) && !placed.is_done_once()
}

/// Checks that a packet has room in a queue before it is enqueued, and that the later steps fit a block of its cells.
pub(super) fn blocks(listed: &[Placed<'_>], is_executed: bool) {
    let position = |wanted: fn(&Does) -> bool| listed.iter().position(|placed| wanted(&placed.step.does));
    let enqueue = position(|does| matches!(does, Does::Enqueue));
    let (front, behind) = listed.split_at(enqueue.map_or(listed.len(), |at| at + 1));
    admitted(front, enqueue.is_some());
    for placed in front.iter().filter(|placed| matches!(placed.step.does, Does::Transmit)) {
        let message = "a sending thread hands over its block in this step; put the step after a step with op = \
                       \"enqueue\"";
        placed.section.fail("op", message);
    }
    let Some(enqueue) = enqueue.map(|at| &listed[at].section) else { return };
    if is_executed {
        let message = "the chip enqueues the packets of an executed program (--program), so steps must not enqueue packets";
        enqueue.fail("op", message);
    }
    for placed in behind {
        fits_a_block(placed);
    }
    let sent = behind.iter().filter(|placed| matches!(placed.step.does, Does::Transmit)).count();
    if sent != 1 {
        let message = format!(
            "sending threads execute the steps after op = \"enqueue\" and hand over each block once; expected one \
             step with op = \"transmit\" after this step, found {sent}"
        );
        enqueue.fail("op", message);
    }
}

/// Checks that one step admits the packet to its queue, and that from there on the packet can only end in that queue.
fn admitted(front: &[Placed<'_>], is_enqueued: bool) {
    let is_admit = |placed: &&Placed<'_>| matches!(placed.step.does, Does::Admit);
    let mut admits = front.iter().filter(is_admit);
    let Some(first) = admits.next() else {
        if let Some(last) = front.last().filter(|_| is_enqueued) {
            last.section.fail(
                "op",
                "no queue has reserved space for the packet; add a step with op = \"admit\" before this one",
            );
        }
        return;
    };
    if !is_enqueued {
        let message =
            "the packet never enters the queue that reserves space for it; add a step with op = \"enqueue\"";
        first.section.fail("op", message);
        return;
    }
    for again in admits {
        again.section.fail("op", "a queue already reserves space for the packet");
    }
    let behind = front.iter().skip_while(|placed| !is_admit(placed));
    for placed in behind.filter(|placed| placed.may_end() && !matches!(placed.step.does, Does::Enqueue)) {
        let message = "processing of the packet may end here while a queue reserves space for it; put this step \
                       before op = \"admit\"";
        placed.section.fail("op", message);
    }
}

/// Checks a step of sending threads: they know the cells of a block, but nothing about its packet.
fn fits_a_block(placed: &Placed<'_>) {
    let of_packets = |access: &ListedAccess| {
        let whole = matches!(access.reach, Reach::Access { amount: Amount::Packet, .. });
        whole || access.span.address == Address::Flow
    };
    let message = match &placed.step.does {
        Does::Compute | Does::Join | Does::Transmit => return,
        Does::Reach(access) if !of_packets(access) => return,
        Does::Spread(accesses) if !accesses.iter().any(of_packets) => return,
        Does::Reach(_) | Does::Spread(_) => {
            "after op = \"enqueue\", steps process a block of cells, not the packet, so whole_packet and address = \
             \"flow\" do not apply"
        }
        _ => {
            "after op = \"enqueue\", only compute, accesses, transfers, join and transmit are possible; put this \
             step before op = \"enqueue\""
        }
    };
    placed.section.fail("op", message);
}
