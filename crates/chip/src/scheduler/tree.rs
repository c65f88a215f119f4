//! Nested groups: each asks its members for their next packet, and offers one of them to its own group.

use super::Rule;
use super::config::{Member, SchedulerConfig};
use super::head::Head;
use super::shaper::Shaper;
use linecard_program::PacketId;
use linecard_sim::{Ring, Ticks, Timebase};

/// The next packet of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The first packet of this class.
    Class(usize),
    /// No packet before this time: shapers hold all packets.
    At(Ticks),
    /// There is no packet.
    Nothing,
}

/// The scheduler of a port, with its state.
#[derive(Debug)]
pub(crate) struct Scheduler {
    /// The groups; a group is before the groups that are its members.
    groups: Vec<Group>,
    /// The membership of each class.
    of_class: Vec<Seat>,
    /// There is one class and no shaper, so no choice.
    single: bool,
}

#[derive(Debug)]
struct Group {
    rule: Rule,
    members: Vec<Member>,
    shapers: Vec<Option<Shaper>>,
    /// The membership of the group itself.
    seat: Option<Seat>,
    /// The next packet of each member, the member that is offered, and its packet, as of the last query.
    heads: Vec<Head>,
    chosen: usize,
    offer: Head,
}

/// A member's group, and its number in the group.
#[derive(Clone, Copy, Debug)]
struct Seat {
    group: usize,
    member: usize,
}

impl Scheduler {
    /// Returns the state before the first packet.
    pub fn new(config: &SchedulerConfig, timebase: &Timebase) -> Self {
        let mut of_class = vec![Seat { group: 0, member: 0 }; config.classes.len()];
        let mut of_group = vec![None; config.groups.len()];
        for (group, each) in config.groups.iter().enumerate() {
            for (member, of) in each.members.iter().enumerate() {
                match *of {
                    Member::Class(class) => of_class[class] = Seat { group, member },
                    Member::Group(inner) => of_group[inner] = Some(Seat { group, member }),
                }
            }
        }
        let shaped = config.classes.iter().any(|class| class.share.shaper.is_some());
        let single = config.groups.len() == 1 && config.classes.len() == 1 && !shaped;
        let groups = config.groups.iter().zip(of_group).map(|(each, seat)| {
            let shares = || each.members.iter().map(|&member| config.share(member));
            let quanta: Vec<u32> = shares().map(|share| share.quantum_bytes).collect();
            Group {
                rule: Rule::new(each.rule, &quanta),
                members: each.members.clone(),
                shapers: shares()
                    .map(|share| share.shaper.as_ref().map(|shaper| Shaper::new(shaper, timebase)))
                    .collect(),
                seat,
                heads: vec![Head::Nothing; each.members.len()],
                chosen: 0,
                offer: Head::Nothing,
            }
        });
        Self { groups: groups.collect(), of_class, single }
    }

    /// Selects the next packet and counts it as sent; `bytes` returns the size of a packet.
    #[inline(always)]
    pub fn next(&mut self, classes: &[Ring<PacketId>], bytes: impl Fn(PacketId) -> u32, now: Ticks) -> Next {
        match self.single {
            true if classes[0].is_empty() => Next::Nothing,
            true => Next::Class(0),
            false => self.next_of_groups(classes, bytes, now),
        }
    }

    #[inline(never)]
    fn next_of_groups(
        &mut self,
        classes: &[Ring<PacketId>],
        bytes: impl Fn(PacketId) -> u32,
        now: Ticks,
    ) -> Next {
        for number in (0..self.groups.len()).rev() {
            let (before, behind) = self.groups.split_at_mut(number + 1);
            let group = &mut before[number];
            let members = group.members.iter().zip(&group.shapers);
            for (head, (member, shaper)) in group.heads.iter_mut().zip(members) {
                let offer = match *member {
                    Member::Class(class) => {
                        classes[class].front().map_or(Head::Nothing, |&id| Head::Ready(bytes(id)))
                    }
                    Member::Group(inner) => behind[inner - number - 1].offer,
                };
                *head = shaper.as_ref().map_or(offer, |shaper| offer.behind(shaper.opens(), now));
            }
            group.choose();
        }
        match self.groups[0].offer {
            Head::Nothing => Next::Nothing,
            Head::Held(until) => Next::At(until),
            Head::Ready(bytes) => {
                let class = self.chosen();
                self.sent(class, bytes, classes[class].len() > 1, now);
                Next::Class(class)
            }
        }
    }

    /// Returns the utilisation of the busiest shaper over `duration` since the last restart, if there are
    /// shapers.
    pub fn shaper_used(&self, duration: Ticks) -> Option<f64> {
        let shapers = self.groups.iter().flat_map(|group| group.shapers.iter().flatten());
        shapers.map(|shaper| shaper.used(duration)).reduce(f64::max)
    }

    /// Discards the counts so far.
    pub fn restart(&mut self) {
        self.groups.iter_mut().flat_map(|group| group.shapers.iter_mut().flatten()).for_each(Shaper::restart);
    }

    /// Returns the class that the groups select.
    fn chosen(&self) -> usize {
        let mut number = 0;
        loop {
            let group = &self.groups[number];
            match group.members[group.chosen] {
                Member::Class(class) => return class,
                Member::Group(inner) => number = inner,
            }
        }
    }

    /// Records that a class has sent a packet; `more` is whether it has another.
    fn sent(&mut self, class: usize, bytes: u32, mut more: bool, now: Ticks) {
        let mut seat = Some(self.of_class[class]);
        while let Some(Seat { group, member }) = seat {
            let group = &mut self.groups[group];
            group.rule.sent(member, bytes, more);
            if let Some(shaper) = &mut group.shapers[member] {
                shaper.sent(bytes, now);
            }
            let others = group.heads.iter().enumerate().filter(|&(other, _)| other != member);
            more |= others.into_iter().any(|(_, head)| *head != Head::Nothing);
            seat = group.seat;
        }
    }
}

impl Group {
    fn choose(&mut self) {
        let mut until = None;
        for head in &self.heads {
            match *head {
                Head::Nothing => {}
                Head::Held(at) => until = Some(until.map_or(at, |first: Ticks| first.min(at))),
                Head::Ready(_) => {
                    self.chosen = self.rule.next(&self.heads);
                    self.offer = self.heads[self.chosen];
                    return;
                }
            }
        }
        self.offer = until.map_or(Head::Nothing, Head::Held);
    }
}
