//! Counters of a running chip.

use crate::counts::{BytesInside, LastArrival, NotIpCounts};
use crate::features::Features;
use crate::loss::Loss;
use crate::series::Series;
use crate::thread::{State, Thread};
use linecard_program::{NetworkKind, PacketHead};
use linecard_sim::{Histogram, Ticks};

/// A level over time: its integral and its maximum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level {
    pub now: u64,
    since: Ticks,
    integral: u128,
    pub most: u64,
}

impl Level {
    #[inline]
    pub fn set(&mut self, level: u64, now: Ticks) {
        self.integral += u128::from(self.now) * u128::from(now - self.since);
        self.since = now;
        self.now = level;
        self.most = self.most.max(level);
    }

    pub fn integral(&self, now: Ticks) -> u128 {
        self.integral + u128::from(self.now) * u128::from(now - self.since)
    }

    pub fn restart(&mut self, now: Ticks) {
        (self.since, self.integral, self.most) = (now, 0, self.now);
    }
}

/// Largest occupancy in KiB that the distribution of bytes counts separately.
const KIB: usize = 64;

/// Bytes of the packets inside: their distribution over time, and over arrivals and departures.
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    level: Level,
    time_by_kib: [u64; KIB + 1],
    events_by_kib: [u64; KIB + 1],
}

impl Default for Occupancy {
    fn default() -> Self {
        Self { level: Level::default(), time_by_kib: [0; KIB + 1], events_by_kib: [0; KIB + 1] }
    }
}

impl Occupancy {
    pub fn bytes(&self) -> u64 {
        self.level.now
    }

    fn kib(&self) -> usize {
        ((self.level.now >> 10) as usize).min(KIB)
    }

    #[inline]
    pub fn set(&mut self, bytes: u64, now: Ticks) {
        self.time_by_kib[self.kib()] += now - self.level.since;
        self.level.set(bytes, now);
    }

    /// Counts an arrival or a departure.
    #[inline]
    pub fn event(&mut self) {
        self.events_by_kib[self.kib()] += 1;
    }

    pub fn restart(&mut self, now: Ticks) {
        self.level.restart(now);
        (self.time_by_kib, self.events_by_kib) = ([0; KIB + 1], [0; KIB + 1]);
    }

    /// Returns the statistics up to `now`, over `duration` ticks.
    pub fn seen(&self, now: Ticks, duration: Ticks) -> BytesInside {
        let mut time = self.time_by_kib;
        time[self.kib()] += now - self.level.since;
        let below = |counts: &[u64; KIB + 1], all: u64| {
            let mut sum = 0;
            let add = |&count: &u64| {
                sum += count;
                if all > 0 { sum as f64 / all as f64 } else { 0.0 }
            };
            counts[..KIB].iter().map(add).collect()
        };
        BytesInside {
            mean: if duration > 0 { self.level.integral(now) as f64 / duration as f64 } else { 0.0 },
            most: self.level.most,
            time_below_kib: below(&time, duration),
            events_below_kib: below(&self.events_by_kib, self.events_by_kib.iter().sum()),
        }
    }
}

