//! Memories that keep packets, and the allocation of packets in them.

use crate::account::Level;
use crate::config::{ChipConfig, PacketMemoryConfig, PlacementRule, TargetConfig};
use crate::place::{BankLayout, Memory, Place};
use crate::queue_caches::QueueCaches;
use linecard_buffers::{Allocator, Placement};
use linecard_program::CELL_BYTES;
use linecard_sim::{Stream, Ticks, Timebase, stream};
use std::collections::VecDeque;

/// How the start of a packet is allocated.
pub(crate) enum Room {
    Allocated(Allocator),
    /// Each begins in a bank drawn at random, `step_cells` from one bank to the next.
    RandomBank {
        stream: Stream,
        banks: u32,
        step_cells: u32,
    },
}

impl Room {
    fn new(
        packets: &PacketMemoryConfig,
        config: &ChipConfig,
        target: &TargetConfig,
        places: &[Place],
    ) -> Result<Self, String> {
        match (&packets.placement, places[target.place].bank_layout()) {
            (PlacementRule::Allocator(allocator), _) => Ok(Room::Allocated(Allocator::new(allocator)?)),
            (PlacementRule::RandomBank, Some(BankLayout { banks, step_bytes })) => Ok(Room::RandomBank {
                stream: stream(config.seed, "placement of packets in banks"),
                banks,
                step_cells: (step_bytes / u64::from(CELL_BYTES)) as u32,
            }),
            (PlacementRule::RandomBank, None) => {
                let name = &config.places[target.place].name;
                Err(format!(
                    "{name} is not a memory with slots, so packets cannot start in random banks; set an allocator"
                ))
            }
        }
    }

    /// Allocates cells for a packet of an output queue.
    #[inline]
    pub fn allocate(&mut self, cells: u32, queue: u16) -> Placement {
        match self {
            Room::Allocated(allocator) => allocator.allocate(cells, queue),
            Room::RandomBank { stream, banks, step_cells } => {
                Placement::At(stream.below(*banks) * *step_cells)
            }
        }
    }

    /// Returns whether the cells of a packet that begins at `first` have consecutive numbers.
    #[inline]
    pub fn in_a_row(&self, first: u32, cells: u32) -> bool {
        match self {
            Room::Allocated(allocator) => allocator.in_a_row(first, cells),
            Room::RandomBank { .. } => true,
        }
    }

    /// Returns the cell behind another of the same packet.
    #[inline]
    pub fn next_cell(&self, cell: u32) -> u32 {
        match self {
            Room::Allocated(allocator) => allocator.next_cell(cell),
            Room::RandomBank { .. } => cell + 1,
        }
    }

    /// Frees the cells of a packet.
    #[inline]
    pub fn release(&mut self, first: u32, cells: u32) {
        if let Room::Allocated(allocator) = self {
            allocator.release(first, cells);
        }
    }

    /// Returns the allocated cells, if they are counted.
    pub fn cells_in_use(&self) -> u32 {
        match self {
            Room::Allocated(allocator) => allocator.cells_in_use(),
            Room::RandomBank { .. } => 0,
        }
    }
}

/// A memory that keeps packets.
pub(crate) struct Store {
    /// Its number among the memories, and the first byte available to packets.
    pub place: u16,
    pub base: u64,
    pub room: Room,
}

/// The memories that keep packets.
pub(crate) struct PacketMemory {
    pub stores: Vec<Store>,
    /// By cluster: index in `stores`.
    pub of_cluster: Vec<u16>,
    pub received_by_ports: bool,
    pub sent_by_ports: bool,
    pub placed_by_programs: bool,
    /// Threads that wait for room, in order, if programs allocate it.
    pub waiters: VecDeque<u32>,
    /// Cells in use, if programs allocate them.
    pub cells: Level,
    pub wide: Option<Wide>,
}

impl PacketMemory {
    /// Returns the memories of a chip that keep packets, all empty; `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what does not fit.
    pub fn new(config: &ChipConfig, places: &[Place], timebase: &Timebase) -> Result<Option<Self>, String> {
        let Some(packets) = &config.packets else { return Ok(None) };
        let mut stores: Vec<Store> = Vec::new();
        let mut of_cluster = Vec::new();
        for (row, cluster) in config.targets.iter().zip(&config.clusters) {
            let Some(target) = &row[packets.role] else {
                return Err(format!("the cluster {} has no access to a packet memory", cluster.name));
            };
            let place = target.place as u16;
            let known = stores.iter().position(|store| store.place == place);
            of_cluster.push(known.unwrap_or(stores.len()) as u16);
            if known.is_none() {
                let room = Room::new(packets, config, target, places)?;
                stores.push(Store { place, base: target.base, room });
            }
        }
        Ok(Some(Self {
            stores,
            of_cluster,
            received_by_ports: packets.received_by_ports,
            sent_by_ports: packets.sent_by_ports,
            placed_by_programs: packets.placed_by_programs,
            waiters: VecDeque::new(),
            cells: Level::default(),
            wide: Wide::new(packets, timebase),
        }))
    }

    /// Returns the memory that keeps the packets of a cluster.
    #[inline]
    pub fn store_of(&self, cluster: u16) -> &Store {
        &self.stores[usize::from(self.of_cluster[usize::from(cluster)])]
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.cells.restart(now);
        if let Some(wide) = &mut self.wide {
            (wide.caches.bypassed_blocks, wide.caches.written_blocks) = (0, 0);
        }
    }
}

/// Caches of output queues in front of the packet memory.
pub(crate) struct Wide {
    pub caches: QueueCaches,
    /// Time to move a cell between a thread and a cache.
    cell: Ticks,
    /// When the last move so far ends.
    free: Ticks,
    /// Threads that try again; empty between events.
    pub retry: Vec<u32>,
}

impl Wide {
    fn new(packets: &PacketMemoryConfig, timebase: &Timebase) -> Option<Self> {
        let (wide, PlacementRule::Allocator(allocator)) = (packets.wide?, &packets.placement) else {
            return None;
        };
        let ring_cells = allocator.cells / allocator.queues;
        Some(Self {
            caches: QueueCaches::new(allocator.queues, ring_cells, wide.block_cells, wide.blocks),
            cell: timebase.ticks_from_ps(wide.cell_ps),
            free: 0,
            retry: Vec::new(),
        })
    }

    /// Returns when `cells` cells have moved between a thread and a cache, behind all earlier moves.
    pub fn moved(&mut self, cells: u16, now: Ticks) -> Ticks {
        self.free = self.free.max(now + self.cell * Ticks::from(cells));
        self.free
    }
}
