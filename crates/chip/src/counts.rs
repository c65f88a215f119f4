//! The measurements of a chip as plain data, with the names of the configuration. Times are ticks of the chip's
//! timebase.

use crate::loss::Loss;
use linecard_dram::packet_buffer::Statistics;
use linecard_program::DropReason;
use linecard_queueing::Usage;
use linecard_sim::{Histogram, Ticks};

/// The levels at the last arrival of a traffic that ended. After it, waiting packets only become fewer.
#[derive(Clone, Copy, Debug)]
pub struct LastArrival {
    /// Time since the start of the measurement.
    pub after: Ticks,
    /// Packets inside.
    pub inside: u64,
    /// Frames that waited for the wire of their receiving port.
    pub before_lines: u64,
}

/// All counts of a measurement.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Length of the measurement.
    pub duration: Ticks,
    /// Packets that arrived at a port, lost ones included, and their bytes.
    pub packets_in: u64,
    /// See `packets_in`.
    pub bytes_in: u64,
    /// Packets that left, and their bytes.
    pub packets_out: u64,
    /// See `packets_out`.
    pub bytes_out: u64,
    /// Packets among those that left by a decision of their program
    /// ([`linecard_program::script::Action::Finish`]).
    pub packets_finished: u64,
    /// Packets lost, and those that programs ended by choice, indexed by `Loss` number.
    pub drops: Vec<u64>,
    /// Frames that are not IP.
    pub not_ip: NotIpCounts,
    /// Latency from the last bit in to the last bit out.
    pub latency: Histogram,
    /// Where packets spent their time.
    pub packet_time: Vec<Spent>,
    /// Packets inside when statistics started, at the end, on average, and at most.
    pub inside_at_start: u64,
    /// See `inside_at_start`.
    pub inside_at_end: u64,
    /// See `inside_at_start`.
    pub inside_mean: f64,
    /// See `inside_at_start`.
    pub inside_most: u64,
    /// Frames that waited for the wire of their receiving port when statistics started, at the end, and on average.
    pub before_lines_at_start: u64,
    /// See `before_lines_at_start`.
    pub before_lines_at_end: u64,
    /// See `before_lines_at_start`.
    pub before_lines_mean: f64,
    /// The last arrival, if the traffic ended while statistics were on.
    pub last_arrival: Option<LastArrival>,
    /// Clusters.
    pub clusters: Vec<ClusterCounts>,
    /// Memories and units.
    pub places: Vec<PlaceCounts>,
    /// Links.
    pub links: Vec<LinkCounts>,
    /// Share of the time in which each lock was held, of the locks that were.
    pub locks: Vec<f64>,
    /// Receive buffers.
    pub pools: Vec<PoolCounts>,
    /// Ports.
    pub ports: Vec<PortCounts>,
    /// Inboxes.
    pub inboxes: Vec<InboxCounts>,
    /// Most packets that waited for their turn at once.
    pub order_most: u32,
    /// Bytes of the packets that were lost.
    pub bytes_dropped: u64,
    /// Packets that were kept in memory because their port was congested, and their bytes.
    pub kept_packets: u64,
    /// See `kept_packets`.
    pub kept_bytes: u64,
    /// Mean bytes in the receive buffers and in the transmit buffer.
    pub receive_bytes_mean: f64,
    /// See `receive_bytes_mean`.
    pub transmit_bytes_mean: f64,
    /// Mean cells of the packet memory in use, if programs allocate room for packets.
    pub cells_in_use: Option<f64>,
    /// Blocks that the caches of output queues handed over inside the chip, and blocks written to memory, if
    /// there are such caches.
    pub wide_blocks: Option<(u64, u64)>,
    /// Bytes of the packets inside.
    pub bytes_inside: BytesInside,
    /// Packets of each port and of each output queue; `None` if there is one of each, or too many to count
    /// separately.
    pub breakdown: Option<Breakdown>,
}

impl Counts {
    /// Returns the packets lost, or ended, for a cause.
    pub fn dropped(&self, loss: Loss) -> u64 {
        self.drops[loss.number()]
    }

    /// Returns the packets that programs ended by choice.
    pub fn by_choice(&self) -> u64 {
        let reasons = DropReason::ALL.into_iter().map(Loss::Program);
        reasons.filter(|loss| loss.is_by_choice()).map(|loss| self.dropped(loss)).sum()
    }

    /// Returns the packets lost.
    pub fn lost(&self) -> u64 {
        self.drops.iter().sum::<u64>() - self.by_choice()
    }
}

