//! Packets counted separately: by receiving port, and by output queue.

use crate::config::ChipConfig;
use crate::counts::{Breakdown, Part};
use crate::loss::Loss;
use linecard_program::PacketHead;
use linecard_sim::Ticks;

/// Most parts that are counted separately: each has a histogram of up to 30 KiB.
const MOST_PARTS: usize = 1024;

impl Part {
    #[inline]
    fn offer(&mut self, bytes: u32) {
        self.offered += 1;
        self.bytes_offered += u64::from(bytes);
        self.inside += 1;
    }

    #[inline]
    fn deliver(&mut self, bytes: u64, latency: Ticks) {
        self.delivered += 1;
        self.bytes_delivered += bytes;
        self.inside -= 1;
        self.latency.record(latency);
    }

    #[inline]
    fn lose(&mut self, loss: Loss) {
        *(if loss.is_by_choice() { &mut self.by_choice } else { &mut self.lost }) += 1;
        self.inside -= 1;
    }

    fn restart(&mut self) {
        *self = Self { inside: self.inside, inside_at_start: self.inside, ..Self::default() };
    }
}

/// Number of the output queue of a packet that has none yet, or whose queue is not counted separately.
pub(crate) const NO_QUEUE: u16 = u16::MAX;

/// All separate counts; empty on chips with one receiving port and one output queue.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    /// By receiving port.
    inputs: Vec<Part>,
    /// By port and class, and the index of each port's first class.
    queues: Vec<Part>,
    first_queue: Vec<u16>,
}

impl Tallies {
    pub fn new(config: &ChipConfig) -> Self {
        let classes = config
            .ports
            .iter()
            .map(|port| port.transmit.as_ref().map_or(0, |transmit| transmit.scheduler.classes.len()));
        let (inputs, queues) = (config.ports.len(), classes.clone().sum::<usize>());
        let receiving = config.ports.iter().filter(|port| port.receive.is_some()).count();
        if receiving.max(queues) < 2 || inputs + queues > MOST_PARTS {
            return Self::default();
        }
        let first = classes.scan(0, |next, count| Some(std::mem::replace(next, *next + count) as u16));
        Self {
            inputs: vec![Part::default(); inputs],
            queues: vec![Part::default(); queues],
            first_queue: first.collect(),
        }
    }

    /// Counts a packet that arrived at a port.
    #[inline]
    pub fn came(&mut self, input: usize, head: &PacketHead) {
        if let Some(part) = self.inputs.get_mut(input) {
            part.offer(head.bytes);
        }
    }

    /// Counts a packet for the port and class that its program selected. Returns the number of the queue.
    #[inline]
    pub fn sent_to(&mut self, port: u16, class: u16, head: &PacketHead) -> u16 {
        let Some(&first) = self.first_queue.get(usize::from(port)) else { return NO_QUEUE };
        let number = first + class;
        self.queues[usize::from(number)].offer(head.leaving_bytes());
        number
    }

    /// Counts a packet that is lost or that its program ended by choice.
    #[inline]
    pub fn lost(&mut self, input: usize, queue: u16, loss: Loss) {
        if let Some(part) = self.inputs.get_mut(input) {
            part.lose(loss);
        }
        if let Some(part) = self.queues.get_mut(usize::from(queue)) {
            part.lose(loss);
        }
    }

    /// Counts a packet that has left.
    #[inline(always)]
    pub fn left(&mut self, input: usize, queue: u16, bytes: u64, latency: Ticks) {
        if let Some(part) = self.inputs.get_mut(input) {
            part.deliver(bytes, latency);
        }
        if let Some(part) = self.queues.get_mut(usize::from(queue)) {
            part.deliver(bytes, latency);
        }
    }

    pub fn restart(&mut self) {
        self.inputs.iter_mut().chain(&mut self.queues).for_each(Part::restart);
    }

    pub fn breakdown(&self) -> Option<Breakdown> {
        let is_kept = !self.inputs.is_empty();
        is_kept.then(|| Breakdown { inputs: self.inputs.clone(), queues: self.queues.clone() })
    }
}
