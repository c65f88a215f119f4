//! Schedulers that nest, drawn at random.

use linecard_chip::SchedulerRule;
use linecard_chip::config::{GroupConfig, Member, SchedulerConfig, ShaperConfig, ShareConfig};
use linecard_sim::Stream;

fn rule(random: &mut Stream) -> SchedulerRule {
    SchedulerRule::ALL[random.below(SchedulerRule::ALL.len() as u32) as usize]
}

fn share(random: &mut Stream) -> ShareConfig {
    let shaper = (random.below(6) == 0).then(|| ShaperConfig {
        bits_per_second: 1_000_000_000 << random.below(6),
        burst_bytes: random.below(4000),
    });
    ShareConfig { quantum_bytes: 1 + random.below(2000), shaper }
}

/// Moves some classes of one level into groups, which may be nested; shapers hold some of them back.
pub fn nest(scheduler: &mut SchedulerConfig, random: &mut Stream) {
    scheduler.classes.iter_mut().for_each(|class| class.share = share(random));
    for _ in 0..random.below(3) {
        let number = scheduler.groups.len();
        let within = random.below(number as u32) as usize;
        let members = &mut scheduler.groups[within].members;
        let from = random.below(members.len() as u32) as usize;
        let (moved, stay) = members.drain(from..).partition(|member| matches!(member, Member::Class(_)));
        members.extend::<Vec<Member>>(stay);
        if moved.is_empty() {
            continue;
        }
        members.push(Member::Group(number));
        let name = format!("group.{number}");
        scheduler.groups.push(GroupConfig { name, rule: rule(random), members: moved, share: share(random) });
    }
}
