//! Do coloured nets behave as written: like unfolded nets that are solved, closed forms, and traces worked out by
//! hand?

use insta::assert_snapshot;
use linecard_petri::{
    Choice, Colour, ColouredBuilder, ColouredNet, NetBuilder, PetriError, Run, Servers, Simulated, Timing,
    TimingText, explore, simulate, simulate_coloured, solve,
};
use linecard_sim::stream;
use std::ops::ControlFlow;

fn exponential(rate: &str) -> TimingText {
    TimingText::Exponential { rate: rate.to_owned() }
}

fn deterministic(delay: &str) -> TimingText {
    TimingText::Deterministic { delay: delay.to_owned() }
}

fn immediate(weight: &str, priority: u32) -> TimingText {
    TimingText::Immediate { weight: weight.to_owned(), priority }
}

fn run(net: &ColouredNet, time: f64, seed: u64) -> Result<Simulated, PetriError> {
    simulate_coloured(net, &Run { warmup: time / 20.0, time, seed }, &mut |_| ControlFlow::Continue(()))
}

/// Returns the mean and half width of the 99.9 % interval over eight runs.
fn over_runs(measure: impl Fn(u64) -> f64) -> (f64, f64) {
    let values: Vec<f64> = (1..=8).map(measure).collect();
    let mean = values.iter().sum::<f64>() / 8.0;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 7.0;
    // Student's t with 7 degrees of freedom.
    (mean, 5.41 * (variance / 8.0).sqrt())
}

fn agrees(what: &str, exact: f64, measure: impl Fn(u64) -> f64) {
    let (mean, half) = over_runs(measure);
    assert!((mean - exact).abs() <= half.max(1e-9), "{what}: {mean} ± {half}, exact {exact}");
}

/// Compares simulations of a net with the steady state of its unfolded net.
fn same_as_solved(net: &ColouredNet, time: f64) {
    let unfolded = net.unfold().unwrap();
    let solved = solve(&unfolded.net, 200_000).unwrap();
    let runs: Vec<Simulated> = (1..=8).map(|seed| run(net, time, seed).unwrap()).collect();
    for (number, name) in net.transition_names().enumerate() {
        let of = unfolded.transition_of.iter().zip(&solved.throughput);
        let exact: f64 = of.filter(|(of, _)| **of as usize == number).map(|(_, value)| value).sum();
        agrees(name, exact, |seed| runs[seed as usize - 1].throughput[number]);
    }
    for (number, place) in net.places.iter().enumerate() {
        let of = unfolded.place_of.iter().zip(&solved.mean_tokens);
        let exact: f64 = of.filter(|(of, _)| **of == Some(number as u32)).map(|(_, value)| value).sum();
        agrees(&place.name, exact, |seed| runs[seed as usize - 1].mean_tokens[number]);
        for run in &runs {
            let shares = &run.occupancy[number];
            let mean: f64 = shares.iter().zip(0..).map(|(share, count)| share * f64::from(count)).sum();
            assert!(
                (mean - run.mean_tokens[number]).abs() < 1e-9
                    && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9
            );
        }
    }
}

/// Jobs of two kinds, some of which return once; the time depends on the binding.
#[test]
fn bindings_race_as_the_transitions_of_the_unfolded_net_do() {
    let mut net = ColouredBuilder::new("jobs");
    let kind = net.enumeration(&["short", "long"]).unwrap();
    let job = Colour::record(vec![
        ("kind".to_owned(), kind),
        ("round".to_owned(), Colour::Int { low: 0, high: 1 }),
    ]);
    let idle = net.place("idle", &job, Choice::Random).unwrap();
    net.tokens(idle, "{kind: short, round: 0}", 3).unwrap();
    net.tokens(idle, "{kind: long, round: 0}", 2).unwrap();
    let waiting = net.place("waiting", &job, Choice::Random).unwrap();
    let server = net.place("server", &Colour::Dot, Choice::Random).unwrap();
    net.dots(server, 2);
    let served = net.place("served", &job, Choice::Random).unwrap();
    let think = net
        .transition("think", exponential("if j.kind == short then 0.3 else 0.2"), Servers::Infinite, "")
        .unwrap();
    net.take(idle, think, "j", "1");
    net.put(think, waiting, "j", "1");
    let start = net
        .transition("start", immediate("if j.kind == short then 3 else 1", 1), Servers::Count(1), "")
        .unwrap();
    net.take(waiting, start, "j", "1");
    net.take(server, start, "", "1");
    net.put(start, served, "j", "1");
    let serve =
        net.transition("serve", exponential("1 + j.round"), Servers::Infinite, "j.kind == short").unwrap();
    let slow = net.transition("slow", exponential("0.5"), Servers::Count(1), "j.kind == long").unwrap();
    for serve in [serve, slow] {
        net.take(served, serve, "j", "1");
        net.put(serve, server, "", "1");
        net.put(serve, waiting, "{j with round: 1}", "1 - j.round");
        net.put(serve, idle, "{j with round: 0}", "j.round");
    }
    same_as_solved(&net.build().unwrap(), 40_000.0);
}

