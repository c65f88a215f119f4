//! What a port's scheduler is made of: classes, and groups of them that nest.

use super::SchedulerRule;

/// Which class of a port sends next: a tree of groups, whose leaves are the classes.
#[derive(Clone, Debug)]
pub struct SchedulerConfig {
    /// The classes, each with a queue; programs send to them by number.
    pub classes: Vec<ClassConfig>,
    /// The first is the whole port; every other one is a member of one that stands before it.
    pub groups: Vec<GroupConfig>,
}

/// A class of packets.
#[derive(Clone, Debug)]
pub struct ClassConfig {
    /// Name in results.
    pub name: String,
    /// What it may send.
    pub share: ShareConfig,
}

/// Classes or groups among which a rule chooses.
#[derive(Clone, Debug)]
pub struct GroupConfig {
    /// Name in results.
    pub name: String,
    /// Which member sends next.
    pub rule: SchedulerRule,
    /// Its members, in the order that the rule goes by.
    pub members: Vec<Member>,
    /// What all of them may send together.
    pub share: ShareConfig,
}

/// A member of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The class of this number.
    Class(usize),
    /// The group of this number.
    Group(usize),
}

/// What a class or a group may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareConfig {
    /// Bytes in a turn, for rules that give turns by bytes: its weight.
    pub quantum_bytes: u32,
    /// A token bucket that holds it back; `None` where nothing does.
    pub shaper: Option<ShaperConfig>,
}

/// A token bucket: while it is not in debt a packet may be sent, which takes its bytes out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaperConfig {
    /// Rate at which it fills, in bits of frames without what the wire adds; more than 0.
    pub bits_per_second: u64,
    /// Bytes that it holds when it is full.
    pub burst_bytes: u32,
}

impl ShareConfig {
    /// So many bytes in a turn, and nothing that holds it back.
    pub const fn weight(quantum_bytes: u32) -> Self {
        Self { quantum_bytes, shaper: None }
    }
}

impl SchedulerConfig {
    /// One level of classes that are called by their numbers, with the bytes of each in a turn.
    pub fn flat(rule: SchedulerRule, quantum_bytes: &[u32]) -> Self {
        let named = |(number, &bytes): (usize, &u32)| ClassConfig {
            name: number.to_string(),
            share: ShareConfig::weight(bytes),
        };
        let members = (0..quantum_bytes.len()).map(Member::Class).collect();
        Self {
            classes: quantum_bytes.iter().enumerate().map(named).collect(),
            groups: vec![GroupConfig { name: String::new(), rule, members, share: ShareConfig::weight(1) }],
        }
    }

    /// All token buckets.
    pub fn shapers_mut(&mut self) -> impl Iterator<Item = &mut ShaperConfig> {
        let classes = self.classes.iter_mut().map(|class| &mut class.share);
        let groups = self.groups.iter_mut().map(|group| &mut group.share);
        classes.chain(groups).filter_map(|share| share.shaper.as_mut())
    }

    /// What a member may send.
    pub(crate) fn share(&self, member: Member) -> &ShareConfig {
        match member {
            Member::Class(number) => &self.classes[number].share,
            Member::Group(number) => &self.groups[number].share,
        }
    }

    /// What does not fit together, if something does not.
    pub(crate) fn check(&self) -> Result<(), String> {
        let refuse = |wrong: bool, message: &str| if wrong { Err(message.to_owned()) } else { Ok(()) };
        refuse(self.classes.is_empty() || self.groups.is_empty(), "no output queue")?;
        let mut found: Vec<Member> = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            let name = &group.name;
            refuse(group.members.is_empty(), &format!("the group {name} has no members"))?;
            for &member in &group.members {
                let known = match member {
                    Member::Class(class) => class < self.classes.len(),
                    Member::Group(inner) => number < inner && inner < self.groups.len(),
                };
                refuse(!known, &format!("the group {name} has a member that does not stand behind it"))?;
                let share = self.share(member);
                let without = group.rule.counts_bytes() && share.quantum_bytes == 0;
                refuse(without, &format!("{} needs some bytes of each class in a turn", group.rule.name()))?;
                let still = share.shaper.is_some_and(|shaper| shaper.bits_per_second == 0);
                refuse(still, "a shaper needs a rate")?;
            }
            found.extend(&group.members);
        }
        let all = (0..self.classes.len()).map(Member::Class).chain((1..self.groups.len()).map(Member::Group));
        for member in all {
            let times = found.iter().filter(|&&each| each == member).count();
            refuse(times != 1, &format!("{member:?} is a member of {times} groups: expected one"))?;
        }
        refuse(self.groups[0].share.shaper.is_some(), "a shaper of all classes is the rate of the port")
    }
}
