//! The queues that packets enter, and from which they leave (section 4.1.3 and Table 4).
//!
//! Only the order of operations matters, since threads take the next one when they can. The order of
//! independent Poisson processes is that of independent draws, each queue with a probability proportional to
//! its rate (the superposition of Poisson processes). Arrivals are drawn in this way, and [`departures`]
//! selects packets in deficit round robin.

mod departures;
mod levels;
mod weights;

use crate::QueueingError;
use crate::operation::Operation;
use crate::settings::Settings;
use departures::Departures;
use levels::spread_over_levels;
use linecard_sim::stream;
use weights::Weights;

/// A workload of Table 4, or a stand-in for a trace that is not available.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// `R`: every queue equally likely.
    Uniform,
    /// `U`: queues in turn.
    RoundRobin,
    /// `Lk`: each queue k times as likely as the next.
    Exponential {
        /// k, above 1.
        ratio: f64,
    },
    /// `SDn_k`: n queues share k percent of the packets, all others the rest.
    Dominating {
        /// n.
        queues: u32,
        /// k.
        percent: f64,
    },
    /// `MIXt_k_m_s`: one queue with t percent, m queues of weights that fall by k with most of the rest, and s percent
    /// spread over all others.
    Mix {
        /// t.
        top_percent: f64,
        /// k.
        ratio: f64,
        /// m.
        queues: u32,
        /// s.
        spread_percent: f64,
    },
}

impl Workload {
    /// Parses a workload in the document's notation: `R`, `U`, `L1.1`, `SD16_90`, or `MIX17_1.12_60_18`; `edge`
    /// and `core` are the stand-ins for the document's traces.
    ///
    /// # Errors
    ///
    /// If the notation is unknown or its numbers are invalid.
    pub fn parse(text: &str) -> Result<Self, QueueingError> {
        let bad = |expected: &str| QueueingError::bad("workload", format!("\"{text}\""), expected);
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "r" => return Ok(Self::Uniform),
            "u" => return Ok(Self::RoundRobin),
            "edge" => return Ok(EDGE),
            "core" => return Ok(CORE),
            _ => (),
        }
        let numbers = |rest: &str| {
            rest.split('_').map(|number| number.parse::<f64>().ok()).collect::<Option<Vec<f64>>>()
        };
        if let Some(rest) = lower.strip_prefix("mix") {
            let expected = "MIXt_k_m_s: one queue receives t % of the packets, the next m queues together \
                            100 - t - s %, and all others together s %. Each of the m queues receives k times as many \
                            packets as the next (k above 1)";
            return match numbers(rest).as_deref() {
                Some(&[top_percent, ratio, queues, spread_percent])
                    if top_percent >= 0.0
                        && spread_percent >= 0.0
                        && top_percent + spread_percent <= 100.0
                        && ratio > 1.0
                        && queues >= 1.0
                        && queues.fract() == 0.0 =>
                {
                    Ok(Self::Mix { top_percent, ratio, queues: queues as u32, spread_percent })
                }
                _ => Err(bad(expected)),
            };
        }
        if let Some(rest) = lower.strip_prefix("sd") {
            return match numbers(rest).as_deref() {
                Some(&[queues, percent])
                    if queues >= 1.0 && queues.fract() == 0.0 && (0.0..=100.0).contains(&percent) =>
                {
                    Ok(Self::Dominating { queues: queues as u32, percent })
                }
                _ => {
                    Err(bad("SDn_k, where n queues (at least one) together receive k percent of the packets"))
                }
            };
        }
        if let Some(rest) = lower.strip_prefix('l') {
            return match numbers(rest).as_deref() {
                Some(&[ratio]) if ratio > 1.0 && ratio.is_finite() => Ok(Self::Exponential { ratio }),
                _ => Err(bad(
                    "Lk, where k is above 1: each queue receives k times as many packets as the next",
                )),
            };
        }
        Err(QueueingError::unknown(
            "workload",
            text,
            &["R", "U", "L1.1", "SD16_90", "SD1_30", "edge", "core"],
        ))
    }

    /// Returns operations: [`Settings::backlog`] enqueues, then alternating enqueues and dequeues, `count` in
    /// all (rounded up to whole packets with several levels).
    ///
    /// # Errors
    ///
    /// If the workload needs more queues than there are.
    pub fn operations(
        &self,
        settings: &Settings,
        count: u64,
        seed: u64,
    ) -> Result<Vec<Operation>, QueueingError> {
        let queues = settings.queues;
        let weights = match *self {
            Self::Uniform | Self::RoundRobin => None,
            Self::Exponential { ratio } => Some(Weights::exponential(queues, ratio)),
            Self::Dominating { queues: few, percent } => {
                self.needs(few, percent < 100.0, queues)?;
                Some(Weights::dominating(queues, few, percent))
            }
            Self::Mix { top_percent, ratio, queues: few, spread_percent } => {
                self.needs(few.saturating_add(1), spread_percent > 0.0, queues)?;
                Some(Weights::mix(queues, top_percent, ratio, few, spread_percent))
            }
        };
        let mut draws = stream(seed, "queue arrivals");
        let mut turn = 0;
        Ok(generate(settings, count, || match &weights {
            Some(weights) => weights.draw(&mut draws),
            None if *self == Self::Uniform => draws.below(queues),
            None => {
                turn = if turn + 1 == queues { 0 } else { turn + 1 };
                turn
            }
        }))
    }

    fn needs(&self, few: u32, others: bool, queues: u32) -> Result<(), QueueingError> {
        let least = few.saturating_add(others.into());
        if least <= queues {
            return Ok(());
        }
        Err(QueueingError::bad("queues", queues, format!("at least {least} for this workload")))
    }
}