/// Frames that are not IP; those that programs ended by choice are in [`Counts::drops`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotIpCounts {
    /// They arrived at a port.
    pub packets_in: u64,
    /// They left by a port.
    pub forwarded: u64,
    /// Their program ended them ([`linecard_program::script::Action::Finish`]).
    pub finished: u64,
    /// They were lost.
    pub lost: u64,
}

/// Packets counted separately.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// Those that arrived at each port.
    pub inputs: Vec<Part>,
    /// Those that programs sent to each class of each port, one port after another.
    pub queues: Vec<Part>,
}

/// A subset of the packets: `offered + inside_at_start = delivered + lost + by_choice + inside`.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Packets that arrived, or were sent to a queue, and their bytes.
    pub offered: u64,
    /// See `offered`.
    pub bytes_offered: u64,
    /// Packets that left, and their bytes.
    pub delivered: u64,
    /// See `delivered`.
    pub bytes_delivered: u64,
    /// Packets lost.
    pub lost: u64,
    /// Packets that programs ended by choice.
    pub by_choice: u64,
    /// Packets of it that were inside when statistics started, and at the end.
    pub inside_at_start: u64,
    /// See `inside_at_start`.
    pub inside: u64,
    /// Latency from the last bit in to the last bit out, of those that left.
    pub latency: Histogram,
}

impl std::ops::AddAssign<&Part> for Part {
    fn add_assign(&mut self, other: &Part) {
        self.offered += other.offered;
        self.bytes_offered += other.bytes_offered;
        self.delivered += other.delivered;
        self.bytes_delivered += other.bytes_delivered;
        self.lost += other.lost;
        self.by_choice += other.by_choice;
        self.inside_at_start += other.inside_at_start;
        self.inside += other.inside;
        self.latency.merge(&other.latency);
    }
}

/// Bytes of the packets inside the chip, from arrival to departure.
#[derive(Clone, Debug)]
pub struct BytesInside {
    /// Time-weighted mean.
    pub mean: f64,
    /// Maximum.
    pub most: u64,
    /// Fraction of the time below each KiB, from 1 on.
    pub time_below_kib: Vec<f64>,
    /// Fraction of arrivals and departures after which the level was below each KiB.
    pub events_below_kib: Vec<f64>,
}

/// Time spent in one activity.
#[derive(Clone, Debug)]
pub struct Spent {
    /// The activity: `compute`, `wait ddr`, …
    pub part: String,
    /// Ticks, total.
    pub ticks: u128,
}

/// Counts of the data caches of all engines of a cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct DataCacheCounts {
    /// Accesses to lines in the cache.
    pub hits: u64,
    /// Lines fetched.
    pub misses: u64,
    /// Accesses to a line that was being fetched.
    pub merged: u64,
    /// Lines written back.
    pub written_back: u64,
}

impl std::iter::Sum for DataCacheCounts {
    fn sum<I: Iterator<Item = Self>>(several: I) -> Self {
        several.fold(Self::default(), |sum, each| Self {
            hits: sum.hits + each.hits,
            misses: sum.misses + each.misses,
            merged: sum.merged + each.merged,
            written_back: sum.written_back + each.written_back,
        })
    }
}

/// A cluster.
#[derive(Clone, Debug)]
pub struct ClusterCounts {
    /// Its name, and its group.
    pub name: String,
    /// See `name`.
    pub group: String,
    /// Fraction of the time in which its engines executed instructions or switched threads, on average, and of
    /// the busiest engine.
    pub busy: f64,
    /// See `busy`.
    pub busiest: f64,
    /// Fraction of the time in which its engines had only threads that wait for a block to send.
    pub polling: f64,
    /// Whether its threads send blocks.
    pub sends_blocks: bool,
    /// Counts of the data caches of its engines, if they have any.
    pub data_cache: Option<DataCacheCounts>,
    /// Fraction of the time in which its threads held a packet or a block.
    pub threads_held: f64,
    /// Where its threads spent their time.
    pub threads: Vec<Spent>,
}

/// A memory or a unit.
#[derive(Clone, Debug, Default)]
pub struct PlaceCounts {
    /// Its name, and its group.
    pub name: String,
    /// See `name`.
    pub group: String,
    /// Utilisation; of banks and channels the mean. `None` if it serves any number of accesses at once.
    pub utilization: Option<f64>,
    /// The busiest bank or channel.
    pub utilization_most: Option<f64>,
    /// Accesses.
    pub accesses: u64,
    /// Bytes of these accesses.
    pub bytes: u64,
    /// Mean time from arrival to result.
    pub time_mean: f64,
    /// Fraction of the accesses that hit a cache, or an open DRAM row.
    pub hit_rate: Option<f64>,
    /// Reads of a cache that no port issued: hits and misses.
    pub reads: Option<(u64, u64)>,
    /// Where the time of its buses went, for DRAM.
    pub dram: Option<DramShares>,
    /// The same for DRAM with slots.
    pub slots: Option<SlotShares>,
    /// Counts of DRAM behind packet-buffer controllers.
    pub packet_buffer: Option<PacketBufferCounts>,
    /// Counts of a queue manager.
    pub queue_manager: Option<Usage>,
    /// Hits and lookups of a result cache.
    pub results: Option<(u64, u64)>,
}

