//! A pool of numbered buffers, pages or cells.

/// The order in which freed members are allocated again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolOrder {
    /// A stack: the one freed last is allocated first (the IXP1200's hardware push and pop).
    Lifo,
    /// A ring: the one freed first is allocated first.
    Fifo,
}

/// Free members of a pool: a ring that holds each at most once, so it never overflows.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    ring: Vec<u32>,
    head: usize,
    len: usize,
    order: PoolOrder,
}

impl Pool {
    pub fn new(members: Vec<u32>, order: PoolOrder) -> Self {
        let len = members.len();
        Self { ring: members, head: 0, len, order }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        Some(match self.order {
            PoolOrder::Lifo => self.ring[self.wrap(self.head + self.len)],
            PoolOrder::Fifo => {
                let member = self.ring[self.head];
                self.head = self.wrap(self.head + 1);
                member
            }
        })
    }

    #[inline]
    pub fn put(&mut self, member: u32) {
        assert!(self.len < self.ring.len(), "a buffer was freed twice");
        let end = self.wrap(self.head + self.len);
        self.ring[end] = member;
        self.len += 1;
    }

    #[inline]
    fn wrap(&self, index: usize) -> usize {
        if index >= self.ring.len() { index - self.ring.len() } else { index }
    }
}