/// Two arcs that join on parts of their tokens, a guard over both, and inhibitors by colour and by number.
#[test]
fn joins_guards_and_inhibitors_are_as_in_the_unfolded_net() {
    let mut net = ColouredBuilder::new("joins");
    let digit = Colour::Int { low: 0, high: 2 };
    let pair = Colour::record(vec![("a".to_owned(), digit.clone()), ("b".to_owned(), digit.clone())]);
    let pairs = net.place("pairs", &pair, Choice::Random).unwrap();
    for token in ["{a: 0, b: 1}", "{a: 1, b: 2}", "{a: 2, b: 0}"] {
        net.tokens(pairs, token, 1).unwrap();
    }
    let digits = net.place("digits", &digit, Choice::Random).unwrap();
    net.all_tokens(digits).unwrap();
    let out = net.place("out", &digit, Choice::Random).unwrap();
    let join = net
        .transition("join", exponential("1 + x.b"), Servers::Count(2), "x.a == d and x.a + x.b != 3")
        .unwrap();
    net.take(pairs, join, "x", "1");
    net.take(digits, join, "d", "1");
    net.inhibit(out, join, "x.b", "2");
    net.put(join, out, "x.b", "2");
    let swap = net.transition("swap", exponential("0.7"), Servers::Infinite, "x.a < y.a").unwrap();
    net.take(pairs, swap, "x", "1");
    net.take(pairs, swap, "y", "1");
    net.put(swap, pairs, "{a: y.a, b: x.b}", "1");
    net.put(swap, pairs, "{a: x.a, b: y.b}", "1");
    let back = net.transition("back", exponential("2"), Servers::Count(1), "").unwrap();
    net.take(out, back, "e", "2");
    net.inhibit(digits, back, "", "3");
    net.put(back, digits, "e", "1");
    net.put(back, pairs, "{a: (e + 1) % 3, b: e}", "1");
    for place in [digits, out] {
        let turn =
            net.transition(&format!("turn{place}"), exponential("0.5"), Servers::Infinite, "").unwrap();
        net.take(place, turn, "d", "1");
        net.put(turn, place, "(d + 1) % 3", "1");
    }
    let turn = net.transition("turn", exponential("0.5"), Servers::Infinite, "").unwrap();
    net.take(pairs, turn, "x", "1");
    net.put(turn, pairs, "{a: (x.a + 1) % 3, b: x.a}", "1");
    same_as_solved(&net.build().unwrap(), 20_000.0);
}

