//! Three levels of queues: port, class and flow (section 2.1).
//!
//! A packet enters its flow's queue, and an entry for it enters the queues of its class and its port. It leaves
//! from root to leaf: port, class, flow. One thread executes the three operations of a packet one after
//! another. Flow queues come first among the ids, then classes, then ports.

use crate::operation::Operation;
use crate::settings::Settings;

/// Returns the three operations of each packet.
pub fn spread_over_levels(settings: &Settings, packets: impl Iterator<Item = Operation>) -> Vec<Operation> {
    let classes_from = settings.queues;
    let ports_from = classes_from + settings.queues / settings.flows;
    packets
        .flat_map(|packet| {
            let flow = packet.queue();
            let class = flow / settings.flows;
            let (class, port) = (classes_from + class, ports_from + class / settings.classes);
            if packet.is_dequeue() {
                [port, class, flow].map(Operation::dequeue)
            } else {
                [flow, class, port].map(Operation::enqueue)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::table_1;

    #[test]
    fn by_hand() {
        let settings = Settings { levels: 3, queues: 24, classes: 3, flows: 4, ..table_1() };
        assert_eq!((settings.upper_queues(), settings.all_queues()), (6 + 2, 32));
        let packets = [Operation::enqueue(13), Operation::dequeue(13)];
        let ids: Vec<u32> =
            spread_over_levels(&settings, packets.into_iter()).iter().map(|each| each.queue()).collect();
        assert_eq!(ids, [13, 24 + 3, 30 + 1, 30 + 1, 24 + 3, 13]);
    }
}
