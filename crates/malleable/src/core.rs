//! A multithreaded core: threads take turns on one pipeline and switch at an off-chip access or a held lock.
//!
//! Every cycle is counted once: instructions, pipeline losses of branches and long operations, loads that hit
//! and are used too soon, thread switches, missing registers, and idle time (no packet, memory, lock).

use crate::MalleableError;
use crate::cache::{Cache, Found};
use crate::config::{Arrivals, CoreConfig, TICKS, Window};
use crate::registers::{Registers, Surroundings};
use crate::segment::{Kind, MOST_LATENCY_CYCLES, Segment};
use crate::work::Work;
use serde::Serialize;

const NOBODY: u8 = u8::MAX;
/// A fill or the write-back of a line is one reference, like the access to a word without a cache. Figure 1 of
/// the source states a bus of 32 bits, by which a line would be four references. With four, throughput over
/// threads has several peaks in a quarter of the deployments, where the source says that most have one, and
/// more of them are slower than a chip without caches.
const LINE_REFERENCES: u64 = 1;

/// The use of a core's ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ticks {
    /// One cycle per instruction.
    pub instructions: u64,
    /// Taken branches and operations of several cycles.
    pub pipeline: u64,
    /// Loads that hit and are used before their value arrives.
    pub load_use: u64,
    /// Thread switches.
    pub switches: u64,
    /// Registers missing in the register cache.
    pub registers: u64,
    /// No thread ready: all wait, at least one of them for memory.
    pub idle_memory: u64,
    /// No thread ready: all wait for locks or packets.
    pub idle_other: u64,
}

impl Ticks {
    /// All of them.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.instructions
            + self.pipeline
            + self.load_use
            + self.switches
            + self.registers
            + self.idle_memory
            + self.idle_other
    }
}

/// The counts of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Packets done.
    pub packets: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Accesses to data.
    pub accesses: u64,
    /// Accesses that went off chip.
    pub misses: u64,
    /// Accesses to a line that was being fetched.
    pub merged: u64,
    /// References that memory served: a word, or a line.
    pub references: u64,
    /// Ticks for which accesses waited for memory.
    pub queueing_ticks: u64,
    /// Thread switches.
    pub switches: u64,
    /// Locks that were held when a thread wanted them.
    pub lock_waits: u64,
    /// Ticks.
    pub ticks: Ticks,
}

impl std::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        let (t, b) = (self.ticks, before.ticks);
        Self {
            packets: self.packets - before.packets,
            instructions: self.instructions - before.instructions,
            accesses: self.accesses - before.accesses,
            misses: self.misses - before.misses,
            merged: self.merged - before.merged,
            references: self.references - before.references,
            queueing_ticks: self.queueing_ticks - before.queueing_ticks,
            switches: self.switches - before.switches,
            lock_waits: self.lock_waits - before.lock_waits,
            ticks: Ticks {
                instructions: t.instructions - b.instructions,
                pipeline: t.pipeline - b.pipeline,
                load_use: t.load_use - b.load_use,
                switches: t.switches - b.switches,
                registers: t.registers - b.registers,
                idle_memory: t.idle_memory - b.idle_memory,
                idle_other: t.idle_other - b.idle_other,
            },
        }
    }
}

impl Counts {
    /// Counts instructions that took the stated cycles, of `cycle` ticks, in the pipeline.
    #[inline]
    fn executed(&mut self, instructions: u64, cycles: u64, cycle: u64) {
        self.instructions += instructions;
        self.ticks.instructions += instructions * cycle;
        self.ticks.pipeline += (cycles - instructions) * cycle;
    }

    /// Returns the instructions per cycle of the base clock.
    #[must_use]
    pub fn instructions_per_cycle(&self) -> f64 {
        self.instructions as f64 * TICKS as f64 / self.ticks.sum().max(1) as f64
    }

    /// Returns the packets per million cycles of the base clock, for packets of this work.
    ///
    /// It is computed from instructions: a packet needs the same number on every core, so the choice of packets
    /// that end in a window does not matter.
    #[must_use]
    pub fn packets_per_mcycle(&self, work: &Work) -> f64 {
        self.instructions_per_cycle() * 1e6 * work.packets.len() as f64 / work.instructions.max(1) as f64
    }
}

/// Threads that wait until a time, in a ring sorted by it, soonest first. Of equal times the one added first is
/// first.
#[derive(Debug)]
struct Waiting {
    ring: [(u64, u8); 64],
    head: usize,
    count: usize,
}

