//! Schedulers of output queues: which class sends next. One file a rule, and its line in `rules!`; everything else takes
//! them from [`SchedulerRule::ALL`]. Rules nest (`tree.rs`), and shapers hold classes and groups back (`shaper.rs`).

pub mod config;
mod head;
mod shaper;
mod tree;

pub(crate) use tree::{Next, Scheduler};

use head::Head;

macro_rules! rules {
    ($($(#[$meaning:meta])* $file:ident :: $rule:ident,)*) => {
        $(mod $file;)*

        /// Which member of a group sends next.
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

            /// Whether it gives turns by bytes, so many for each member.
            pub fn counts_bytes(self) -> bool {
                match self {
                    $(Self::$rule => $file::COUNTS_BYTES,)*
                }
            }
        }

        /// A rule, and what it remembers.
        #[derive(Debug)]
        enum Rule {
            $($rule($file::$rule),)*
        }

        impl Rule {
            /// Before the first packet.
            fn new(rule: SchedulerRule, quantum_bytes: &[u32]) -> Self {
                match rule {
                    $(SchedulerRule::$rule => Self::$rule($file::$rule::new(quantum_bytes)),)*
                }
            }

            /// The member that sends next; one of them is ready.
            fn next(&mut self, heads: &[Head]) -> usize {
                match self {
                    $(Self::$rule(rule) => rule.next(heads),)*
                }
            }

            /// The member has sent; `more` tells whether it has another packet.
            fn sent(&mut self, member: usize, bytes: u32, more: bool) {
                match self {
                    $(Self::$rule(rule) => rule.sent(member, bytes, more),)*
                }
            }
        }
    };
}

rules! {
    /// One packet of each in turn.
    round_robin::RoundRobin,
    /// Deficit round robin (Shreedhar and Varghese 1995): so many bytes of each in a turn.
    deficit::Deficit,
    /// The first that has a packet.
    strict::Strict,
}