/// Nets that keep their number of tokens, with random guards and expressions.
#[test]
fn nets_made_by_chance_are_as_the_unfolded_ones() {
    let mut looked_at = 0;
    for seed in 0..24 {
        let mut random = stream(seed, "nets");
        let mut net = ColouredBuilder::new("by chance");
        let colour = Colour::Int { low: 0, high: 2 };
        let places: Vec<u32> =
            (0..3).map(|p| net.place(&format!("p{p}"), &colour, Choice::Random).unwrap()).collect();
        for token in 0..4 {
            net.tokens(places[random.below(3) as usize], &(token % 3).to_string(), 1).unwrap();
        }
        let dots = net.place("dots", &Colour::Dot, Choice::Random).unwrap();
        net.dots(dots, 2);
        // In every net, single tokens move everywhere, so there is one steady state.
        for from in 0..3 {
            let wander =
                net.transition(&format!("w{from}"), exponential("1 + x"), Servers::Infinite, "").unwrap();
            net.take(places[from], wander, "x", "1");
            net.put(wander, places[(from + 1) % 3], "(x + 1) % 3", "1");
        }
        for number in 0..4 {
            let servers = [Servers::Count(1), Servers::Count(2), Servers::Infinite][random.below(3) as usize];
            let guard = ["x != y", "x + y < 3", "x == y", "x <= y"][random.below(4) as usize];
            let timing = if number == 0 {
                immediate(["1", "1 + x"][random.below(2) as usize], 0)
            } else {
                exponential(["0.5", "1 + x", "2 / (1 + y)"][random.below(3) as usize])
            };
            let servers = if number == 0 { Servers::Count(1) } else { servers };
            // An immediate transition does not fire forever if it consumes tokens that only other transitions return.
            let t = net.transition(&format!("t{number}"), timing, servers, guard).unwrap();
            let mut place = || places[random.below(3) as usize];
            net.take(place(), t, "x", "1");
            net.take(place(), t, "y", "1");
            net.put(t, place(), "y", "1");
            net.put(t, place(), "max(x - 1, 0)", "1");
            if number == 0 {
                net.take(dots, t, "", "1");
            } else if number == 1 {
                net.inhibit(dots, t, "", "2");
                net.put(t, dots, "", "1");
            } else if number == 2 {
                net.inhibit(places[0], t, "x", "2");
            }
        }
        let net = net.build().unwrap();
        // If dots run out, there may be no steady state, or it begins after a time that runs would have to leave out.
        let unfolded = net.unfold().unwrap().net;
        let Ok(solved) = solve(&unfolded, 200_000) else { continue };
        let at_rest = solved.throughput.iter().filter(|&&throughput| throughput == 0.0).count() as u64;
        if at_rest == explore(&unfolded, 200_000).never_enabled_transitions {
            same_as_solved(&net, 4_000.0);
            looked_at += 1;
        }
    }
    assert!(looked_at >= 8, "{looked_at}");
}

/// Pollaczek and Khinchine: the mean number in M/G/1 is rho + rho^2 (1 + c^2) / (2 (1 - rho)).
#[test]
fn queues_with_one_server_are_as_pollaczek_and_khinchine_have_them() {
    let load = 0.7;
    let text = |value: f64| format!("{value:?}");
    let values = vec![0.5, 2.0];
    let cases = [
        ("M/M/1", Timing::Exponential { rate: 1.0 }, exponential("1"), 1.0),
        ("M/D/1", Timing::Deterministic { delay: 1.0 }, deterministic("1"), 0.0),
        (
            "M/E2/1",
            Timing::Erlang { stages: 2, rate: 2.0 },
            TimingText::Erlang { stages: 2, rate: "2".to_owned() },
            0.5,
        ),
        (
            "M/U/1",
            Timing::Uniform { low: 0.5, high: 1.5 },
            TimingText::Uniform { low: "0.5".to_owned(), high: "1.5".to_owned() },
            1.0 / 12.0,
        ),
        (
            // Mean (2 * 0.5 + 2) / 3 = 1, mean square (2 * 0.25 + 4) / 3 = 1.5.
            "M/G/1 of two times",
            Timing::Empirical { values: values.as_slice().into(), upto: [2.0 / 3.0, 1.0].into() },
            TimingText::Empirical { values: values.clone(), weights: vec![2.0, 1.0] },
            0.5,
        ),
    ];
    for (name, timing, timing_text, variation) in cases {
        let exact = load + load * load * (1.0 + variation) / (2.0 * (1.0 - load));
        let mut plain = NetBuilder::new(name);
        let queue = plain.place("queue", 0).unwrap();
        let arrive =
            plain.transition("arrive", Timing::Exponential { rate: load }, Servers::Count(1)).unwrap();
        plain.output(arrive, queue, 1).unwrap();
        let serve = plain.transition("serve", timing, Servers::Count(1)).unwrap();
        plain.input(queue, serve, 1).unwrap();
        let plain = plain.build().unwrap();
        let mut net = ColouredBuilder::new(name);
        let queue = net.place("queue", &Colour::ANY_INT, Choice::Fifo).unwrap();
        let arrive = net.transition("arrive", exponential(&text(load)), Servers::Count(1), "").unwrap();
        net.put(arrive, queue, "random(0, 1000000)", "1");
        let serve = net.transition("serve", timing_text, Servers::Count(1), "").unwrap();
        net.take(queue, serve, "x", "1");
        let net = net.build().unwrap();
        let plainly = |seed| {
            let run = Run { warmup: 2_000.0, time: 60_000.0, seed };
            simulate(&plain, &run, &mut |_| ControlFlow::Continue(())).unwrap()
        };
        agrees(&format!("{name}, places and transitions"), exact, |seed| plainly(seed).mean_tokens[0]);
        agrees(&format!("{name}, use"), load, |seed| plainly(seed).busy_servers[1]);
        agrees(&format!("{name}, tokens"), exact, |seed| run(&net, 60_000.0, seed).unwrap().mean_tokens[0]);
        agrees(&format!("{name}, tokens, use"), load, |seed| {
            run(&net, 60_000.0, seed).unwrap().busy_servers[1]
        });
    }
}