impl Waiting {
    #[inline]
    fn add(&mut self, until: u64, thread: u8) {
        // The new entry is nearly always the latest: nothing is moved.
        let mut at = self.head + self.count;
        while at > self.head && self.ring[(at - 1) & 63].0 > until {
            self.ring[at & 63] = self.ring[(at - 1) & 63];
            at -= 1;
        }
        self.ring[at & 63] = (until, thread);
        self.count += 1;
    }

    #[inline]
    fn soonest(&self) -> Option<u64> {
        (self.count > 0).then(|| self.ring[self.head].0)
    }

    #[inline]
    fn pop(&mut self) -> Option<(u64, u8)> {
        self.soonest()?;
        let first = self.ring[self.head];
        self.head = (self.head + 1) & 63;
        self.count -= 1;
        Some(first)
    }
}

/// Threads that are ready, in the order in which they became so.
#[derive(Debug)]
struct Ready {
    ring: [u8; 64],
    head: usize,
    count: usize,
}

impl Ready {
    #[inline]
    fn push(&mut self, thread: u8) {
        self.ring[(self.head + self.count) & 63] = thread;
        self.count += 1;
    }

    fn push_front(&mut self, thread: u8) {
        self.head = (self.head + 63) & 63;
        self.ring[self.head] = thread;
        self.count += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let thread = self.ring[self.head];
        self.head = (self.head + 1) & 63;
        self.count -= 1;
        Some(thread as usize)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    event: u32,
    end: u32,
    /// The last loads that hit: the registers that no later instruction has overwritten, and when the values are there.
    loads: [(u32, u64); MOST_LATENCY_CYCLES],
    /// When all of the values are there.
    loaded_at: u64,
    /// Ends when its packet is done.
    retiring: bool,
    running: bool,
}

impl Thread {
    /// A load hits, and its value is there at `at`.
    #[inline]
    fn loads(&mut self, registers: u32, at: u64) {
        // At most one load begins per cycle, so that the value of the one that is replaced is there.
        self.loads.rotate_right(1);
        self.loads[0] = (registers, at);
        self.loaded_at = at;
    }

    /// Returns the ticks for which the instructions of a segment that begins at `now` wait for loaded values.
    fn load_use(&mut self, segment: &Segment, now: u64, cycle: u64) -> u64 {
        let mut stall = 0;
        for (&reads, cycles) in segment.early_reads.iter().zip(0u64..) {
            for &(_, at) in self.loads.iter().filter(|&&(registers, _)| registers & reads != 0) {
                stall += at.saturating_sub(now + cycles * cycle + stall);
            }
        }
        self.loads.iter_mut().for_each(|(registers, _)| *registers &= !segment.writes);
        stall
    }
}

/// The constants of a configuration, in ticks.
#[derive(Clone, Copy, Debug)]
struct FixedTicks {
    cycle: u64,
    switch: u64,
    /// Time for which a reference occupies memory.
    reference: u64,
    latency: u64,
    /// From a load that hits to its value.
    hit: u64,
}

impl FixedTicks {
    fn new(config: &CoreConfig) -> Self {
        let cycle = config.cycle_ticks();
        Self {
            cycle,
            switch: u64::from(config.switch_cycles) * cycle,
            reference: config.reference_ticks(),
            latency: u64::from(config.memory_latency_cycles) * TICKS,
            hit: u64::from(config.cache_latency_cycles) * cycle,
        }
    }
}

/// A core and its state.
pub struct Core<'a, R> {
    work: &'a Work,
    arrivals: Arrivals,
    cache: Cache,
    registers: R,
    fixed: FixedTicks,
    now: u64,
    memory_free: u64,
    threads: Vec<Thread>,
    ready: Ready,
    waiting: Waiting,
    /// Holder of each lock, and the first and the last waiting thread.
    holder: Vec<u8>,
    first_waiter: Vec<u8>,
    last_waiter: Vec<u8>,
    next_waiter: [u8; 64],
    next_packet: usize,
    /// Time shift of a repeated capture, in ticks.
    offset: u64,
    counts: Counts,
    /// Threads at work.
    active: u32,
}

