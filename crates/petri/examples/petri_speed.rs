//! Prints firings and markings per second of one core; markings of as many workers as `--jobs` says.
//!
//! ```text
//! cargo run --release -p linecard-petri --example petri_speed -- [NET.pnml] [--only NAME] [--repeat N] [--jobs N]
//! ```
//!
//! `mm1k` is M/M/1 with 10 places to wait; `pc50` is a chain of 25 buffers of 4 places with exponential stages; `col4` has
//! tokens of four colours, guards that send two of them a fast and two a slow way, and 32 credits. Of `ring7` and `wide`, and
//! of a PNML file, the state space is explored: 25 tokens on a ring of 7 places, and one on a ring of 32,801 places beside 880
//! that hold one for good. The first three are also loops that are written for them, the first two with the same draws. `--only`
//! runs one line, for counting instructions.

use linecard_petri::{
    Choice, Colour, ColouredBuilder, ColouredNet, Net, NetBuilder, PetriError, Run, Servers, Timing,
    TimingText, explore_until, read_pnml, simulate, simulate_coloured,
};
use std::collections::VecDeque;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

fn exponential(net: &mut NetBuilder, name: &str, rate: f64) -> u32 {
    net.transition(name, Timing::Exponential { rate }, Servers::Count(1)).expect("a new name")
}

fn mm1k() -> Net {
    let mut net = NetBuilder::new("mm1k");
    let (free, busy) = (net.place("free", 10).expect("new"), net.place("busy", 0).expect("new"));
    let (arrive, serve) = (exponential(&mut net, "arrive", 0.9), exponential(&mut net, "serve", 1.0));
    for (from, transition, to) in [(free, arrive, busy), (busy, serve, free)] {
        net.input(from, transition, 1).expect("there");
        net.output(transition, to, 1).expect("there");
    }
    net.build().expect("a net")
}

fn pc50() -> Net {
    const STAGES: u32 = 25;
    let mut net = NetBuilder::new("pc50");
    let full: Vec<u32> = (0..STAGES).map(|i| net.place(&format!("full{i}"), 0).expect("new")).collect();
    let empty: Vec<u32> = (0..STAGES).map(|i| net.place(&format!("empty{i}"), 4).expect("new")).collect();
    for stage in 0..=STAGES as usize {
        let t = exponential(&mut net, &format!("t{stage}"), 1.0);
        if stage > 0 {
            net.input(full[stage - 1], t, 1).expect("there");
            net.output(t, empty[stage - 1], 1).expect("there");
        }
        if stage < STAGES as usize {
            net.input(empty[stage], t, 1).expect("there");
            net.output(t, full[stage], 1).expect("there");
        }
    }
    net.build().expect("a net")
}

fn col4() -> Result<ColouredNet, PetriError> {
    let mut net = ColouredBuilder::new("col4");
    let colour = Colour::Int { low: 0, high: 3 };
    let source = net.place("gen", &colour, Choice::Random)?;
    net.all_tokens(source)?;
    let credit = net.place("credit", &Colour::Dot, Choice::Random)?;
    net.dots(credit, 32);
    let thread = net.place("thread", &Colour::Dot, Choice::Random)?;
    net.dots(thread, 8);
    let rx = net.place("rx", &colour, Choice::Random)?;
    let busy = net.place("busy", &colour, Choice::Random)?;
    let tx = net.place("tx", &colour, Choice::Random)?;
    let exponential = |rate: &str| TimingText::Exponential { rate: rate.to_owned() };
    let immediate = TimingText::Immediate { weight: "1".to_owned(), priority: 0 };
    let arrive = net.transition("arrive", exponential("1"), Servers::Infinite, "")?;
    net.read(source, arrive, "c", "1");
    net.take(credit, arrive, "", "1");
    net.put(arrive, rx, "c", "1");
    for (name, guard, rate) in [("fast", "c < 2", "2"), ("slow", "c >= 2", "0.5")] {
        let start = net.transition(&format!("start_{name}"), immediate.clone(), Servers::Count(1), guard)?;
        net.take(rx, start, "c", "1");
        net.take(thread, start, "", "1");
        net.put(start, busy, "c", "1");
        let done = net.transition(&format!("done_{name}"), exponential(rate), Servers::Infinite, guard)?;
        net.take(busy, done, "c", "1");
        net.put(done, thread, "", "1");
        net.put(done, tx, "c", "1");
    }
    let delay = TimingText::Deterministic { delay: "0.1".to_owned() };
    let send = net.transition("send", delay, Servers::Infinite, "")?;
    net.take(tx, send, "c", "1");
    net.put(send, credit, "", "1");
    net.build()
}

/// Places in a ring, of which the first holds all tokens, and others that hold one for good.
fn ring(name: &str, places: u32, tokens: u32, full: u32) -> Net {
    let mut net = NetBuilder::new(name);
    for place in 0..places {
        net.place(&format!("p{place}"), if place == 0 { tokens } else { 0 }).expect("new");
        exponential(&mut net, &format!("t{place}"), 1.0);
    }
    for place in 0..places {
        net.input(place, place, 1).expect("there");
        net.output(place, (place + 1) % places, 1).expect("there");
    }
    for place in 0..full {
        net.place(&format!("full{place}"), 1).expect("new");
    }
    net.build().expect("a net")
}