/// Returns a line per firing: its time, transition and binding.
fn trace(net: &ColouredNet, time: f64) -> Vec<String> {
    let names: Vec<String> = net.transition_names().map(str::to_owned).collect();
    let mut lines = Vec::new();
    net.watch(&Run { warmup: 0.0, time, seed: 1 }, &mut |firing| {
        lines.push(format!("{} {} {}", firing.time, names[firing.transition as usize], (firing.binding)()));
        ControlFlow::Continue(())
    })
    .unwrap();
    lines
}

/// A bus that serves the first request whose bank is free; the time depends on the size.
#[test]
fn of_a_queue_the_first_that_fits_goes_first() {
    let mut net = ColouredBuilder::new("bus");
    let bank = Colour::Int { low: 0, high: 1 };
    let request =
        Colour::record(vec![("size".to_owned(), Colour::ANY_INT), ("bank".to_owned(), bank.clone())]);
    let requests = net.place("requests", &request, Choice::Fifo).unwrap();
    for (size, bank) in [(8, 0), (16, 0), (8, 1), (8, 1)] {
        net.tokens(requests, &format!("{{size: {size}, bank: {bank}}}"), 1).unwrap();
    }
    let banks = net.place("banks", &bank, Choice::Random).unwrap();
    net.all_tokens(banks).unwrap();
    let open = net.place("open", &request, Choice::Fifo).unwrap();
    let bus = net.place("bus", &Colour::Dot, Choice::Random).unwrap();
    net.dots(bus, 1);
    let start = net.transition("start", immediate("1", 0), Servers::Count(1), "").unwrap();
    net.take(requests, start, "{size: s, bank: b}", "1");
    net.take(banks, start, "b", "1");
    net.put(start, open, "{size: s, bank: b}", "1");
    let send = net.transition("send", deterministic("r.size / 8"), Servers::Count(1), "").unwrap();
    net.take(open, send, "r", "1");
    net.take(bus, send, "", "1");
    net.put(send, bus, "", "1");
    net.put(send, banks, "r.bank", "1");
    let expected = [
        "0 start b = 0, s = 8",
        "0 start b = 1, s = 8",
        "1 send r = {bank: 0, size: 8}",
        "1 start b = 0, s = 16",
        "2 send r = {bank: 1, size: 8}",
        "2 start b = 1, s = 8",
        "4 send r = {bank: 0, size: 16}",
        "5 send r = {bank: 1, size: 8}",
    ];
    assert_eq!(trace(&net.build().unwrap(), 10.0), expected);
}

#[test]
fn equal_times_end_in_the_order_of_the_transitions_and_then_of_their_beginnings() {
    let mut net = ColouredBuilder::new("ties");
    let number = Colour::Int { low: 0, high: 9 };
    let a = net.place("a", &number, Choice::Fifo).unwrap();
    for token in ["3", "1", "2"] {
        net.tokens(a, token, 1).unwrap();
    }
    let b = net.place("b", &number, Choice::Random).unwrap();
    net.tokens(b, "5", 1).unwrap();
    for (name, place) in [("first", b), ("second", a)] {
        let t = net.transition(name, deterministic("1"), Servers::Infinite, "").unwrap();
        net.take(place, t, "x", "1");
    }
    let expected = ["1 first x = 5", "1 second x = 3", "1 second x = 1", "1 second x = 2"];
    assert_eq!(trace(&net.build().unwrap(), 10.0), expected);
}