impl<'a, R: Registers> Core<'a, R> {
    /// Returns a core whose threads are all ready for a packet.
    ///
    /// # Errors
    ///
    /// If the configuration is invalid, or there is no work.
    pub fn new(
        work: &'a Work,
        config: CoreConfig,
        arrivals: Arrivals,
        registers: R,
    ) -> Result<Self, MalleableError> {
        config.check()?;
        if work.packets.is_empty() {
            return Err(MalleableError::NoPackets);
        }
        let locks = work.locks as usize;
        let mut core = Self {
            work,
            arrivals,
            cache: Cache::new(config.cache_lines, config.cache_ways),
            registers,
            fixed: FixedTicks::new(&config),
            now: 0,
            memory_free: 0,
            threads: vec![Thread::default(); 64],
            ready: Ready { ring: [0; 64], head: 0, count: 0 },
            waiting: Waiting { ring: [(0, 0); 64], head: 0, count: 0 },
            holder: vec![NOBODY; locks],
            first_waiter: vec![NOBODY; locks],
            last_waiter: vec![NOBODY; locks],
            next_waiter: [NOBODY; 64],
            next_packet: 0,
            offset: 0,
            counts: Counts::default(),
            active: 0,
        };
        core.set_threads(config.threads);
        Ok(core)
    }

