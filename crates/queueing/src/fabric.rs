//! The common parts of every manager: threads, the interconnect, the memory ports, the lists, and the clock.
//!
//! Every delay of this machine is constant for a path, so each path is first in, first out. A path is therefore
//! a queue of times, and only its head can be next: there are eight sources to test, for any number of threads.
//!
//! A memory reference takes effect when it reaches its port: the controller forwards from its write buffer, so
//! a read sees every write that arrived before it, though each port serves in its own time.

use crate::lists::{End, Lists, Word, address};
use crate::operation::Operation;
use crate::settings::Settings;
use linecard_sim::{Ticks, Timebase};

/// A message, reference or wake-up of one thread; the manager defines its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The thread, or [`NOBODY`].
    pub thread: u32,
    /// Kind.
    pub kind: u8,
}

/// A reference that no thread waits for: a line that is written back.
pub const NOBODY: u32 = u32::MAX;

/// The event sources of the machine: at one instant, higher numbers see the effects of lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Source {
    /// A read completes.
    Read = 0,
    /// A write completes.
    Write = 1,
    /// A message reached the memory's side.
    Arrive = 2,
    /// The data cache can accept an access.
    Cache = 3,
    /// An engine holds the token.
    Token = 4,
    /// A message reached its thread.
    Reply = 5,
    /// A thread has executed its instructions.
    Compute = 6,
    /// An engine has held its queue for the time of the answer and the next command.
    Freed = 7,
}

impl Source {
    /// Returns the source of a number.
    pub fn of(number: usize) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            2 => Self::Arrive,
            3 => Self::Cache,
            4 => Self::Token,
            5 => Self::Reply,
            6 => Self::Compute,
            _ => Self::Freed,
        }
    }
}

const SOURCES: usize = 8;

/// Keys of pending events are eight times the time, plus the source, in the bits of a positive number. Such numbers are
/// in the order of their bits, and unlike integers of this size processors compare several of them at once.
const KEYS: u64 = 8;
const LEAST: u64 = f64::MIN_POSITIVE.to_bits();
const NEVER: f64 = f64::INFINITY;

#[inline]
const fn key_of(source: usize, at: Ticks) -> f64 {
    f64::from_bits(LEAST + at * KEYS + source as u64)
}

/// Returns the lower of two keys.
#[inline]
fn earlier(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// A path with a constant delay: a ring of keys and messages that grows when it is full. The place behind the last
/// message is free and due never.
#[derive(Debug)]
struct Path {
    ring: Vec<(f64, Message)>,
    first: usize,
    end: usize,
}

const FREE: (f64, Message) = (NEVER, Message { thread: NOBODY, kind: 0 });

impl Default for Path {
    fn default() -> Self {
        Self { ring: vec![FREE; 64], first: 0, end: 0 }
    }
}

impl Path {
    /// Appends a message.
    #[inline]
    fn push(&mut self, key: f64, message: Message) {
        let mask = self.ring.len() - 1;
        debug_assert!(
            self.first == self.end || self.ring[self.end.wrapping_sub(1) & mask].0 <= key,
            "a path keeps its order"
        );
        self.ring[self.end & mask] = (key, message);
        self.end = (self.end + 1) & mask;
        if self.end == self.first {
            self.grow();
        }
    }

    /// Removes and returns the first message, and the key of the next.
    #[inline]
    fn pop(&mut self) -> (Message, f64) {
        debug_assert!(self.first != self.end, "a due message exists");
        let mask = self.ring.len() - 1;
        let (_, message) = std::mem::replace(&mut self.ring[self.first & mask], FREE);
        self.first = (self.first + 1) & mask;
        (message, self.ring[self.first & mask].0)
    }

    #[cold]
    fn grow(&mut self) {
        self.ring.rotate_left(self.first);
        (self.first, self.end) = (0, self.ring.len());
        self.ring.resize(2 * self.end, FREE);
    }
}

/// A resource that serves one request at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    each: Ticks,
    free_at: Ticks,
}

impl Port {
    #[inline]
    fn take(&mut self, now: Ticks, times: u32) -> Ticks {
        let start = now.max(self.free_at);
        self.free_at = start + self.each * Ticks::from(times);
        start
    }
}

