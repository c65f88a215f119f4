//! Are steady states those of closed forms, also where rates differ by many magnitudes?

use linecard_petri::{Net, NetBuilder, Servers, Solved, Timing, solve};

const MOST: u64 = 1_000_000;

fn exp(rate: f64) -> Timing {
    Timing::Exponential { rate }
}

fn imm(weight: f64) -> Timing {
    Timing::Immediate { weight, priority: 0 }
}

/// A net of transitions with one server that move one token each; the third place is read.
fn net(places: &[(&str, u32)], transitions: &[(&str, Timing, &str, &str, Option<&str>)]) -> Net {
    let mut net = NetBuilder::new("net");
    for &(name, tokens) in places {
        net.place(name, tokens).unwrap();
    }
    let number = |name: &str| places.iter().position(|(place, _)| *place == name).unwrap() as u32;
    for (name, timing, from, to, read) in transitions {
        let transition = net.transition(name, timing.clone(), Servers::Count(1)).unwrap();
        net.input(number(from), transition, 1).unwrap();
        net.output(transition, number(to), 1).unwrap();
        if let Some(read) = read {
            net.input(number(read), transition, 1).unwrap();
            net.output(transition, number(read), 1).unwrap();
        }
    }
    net.build().unwrap()
}

fn solved(net: &Net) -> Solved {
    let solved = solve(net, MOST).unwrap();
    assert!(
        solved.throughput.iter().chain(&solved.mean_tokens).all(|number| number.is_finite()),
        "{solved:?}"
    );
    solved
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} instead of {expected}");
    }
}

/// A queue of `tokens`, with a rate of arrivals and a rate of service.
fn queue(tokens: u32, arrive: f64, serve: f64) -> Net {
    let (free, busy) = ("free", "busy");
    net(
        &[(free, tokens), (busy, 0)],
        &[("arrive", exp(arrive), free, busy, None), ("serve", exp(serve), busy, free, None)],
    )
}

#[test]
fn modes_a_hundred_billion_times_slower_than_packets_have_their_shares() {
    for tokens in [700, 1000] {
        let (begin, end) = (1.388_888_888_888_889e-5, 6.944_444_444_444_444e-5);
        let net = net(
            &[("off", 1), ("peak", 0), ("free", tokens), ("queued", 0)],
            &[
                ("begin", exp(begin), "off", "peak", None),
                ("end", exp(end), "peak", "off", None),
                ("slow", exp(3e8), "free", "queued", Some("off")),
                ("fast", exp(8e8), "free", "queued", Some("peak")),
                ("serve", exp(1e9), "queued", "free", None),
            ],
        );
        let solved = solved(&net);
        let peak = begin / (begin + end);
        assert_close(&solved.mean_tokens[..2], &[1.0 - peak, peak]);
        // The queue is short compared to its room: every arrival is served.
        let arrivals = [(1.0 - peak) * begin, peak * end, (1.0 - peak) * 3e8, peak * 8e8];
        assert_close(&solved.throughput[..4], &arrivals);
        assert_close(&solved.throughput[4..], &[arrivals[2] + arrivals[3]]);
    }
}

#[test]
fn long_queues_have_their_closed_forms() {
    for (tokens, load) in [(3000, 0.999_f64), (100_000, 0.999), (3000, 1e-3), (3000, 1e3)] {
        let solved = solved(&queue(tokens, load, 1.0));
        // The shares are powers of the load; the smaller of it and its inverse has no overflow.
        let small = load.min(1.0 / load);
        let powers = |power: &dyn Fn(u32) -> f64| (0..=tokens).map(power).sum::<f64>();
        let sum = powers(&|n| small.powi(n as i32));
        let mean = powers(&|n| f64::from(n) * small.powi(n as i32)) / sum;
        let idle = 1.0 / sum;
        let (served, held) = if load < 1.0 {
            (1.0 - idle, mean)
        } else {
            (1.0 - small.powi(tokens as i32) / sum, f64::from(tokens) - mean)
        };
        assert_close(&solved.throughput, &[served, served]);
        assert_close(&solved.mean_tokens, &[f64::from(tokens) - held, held]);
    }
}