/// Counters since statistics started.
pub(crate) struct Account {
    pub since: Ticks,
    pub packets_in: u64,
    pub bytes_in: u64,
    pub packets_out: u64,
    pub bytes_out: u64,
    pub finished: u64,
    pub drops: [u64; Loss::COUNT],
    pub bytes_dropped: u64,
    pub not_ip: NotIpCounts,
    pub kept_packets: u64,
    pub kept_bytes: u64,
    /// Bytes in receive buffers, and of all packets inside.
    pub receive_bytes: Level,
    pub bytes_inside: Occupancy,
    pub latency: Histogram,
    /// Packets between the last bit received and the last bit sent.
    pub inside: Level,
    pub inside_at_start: u64,
    /// Frames that wait for the wire of their receiving port.
    pub before_lines: Level,
    pub before_lines_at_start: u64,
    pub last_arrival: Option<LastArrival>,
    /// Time of packets before a thread took them, then from the output queue to the start of transmission, then
    /// on the wire.
    pub waited: u128,
    /// Time in which ports wrote packets to memory, and time in which packets waited for their turn.
    pub stored: u128,
    pub turned: u128,
    /// Time of packets in memory while their port was congested.
    pub kept: u128,
    /// Time of packets in the transmit buffer after their threads were free.
    pub transmitted: u128,
    pub queued: u128,
    pub wired: u128,
    /// Time from the first block of a packet to its departure.
    pub sending: u128,
    /// Time that threads spent on packets which they then dropped.
    pub on_dropped: u128,
    /// Time of threads by cluster and state, `states` to a cluster.
    pub spent: Vec<u128>,
    pub states: usize,
    /// Time that threads of each cluster waited for operations of their program, by operation, if programs name
    /// them.
    pub stalls: Vec<Vec<u64>>,
    pub series: Series,
}

impl Account {
    /// Number of thread states, given the number of groups of memories and units.
    pub fn states(groups: usize) -> usize {
        usize::from(State::PLACES) + groups
    }

    pub fn new(clusters: usize, groups: usize, slice: Ticks) -> Self {
        let states = Self::states(groups);
        Self {
            since: 0,
            packets_in: 0,
            bytes_in: 0,
            packets_out: 0,
            bytes_out: 0,
            finished: 0,
            drops: [0; Loss::COUNT],
            bytes_dropped: 0,
            not_ip: NotIpCounts::default(),
            kept_packets: 0,
            kept_bytes: 0,
            receive_bytes: Level::default(),
            bytes_inside: Occupancy::default(),
            latency: Histogram::default(),
            inside: Level::default(),
            inside_at_start: 0,
            before_lines: Level::default(),
            before_lines_at_start: 0,
            last_arrival: None,
            waited: 0,
            stored: 0,
            turned: 0,
            kept: 0,
            transmitted: 0,
            queued: 0,
            wired: 0,
            sending: 0,
            on_dropped: 0,
            spent: vec![0; clusters * states],
            states,
            stalls: vec![Vec::new(); clusters],
            series: Series::new(0, slice),
        }
    }

    /// Counts a packet that is lost or that its program ended by choice.
    pub fn lost(&mut self, loss: Loss, head: &PacketHead, now: Ticks) {
        self.drops[loss.number()] += 1;
        if loss.is_by_choice() {
            return;
        }
        self.bytes_dropped += u64::from(head.bytes);
        self.series.at(now).dropped += 1;
        self.not_ip.lost += u64::from(head.network == NetworkKind::NotIp);
    }

    /// Counts a packet of `bytes` bytes that enters the chip.
    #[inline]
    pub fn enters(&mut self, bytes: u32, now: Ticks) {
        self.bytes_inside.set(self.bytes_inside.bytes() + u64::from(bytes), now);
        self.bytes_inside.event();
        let level = self.inside.now + 1;
        self.inside.set(level, now);
        self.series.at(now).inside = level;
    }

    /// Counts a packet of `bytes` bytes that has left the chip.
    #[inline]
    pub fn leaves(&mut self, bytes: u32, now: Ticks) {
        self.bytes_inside.set(self.bytes_inside.bytes() - u64::from(bytes), now);
        let level = self.inside.now - 1;
        self.inside.set(level, now);
        self.series.at(now).inside = level;
    }

    /// The traffic has ended.
    pub fn ends(&mut self, now: Ticks) {
        let (inside, before_lines) = (self.inside.now, self.before_lines.now);
        self.last_arrival = Some(LastArrival { after: now - self.since, inside, before_lines });
    }

    /// Sets the number of frames that wait for the wire of their receiving port.
    #[inline]
    pub fn wait_for_lines(&mut self, level: u64, now: Ticks) {
        self.before_lines.set(level, now);
        self.series.at(now).before_lines = level;
    }