/// How long a place held how many tokens, in a loop written for one net.
#[derive(Clone, Copy)]
struct Held {
    tokens: usize,
    since: f64,
    times: [f64; CELLS],
}

/// More tokens than any place of the nets gets.
const CELLS: usize = 33;

impl Default for Held {
    fn default() -> Self {
        Self { tokens: 0, since: 0.0, times: [0.0; CELLS] }
    }
}

impl Held {
    fn put(&mut self, by: isize, now: f64) {
        self.times[self.tokens] += now - self.since;
        self.since = now;
        self.tokens = self.tokens.wrapping_add_signed(by);
    }
}

/// `mm1k` as one would write it by hand, with the same draws; its firings.
fn plain_mm1k(time: f64, seed: u64) -> u64 {
    let mut random = linecard_sim::stream(seed, "petri");
    let (mut free, mut busy) = (Held { tokens: 10, ..Held::default() }, Held::default());
    let (mut arrival, mut departure) = (random.exponential() / 0.9, f64::INFINITY);
    let mut firings = 0;
    loop {
        let now = arrival.min(departure);
        if now > time {
            black_box((free.times, busy.times));
            return firings;
        }
        firings += 1;
        if arrival <= departure {
            free.put(-1, now);
            busy.put(1, now);
            arrival = if free.tokens > 0 { now + random.exponential() / 0.9 } else { f64::INFINITY };
            if busy.tokens == 1 {
                departure = now + random.exponential();
            }
        } else {
            busy.put(-1, now);
            free.put(1, now);
            if free.tokens == 1 {
                arrival = now + random.exponential() / 0.9;
            }
            departure = if busy.tokens > 0 { now + random.exponential() } else { f64::INFINITY };
        }
    }
}

/// `pc50` as one would write it by hand, with the same draws; its firings.
fn plain_pc50(time: f64, seed: u64) -> u64 {
    const STAGES: usize = 25;
    let mut random = linecard_sim::stream(seed, "petri");
    let mut full = [Held::default(); STAGES];
    let mut empty = [Held { tokens: 4, ..Held::default() }; STAGES];
    let mut at = [f64::INFINITY; STAGES + 1];
    at[0] = random.exponential();
    let mut firings = 0;
    loop {
        let (fired, &now) =
            at.iter().enumerate().min_by(|one, other| one.1.total_cmp(other.1)).expect("stages");
        if now > time {
            black_box((full.map(|held| held.times), empty.map(|held| held.times)));
            return firings;
        }
        firings += 1;
        if fired > 0 {
            full[fired - 1].put(-1, now);
            empty[fired - 1].put(1, now);
        }
        if fired < STAGES {
            empty[fired].put(-1, now);
            full[fired].put(1, now);
        }
        for stage in fired.saturating_sub(1)..=(fired + 1).min(STAGES) {
            let goes =
                (stage == 0 || full[stage - 1].tokens > 0) && (stage == STAGES || empty[stage].tokens > 0);
            if !goes {
                at[stage] = f64::INFINITY;
            } else if stage == fired || at[stage] == f64::INFINITY {
                at[stage] = now + random.exponential();
            }
        }
    }
}

/// `col4` as one would write it by hand: tokens of four colours as counts, those on the way back as times in a queue. Its draws
/// are in another order, so that its firings are as many in the mean; how many they were.
fn plain_col4(time: f64, seed: u64) -> u64 {
    const COLOURS: usize = 4;
    const RATES: [f64; COLOURS] = [2.0, 2.0, 0.5, 0.5];
    let mut random = linecard_sim::stream(seed, "petri");
    let (mut credit, mut thread) =
        (Held { tokens: 32, ..Held::default() }, Held { tokens: 8, ..Held::default() });
    let (mut rx, mut busy, mut tx) =
        ([Held::default(); COLOURS], [Held::default(); COLOURS], [Held::default(); COLOURS]);
    let mut arrivals: [f64; COLOURS] = std::array::from_fn(|_| random.exponential());
    let mut ends = [f64::INFINITY; COLOURS];
    let mut back: VecDeque<(f64, usize)> = VecDeque::new();
    let mut firings = 0;
    loop {
        let of_back = back.front().map_or(f64::INFINITY, |&(at, _)| at);
        let least = |times: &[f64; COLOURS]| {
            let earlier = |best: usize, other: usize| if times[other] < times[best] { other } else { best };
            (1..COLOURS).fold(0, earlier)
        };
        let (arrives, done) = (least(&arrivals), least(&ends));
        let now = arrivals[arrives].min(ends[done]).min(of_back);
        if now > time {
            black_box((credit, thread, rx, busy, tx));
            return firings;
        }
        firings += 1;
        if now == of_back {
            let colour = back.pop_front().map_or(0, |(_, colour)| colour);
            tx[colour].put(-1, now);
            credit.put(1, now);
            if credit.tokens == 1 {
                arrivals = std::array::from_fn(|_| now + random.exponential());
            }
            continue;
        }
        if now == arrivals[arrives] {
            credit.put(-1, now);
            rx[arrives].put(1, now);
            arrivals[arrives] = now + random.exponential();
            if credit.tokens == 0 {
                arrivals = [f64::INFINITY; COLOURS];
            }
        } else {
            busy[done].put(-1, now);
            thread.put(1, now);
            tx[done].put(1, now);
            back.push_back((now + 0.1, done));
            let left = busy[done].tokens as f64;
            ends[done] =
                if left > 0.0 { now + random.exponential() / (RATES[done] * left) } else { f64::INFINITY };
        }
        // A thread takes a waiting packet at random.
        while thread.tokens > 0 {
            let waiting: usize = rx.iter().map(|held| held.tokens).sum();
            if waiting == 0 {
                break;
            }
            firings += 1;
            let mut drawn = random.below(waiting as u32) as usize;
            let mut colour = 0;
            while drawn >= rx[colour].tokens {
                drawn -= rx[colour].tokens;
                colour += 1;
            }
            rx[colour].put(-1, now);
            thread.put(-1, now);
            busy[colour].put(1, now);
            ends[colour] = now + random.exponential() / (RATES[colour] * busy[colour].tokens as f64);
        }
    }
}