#[test]
fn rates_of_any_magnitude_give_numbers() {
    for (rate, serve) in [(1e80, 1.0), (1e300, 1.0), (1e300, 1e-300), (f64::MAX, 1.0)] {
        let solved = solved(&queue(5, rate, serve));
        assert_close(&solved.throughput, &[serve, serve]);
        assert_close(&solved.mean_tokens[1..], &[5.0]);
    }
    // Many servers multiply the rate beyond the range of numbers: the way back limits the throughput.
    let mut net = NetBuilder::new("servers");
    let (free, busy) = (net.place("free", 2).unwrap(), net.place("busy", 0).unwrap());
    for (name, timing, from, to, servers) in [
        ("arrive", exp(f64::MAX), free, busy, Servers::Infinite),
        ("serve", exp(1.0), busy, free, Servers::Count(1)),
    ] {
        let transition = net.transition(name, timing, servers).unwrap();
        net.input(from, transition, 1).unwrap();
        net.output(transition, to, 1).unwrap();
    }
    assert_close(&solved(&net.build().unwrap()).throughput, &[1.0, 1.0]);
    // The fastest transition, in a loop of its own marking.
    let itself =
        self::net(&[("a", 1)], &[("t", exp(f64::MAX), "a", "a", None), ("u", exp(1.0), "a", "a", None)]);
    assert_close(&solved(&itself).throughput, &[f64::MAX, 1.0]);
}

#[test]
fn immediate_loops_with_a_way_out_are_left() {
    let places = [("a", 1), ("v", 0), ("w", 0), ("c", 0)];
    for out in [1.0, 0.25, 1e-20] {
        let net = net(
            &places,
            &[
                ("t", exp(2.0), "a", "v", None),
                ("x", imm(1.0), "v", "w", None),
                ("y", imm(1.0), "w", "v", None),
                ("z", imm(out), "v", "c", None),
                ("u", exp(1.0), "c", "a", None),
            ],
        );
        let solved = solved(&net);
        let round = 2.0 / 3.0;
        // Each time in v, x fires 1 / out times as often as z.
        assert_close(&solved.throughput, &[round, round / out, round / out, round, round]);
        assert_eq!((solved.tangible_markings, solved.vanishing_markings), (2, 2));
        assert_close(&solved.mean_tokens, &[1.0 / 3.0, 0.0, 0.0, 2.0 / 3.0]);
    }
}

/// From v always to w; from w with 1/3 back to v, with 2/3 to q; from q with 3/4 back to w, with 1/4 out. By the visits of
/// a round, V = 1 + W/3, W = V + 3Q/4, Q = 2W/3: V = 3, W = 6, Q = 4. A round takes 1/2 + 1.
#[test]
fn nested_immediate_loops_are_left() {
    let net = net(
        &[("a", 1), ("v", 0), ("w", 0), ("q", 0), ("c", 0)],
        &[
            ("t", exp(2.0), "a", "v", None),
            ("x", imm(1.0), "v", "w", None),
            ("y", imm(1.0), "w", "v", None),
            ("z", imm(2.0), "w", "q", None),
            ("r", imm(3.0), "q", "w", None),
            ("s", imm(1.0), "q", "c", None),
            ("u", exp(1.0), "c", "a", None),
        ],
    );
    let solved = solved(&net);
    let round = 2.0 / 3.0;
    assert_close(&solved.throughput, &[1.0, 3.0, 2.0, 4.0, 3.0, 1.0, 1.0].map(|firings| firings * round));
    assert_close(&solved.mean_tokens, &[1.0 / 3.0, 0.0, 0.0, 0.0, 2.0 / 3.0]);
}

#[test]
fn a_loop_that_leads_to_a_trap_is_refused() {
    let net = net(
        &[("a", 1), ("v", 0), ("w", 0), ("c", 0), ("p", 0), ("q", 0)],
        &[
            ("t", exp(2.0), "a", "v", None),
            ("x", imm(1.0), "v", "w", None),
            ("y", imm(1.0), "w", "v", None),
            ("z", imm(1.0), "v", "c", None),
            ("trap", imm(1.0), "w", "p", None),
            ("there", imm(1.0), "p", "q", None),
            ("back", imm(1.0), "q", "p", None),
            ("u", exp(1.0), "c", "a", None),
        ],
    );
    let error = solve(&net, MOST).unwrap_err().to_string();
    assert!(error.starts_with("from the marking {p 1}, immediate transitions fire forever"), "{error}");
}
