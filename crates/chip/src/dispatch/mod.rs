//! Rules of dispatch: which threads share a list of packets, and which list a packet joins. Each rule has a
//! file and a line in `rules!`; everything else reads [`DispatchRule::ALL`].

mod lists;

use crate::group::Group;
pub(crate) use lists::Lists;

macro_rules! rules {
    ($($(#[$meaning:meta])* $file:ident :: $rule:ident,)*) => {
        $(mod $file;)*

        /// The rule by which a packet gets a thread.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DispatchRule {
            $($(#[$meaning])* $rule,)*
        }

        impl DispatchRule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Returns its name in a chip's file, which is the name of its own source file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => stringify!($file),)*
                }
            }

            /// Returns how threads are divided into lists.
            pub(crate) fn lists(self) -> Lists {
                match self {
                    $(Self::$rule => $file::LISTS,)*
                }
            }

            /// Returns the list that a packet joins.
            #[inline]
            pub(crate) fn choose(self, flow_hash: u32, groups: &[Group]) -> usize {
                match self {
                    $(Self::$rule => $file::choose(flow_hash, groups),)*
                }
            }
        }
    };
}

rules! {
    /// The thread that has been free longest, of all that take packets from the inbox.
    free_list::FreeList,
    /// Each flow belongs to one thread.
    lanes::Lanes,
    /// Each flow belongs to one cluster, whose longest-free thread takes the packet.
    hash::Hash,
    /// The cluster with the fewest packets waiting or in its threads; its longest-free thread takes the packet.
    least_loaded::LeastLoaded,
}
