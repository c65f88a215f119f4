//! The configuration of a port's scheduler: classes, and nested groups of classes.

use super::SchedulerRule;

/// Which class of a port sends next: a tree of groups, whose leaves are the classes.
#[derive(Clone, Debug)]
pub struct SchedulerConfig {
    /// The classes, each with a queue; programs send to them by number.
    pub classes: Vec<ClassConfig>,
    /// The first is the whole port; every other group is a member of an earlier one.
    pub groups: Vec<GroupConfig>,
}

/// A class of packets.
#[derive(Clone, Debug)]
pub struct ClassConfig {
    /// Name in results.
    pub name: String,
    /// Its share of the port.
    pub share: ShareConfig,
}

/// Classes or groups among which a rule selects.
#[derive(Clone, Debug)]
pub struct GroupConfig {
    /// Name in results.
    pub name: String,
    /// The rule that selects the next member.
    pub rule: SchedulerRule,
    /// Its members, in the order that the rule uses.
    pub members: Vec<Member>,
    /// The share of all of them together.
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

/// The share of a class or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareConfig {
    /// Bytes per turn, for rules with turns in bytes: its weight.
    pub quantum_bytes: u32,
    /// A token bucket that limits its rate; `None` for no limit.
    pub shaper: Option<ShaperConfig>,
}

/// A token bucket: while its level is not negative a packet may be sent, whose bytes are then subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaperConfig {
    /// Fill rate, in bits per second of frames without the overhead of the wire; more than 0.
    pub bits_per_second: u64,
    /// Capacity in bytes.
    pub burst_bytes: u32,
}

impl ShareConfig {
    /// Returns a share of `quantum_bytes` bytes per turn without a token bucket.
    pub const fn weight(quantum_bytes: u32) -> Self {
        Self { quantum_bytes, shaper: None }
    }
}

impl SchedulerConfig {
    /// Returns one group of classes named by their numbers, with the bytes of each per turn.
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

    /// Returns all token buckets.
    pub fn shapers_mut(&mut self) -> impl Iterator<Item = &mut ShaperConfig> {
        let classes = self.classes.iter_mut().map(|class| &mut class.share);
        let groups = self.groups.iter_mut().map(|group| &mut group.share);
        classes.chain(groups).filter_map(|share| share.shaper.as_mut())
    }

    /// Returns the share of a member.
    pub(crate) fn share(&self, member: Member) -> &ShareConfig {
        match member {
            Member::Class(number) => &self.classes[number].share,
            Member::Group(number) => &self.groups[number].share,
        }
    }

    /// Returns an error if the parts do not fit together.
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
                refuse(
                    !known,
                    &format!(
                        "the group {name} has a member that is neither a class nor a group listed after \
                         {name}"
                    ),
                )?;
                let share = self.share(member);
                let without = group.rule.counts_bytes() && share.quantum_bytes == 0;
                refuse(
                    without,
                    &format!("{} needs at least 1 byte per turn for each class", group.rule.name()),
                )?;
                let still = share.shaper.is_some_and(|shaper| shaper.bits_per_second == 0);
                refuse(still, "a shaper needs a rate")?;
            }
            found.extend(&group.members);
        }
        let all = (0..self.classes.len()).map(Member::Class).chain((1..self.groups.len()).map(Member::Group));
        for member in all {
            let times = found.iter().filter(|&&each| each == member).count();
            refuse(
                times != 1,
                &format!("{member:?} is a member of {times} groups; expected exactly one group"),
            )?;
        }
        refuse(
            self.groups[0].share.shaper.is_some(),
            "the outermost group must have no shaper, because the port's rate already limits the outermost \
             group",
        )
    }
}
