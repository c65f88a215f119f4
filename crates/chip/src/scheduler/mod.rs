//! Schedulers of output queues: which class sends next. Each rule has a file and a line in `rules!`; everything
//! else reads [`SchedulerRule::ALL`]. Rules nest (`tree.rs`), and shapers limit the rates of classes and groups
//! (`shaper.rs`).

pub mod config;
mod head;
mod shaper;
mod tree;

pub(crate) use tree::{Next, Scheduler};

use head::Head;

macro_rules! rules {
    ($($(#[$meaning:meta])* $file:ident :: $rule:ident,)*) => {
        $(mod $file;)*

        /// The rule by which a group selects the next member.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum SchedulerRule {
            $($(#[$meaning])* $rule,)*
        }

        impl SchedulerRule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Returns its name in a chip's file, which is the name of its own source file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => stringify!($file),)*
                }
            }

            /// Returns whether turns are measured in bytes, with a number for each member.
            pub fn counts_bytes(self) -> bool {
                match self {
                    $(Self::$rule => $file::COUNTS_BYTES,)*
                }
            }
        }

        /// A rule with its state.
        #[derive(Debug)]
        enum Rule {
            $($rule($file::$rule),)*
        }

        impl Rule {
            /// Returns the state before the first packet.
            fn new(rule: SchedulerRule, quantum_bytes: &[u32]) -> Self {
                match rule {
                    $(SchedulerRule::$rule => Self::$rule($file::$rule::new(quantum_bytes)),)*
                }
            }

            /// Returns the member that sends next; at least one must be ready.
            fn next(&mut self, heads: &[Head]) -> usize {
                match self {
                    $(Self::$rule(rule) => rule.next(heads),)*
                }
            }

            /// Records that the member has sent; `more` is whether it has another packet.
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
    /// Deficit round robin (Shreedhar and Varghese 1995): a number of bytes of each per turn.
    deficit::Deficit,
    /// The first that has a packet.
    strict::Strict,
}