/// The state of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Operation.
    pub operation: Operation,
    /// The packet it enqueues, or has dequeued.
    pub node: u32,
    /// The descriptor word that it works on, if software does.
    pub word: Word,
    /// The node after the head, as its dequeue read it.
    pub next: u32,
    /// Replies it waits for.
    pub waiting: u32,
    /// Slot of the cache that it uses.
    pub slot: u32,
    /// Engine that serves it.
    pub engine: u32,
    /// The next thread that waits for the same queue.
    pub behind: u32,
    /// When it started the operation.
    pub since: Ticks,
    /// How long the operation waited for its lock.
    pub waited: Ticks,
    /// Number of its operation in the stream.
    pub at: u64,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations that found their descriptor in the cache.
    pub hits: u64,
    /// Operations that looked it up.
    pub lookups: u64,
    /// Messages from threads.
    pub requests: u64,
    /// Messages to threads.
    pub responses: u64,
    /// Memory reads.
    pub reads: u64,
    /// Memory writes.
    pub writes: u64,
    /// Of the writes, those of evicted descriptors.
    pub written_back: u64,
    /// Requests that engines took while they held the token.
    pub taken: u64,
    /// Busy time of engines, total over engines, up to the last change of their number at work.
    pub engine_busy: Ticks,
    /// Time that the completed operations waited for locks.
    pub lock_wait: Ticks,
}

impl std::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            hits: self.hits - before.hits,
            lookups: self.lookups - before.lookups,
            requests: self.requests - before.requests,
            responses: self.responses - before.responses,
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
            written_back: self.written_back - before.written_back,
            taken: self.taken - before.taken,
            engine_busy: self.engine_busy - before.engine_busy,
            lock_wait: self.lock_wait - before.lock_wait,
        }
    }
}

/// The machine without its queue manager.
#[derive(Debug)]
pub struct Fabric {
    /// When each source is next due; `NEVER` if it is not.
    due: [f64; SOURCES],
    /// The present.
    pub now: Ticks,
    paths: [Path; SOURCES],
    request: Port,
    response: Port,
    read: Port,
    write: Port,
    shared_port: bool,
    /// Whether messages may be sent ahead of time: the driver of the machine reads counters at its events only,
    /// and the effects of a message come after the instant at which it is sent.
    pub sends_ahead: bool,
    /// Operations that may end when their last message is sent back, ahead of time.
    pub ends_ahead: u64,
    /// Instructions behind which messages were sent ahead.
    instructions: Ticks,
    half_interconnect: Ticks,
    memory: Ticks,
    /// Engines at work, and since when.
    at_work: (u32, Ticks),
    /// Descriptors and links.
    pub lists: Lists,
    /// Number of threads.
    pub threads: Vec<Thread>,
    /// Counters.
    pub counts: Counts,
    /// Conversion between ticks and other units of time.
    pub timebase: Timebase,
}

/// Clocks of Table 1; their common tick is half a nanosecond.
pub const CLOCKS_HZ: [u64; 3] = [1_000_000_000, 400_000_000, 200_000_000];

/// Ticks of half a picosecond.
const HALF_PICOSECONDS_HZ: u64 = 2_000_000_000_000;

/// Returns the machine's timebase: the common tick of the clocks of Table 1, or half a picosecond if a time of these
/// settings is no whole number of that tick.
pub fn timebase(settings: &Settings) -> Timebase {
    let of = |clocks_hz: &[u64]| Timebase::from_clocks_hz(clocks_hz).expect("the clocks have a common tick");
    let common = of(&CLOCKS_HZ);
    let tick = HALF_PICOSECONDS_HZ / common.ticks_per_second();
    let is_whole = settings.half_picoseconds().all(|time| time.is_multiple_of(tick));
    if is_whole { common } else { of(&[HALF_PICOSECONDS_HZ]) }
}

