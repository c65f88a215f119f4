//! Rules of dispatch: which threads share a list of packets, and which list a packet joins. One file a rule, and its line
//! in `rules!`; everything else takes them from [`DispatchRule::ALL`].

mod lists;

use crate::group::Group;
pub(crate) use lists::Lists;

macro_rules! rules {
    ($($(#[$meaning:meta])* $file:ident :: $rule:ident,)*) => {
        $(mod $file;)*

        /// Which thread gets a packet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DispatchRule {
            $($(#[$meaning])* $rule,)*
        }

        impl DispatchRule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Its name in a chip's file: that of its own file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => stringify!($file),)*
                }
            }

            /// How threads are divided.
            pub(crate) fn lists(self) -> Lists {
                match self {
                    $(Self::$rule => $file::LISTS,)*
                }
            }

            /// The list that a packet joins.
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
    /// The thread that has been free longest, of all that take from the inbox.
    free_list::FreeList,
    /// A flow belongs to one thread.
    lanes::Lanes,
    /// A flow belongs to one cluster; there the thread that has been free longest.
    hash::Hash,
    /// The cluster with the fewest packets waiting or in its threads; there the thread that has been free longest.
    least_loaded::LeastLoaded,
}