/// If another transition takes a token, the timer of its binding ends; if the same firing returns the token, the
/// timer goes on.
#[test]
fn a_time_is_lost_with_its_token_and_kept_while_it_stays() {
    let mut net = ColouredBuilder::new("memory");
    let number = Colour::Int { low: 0, high: 9 };
    let a = net.place("a", &number, Choice::Random).unwrap();
    net.tokens(a, "4", 1).unwrap();
    let clock = net.place("clock", &Colour::Dot, Choice::Random).unwrap();
    net.dots(clock, 1);
    let slow = net.transition("slow", deterministic("2.5"), Servers::Count(1), "").unwrap();
    net.take(a, slow, "x", "1");
    net.put(slow, a, "x", "1");
    // The transition takes the token every time unit and returns an equal one.
    let look = net.transition("look", deterministic("1"), Servers::Count(1), "").unwrap();
    net.take(a, look, "x", "1");
    net.take(clock, look, "", "1");
    net.put(look, a, "x + 0", "1");
    net.put(look, clock, "", "1");
    let net = net.build().unwrap();
    let times: Vec<String> = trace(&net, 6.0);
    assert_eq!(times.iter().filter(|line| line.contains("slow")).count(), 2, "{times:?}");
    assert!(times.iter().any(|line| line.starts_with("2.5 slow")), "{times:?}");
}

/// The time of a firing does not grow with the number of tokens that wait, rejected by a guard or blocked.
#[test]
fn tokens_that_wait_cost_nothing() {
    let firings = |waiting: u32| {
        let mut net = ColouredBuilder::new("waiting");
        let number = Colour::Int { low: 0, high: 1_000_000 };
        let pool = net.place("pool", &number, Choice::Random).unwrap();
        let queue = net.place("queue", &number, Choice::Fifo).unwrap();
        for token in 0..waiting {
            net.tokens(pool, &(token + 10).to_string(), 1).unwrap();
            net.tokens(queue, &(token + 10).to_string(), 1).unwrap();
        }
        net.tokens(pool, "1", 1).unwrap();
        net.tokens(queue, "2", 1).unwrap();
        for (name, place) in [("a", pool), ("b", queue)] {
            let t = net.transition(name, exponential("1"), Servers::Infinite, "x < 10").unwrap();
            net.take(place, t, "x", "1");
            net.put(t, place, "3 - x", "1");
        }
        let net = net.build().unwrap();
        let started = std::time::Instant::now();
        let found = run(&net, 100_000.0, 1).unwrap();
        assert!(found.firings > 190_000);
        started.elapsed().as_secs_f64()
    };
    let (few, many) = (firings(1), firings(50_000));
    // The initial tokens must be stored; beyond that, their number costs no time.
    assert!(many < 20.0 * few + 1.0, "{few} s, {many} s");
}

#[test]
fn what_has_no_value_is_told_with_transition_place_and_binding() {
    let net = |guard: &str, token: &str, timing: TimingText| {
        let mut net = ColouredBuilder::new("faults");
        let digit = Colour::Int { low: 0, high: 9 };
        let a = net.place("a", &digit, Choice::Random)?;
        net.tokens(a, "4", 1)?;
        let b = net.place("b", &digit, Choice::Random)?;
        let t = net.transition("go", timing, Servers::Count(1), guard)?;
        net.take(a, t, "x", "1");
        net.put(t, b, token, "1");
        run(&net.build()?, 10.0, 1)
    };
    let error =
        |guard: &str, token: &str, timing: TimingText| net(guard, token, timing).unwrap_err().to_string();
    let one = || exponential("1");
    let said = [
        error("8 // (x - 4) == 2", "x", one()),
        error("", "x * 3", one()),
        error("", "x", exponential("4 - x")),
        error("x and true", "x", one()),
        error("", "y", one()),
        error("x < (3", "x", one()),
        error("", "x", immediate("0", 0)),
    ];
    assert_snapshot!(said.join("\n"));
}

