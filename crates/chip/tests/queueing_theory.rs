//! Chips for which queueing theory has formulas.

use crate::kit;

use kit::{Asked, SEND, TABLE, head, place, read, server, small, without_wires};
use linecard_chip::config::*;
use linecard_chip::{Arrival, Chip, ChipConfig, Outcome, RunLimit};
use linecard_program::PacketHead;
use linecard_program::script::{Access, PacketInfo, PacketProgram, Steps};
use linecard_sim::{batch_means, stream};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A 95 % interval extends about two standard errors to each side.
const ERRORS_IN_HALF_WIDTH: f64 = 2.1;

/// Returns the times that packets spend inside, in order of arrival, with Poisson arrivals `mean_gap_ns` apart on
/// average.
fn stays_ns(
    config: ChipConfig,
    program: Box<dyn PacketProgram>,
    mean_gap_ns: f64,
    sizes: &[u32],
) -> Vec<f64> {
    let mut random = stream(5, "arrivals");
    let mut at = 0.0;
    let comes: Vec<(u64, u32)> = sizes
        .iter()
        .map(|&bytes| {
            at += mean_gap_ns * random.exponential();
            (at as u64, bytes)
        })
        .collect();
    let mut list = comes.clone().into_iter();
    let source = move || list.next().map(|(at_ns, bytes)| Arrival { at_ns, flow_hash: 1, head: head(bytes) });
    let mut chip = Chip::new(config, vec![program], Box::new(source)).expect("the chip fits together");
    let stays = Rc::new(RefCell::new(vec![0.0; comes.len()]));
    let (sink, timebase) = (Rc::clone(&stays), chip.timebase());
    chip.on_departure(Box::new(move |departure| {
        let came = comes[departure.number as usize].0 as f64;
        sink.borrow_mut()[departure.number as usize] = timebase.nanoseconds(departure.at) - came;
    }));
    let limit = RunLimit { warmup_packets: Some(0), packets: u64::MAX / 2 };
    assert_eq!(chip.run(limit, &mut |_| ControlFlow::Continue(())), Outcome::TrafficEnded);
    stays.take()
}

#[track_caller]
fn agrees(what: &str, values: &[f64], expected: f64) {
    let interval = batch_means(values).expect("there are values enough");
    let error = interval.half_width / ERRORS_IN_HALF_WIDTH;
    let distance = (interval.mean - expected).abs() / error;
    assert!(distance < 3.0, "{what}: {} instead of {expected}, {distance} errors away", interval.mean);
    assert!(error < 0.05 * expected, "{what}: too short a run to tell");
}

const PACKETS: usize = 400_000;

#[test]
fn a_server_under_random_arrivals_makes_them_wait_as_m_d_1() {
    for load in [0.5, 0.8, 0.9] {
        let mut config = without_wires(small(1, 400));
        config.places = vec![place("sram", server(1_000_000, 0))];
        let program = Box::new(kit::Fixed(vec![(0, read(4)), (0, SEND)]));
        let stays = stays_ns(config, program, 1_000.0 / load, &vec![64; PACKETS]);
        let waits: Vec<f64> = stays.iter().map(|stay| stay - 1_000.0).collect();
        agrees(&format!("load {load}"), &waits, 1_000.0 * load / (2.0 * (1.0 - load)));
    }
}

#[test]
fn an_engine_with_exponential_work_is_m_m_1() {
    for load in [0.5, 0.8] {
        let mut random = stream(11, "work");
        let program = Asked(move |_: &mut PacketHead, _: &PacketInfo, steps: &mut Steps| {
            steps.compute((1_000.0 * random.exponential()).round() as u32);
            steps.push(0, SEND);
        });
        let stays =
            stays_ns(without_wires(small(1, 1)), Box::new(program), 1_000.0 / load, &vec![64; PACKETS]);
        agrees(&format!("load {load}"), &stays, 1_000.0 / (1.0 - load));
    }
}

