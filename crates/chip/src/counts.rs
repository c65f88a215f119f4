//! What a chip measured: plain data with the names of the configuration. Times are ticks of the chip's timebase.

use crate::loss::Loss;
use crate::series::Series;
use linecard_dram::packet_buffer::Statistics;
use linecard_program::DropReason;
use linecard_queueing::Usage;
use linecard_sim::{Histogram, Ticks};

/// Everything counted while statistics were on.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Length of the measurement.
    pub duration: Ticks,
    /// Packets that came to a port, lost ones included, and their bytes.
    pub packets_in: u64,
    /// See `packets_in`.
    pub bytes_in: u64,
    /// Packets that left, and their bytes.
    pub packets_out: u64,
    /// See `packets_out`.
    pub bytes_out: u64,
    /// Packets of them that their program ended ([`linecard_program::script::Action::Finish`]).
    pub packets_finished: u64,
    /// Packets lost, and those that programs ended by choice, by `Loss` number.
    pub drops: Vec<u64>,
    /// Frames that are not IP.
    pub not_ip: NotIpCounts,
    /// From the last bit in to the last bit out.
    pub latency: Histogram,
    /// Where the time of packets went.
    pub packet_time: Vec<Spent>,
    /// Packets inside when statistics started, at the end, on average, and the most.
    pub inside_at_start: u64,
    /// See `inside_at_start`.
    pub inside_at_end: u64,
    /// See `inside_at_start`.
    pub inside_mean: f64,
    /// See `inside_at_start`.
    pub inside_most: u64,
    /// Clusters.
    pub clusters: Vec<ClusterCounts>,
    /// Places.
    pub places: Vec<PlaceCounts>,
    /// Links.
    pub links: Vec<LinkCounts>,
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
    /// Mean cells of the packet memory in use, where programs place packets.
    pub cells_in_use: Option<f64>,
    /// Blocks that the caches of output queues handed over inside the chip, and wrote to memory, where there are such.
    pub wide_blocks: Option<(u64, u64)>,
    /// Bytes of the packets inside.
    pub bytes_inside: BytesInside,
    /// Packets of each port and of each output queue; `None` where there is one of each, or more than can be kept apart.
    pub breakdown: Option<Breakdown>,
    /// The run in slices.
    pub series: Series,
}

impl Counts {
    /// Packets that came to a cause.
    pub fn dropped(&self, loss: Loss) -> u64 {
        self.drops[loss.number()]
    }

    /// Packets that programs ended by choice.
    pub fn by_choice(&self) -> u64 {
        let reasons = DropReason::ALL.into_iter().map(Loss::Program);
        reasons.filter(|loss| loss.is_by_choice()).map(|loss| self.dropped(loss)).sum()
    }

    /// Packets lost.
    pub fn lost(&self) -> u64 {
        self.drops.iter().sum::<u64>() - self.by_choice()
    }
}

/// Frames that are not IP; those that programs ended by choice stand among [`Counts::drops`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotIpCounts {
    /// They came to a port.
    pub packets_in: u64,
    /// They left by a port.
    pub forwarded: u64,
    /// Their program ended them ([`linecard_program::script::Action::Finish`]).
    pub finished: u64,
    /// They were lost.
    pub lost: u64,
}

/// Packets counted apart.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// Those that came by each port.
    pub inputs: Vec<Part>,
    /// Those that programs sent to each class of each port, one port after another.
    pub queues: Vec<Part>,
}

/// Some of the packets: `offered + inside_at_start = delivered + lost + by_choice + inside`.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Packets that came, or were sent to a queue, and their bytes.
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
    /// From the last bit in to the last bit out, of those that left.
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
    /// Largest.
    pub most: u64,
    /// Share of the time with less than so many KiB, from 1 on.
    pub time_below_kib: Vec<f64>,
    /// Share of the arrivals and departures after which there were less.
    pub events_below_kib: Vec<f64>,
}

/// Time spent in one way.
#[derive(Clone, Debug)]
pub struct Spent {
    /// `compute`, `wait ddr`, …
    pub part: String,
    /// Ticks, summed.
    pub ticks: u128,
}

/// What the data caches of all engines of a cluster did.
#[derive(Clone, Copy, Debug, Default)]
pub struct DataCacheCounts {
    /// Accesses to lines that were there.
    pub hits: u64,
    /// Lines that were fetched.
    pub misses: u64,
    /// Accesses to a line on its way.
    pub merged: u64,
    /// Lines that were written back.
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
    /// Its name, and what it is one of.
    pub name: String,
    /// See `name`.
    pub group: String,
    /// Share of the time for which its engines ran instructions or switched, on average, and the busiest one.
    pub busy: f64,
    /// See `busy`.
    pub busiest: f64,
    /// Share of the time for which its engines had nothing but threads that look for a block to send.
    pub polling: f64,
    /// Whether its threads send blocks.
    pub sends_blocks: bool,
    /// What the data caches of its engines did, if they have some.
    pub data_cache: Option<DataCacheCounts>,
    /// Share of the time for which its threads held a packet or a block.
    pub threads_held: f64,
    /// Where the time of its threads went.
    pub threads: Vec<Spent>,
}

