//! The environment of programs: memory, maps, the present packet, time and random numbers.

use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::maps::Map;
use crate::memory::{
    Bytes, CONTEXT, HEADROOM_BYTES, HEADROOM_START, Memory, PACKET, Region, STACK, STACK_BYTES,
};
use crate::routes::Fib;
use linecard_sim::{Stream, stream};

/// Most nested calls, including the program itself, as in the kernel.
pub(crate) const MOST_FRAMES: usize = 8;
/// Location of the first byte of a packet as received.
pub(crate) const PACKET_START: u64 = HEADROOM_START + HEADROOM_BYTES;
/// Room for a packet in a page of 4096 bytes: without headroom and the kernel's own 320 bytes at the end.
const PAGE_ROOM_BYTES: u64 = 3520;
/// At the very front of the headroom the kernel keeps a structure of its own (`struct xdp_frame`).
pub(crate) const FRAME_BYTES: u64 = 40;
/// Shortest packet after a cut: an Ethernet header.
pub(crate) const LEAST_BYTES: u64 = 14;
/// Largest packet.
pub const MOST_PACKET_BYTES: usize = 1 << 18;
const CONTEXT_BYTES: u64 = 24;

/// The destination of a redirected packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Out of an interface.
    Interface(u32),
    /// Out of all interfaces of a map.
    Broadcast,
    /// To another processor.
    Cpu(u32),
    /// To the socket of a queue.
    Socket(u32),
}

/// The arrival of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Time, in nanoseconds; the result of `bpf_ktime_get_ns`.
    pub time_ns: u64,
    /// Number of the interface.
    pub interface: u32,
    /// Number of its queue.
    pub queue: u32,
    /// The processor that executes the program; it selects the values of per-processor maps.
    pub cpu: u32,
}