    /// A thread waits in a state from `now` to `until`, and is then ready. The whole wait is entered now;
    /// [`Account::ahead`] returns the part that is still in the future. The action of the thread's next step is
    /// the cause; with `F::COSTS`, the wait also counts for its operation ([`Account::not_ended`]).
    #[inline(always)]
    pub fn waits<F: Features>(&mut self, t: &mut Thread, state: State, now: Ticks, until: Ticks) {
        if F::COSTS {
            t.waits_since = now;
            if let Some(operation) = t.steps.origin(t.next as usize) {
                self.stalled(usize::from(t.cluster), operation as usize, until - now);
            }
        }
        let spent = t.spent_at as usize;
        if now > t.since {
            self.spent[spent + usize::from(t.state.0)] += u128::from(now - t.since);
        }
        self.spent[spent + usize::from(state.0)] += u128::from(until - now);
        (t.since, t.state, t.ahead) = (until, State::READY, state);
    }

    /// Returns the number in `spent` of a wait that lasts beyond `now`, and the time of it that is still in the
    /// future.
    pub fn ahead(t: &Thread, now: Ticks) -> Option<(usize, u128)> {
        let number = t.spent_at as usize + usize::from(t.ahead.0);
        (t.since > now).then(|| (number, u128::from(t.since - now)))
    }

    /// Restarts the wait of a thread that has been entered to its end, if that is after `now`: the rest counts.
    pub fn restart_ahead(&mut self, t: &mut Thread, now: Ticks) {
        let Some((number, ticks)) = Self::ahead(t, now) else { return };
        self.spent[number] += ticks;
        t.waits_since = now;
        if let Some(operation) = t.last_operation() {
            self.stalled(usize::from(t.cluster), operation as usize, t.since - now);
        }
    }

    /// Returns the operation and the time of a wait that has been entered to its end, and whose thread has not
    /// woken up yet.
    pub fn not_ended(t: &Thread, wakes: Ticks) -> Option<(u32, Ticks)> {
        (t.state == State::READY && t.since == wakes)
            .then(|| Some((t.last_operation()?, t.since - t.waits_since)))?
    }

    /// Counts the time that a thread of a cluster waited for an operation of its program.
    #[inline(always)]
    pub fn stalled(&mut self, cluster: usize, operation: usize, ticks: Ticks) {
        match self.stalls[cluster].get_mut(operation) {
            Some(stalled) => *stalled += ticks,
            None => self.first_stalled(cluster, operation, ticks),
        }
    }

    /// As `stalled`, for an operation beyond those counted so far.
    #[cold]
    fn first_stalled(&mut self, cluster: usize, operation: usize, ticks: Ticks) {
        self.stalls[cluster].resize(operation + 1, 0);
        self.stalls[cluster][operation] = ticks;
    }

    /// Discards everything before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.since = now;
        (self.packets_in, self.bytes_in, self.packets_out, self.bytes_out) = (0, 0, 0, 0);
        self.finished = 0;
        self.drops = [0; Loss::COUNT];
        self.latency = Histogram::default();
        self.inside.restart(now);
        self.inside_at_start = self.inside.now;
        self.before_lines.restart(now);
        self.before_lines_at_start = self.before_lines.now;
        self.last_arrival = None;
        (self.waited, self.queued, self.wired, self.sending, self.on_dropped) = (0, 0, 0, 0, 0);
        (self.stored, self.turned, self.kept, self.transmitted) = (0, 0, 0, 0);
        (self.bytes_dropped, self.kept_packets, self.kept_bytes) = (0, 0, 0);
        self.not_ip = NotIpCounts::default();
        self.receive_bytes.restart(now);
        self.bytes_inside.restart(now);
        self.spent.fill(0);
        self.stalls.iter_mut().for_each(|stalls| stalls.fill(0));
        self.series.restart(now, self.inside.now, self.before_lines.now);
    }
}