#[test]
fn immediate_transitions_that_go_round_are_refused() {
    let mut net = ColouredBuilder::new("round");
    let a = net.place("a", &Colour::Bool, Choice::Random).unwrap();
    net.tokens(a, "true", 1).unwrap();
    let t = net.transition("turn", immediate("1", 0), Servers::Count(1), "").unwrap();
    net.take(a, t, "x", "1");
    net.put(t, a, "not x", "1");
    let error = run(&net.build().unwrap(), 1.0, 1).unwrap_err().to_string();
    assert!(
        error.contains("fire forever, so simulated time does not advance; the last one to fire was \"turn\""),
        "{error}"
    );
}

#[test]
fn more_tokens_than_can_be_counted_are_an_error() {
    let mut net = ColouredBuilder::new("many");
    let a = net.place("a", &Colour::Dot, Choice::Random).unwrap();
    net.dots(a, 1);
    let t = net.transition("double", deterministic("1"), Servers::Count(1), "").unwrap();
    net.take(a, t, "", "1");
    net.put(t, a, "", "4000000000");
    let net = net.build().unwrap();
    let error = run(&net, 10.0, 1).unwrap_err().to_string();
    assert!(error.contains("more than 4294967295 tokens in a place"), "{error}");
    let plain = net.unfold().unwrap().net;
    let error =
        simulate(&plain, &Run { warmup: 0.0, time: 10.0, seed: 1 }, &mut |_| ControlFlow::Continue(()));
    assert!(error.unwrap_err().to_string().contains("more tokens than can be counted"));
}