impl Default for Arrival {
    fn default() -> Self {
        Self { time_ns: 0, interface: 1, queue: 0, cpu: 0 }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub memory: Memory,
    pub maps: Vec<Map>,
    /// Those that are ring buffers.
    pub rings: Vec<usize>,
    pub arrival: Arrival,
    pub cpus: u32,
    pub random: Stream,
    pub redirect: Option<Target>,
    /// Deepest frame of the stack that the present packet has used.
    pub deepest: usize,
    /// Address of the lock that is held.
    pub lock: Option<u64>,
    /// First byte, byte behind the last, first byte of the data in front.
    pub data: u64,
    pub end: u64,
    pub meta: u64,
    /// Limit to which a packet can grow.
    hard_end: u64,
    /// Lowest byte that the program could write so far.
    lowest: u64,
    pub fib: Fib,
    /// Scratch for keys and values on their way from memory to maps.
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

impl World {
    pub fn new(seed: u64, cpus: u32) -> Self {
        let mut memory = Memory::default();
        let packet = Region { origin: HEADROOM_START, ..Region::default() };
        memory.add("packet".to_owned(), packet);
        let context = Region {
            room: CONTEXT_BYTES,
            bytes: Bytes(vec![0; CONTEXT_BYTES as usize]),
            ..Region::default()
        };
        memory.add("context".to_owned(), context);
        let stack = Region {
            room: STACK_BYTES,
            write_room: STACK_BYTES,
            stride: STACK_BYTES as u32,
            atomic: true,
            bytes: Bytes(vec![0; MOST_FRAMES * STACK_BYTES as usize]),
            ..Region::default()
        };
        memory.add("stack".to_owned(), stack);
        Self {
            memory,
            maps: Vec::new(),
            rings: Vec::new(),
            arrival: Arrival::default(),
            cpus,
            random: stream(seed, "bpf_get_prandom_u32"),
            redirect: None,
            deepest: 0,
            lock: None,
            data: PACKET_START,
            end: PACKET_START,
            meta: PACKET_START,
            hard_end: PACKET_START,
            lowest: PACKET_START,
            fib: Fib::default(),
            key: Vec::new(),
            value: Vec::new(),
        }
    }

    /// Stores a packet for the program, and discards the state of the last one.
    pub fn receive(&mut self, packet: &[u8], arrival: Arrival) {
        self.arrival = arrival;
        self.redirect = None;
        self.lock = None;
        self.data = PACKET_START;
        self.meta = self.data;
        self.end = self.data + packet.len() as u64;
        self.hard_end = self.end.max(PACKET_START + PAGE_ROOM_BYTES);
        let bytes = &mut self.memory.region_mut(PACKET).bytes;
        if bytes.len() < self.hard_end as usize {
            bytes.resize(self.hard_end as usize, 0);
        }
        if self.lowest < PACKET_START {
            bytes[HEADROOM_START as usize..PACKET_START as usize].fill(0);
            self.lowest = PACKET_START;
        }
        bytes[PACKET_START as usize..self.end as usize].copy_from_slice(packet);
        let used = (self.deepest + 1) * STACK_BYTES as usize;
        self.memory.region_mut(STACK).bytes[..used].fill(0);
        self.deepest = 0;
        self.moved();
    }

    /// Returns the packet as it is now.
    pub fn packet(&self) -> &[u8] {
        &self.memory.region(PACKET).bytes[self.data as usize..self.end as usize]
    }

    /// Updates the start and the end of the packet in memory and context.
    fn moved(&mut self) {
        let region = self.memory.region_mut(PACKET);
        region.start = self.meta;
        region.room = self.end - self.meta;
        region.write_room = region.room;
        self.lowest = self.lowest.min(self.meta);
        let Arrival { interface, queue, .. } = self.arrival;
        let fields = [self.data as u32, self.end as u32, self.meta as u32, interface, queue];
        let fields = fields.map(u32::to_le_bytes);
        self.memory.region_mut(CONTEXT).bytes[..4 * fields.len()].copy_from_slice(fields.as_flattened());
    }

    /// Moves the first byte, with the data in front of it (`bpf_xdp_adjust_head`).
    pub fn adjust_head(&mut self, by: i64) -> bool {
        let data = self.data.wrapping_add_signed(by);
        let before = self.data - self.meta;
        if data < HEADROOM_START + FRAME_BYTES + before || data.saturating_add(LEAST_BYTES) > self.end {
            return false;
        }
        let bytes = &mut self.memory.region_mut(PACKET).bytes;
        bytes.copy_within(self.meta as usize..self.data as usize, (data - before) as usize);
        self.data = data;
        self.meta = data - before;
        self.moved();
        true
    }

    /// Moves the end; new bytes are zero (`bpf_xdp_adjust_tail`).
    pub fn adjust_tail(&mut self, by: i64) -> bool {
        let end = self.end.wrapping_add_signed(by);
        if end > self.hard_end || end < self.data + LEAST_BYTES {
            return false;
        }
        if end > self.end {
            let new = self.end as usize..end as usize;
            self.memory.region_mut(PACKET).bytes[new].fill(0);
        }
        self.end = end;
        self.moved();
        true
    }

    /// Moves the first byte of the data in front of the packet (`bpf_xdp_adjust_meta`).
    pub fn adjust_meta(&mut self, by: i64) -> bool {
        let meta = self.meta.wrapping_add_signed(by);
        if meta < HEADROOM_START + FRAME_BYTES || meta > self.data {
            return false;
        }
        let length = self.data - meta;
        if !length.is_multiple_of(4) || length > 255 {
            return false;
        }
        self.meta = meta;
        self.moved();
        true
    }

    /// Returns a resource that the program acquired and did not release.
    pub fn held(&mut self) -> Option<&'static str> {
        if self.lock.is_some() {
            return Some("a lock is still held");
        }
        let reserved = self.rings.iter().any(|&map| self.maps[map].ring().is_some_and(|ring| ring.holds()));
        reserved.then_some("a ring buffer record is still reserved")
    }

    /// Releases the resources of a program that failed.
    pub fn forget(&mut self) {
        self.lock = None;
        for map in &mut self.maps {
            if let Some(ring) = map.ring() {
                ring.forget();
            }
        }
    }

    /// Returns the map of an argument.
    pub fn map(&self, value: u64) -> Option<usize> {
        crate::memory::handled(value).filter(|&map| map < self.maps.len())
    }

    /// Copies a key from memory.
    #[inline]
    pub fn read_key<H: Hook>(
        &mut self,
        address: u64,
        bytes: u64,
        watch: &mut Watch<'_, H>,
    ) -> Result<(), Fault> {
        let found = self.memory.bytes(address, bytes)?;
        self.key.clear();
        self.key.extend_from_slice(found);
        self.touched(address, AccessKind::Read, bytes, watch);
        Ok(())
    }

    /// Reports an access of a helper.
    #[inline(always)]
    pub fn touched<H: Hook>(&self, address: u64, kind: AccessKind, bytes: u64, watch: &mut Watch<'_, H>) {
        watch.touched(&self.memory, address, kind, bytes);
    }
}