impl Fabric {
    /// Returns an idle machine with empty queues, in the time of `timebase`.
    pub fn new(settings: &Settings, timebase: Timebase, packets: usize) -> Self {
        let ticks = |ps| timebase.ticks_from_ps(ps);
        let port = |ps| Port { each: ticks(ps), ..Port::default() };
        let idle = Thread {
            operation: Operation::enqueue(0),
            node: 0,
            word: Word::default(),
            next: 0,
            waiting: 0,
            slot: 0,
            engine: 0,
            behind: NOBODY,
            since: 0,
            waited: 0,
            // Behind the last level of a packet.
            at: u64::from(settings.levels) - 1,
        };
        Self {
            due: [NEVER; SOURCES],
            now: 0,
            paths: Default::default(),
            request: port(settings.slot_ps),
            response: port(settings.slot_ps),
            read: port(settings.port_ps),
            write: port(settings.port_ps),
            shared_port: settings.shared_port,
            sends_ahead: false,
            ends_ahead: 0,
            instructions: 0,
            half_interconnect: ticks(settings.interconnect_ps).div_ceil(2),
            memory: ticks(settings.memory_ps),
            at_work: (0, 0),
            lists: Lists::new(settings.all_queues(), packets),
            threads: vec![idle; settings.threads as usize],
            counts: Counts::default(),
            timebase,
        }
    }

    /// Returns the same for a driver that reads counters at its events only.
    pub fn ahead_of_time(self) -> Self {
        Self { sends_ahead: self.half_interconnect > 0, ..self }
    }

    /// Returns the first of eight sources: testing each is less work than keeping them in order. On a tie it is
    /// the one of lower number. Compilers turn the comparison of halves into vector instructions.
    #[inline]
    fn first_key(&self) -> f64 {
        let mut due = self.due;
        for half in [4, 2, 1] {
            for source in 0..half {
                due[source] = earlier(due[source + half], due[source]);
            }
        }
        due[0]
    }

    /// Returns when the next event is due.
    #[inline]
    pub fn next_at(&self) -> Option<Ticks> {
        Some(self.first_key()).filter(|&key| key != NEVER).map(|key| (key.to_bits() - LEAST) / KEYS)
    }

    /// Takes the next event: its time becomes the present.
    #[inline]
    pub fn next(&mut self) -> Option<(Source, Message)> {
        let key = self.first_key();
        if key == NEVER {
            return None;
        }
        let key = key.to_bits() - LEAST;
        let (number, now) = ((key % KEYS) as usize, key / KEYS);
        debug_assert!(now >= self.now, "time goes on");
        self.now = now;
        let source = Source::of(number);
        if source == Source::Token {
            self.due[Source::Token as usize] = NEVER;
            return Some((source, Message { thread: NOBODY, kind: 0 }));
        }
        let (message, next) = self.paths[number % SOURCES].pop();
        self.due[number % SOURCES] = next;
        Some((source, message))
    }

    #[inline]
    fn put(&mut self, source: Source, at: Ticks, message: Message) {
        let (key, due) = (key_of(source as usize, at), &mut self.due[source as usize]);
        *due = earlier(key, *due);
        self.paths[source as usize].push(key, message);
    }

    /// Schedules the token's turn at `at`, in place of any other.
    #[inline]
    pub fn wake_token(&mut self, at: Ticks) {
        self.due[Source::Token as usize] = key_of(Source::Token as usize, at);
    }

    /// Cancels the token's turn.
    pub fn forget_token(&mut self) {
        self.due[Source::Token as usize] = NEVER;
    }

    /// Starts a thread's instructions; [`Source::Compute`] follows.
    #[inline]
    pub fn compute(&mut self, thread: u32, ticks: Ticks) {
        self.put(Source::Compute, self.now + ticks, Message { thread, kind: 0 });
    }

    /// An engine holds its queue for a round trip over the interconnect; [`Source::Freed`] follows.
    #[inline]
    pub fn hold(&mut self, engine: u32) {
        self.put(Source::Freed, self.now + 2 * self.half_interconnect, Message { thread: engine, kind: 0 });
    }

    /// Sends a message from a thread to the memory's side.
    #[inline]
    pub fn send(&mut self, thread: u32, kind: u8) {
        let start = self.request.take(self.now, 1);
        self.counts.requests += 1;
        self.put(Source::Arrive, start + self.half_interconnect, Message { thread, kind });
    }

    /// Sends a message from a thread to the memory's side when its instructions end, without
    /// [`Source::Compute`]. If all messages of threads follow equally long instructions, the request path
    /// serves them in the order of their starts.
    #[inline]
    pub fn send_ahead(&mut self, thread: u32, kind: u8, ticks: Ticks) {
        self.instructions = ticks;
        let start = self.request.take(self.now + ticks, 1);
        self.counts.requests += 1;
        self.put(Source::Arrive, start + self.half_interconnect, Message { thread, kind });
    }

