//! Bytes of packets on their way to an executed program: from the source of the traffic until a thread takes the
//! packet, or it is lost.

use std::cell::RefCell;
use std::rc::Rc;

/// The bytes of a packet, and its arrival time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub bytes: Vec<u8>,
    pub time_ns: u64,
}

/// Frames by number, counted from 1; the numbers of removed frames are reused.
#[derive(Debug, Default)]
struct Store {
    kept: Vec<Kept>,
    free: Vec<u32>,
}

/// The frames of a run, shared by the traffic, the program and the chip.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames(Rc<RefCell<Store>>);

impl Frames {
    /// Keeps the frame that `write` writes into an empty buffer, and returns its number; 0 if it writes none.
    pub fn keep(&self, time_ns: u64, write: impl FnOnce(&mut Vec<u8>) -> bool) -> u32 {
        let Store { kept, free } = &mut *self.0.borrow_mut();
        let number = free.pop().unwrap_or_else(|| {
            kept.push(Kept::default());
            kept.len() as u32
        });
        let frame = &mut kept[number as usize - 1];
        frame.bytes.clear();
        frame.time_ns = time_ns;
        if write(&mut frame.bytes) {
            return number;
        }
        free.push(number);
        0
    }

    /// Passes a frame to `use_it`, and removes it.
    pub fn take<T>(&self, number: u32, use_it: impl FnOnce(&Kept) -> T) -> T {
        let mut store = self.0.borrow_mut();
        let result = use_it(&store.kept[number as usize - 1]);
        store.free.push(number);
        result
    }

    /// Removes a frame.
    pub fn forget(&self, number: u32) {
        self.0.borrow_mut().free.push(number);
    }
}