#[test]
fn an_output_wire_with_sizes_of_any_kind_is_m_g_1() {
    let mut random = stream(17, "sizes");
    // Sizes are exponential, with an occasional packet of ten times the mean.
    let sizes: Vec<u32> = (0..PACKETS)
        .map(|_| {
            let large = if random.below(50) == 0 { 10.0 } else { 1.0 };
            1 + (500.0 * large * random.exponential()) as u32
        })
        .collect();
    let mean = |f: &dyn Fn(f64) -> f64| {
        sizes.iter().map(|&bytes| f(f64::from(bytes))).sum::<f64>() / sizes.len() as f64
    };
    let (first, second) = (mean(&|s| s), mean(&|s| s * s));
    let mut config = without_wires(small(1, 8));
    // A byte takes a nanosecond.
    config.ports[0].transmit.as_mut().unwrap().bits_per_second = 8_000_000_000;
    let load = 0.7;
    let gap_ns = first / load;
    let program = Box::new(kit::Fixed(vec![(0, SEND)]));
    let stays = stays_ns(config, program, gap_ns, &sizes);
    let waits: Vec<f64> = stays.iter().zip(&sizes).map(|(stay, &bytes)| stay - f64::from(bytes)).collect();
    agrees("wait for the wire", &waits, second / gap_ns / (2.0 * (1.0 - load)));
}

/// Returns the packets per nanosecond of a chip at which one always waits.
fn rate(mut config: ChipConfig, program: Box<dyn PacketProgram>, packets: u64) -> f64 {
    config.saturated = true;
    let source = Box::new(|| Some(Arrival { at_ns: 0, flow_hash: 1, head: head(64) }));
    let mut chip = Chip::new(config, vec![program], source).expect("the chip fits together");
    let limit = RunLimit { warmup_packets: Some(packets / 20), packets };
    assert_eq!(chip.run(limit, &mut |_| ControlFlow::Continue(())), Outcome::Completed);
    chip.counts().packets_out as f64 / chip.timebase().nanoseconds(chip.counts().duration)
}

#[test]
fn threads_of_fixed_work_reach_the_bound_of_the_machine_repair_model() {
    let (compute, service, latency) = (30, 20, 130);
    for threads in 1..10 {
        let mut config = without_wires(small(1, threads));
        config.places = vec![place("sram", server(service * 1_000, latency * 1_000))];
        let program = Box::new(kit::Fixed(vec![(compute, read(4)), (0, SEND)]));
        let found = rate(config, program, 5_000);
        let bound =
            (f64::from(threads) / (f64::from(compute) + latency as f64)).min(1.0 / f64::from(compute));
        assert!((found / bound - 1.0).abs() < 2e-3, "{threads} threads: {found} instead of {bound}");
    }
}

#[test]
fn threads_of_exponential_work_reach_what_mean_value_analysis_says() {
    let (compute, service) = (100.0, 150.0);
    for threads in [1, 2, 4, 8] {
        let mut config = without_wires(small(1, threads));
        // The service takes a nanosecond per requested byte, and the number of bytes is drawn.
        config.places = vec![place("sram", ServerConfig { byte_fs: 1_000_000, ..server(0, 0) })];
        let mut random = stream(23, "work");
        let program = Asked(move |_: &mut PacketHead, _: &PacketInfo, steps: &mut Steps| {
            let draw = |mean: f64, random: &mut linecard_sim::Stream| (mean * random.exponential()).round();
            steps.compute(draw(compute, &mut random) as u32);
            steps.access(TABLE, Access::Read, draw(service, &mut random) as u16, 0);
            steps.push(0, SEND);
        });
        let found = rate(config, Box::new(program), 300_000);
        let mut queues = [0.0, 0.0];
        let mut expected = 0.0;
        for n in 1..=threads {
            let stays = [compute * (1.0 + queues[0]), service * (1.0 + queues[1])];
            expected = f64::from(n) / (stays[0] + stays[1]);
            queues = stays.map(|stay| expected * stay);
        }
        assert!((found / expected - 1.0).abs() < 0.02, "{threads} threads: {found} instead of {expected}");
    }
}