    /// Returns the messages sent ahead whose time has not come: instructions are the last events of an instant.
    pub fn ahead(&self) -> u64 {
        let is_ahead = |thread: &&Thread| thread.since + self.instructions >= self.now;
        if self.instructions > 0 { self.threads.iter().filter(is_ahead).count() as u64 } else { 0 }
    }

    /// Sends a message back to its thread.
    #[inline]
    pub fn reply(&mut self, message: Message) {
        let start = self.response.take(self.now, 1);
        self.counts.responses += 1;
        self.put(Source::Reply, start + self.half_interconnect, message);
    }

    /// Sends back the only message of an operation. Returns when it reaches its thread, if the operation may end now,
    /// ahead of time: threads start their next operations in the order of these messages, so each finds what it
    /// would find later. [`Source::Reply`] follows otherwise.
    #[inline]
    pub fn end(&mut self, thread: u32) -> Option<Ticks> {
        let at = self.response.take(self.now, 1) + self.half_interconnect;
        self.counts.responses += 1;
        if self.ends_ahead > 0 && self.due[Source::Reply as usize] == NEVER {
            self.ends_ahead -= 1;
            return Some(at);
        }
        self.put(Source::Reply, at, Message { thread, kind: 0 });
        None
    }

    /// The data cache accepts this access when its port is free. Returns whether that is now.
    #[inline]
    pub fn enter_cache(&mut self, free_at: &mut Ticks, each: Ticks, message: Message) -> bool {
        let start = self.now.max(*free_at);
        *free_at = start + each;
        if start > self.now {
            self.put(Source::Cache, start, message);
        }
        start == self.now
    }

    /// Reads memory: `message` returns as [`Source::Read`] when the last of `references` completes.
    #[inline]
    pub fn read(&mut self, message: Message, references: u32) {
        let port = if self.shared_port { &mut self.write } else { &mut self.read };
        let start = port.take(self.now, references);
        let last = start + port.each * Ticks::from(references - 1);
        self.counts.reads += u64::from(references);
        self.put(Source::Read, last + self.memory, message);
    }

    /// Writes memory: `message` returns as [`Source::Write`] when the last of `references` completes.
    #[inline]
    pub fn write(&mut self, message: Message, references: u32) {
        let start = self.write.take(self.now, references);
        let last = start + self.write.each * Ticks::from(references - 1);
        self.counts.writes += u64::from(references);
        if message.thread == NOBODY {
            // No thread waits for it, so its completion has no effect.
            self.counts.written_back += u64::from(references);
        } else {
            self.put(Source::Write, last + self.memory, message);
        }
    }

    /// The number of engines at work changes.
    pub fn engines_at_work(&mut self, engines: u32) {
        self.counts.engine_busy = self.engine_busy(self.now);
        self.at_work = (engines, self.now);
    }

    /// Returns the busy time of engines up to `now`. An engine with work for its queue may never become idle.
    pub fn engine_busy(&self, now: Ticks) -> Ticks {
        let (engines, since) = self.at_work;
        self.counts.engine_busy + Ticks::from(engines) * now.saturating_sub(since)
    }

    /// Returns the busy times since the beginning, by these counters, of the read port, the write port, the request
    /// path and the response path. A shared port is the read port and the write port.
    pub fn port_busy(&self, counts: &Counts) -> [Ticks; 4] {
        let Counts { reads, writes, requests, responses, .. } = *counts;
        let all = reads + writes;
        let (read, write) = if self.shared_port { (all, all) } else { (reads, writes) };
        let (request, response) = (self.request.each * requests, self.response.each * responses);
        [self.read.each * read, self.write.each * write, request, response]
    }

    /// Returns the address of the descriptor word of a thread's operation.
    #[inline]
    pub fn address_of(&self, thread: u32) -> u32 {
        let operation = self.threads[thread as usize].operation;
        address(operation.queue(), operation.end())
    }

    /// Performs the link reference of a thread's operation on `word`, as it reaches memory: an enqueue links
    /// the packet behind the tail, a dequeue reads the successor of the head.
    #[inline]
    pub fn touch_link(&mut self, thread: u32, word: Word) {
        let this = &mut self.threads[thread as usize];
        match this.operation.end() {
            End::Tail => self.lists.links[word.node as usize] = this.node,
            End::Head => this.next = self.lists.links[word.node as usize],
        }
    }
}
