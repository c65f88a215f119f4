//! Schedulers of output queues: which class sends next. One file a rule, and its line in `rules!`; everything else takes
//! them from [`SchedulerRule::ALL`].

use linecard_program::PacketId;
use std::collections::VecDeque;

macro_rules! rules {
    ($($(#[$meaning:meta])* $file:ident :: $rule:ident,)*) => {
        $(mod $file;)*

        /// Which class sends next.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum SchedulerRule {
            $($(#[$meaning])* $rule,)*
        }

        impl SchedulerRule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Its name in a chip's file: that of its own file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => stringify!($file),)*
                }
            }

            /// Whether it gives turns by bytes, so many for each class.
            pub fn counts_bytes(self) -> bool {
                match self {
                    $(Self::$rule => $file::COUNTS_BYTES,)*
                }
            }
        }

        /// A rule, and what it remembers.
        #[derive(Debug)]
        pub(crate) enum Scheduler {
            $($rule($file::$rule),)*
        }

        impl Scheduler {
            /// Before the first packet.
            pub fn new(rule: SchedulerRule, quantum_bytes: &[u32]) -> Self {
                match rule {
                    $(SchedulerRule::$rule => Self::$rule($file::$rule::new(quantum_bytes)),)*
                }
            }

            /// The class whose packet goes next, if any has one; `bytes` tells the size of a packet.
            pub fn next(
                &mut self,
                classes: &[VecDeque<PacketId>],
                bytes: impl Fn(PacketId) -> u32,
            ) -> Option<usize> {
                if classes.iter().all(VecDeque::is_empty) {
                    return None;
                }
                match self {
                    $(Self::$rule(scheduler) => scheduler.next(classes, bytes),)*
                }
            }
        }
    };
}

rules! {
    /// One packet of each in turn.
    round_robin::RoundRobin,
    /// Deficit round robin (Shreedhar and Varghese 1995): so many bytes of each class in a turn.
    deficit::Deficit,
    /// The lowest class that has a packet.
    strict::Strict,
}