    /// Returns its work.
    #[must_use]
    pub fn work(&self) -> &'a Work {
        self.work
    }

    /// Returns the number of active threads.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.active
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the registers.
    #[must_use]
    pub fn registers(&self) -> &R {
        &self.registers
    }

    /// Returns the registers, to reset their counts.
    pub fn registers_mut(&mut self) -> &mut R {
        &mut self.registers
    }

    /// Starts threads, or ends the last ones after their present packet.
    pub fn set_threads(&mut self, threads: u32) {
        for number in self.active..threads {
            let thread = &mut self.threads[number as usize];
            thread.retiring = false;
            if !thread.running {
                thread.running = true;
                self.ready.push(number as u8);
            }
        }
        for number in threads..self.active {
            self.threads[number as usize].retiring = true;
        }
        self.active = threads;
    }

    /// Runs until `packets` more are done.
    ///
    /// # Errors
    ///
    /// If all threads wait for each other.
    pub fn run(&mut self, packets: u64) -> Result<(), MalleableError> {
        let until = self.counts.packets + packets;
        while self.counts.packets < until {
            let thread = self.next_thread()?;
            self.run_thread(thread, until);
        }
        Ok(())
    }

    /// Returns the next thread to run; the core is idle until there is one.
    #[inline]
    fn next_thread(&mut self) -> Result<usize, MalleableError> {
        while self.waiting.soonest().is_some_and(|until| until <= self.now) {
            if let Some((_, thread)) = self.waiting.pop() {
                self.ready.push(thread);
            }
        }
        if let Some(thread) = self.ready.pop() {
            return Ok(thread);
        }
        let Some((until, thread)) = self.waiting.pop() else {
            return Err(MalleableError::Deadlock { threads: self.active });
        };
        let idle = until - self.now;
        // A thread in the middle of a packet waits for memory.
        let thread = thread as usize;
        if self.threads[thread].event == self.threads[thread].end {
            self.counts.ticks.idle_other += idle;
        } else {
            self.counts.ticks.idle_memory += idle;
        }
        self.now = until;
        Ok(thread)
    }

    /// Runs a thread until it has to wait, or until the stated number of packets is done: a thread that never
    /// waits would run for ever.
    fn run_thread(&mut self, number: usize, until: u64) {
        let FixedTicks { cycle, hit, .. } = self.fixed;
        let work = self.work;
        let mut thread = self.threads[number];
        let mut now = self.now;
        let mut counts = self.counts;
        // Counted here in instructions and cycles, and converted to ticks at the end.
        let (mut instructions, mut cycles) = (0, 0);
        if thread.event != thread.end {
            now += self.enter(number, thread, now, &mut counts);
        }
        let mut fresh = thread.event == thread.end;
        let wake = loop {
            if thread.event == thread.end {
                if thread.retiring {
                    thread.running = false;
                    self.registers.terminate(number, &mut self.cache);
                    break None;
                }
                if self.next_packet == work.packets.len() {
                    self.next_packet = 0;
                    self.offset = now;
                }
                let packet = work.packets[self.next_packet];
                if let Arrivals::Timed { cycles_per_us } = self.arrivals {
                    let since = packet.time_us.wrapping_sub(work.packets[0].time_us);
                    let arrival = self.offset + u64::from(since) * u64::from(cycles_per_us) * TICKS;
                    if arrival > now {
                        break Some(arrival);
                    }
                }
                self.next_packet += 1;
                (thread.event, thread.end) = (packet.first, packet.end);
                thread.loaded_at = 0;
                if fresh {
                    // The first packet after a wait for one: the thread enters here.
                    now += self.enter(number, thread, now, &mut counts);
                    fresh = false;
                }
            }
            let event = work.events[thread.event as usize];
            let segment = &work.segments[event.segment as usize];
            thread.event += 1;
            instructions += u64::from(segment.instructions);
            cycles += u64::from(segment.cycles);
            if thread.loaded_at > now {
                let stall = thread.load_use(segment, now, cycle);
                counts.ticks.load_use += stall;
                now += stall;
            }
            now += u64::from(segment.cycles) * cycle;
            let held_back = self.registers.segment(number, segment, cycle);
            counts.ticks.registers += held_back;
            now += held_back;
            match segment.kind {
                Kind::Load | Kind::Store | Kind::Atomic => {
                    counts.accesses += 1;
                    let store = segment.kind != Kind::Load;
                    let found = if self.cache.is_empty() {
                        Found::Miss
                    } else {
                        self.cache.access(event.operand, store, now)
                    };
                    match found {
                        Found::Hit if segment.loads != 0 => thread.loads(segment.loads, now + hit),
                        Found::Hit => {}
                        Found::Coming(until) => {
                            counts.merged += 1;
                            break Some(until);
                        }
                        Found::Miss => {
                            counts.misses += 1;
                            break Some(self.off_chip(event.operand, store, now, &mut counts));
                        }
                    }
                }
                Kind::Lock => {
                    let lock = event.operand as usize;
                    if self.holder[lock] == NOBODY {
                        self.holder[lock] = number as u8;
                    } else {
                        counts.lock_waits += 1;
                        self.next_waiter[number] = NOBODY;
                        match self.last_waiter[lock] {
                            NOBODY => self.first_waiter[lock] = number as u8,
                            last => self.next_waiter[last as usize] = number as u8,
                        }
                        self.last_waiter[lock] = number as u8;
                        break None;
                    }
                }
                Kind::Unlock => {
                    let lock = event.operand as usize;
                    let next = self.first_waiter[lock];
                    self.holder[lock] = next;
                    if next != NOBODY {
                        self.first_waiter[lock] = self.next_waiter[next as usize];
                        if self.first_waiter[lock] == NOBODY {
                            self.last_waiter[lock] = NOBODY;
                        }
                        self.ready.push(next);
                    }
                }
                Kind::End => {
                    counts.packets += 1;
                    if counts.packets == until {
                        // The thread keeps the core: the next call continues with it.
                        counts.executed(instructions, cycles, cycle);
                        self.ready.push_front(number as u8);
                        self.now = now;
                        self.counts = counts;
                        self.threads[number] = thread;
                        return;
                    }
                }
            }
        };
        self.registers.leave(number);
        counts.executed(instructions, cycles, cycle);
        counts.switches += 1;
        counts.ticks.switches += self.fixed.switch;
        if let Some(until) = wake {
            self.waiting.add(until, number as u8);
        }
        self.now = now + self.fixed.switch;
        self.counts = counts;
        self.threads[number] = thread;
    }

    /// A thread enters at its next event. Returns by how many ticks its registers delay it.
    #[inline]
    fn enter(&mut self, number: usize, thread: Thread, now: u64, counts: &mut Counts) -> u64 {
        let resume = self.work.segments[self.work.events[thread.event as usize].segment as usize].resume;
        let FixedTicks { cycle, latency, .. } = self.fixed;
        let around = Surroundings { cache: &mut self.cache, now, cycle, memory: latency };
        let held_back = self.registers.enter(number, resume, around);
        counts.ticks.registers += held_back;
        held_back
    }

    /// Sends an access to memory. Returns its completion time.
    #[inline]
    fn off_chip(&mut self, line: u32, store: bool, now: u64, counts: &mut Counts) -> u64 {
        let FixedTicks { reference, latency, .. } = self.fixed;
        let start = now.max(self.memory_free);
        counts.queueing_ticks += start - now;
        if self.cache.is_empty() {
            self.memory_free = start + reference;
            counts.references += 1;
            return start + reference + latency;
        }
        let done = start + LINE_REFERENCES * reference + latency;
        // The evicted line is written back after the fetch.
        let written_back = self.cache.fill(line, store, done) == Some(true);
        let references = LINE_REFERENCES * (1 + u64::from(written_back));
        self.memory_free = start + references * reference;
        counts.references += references;
        done
    }
}

/// Simulates a core over a window, and returns the counts.
///
/// # Errors
///
/// As [`Core::new`] and [`Core::run`].
pub fn run<R: Registers>(
    work: &Work,
    config: CoreConfig,
    arrivals: Arrivals,
    registers: R,
    window: Window,
) -> Result<Counts, MalleableError> {
    let mut core = Core::new(work, config, arrivals, registers)?;
    core.run(window.warmup_packets)?;
    let before = core.counts();
    core.run(window.packets)?;
    Ok(core.counts() - before)
}