/// A firing takes tokens, then resets places, then puts tokens.
#[test]
fn a_reset_empties_before_tokens_are_put() {
    let mut net = ColouredBuilder::new("reset");
    let digit = Colour::Int { low: 0, high: 3 };
    let a = net.place("a", &digit, Choice::Random).unwrap();
    net.all_tokens(a).unwrap();
    let b = net.place("b", &Colour::Dot, Choice::Random).unwrap();
    net.dots(b, 5);
    let t = net.transition("clear", deterministic("1"), Servers::Count(1), "x == 2").unwrap();
    net.take(a, t, "x", "1");
    net.reset(a, t);
    net.put(t, a, "x + 1", "2");
    net.take(b, t, "", "2");
    net.reset(b, t);
    net.put(t, b, "", "3");
    let net = net.build().unwrap();
    let mut tokens = Vec::new();
    net.watch(&Run { warmup: 0.0, time: 5.0, seed: 1 }, &mut |firing| {
        tokens.push(firing.tokens.to_vec());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(tokens, [[2, 3]]);
    let found = explore(&net.unfold().unwrap().net, 100);
    assert_eq!((found.reachable_markings, found.edges, found.bounds.last().copied()), (2, 1, Some(5)));
}

/// Returns a queue of the tokens 0, 1, 2, and a transition that fires every time unit.
fn rotating() -> (ColouredBuilder, u32, u32) {
    let mut net = ColouredBuilder::new("rotating");
    let queue = net.place("queue", &Colour::Int { low: 0, high: 2 }, Choice::Fifo).unwrap();
    net.all_tokens(queue).unwrap();
    let serve = net.transition("serve", deterministic("1"), Servers::Count(1), "").unwrap();
    (net, queue, serve)
}

#[test]
fn a_token_that_returns_to_its_queue_joins_the_end() {
    let (mut net, queue, serve) = rotating();
    net.take(queue, serve, "x", "1");
    net.put(serve, queue, "x", "1");
    let expected = ["1 serve x = 0", "2 serve x = 1", "3 serve x = 2", "4 serve x = 0"];
    assert_eq!(trace(&net.build().unwrap(), 4.0), expected);
}

#[test]
fn a_read_arc_leaves_the_token_at_its_position_of_a_queue() {
    let (mut net, queue, look) = rotating();
    net.read(queue, look, "x", "1");
    let constant = net.transition("constant", deterministic("1.5"), Servers::Count(1), "").unwrap();
    net.read(queue, constant, "0", "1");
    let expected = ["1 serve x = 0", "1.5 constant no variables", "2 serve x = 0"];
    assert_eq!(trace(&net.build().unwrap(), 2.0), expected);
}

#[test]
fn immediate_firings_at_the_start_are_observed() {
    let mut net = ColouredBuilder::new("start");
    let digit = Colour::Int { low: 1, high: 2 };
    let a = net.place("a", &digit, Choice::Fifo).unwrap();
    net.all_tokens(a).unwrap();
    let b = net.place("b", &digit, Choice::Fifo).unwrap();
    let move_on = net.transition("move", immediate("1", 0), Servers::Count(1), "").unwrap();
    net.take(a, move_on, "x", "1");
    net.put(move_on, b, "x", "1");
    let end = net.transition("end", deterministic("x"), Servers::Count(2), "").unwrap();
    net.take(b, end, "x", "1");
    let expected = ["0 move x = 1", "0 move x = 2", "1 end x = 1", "2 end x = 2"];
    assert_eq!(trace(&net.build().unwrap(), 3.0), expected);
}

/// The reset takes the token after each time unit, and its firing returns an equal one: the delay of 1.5 goes on.
#[test]
fn a_delay_continues_if_the_firing_that_resets_its_place_returns_the_token() {
    let mut net = ColouredBuilder::new("refreshed");
    let a = net.place("a", &Colour::Int { low: 0, high: 1 }, Choice::Random).unwrap();
    net.tokens(a, "1", 1).unwrap();
    let refresh = net.transition("refresh", deterministic("1"), Servers::Count(1), "").unwrap();
    net.reset(a, refresh);
    net.put(refresh, a, "1", "1");
    let used = net.transition("use", deterministic("1.5"), Servers::Count(1), "").unwrap();
    net.take(a, used, "x", "1");
    let net = net.build().unwrap();
    let expected = [
        "1 refresh no variables",
        "1.5 use x = 1",
        "2 refresh no variables",
        "3 refresh no variables",
        "3.5 use x = 1",
    ];
    assert_eq!(trace(&net, 3.5), expected);
    let plain = net.unfold().unwrap().net;
    let of_run =
        |time| simulate(&plain, &Run { warmup: 0.0, time, seed: 1 }, &mut |_| ControlFlow::Continue(()));
    assert_eq!([1.4, 1.6, 3.4, 3.6].map(|time| of_run(time).unwrap().firings), [1, 2, 4, 5]);
}

/// Two arcs take as many dots as the colour says, and one takes another: five of the eight dots, once.
#[test]
fn parallel_arcs_with_numbers_of_the_binding_count_together() {
    for timing in [deterministic("1"), immediate("1", 1)] {
        let mut net = ColouredBuilder::new("parallel");
        let (k, d) = (
            net.place("k", &Colour::Int { low: 2, high: 2 }, Choice::Random).unwrap(),
            net.place("d", &Colour::Dot, Choice::Random).unwrap(),
        );
        net.tokens(k, "2", 3).unwrap();
        net.dots(d, 8);
        let t = net.transition("t", timing, Servers::Infinite, "").unwrap();
        net.take(k, t, "x", "1");
        for weight in ["x", "x", "1"] {
            net.take(d, t, "", weight);
        }
        assert_eq!(trace(&net.build().unwrap(), 5.0).len(), 1);
    }
}

/// Every second time unit, colour 1 replaces colour 0 and disables the transition; its delay of 0.375 ends twice at
/// most while it is enabled.
#[test]
fn a_colour_that_replaces_another_disables_what_it_inhibits() {
    let mut net = ColouredBuilder::new("modes");
    let mode = net.place("mode", &Colour::Int { low: 0, high: 1 }, Choice::Random).unwrap();
    net.tokens(mode, "1", 1).unwrap();
    let flip = net.transition("flip", deterministic("1"), Servers::Count(1), "").unwrap();
    net.take(mode, flip, "x", "1");
    net.put(flip, mode, "1 - x", "1");
    let serve = net.transition("serve", deterministic("0.375"), Servers::Count(1), "").unwrap();
    net.inhibit(mode, serve, "1", "1");
    let work = net.place("work", &Colour::Dot, Choice::Random).unwrap();
    net.dots(work, 1);
    let start = net.transition("start", immediate("1", 0), Servers::Count(1), "").unwrap();
    net.inhibit(mode, start, "1", "1");
    net.take(work, start, "", "1");
    let said = trace(&net.build().unwrap(), 3.5);
    let expected = ["1 flip", "1 start", "1.375 serve", "1.75 serve", "2 flip", "3 flip", "3.375 serve"];
    let short: Vec<String> =
        said.iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(short, expected);
}
