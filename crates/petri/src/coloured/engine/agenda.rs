//! Timers in order of their end; each can be cancelled.

use super::store::NONE;

/// A running timer.
#[derive(Clone, Copy)]
struct Item {
    at: f64,
    /// For equal times the smaller comes first: the transition, then the order of their start.
    order: u64,
    timer: u32,
}

impl Item {
    #[inline]
    fn before(&self, other: &Self) -> bool {
        self.at < other.at || (self.at == other.at && self.order < other.order)
    }
}

/// The owner of a timer.
#[derive(Clone, Copy)]
pub(super) struct Timer {
    pub transition: u32,
    pub binding: u32,
    /// The timer of the same binding that began before it.
    pub below: u32,
    place: u32,
}

#[derive(Default)]
pub(super) struct Agenda {
    heap: Vec<Item>,
    timers: Vec<Timer>,
    free: Vec<u32>,
    begun: u64,
}

impl Agenda {
    /// Starts a timer.
    pub fn start(&mut self, at: f64, transition: u32, binding: u32, below: u32) -> u32 {
        let place = self.heap.len() as u32;
        let timer = Timer { transition, binding, below, place };
        let number = match self.free.pop() {
            Some(number) => {
                self.timers[number as usize] = timer;
                number
            }
            None => {
                self.timers.push(timer);
                self.timers.len() as u32 - 1
            }
        };
        self.begun += 1;
        let order = (u64::from(transition) << 44) | (self.begun & ((1 << 44) - 1));
        self.heap.push(Item { at, order, timer: number });
        self.up(place as usize);
        number
    }

    /// Returns the first timer to end, and its owner.
    #[inline]
    pub fn first(&self) -> Option<(f64, u32)> {
        self.heap.first().map(|item| (item.at, item.timer))
    }

    #[inline]
    pub fn timer(&self, number: u32) -> Timer {
        self.timers[number as usize]
    }

    #[inline]
    pub fn set_below(&mut self, number: u32, below: u32) {
        self.timers[number as usize].below = below;
    }

    /// Cancels a timer.
    #[inline]
    pub fn stop(&mut self, number: u32) {
        let place = self.timers[number as usize].place as usize;
        self.free.push(number);
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            self.timers[self.heap[place].timer as usize].place = place as u32;
            self.up(place);
            self.down(place);
        }
    }

    /// Changes the end of a timer.
    #[inline]
    pub fn restart(&mut self, number: u32, at: f64) {
        let place = self.timers[number as usize].place as usize;
        self.begun += 1;
        let order = self.heap[place].order >> 44;
        self.heap[place].order = (order << 44) | (self.begun & ((1 << 44) - 1));
        self.heap[place].at = at;
        self.up(place);
        self.down(self.timers[number as usize].place as usize);
    }

    #[inline]
    fn up(&mut self, mut place: usize) {
        let item = self.heap[place];
        while place > 0 {
            let above = (place - 1) / 4;
            if !item.before(&self.heap[above]) {
                break;
            }
            self.set(place, self.heap[above]);
            place = above;
        }
        self.set(place, item);
    }

    #[inline]
    fn down(&mut self, mut place: usize) {
        let item = self.heap[place];
        loop {
            let first = place * 4 + 1;
            if first >= self.heap.len() {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + 4).min(self.heap.len()) {
                if self.heap[child].before(&self.heap[least]) {
                    least = child;
                }
            }
            if !self.heap[least].before(&item) {
                break;
            }
            self.set(place, self.heap[least]);
            place = least;
        }
        self.set(place, item);
    }

    #[inline]
    fn set(&mut self, place: usize, item: Item) {
        self.heap[place] = item;
        self.timers[item.timer as usize].place = place as u32;
    }
}

/// No timer.
pub(super) const NO_TIMER: u32 = NONE;