/// Returns operations of packets that arrive for these queues, in this order, and leave in deficit round robin;
/// the packets repeat until there are `count` operations.
///
/// # Errors
///
/// If there is no packet, or a queue that does not exist.
pub fn operations_of_queues(
    arrivals: &[u32],
    settings: &Settings,
    count: u64,
) -> Result<Vec<Operation>, QueueingError> {
    if arrivals.is_empty() {
        return Err(QueueingError::Empty);
    }
    if let Some(bad) = arrivals.iter().find(|&&queue| queue >= settings.queues) {
        let expected = format!("ids below {}", settings.queues);
        return Err(QueueingError::bad("workload", format!("queue {bad}"), expected));
    }
    let mut packets = arrivals.iter().copied().cycle();
    Ok(generate(settings, count, || packets.next().unwrap_or_default()))
}

fn generate(settings: &Settings, count: u64, mut arrival: impl FnMut() -> u32) -> Vec<Operation> {
    let packets = count.div_ceil(settings.levels.into());
    let mut departures = Departures::new(settings.queues, settings.burst);
    let operations = (0..packets).map(|at| {
        let backlog = u64::from(settings.backlog);
        if at >= backlog
            && (at - backlog) % 2 == 1
            && let Some(queue) = departures.next()
        {
            return Operation::dequeue(queue);
        }
        let queue = arrival();
        departures.arrive(queue);
        Operation::enqueue(queue)
    });
    let operations: Vec<Operation> = operations.collect();
    if settings.levels == 1 { operations } else { spread_over_levels(settings, operations.into_iter()) }
}

/// Represents the document's edge trace (see `studies/kumar2006`).
const EDGE: Workload = Workload::Mix { top_percent: 9.0, ratio: 1.1, queues: 50, spread_percent: 8.0 };
/// Represents the document's core trace (see `studies/kumar2006`).
const CORE: Workload = Workload::Mix { top_percent: 3.0, ratio: 1.2, queues: 40, spread_percent: 75.0 };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::table_1;
    use std::collections::VecDeque;

    fn shares(workload: &str, queues: u32) -> Vec<f64> {
        let settings = Settings { queues, ..table_1() };
        let operations = Workload::parse(workload).unwrap().operations(&settings, 400_000, 1).unwrap();
        let mut counts = vec![0u32; settings.queues as usize];
        let arrivals = operations.iter().filter(|operation| !operation.is_dequeue());
        arrivals.for_each(|operation| counts[operation.queue() as usize] += 1);
        let all: u32 = counts.iter().sum();
        counts.iter().map(|&count| f64::from(count) / f64::from(all)).collect()
    }

    #[test]
    fn weights_are_those_of_table_4() {
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 0.004, "{found} {expected}");
        let dominating = shares("SD16_90", 4096);
        near(dominating[..16].iter().sum(), 0.9);
        near(dominating[3], 0.9 / 16.0);
        let exponential = shares("L1.1", 4096);
        near(exponential[0], 1.0 - 1.0 / 1.1);
        near(exponential[1], (1.0 - 1.0 / 1.1) / 1.1);
        near(shares("SD1_100", 4096)[0], 1.0);
        near(shares("R", 4)[2], 0.25);
        let mix = shares("mix17_1.12_60_18", 4096);
        near(mix[0], 0.17);
        near(mix[1..61].iter().sum(), 0.65);
        near(mix[2], mix[1] / 1.12);
    }

    #[test]
    fn round_robin_takes_turns_and_names_are_read_in_any_case() {
        let settings = Settings { queues: 3, backlog: 6, ..table_1() };
        let operations = Workload::parse("u").unwrap().operations(&settings, 8, 1).unwrap();
        let queues: Vec<u32> = operations.iter().map(|operation| operation.queue()).collect();
        assert_eq!(queues, [1, 2, 0, 1, 2, 0, 1, 1]);
        assert!(operations[7].is_dequeue());
        for wrong in ["", "x", "L1", "L", "SD", "SD0_5", "SD4_101", "SD1.5_50", "MIX60_1.1_5_50", "lnan"] {
            assert!(Workload::parse(wrong).is_err(), "{wrong}");
        }
        let few = Settings { queues: 16, ..table_1() };
        assert!(Workload::parse("SD16_90").unwrap().operations(&few, 1, 1).is_err());
        assert!(Workload::parse("SD16_100").unwrap().operations(&few, 1, 1).is_ok());
    }

    #[test]
    fn no_stream_takes_out_more_than_was_put_in() {
        for (workload, settings) in [
            ("R", Settings { queues: 8, backlog: 0, burst: 1, ..table_1() }),
            ("SD1_60", Settings { queues: 40, backlog: 20, ..table_1() }),
            ("edge", Settings { levels: 3, queues: 512, backlog: 10, ..table_1() }),
        ] {
            let operations = Workload::parse(workload).unwrap().operations(&settings, 5000, 3).unwrap();
            let mut inside: Vec<VecDeque<()>> = vec![VecDeque::new(); settings.all_queues() as usize];
            for operation in operations {
                let queue = &mut inside[operation.queue() as usize];
                if operation.is_dequeue() {
                    queue.pop_front().expect("a packet is there");
                } else {
                    queue.push_back(());
                }
            }
        }
    }

    #[test]
    fn captures_are_taken_again_from_the_beginning() {
        let settings = Settings { queues: 4, backlog: 1000, ..table_1() };
        let operations = operations_of_queues(&[2, 0, 3], &settings, 5).unwrap();
        let queues: Vec<u32> = operations.iter().map(|operation| operation.queue()).collect();
        assert_eq!(queues, [2, 0, 3, 2, 0]);
        assert!(operations_of_queues(&[4], &settings, 5).is_err());
        assert_eq!(operations_of_queues(&[], &settings, 5), Err(QueueingError::Empty));
    }
}