/// Counts of DRAM behind packet-buffer controllers.
#[derive(Clone, Debug)]
pub struct PacketBufferCounts {
    /// The counts of each channel, in cycles of the device.
    pub channels: Vec<Statistics>,
    /// Cycles of the measurement.
    pub cycles: u64,
}

/// The time of a DRAM with slots as fractions, and the data that it moved.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotShares {
    /// Moving data.
    pub data: f64,
    /// Turning the bus between reads and writes.
    pub turnaround: f64,
    /// Refresh.
    pub refresh: f64,
    /// Banks in use, on average.
    pub banks: f64,
    /// Accesses whose data have moved.
    pub accesses: u64,
    /// Those of less than 64 bytes.
    pub narrow_accesses: u64,
    /// Bytes moved.
    pub bytes: u64,
}

/// The time of DRAM data buses as fractions; in the rest there was no request.
#[derive(Clone, Copy, Debug, Default)]
pub struct DramShares {
    /// Moving data.
    pub data: f64,
    /// Closing or opening a row.
    pub row_miss: f64,
    /// Turning the bus between reads and writes.
    pub turnaround: f64,
    /// Refresh.
    pub refresh: f64,
    /// Spacing of column commands in an open row and in one direction: commands to one bank group, or one
    /// command per clock.
    pub spacing: f64,
    /// Fraction of the accesses that hit an open row.
    pub row_hit_rate: f64,
    /// Activates times the least time between two of them, if they are spread evenly over the banks; 0 for DRAM
    /// that serves one access at a time.
    pub opening: f64,
}

impl DramShares {
    /// Returns the fraction of the time with a request: the utilisation of DRAM that serves one access at a time.
    /// Accesses at either end of the measurement can make the sum of the parts exceed 1 slightly.
    pub fn busy(&self) -> f64 {
        (self.data + self.row_miss + self.turnaround + self.refresh + self.spacing).min(1.0)
    }

    /// Returns the utilisation of DRAM that opens rows of several banks at once: that of its data bus or of its
    /// activates, whichever is higher. In the time of a refresh, neither is available.
    pub fn busy_in_parallel(&self) -> f64 {
        ((self.data + self.turnaround).max(self.opening) + self.refresh).min(1.0)
    }

    /// Returns the utilisation by activates, of the time without refreshes. Like the load, it is proportional to the
    /// number of packets.
    pub fn activates(&self) -> f64 {
        self.opening / (1.0 - self.refresh).max(self.opening)
    }
}

/// A link.
#[derive(Clone, Debug)]
pub struct LinkCounts {
    /// Its name.
    pub name: String,
    /// Utilisation.
    pub utilization: f64,
    /// Bytes that crossed it.
    pub bytes: u64,
}

/// A receive buffer.
#[derive(Clone, Debug)]
pub struct PoolCounts {
    /// Its name.
    pub name: String,
    /// Its cells, the mean number in use, and the maximum.
    pub cells: u32,
    /// See `cells`.
    pub mean: f64,
    /// See `cells`.
    pub most: u64,
}

/// A port.
#[derive(Clone, Debug)]
pub struct PortCounts {
    /// Its name, and its group.
    pub name: String,
    /// See `name`.
    pub group: String,
    /// Fraction of the time in which the wire carried received frames.
    pub receive: Option<f64>,
    /// Fraction of the time in which the wire carried sent frames.
    pub transmit: Option<f64>,
    /// Packets received and sent.
    pub packets: [u64; 2],
    /// Bytes received and sent.
    pub bytes: [u64; 2],
    /// Most packets in its output queues.
    pub most_queued: u32,
    /// Utilisation of the busiest shaper of its classes, if it has any.
    pub shaper: Option<f64>,
    /// Utilisation of its transmit slots, if it has any.
    pub slots: Option<f64>,
}

/// An inbox.
#[derive(Clone, Debug)]
pub struct InboxCounts {
    /// Its name.
    pub name: String,
    /// Most packets that waited in it.
    pub most: u32,
    /// Packets offered to it ([`linecard_program::script::Action::Offer`]), and those that found it full.
    pub offered: u64,
    /// See `offered`.
    pub refused: u64,
}
