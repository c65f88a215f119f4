//! Packet-buffer allocators: the location of a packet's cells in memory.
//!
//! An allocator allocates 64-byte cells of a linear memory, numbered from 0. It knows neither banks nor rows
//! nor packets: the memory's address map turns adjacent numbers into locality. Each allocator is one file with
//! its source and one variant of [`Allocator`]; the tests in `tests/` run over [`AllocatorKind::ALL`].
#![forbid(unsafe_code)]

mod fine_grain;
mod fixed;
mod linear;
mod per_queue;
mod piecewise;
mod placement;
mod pool;

pub use fine_grain::FineGrain;
pub use fixed::Fixed;
pub use linear::Linear;
pub use per_queue::PerQueue;
pub use piecewise::Piecewise;
pub use placement::Placement;
pub use pool::PoolOrder;

/// The kinds of allocators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocatorKind {
    /// Fixed-size buffers from one or two pools ([`Fixed`]).
    Fixed,
    /// Single cells from one or two pools ([`FineGrain`]).
    FineGrain,
    /// One frontier through the whole memory ([`Linear`]).
    Linear,
    /// A frontier inside the page allocated last ([`Piecewise`]).
    Piecewise,
    /// A frontier in each queue's own region ([`PerQueue`]).
    PerQueue,
}

impl AllocatorKind {
    /// All allocators.
    pub const ALL: [AllocatorKind; 5] =
        [Self::Fixed, Self::FineGrain, Self::Linear, Self::Piecewise, Self::PerQueue];

    /// Returns the name in presets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::FineGrain => "fine_grain",
            Self::Linear => "linear",
            Self::Piecewise => "piecewise_linear",
            Self::PerQueue => "per_queue_linear",
        }
    }
}

/// The parameters of an allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocatorConfig {
    /// The kind of allocator.
    pub kind: AllocatorKind,
    /// Cells of the memory.
    pub cells: u32,
    /// Cells in a buffer ([`Fixed`]) or a page ([`Linear`], [`Piecewise`]).
    pub page_cells: u32,
    /// Pools that share the memory equally and are used in turn ([`Fixed`], [`FineGrain`]): 1 or 2.
    pub pools: u32,
    /// Order in which freed buffers, cells or pages are allocated again.
    pub order: PoolOrder,
    /// Output queues ([`PerQueue`]).
    pub queues: u32,
    /// Seed of the initial order of [`FineGrain`]'s pool.
    pub seed: u64,
}

/// An allocator of any kind.
#[derive(Clone, Debug)]
pub enum Allocator {
    /// See [`Fixed`].
    Fixed(Fixed),
    /// See [`FineGrain`].
    FineGrain(FineGrain),
    /// See [`Linear`].
    Linear(Linear),
    /// See [`Piecewise`].
    Piecewise(Piecewise),
    /// See [`PerQueue`].
    PerQueue(PerQueue),
}

macro_rules! each {
    ($self:ident, $a:ident => $call:expr) => {
        match $self {
            Allocator::Fixed($a) => $call,
            Allocator::FineGrain($a) => $call,
            Allocator::Linear($a) => $call,
            Allocator::Piecewise($a) => $call,
            Allocator::PerQueue($a) => $call,
        }
    };
}

impl Allocator {
    /// Builds the allocator that `config` describes.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what does not fit together (a page larger than the memory, no queue, …).
    pub fn new(config: &AllocatorConfig) -> Result<Self, String> {
        let &AllocatorConfig { kind, cells, page_cells, pools, order, queues, seed } = config;
        let paged = matches!(kind, AllocatorKind::Fixed | AllocatorKind::Linear | AllocatorKind::Piecewise);
        if paged && (page_cells == 0 || page_cells > u32::from(u16::MAX) || !cells.is_multiple_of(page_cells))
        {
            return Err(format!("{cells} cells cannot be divided into pages of {page_cells} cells"));
        }
        if matches!(kind, AllocatorKind::Fixed | AllocatorKind::FineGrain) {
            let unit = if kind == AllocatorKind::Fixed { page_cells } else { 1 };
            if !(1..=2).contains(&pools) || !(cells / unit).is_multiple_of(pools) || cells / unit < pools {
                return Err(format!(
                    "{} buffers cannot be divided into {pools} pools; expected 1 or 2 pools of equal size",
                    cells / unit
                ));
            }
        }
        Ok(match kind {
            AllocatorKind::Fixed => Self::Fixed(Fixed::new(cells, page_cells, pools, order)),
            AllocatorKind::FineGrain => Self::FineGrain(FineGrain::new(cells, pools, order, seed)),
            AllocatorKind::Linear if cells / page_cells < 2 => {
                return Err(format!("linear allocation needs at least 2 pages, not {}", cells / page_cells));
            }
            AllocatorKind::Linear => Self::Linear(Linear::new(cells, page_cells)),
            AllocatorKind::Piecewise => Self::Piecewise(Piecewise::new(cells, page_cells, order)),
            AllocatorKind::PerQueue if queues == 0 || cells / queues == 0 => {
                return Err(format!(
                    "{cells} cells cannot be divided among {queues} queues; expected at least one cell per queue"
                ));
            }
            AllocatorKind::PerQueue => Self::PerQueue(PerQueue::new(cells, queues)),
        })
    }

    /// Allocates `cells` cells for a packet that will join `queue`.
    #[inline]
    pub fn allocate(&mut self, cells: u32, queue: u16) -> Placement {
        each!(self, a => a.allocate(cells, queue))
    }

    /// Frees the `cells` cells of a packet whose first one is `first`.
    #[inline]
    pub fn release(&mut self, first: u32, cells: u32) {
        each!(self, a => a.release(first, cells))
    }

    /// Returns the cell of a packet that follows `cell`.
    #[inline]
    pub fn next_cell(&self, cell: u32) -> u32 {
        each!(self, a => a.next_cell(cell))
    }

    /// Returns whether the cells of a packet have consecutive numbers.
    pub fn in_a_row(&self, first: u32, cells: u32) -> bool {
        match self {
            Allocator::Fixed(_) | Allocator::Piecewise(_) => true,
            Allocator::FineGrain(_) => cells == 1,
            _ => (first..first + cells - 1).all(|cell| self.next_cell(cell) == cell + 1),
        }
    }

    /// Returns the cells that hold packets, or that these packets lose to fragmentation.
    pub fn cells_in_use(&self) -> u32 {
        each!(self, a => a.cells_in_use())
    }
}