/// A place.
#[derive(Clone, Debug, Default)]
pub struct PlaceCounts {
    /// Its name, and what it is one of.
    pub name: String,
    /// See `name`.
    pub group: String,
    /// Share of the time for which it was busy: of banks and channels the mean. Nothing where it serves as many
    /// accesses as come.
    pub utilization: Option<f64>,
    /// Of banks and channels the busiest.
    pub utilization_most: Option<f64>,
    /// Accesses.
    pub accesses: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Mean time from arrival to result.
    pub time_mean: f64,
    /// Share of the accesses that a cache answered, or that found their DRAM row open.
    pub hit_rate: Option<f64>,
    /// Reads that no port asked for, of a cache: how many found their line, and how many did not.
    pub reads: Option<(u64, u64)>,
    /// Where the time of its buses went, of DRAM.
    pub dram: Option<DramShares>,
    /// The same of DRAM with slots.
    pub slots: Option<SlotShares>,
    /// What DRAM behind packet-buffer controllers did.
    pub packet_buffer: Option<PacketBufferCounts>,
    /// What a queue manager did.
    pub queue_manager: Option<Usage>,
    /// Hits and lookups of a result cache.
    pub results: Option<(u64, u64)>,
}

/// What DRAM behind packet-buffer controllers did.
#[derive(Clone, Debug)]
pub struct PacketBufferCounts {
    /// What each channel counted, in cycles of the device.
    pub channels: Vec<Statistics>,
    /// Cycles of the measurement.
    pub cycles: u64,
}

/// Where the time of a DRAM with slots went, as shares, and what it moved.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotShares {
    /// Data moved.
    pub data: f64,
    /// The bus turned between reads and writes.
    pub turnaround: f64,
    /// Refresh.
    pub refresh: f64,
    /// Banks were held, on average.
    pub banks: f64,
    /// Accesses whose data have moved.
    pub accesses: u64,
    /// Of those, the ones of less than 64 bytes.
    pub narrow_accesses: u64,
    /// Bytes moved.
    pub bytes: u64,
}

/// Where the time of DRAM data buses went, as shares; what is left had no request.
#[derive(Clone, Copy, Debug, Default)]
pub struct DramShares {
    /// Data moved.
    pub data: f64,
    /// A row had to be closed or opened.
    pub row_miss: f64,
    /// The bus changed its direction.
    pub turnaround: f64,
    /// Refresh.
    pub refresh: f64,
    /// Row open and direction kept: columns of a bank group apart, one command a clock.
    pub spacing: f64,
    /// Share of the accesses that found their row open.
    pub row_hit_rate: f64,
}

impl DramShares {
    /// Share of the time for which there was a request. What was under way at either end of the measurement can make the
    /// parts a little more than the whole.
    pub fn busy(&self) -> f64 {
        (self.data + self.row_miss + self.turnaround + self.refresh + self.spacing).min(1.0)
    }
}

/// A link.
#[derive(Clone, Debug)]
pub struct LinkCounts {
    /// Its name.
    pub name: String,
    /// Share of the time for which it was busy.
    pub utilization: f64,
    /// Bytes that crossed it.
    pub bytes: u64,
}

/// A receive buffer.
#[derive(Clone, Debug)]
pub struct PoolCounts {
    /// Its name.
    pub name: String,
    /// Cells that it has, that were taken on average, and the most.
    pub cells: u32,
    /// See `cells`.
    pub mean: f64,
    /// See `cells`.
    pub most: u64,
}

/// A port.
#[derive(Clone, Debug)]
pub struct PortCounts {
    /// Its name, and what it is one of.
    pub name: String,
    /// See `name`.
    pub group: String,
    /// Share of the time for which the wire carried frames inward.
    pub receive: Option<f64>,
    /// Share of the time for which the wire carried frames outward.
    pub transmit: Option<f64>,
    /// Packets in and out.
    pub packets: [u64; 2],
    /// Bytes in and out.
    pub bytes: [u64; 2],
    /// Most packets in its output queues.
    pub most_queued: u32,
    /// Share of its rate that the busiest shaper of its classes let through, where it has such.
    pub shaper: Option<f64>,
    /// Share of the time for which its transmit slots were taken, where it has such.
    pub slots: Option<f64>,
}

/// An inbox.
#[derive(Clone, Debug)]
pub struct InboxCounts {
    /// Its name.
    pub name: String,
    /// Most packets that waited in it.
    pub most: u32,
    /// Packets that were offered to it ([`linecard_program::script::Action::Offer`]), and those that found no room.
    pub offered: u64,
    /// See `offered`.
    pub refused: u64,
}