struct Arguments {
    file: Option<String>,
    repeat: u64,
    jobs: usize,
    only: Option<String>,
}

fn arguments() -> Arguments {
    let mut arguments = Arguments { file: None, repeat: 3, jobs: 1, only: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--repeat" => arguments.repeat = words.next().and_then(|n| n.parse().ok()).expect("--repeat N"),
            "--jobs" => arguments.jobs = words.next().and_then(|n| n.parse().ok()).expect("--jobs N"),
            "--only" => arguments.only = Some(words.next().expect("--only NAME")),
            _ => arguments.file = Some(word),
        }
    }
    arguments
}

/// The best of several runs, each of a seed of its own: what was done, and how much of it in a second.
fn best(
    arguments: &Arguments,
    name: &str,
    what: &str,
    mut run: impl FnMut(u64) -> u64,
) -> Option<(u64, f64)> {
    if arguments.only.as_ref().is_some_and(|only| only != name) {
        return None;
    }
    let (mut best, mut done): (f64, u64) = (0.0, 0);
    for seed in 0..arguments.repeat {
        let started = Instant::now();
        done = run(seed);
        best = best.max(done as f64 / started.elapsed().as_secs_f64() / 1e6);
    }
    println!("{name:12} {best:8.2} M {what}/s  ({done} {what})");
    Some((done, best))
}

fn main() {
    let arguments = arguments();
    type Plain = fn(f64, u64) -> u64;
    let nets: [(Net, f64, Plain); 2] = [(mm1k(), 6e6, plain_mm1k), (pc50(), 4e5, plain_pc50)];
    for (net, time, plain) in nets {
        let simulated = best(&arguments, &net.name, "firings", |seed| {
            let run = Run { warmup: 0.0, time, seed };
            simulate(&net, &run, &mut |_| ControlFlow::Continue(())).expect("a timed net").firings
        });
        let written = best(&arguments, &format!("plain {}", net.name), "firings", |seed| plain(time, seed));
        if let (Some((firings, speed)), Some((plain_firings, plain_speed))) = (simulated, written) {
            assert_eq!(firings, plain_firings, "the loop is not the net");
            println!("{:12} {:8.2} of the plain loop", net.name, speed / plain_speed);
        }
    }
    let (net, time) = (col4().expect("a net"), 6e5);
    let simulated = best(&arguments, "col4", "firings", |seed| {
        let run = Run { warmup: 0.0, time, seed };
        simulate_coloured(&net, &run, &mut |_| ControlFlow::Continue(())).expect("a timed net").firings
    });
    let written = best(&arguments, "plain col4", "firings", |seed| plain_col4(time, seed));
    if let (Some((firings, speed)), Some((plain_firings, plain_speed))) = (simulated, written) {
        // Four firings for each token; repetitions of this length differ by a thousandth.
        let off = firings as f64 / plain_firings as f64 - 1.0;
        assert!(off.abs() < 0.005, "the loop is not the net: {firings} and {plain_firings} firings");
        println!("{:12} {:8.2} of the plain loop", "col4", speed / plain_speed);
    }
    let read =
        |path: &String| read_pnml(&std::fs::read_to_string(path).expect("a readable file")).expect("a net");
    let nets = [ring("ring7", 7, 25, 0), ring("wide", 32_801, 1, 880)];
    for net in nets.into_iter().chain(arguments.file.as_ref().map(read)) {
        best(&arguments, &net.name, "markings", |_| {
            let found = explore_until(&net, 100_000_000, arguments.jobs, &mut |_| ControlFlow::Continue(()));
            found.expect("tokens that a number holds").reachable_markings
        });
    }
}
