//! Replications of a net on all cores, with intervals.

use super::named::{NamedNumbers, Names, by_name};
use super::read::{AnyNet, NetSource, ask, read_net_until};
use super::wrong::{one_problem, petri};
use linecard_files::Error;
use linecard_jobs::spread;
use linecard_petri::{PetriError, Run, Simulated, simulate, simulate_coloured};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A mean over replications, and half the width of its 95 % interval.
#[derive(Clone, Copy)]
struct Estimate {
    mean: f64,
    /// `None` for a single replication.
    half_width: Option<f64>,
}

/// Results of several replications of a net: means, and the half-widths of their 95 % intervals (Student's t).
#[derive(JsonSchema, Serialize)]
pub struct SimulateReport {
    /// Throughputs and mean tokens.
    #[serde(flatten)]
    pub numbers: NamedNumbers,
    /// Half-width of the 95 % confidence interval of each throughput; `None` if only one replication was simulated.
    pub throughput_half_width: BTreeMap<String, Option<f64>>,
    /// Half-width of the 95 % interval of each value in `mean_tokens`.
    pub mean_tokens_half_width: BTreeMap<String, Option<f64>>,
    /// Number of busy servers of each timed transition, averaged over time.
    pub busy_servers: BTreeMap<String, f64>,
    /// Half-width of the 95 % interval of each value in `busy_servers`.
    pub busy_servers_half_width: BTreeMap<String, Option<f64>>,
    /// Reward per time unit for each transition that has a reward.
    pub rewards: BTreeMap<String, f64>,
    /// Half-width of the 95 % interval of each value in `rewards`.
    pub rewards_half_width: BTreeMap<String, Option<f64>>,
    /// For each place, the fractions of time with 0, 1, 2, ... tokens; the 65th fraction covers 64 or more tokens.
    pub occupancy: BTreeMap<String, Vec<f64>>,
    /// Maximum number of tokens in each place.
    pub most_tokens: BTreeMap<String, u32>,
    /// Number of replications, each with a different seed.
    pub replications: u32,
    /// Number of firings in all replications.
    pub firings: u64,
    /// Simulated time over which each replication takes its measurements.
    pub time: f64,
    /// Number of replications that ended in a dead marking.
    pub dead_replications: u32,
    /// Half-width of the 95 % interval, divided by the mean: the largest value among the places and transitions to
    /// which `accuracy` applies. `None` if only one replication was simulated.
    pub relative_half_width: Option<f64>,
}

/// The requested accuracy of a simulation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accuracy {
    /// The largest half-width of each interval, as a share of its mean.
    pub relative: f64,
    /// Most replications.
    pub most_replications: u32,
}

/// A request for a simulation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulateRequest {
    /// The net.
    pub net: NetSource,
    /// Time before statistics start.
    pub warmup: f64,
    /// Time with statistics.
    pub time: f64,
    /// Replications, each with a separate seed; the minimum if an accuracy is requested.
    pub replications: u32,
    /// Replications continue until this is reached.
    pub accuracy: Option<Accuracy>,
    /// Places and transitions whose accuracy counts; all, if there are none.
    pub of: Vec<String>,
    /// Seed of the first.
    pub seed: u64,
    /// Replications at the same time; 0 for one per core.
    pub threads: usize,
}

/// Simulates a net; the result does not depend on the threads. `tick` is called with the simulated time and the
/// requested time, in thousandths of a replication, and returns whether to stop.
///
/// # Errors
/// As [`read_net`](super::read_net), and if the net cannot be simulated, the request is invalid, or `tick` stops it.
pub fn simulate_net(
    request: &SimulateRequest,
    tick: &(dyn Fn(u64, u64) -> bool + Sync),
) -> Result<SimulateReport, Error> {
    let path = request.net.path.as_str();
    let sound = |number: f64| number.is_finite() && number >= 0.0;
    if !sound(request.warmup) || !sound(request.time) || request.time == 0.0 || request.replications == 0 {
        let found = format!(
            "found {} replications, each of length {} after a warm-up of {}; expected at least one replication, of \
             a length above 0",
            request.replications, request.time, request.warmup
        );
        return Err(one_problem("simulate", found));
    }
    if let Some(accuracy) = &request.accuracy {
        let fine = accuracy.relative > 0.0 && accuracy.relative < 1.0;
        if !fine || accuracy.most_replications < request.replications || request.replications < 2 {
            let found = format!(
                "found accuracy {} in {} to {} replications, expected an accuracy between 0 and 1, and at least 2 replications",
                accuracy.relative, request.replications, accuracy.most_replications
            );
            return Err(one_problem("simulate", found));
        }
    }
    let net = read_net_until(&request.net, &mut || ask(tick))?;
    let names = Names::of(&net);
    let unknown = |name: &&String| !names.places.contains(name) && !names.transitions.contains(name);
    if let Some(name) = request.of.iter().find(unknown) {
        return Err(one_problem(
            path,
            format!(
                "found {name:?} for --of, expected the name of a place or \
                 transition"
            ),
        ));
    }
    let mut runs: Vec<Simulated> = Vec::new();
    let mut wanted = request.replications;
    loop {
        let more = replications(request, &net, runs.len() as u32..wanted, tick)?;
        runs.extend(more);
        let widest = widest(&names, &runs, &request.of);
        let Some(accuracy) = &request.accuracy else { return Ok(report(&names, &runs, widest)) };
        let reached = widest.is_some_and(|widest| widest <= accuracy.relative);
        if reached || wanted >= accuracy.most_replications {
            return Ok(report(&names, &runs, widest));
        }
        // The number of replications grows by half until they suffice. Only results decide this, not the order in
        // which threads finish.
        wanted = (wanted + wanted.div_ceil(2)).min(accuracy.most_replications);
    }
}

/// Runs the replications with these numbers.
fn replications(
    request: &SimulateRequest,
    net: &AnyNet,
    numbers: std::ops::Range<u32>,
    tick: &(dyn Fn(u64, u64) -> bool + Sync),
) -> Result<Vec<Simulated>, Error> {
    let numbers: Vec<u32> = numbers.collect();
    let before = numbers.first().copied().unwrap_or(0);
    let total = u64::from(before + numbers.len() as u32) * 1000;
    let done = AtomicU64::new(u64::from(before) * 1000);
    let whole = request.warmup + request.time;
    // Replications with lower numbers run to their end, so that the reported failure does not depend on the order in
    // which threads finish.
    let failed = AtomicU32::new(u32::MAX);
    let replicate = |&number: &u32, stop: &AtomicBool| {
        let run = Run {
            warmup: request.warmup,
            time: request.time,
            seed: request.seed.wrapping_add(u64::from(number)),
        };
        let is_wanted = || !stop.load(Ordering::Relaxed) && number < failed.load(Ordering::Relaxed);
        let mut told = 0;
        let mut progress = |now: f64| {
            let part = (now / whole * 1000.0) as u64;
            done.fetch_add(part - told, Ordering::Relaxed);
            told = part;
            if is_wanted() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let measured = is_wanted().then(|| match net {
            AnyNet::Plain(net) => simulate(net, &run, &mut progress),
            AnyNet::Coloured(net) => simulate_coloured(net, &run, &mut progress),
        });
        done.fetch_add(1000 - told, Ordering::Relaxed);
        if matches!(measured, Some(Err(_))) {
            failed.fetch_min(number, Ordering::Relaxed);
        }
        measured
    };
    let mut look = |_| match tick(done.load(Ordering::Relaxed), total) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let runs = spread(&numbers, request.threads, &mut look, replicate).ok_or(Error::Interrupted)?;
    let runs: Result<Vec<Simulated>, PetriError> = runs.into_iter().flatten().collect();
    runs.map_err(|error| petri(&request.net.path, error))
}

/// Returns the widest interval relative to its mean, over the parts that count and are not always 0.
fn widest(names: &Names, runs: &[Simulated], of: &[String]) -> Option<f64> {
    if runs.len() < 2 {
        return None;
    }
    let counts = |name: &String| of.is_empty() || of.contains(name);
    let transitions = (0..names.transitions.len()).filter(|&t| counts(&names.transitions[t]));
    let places = (0..names.places.len()).filter(|&p| counts(&names.places[p]));
    let estimates = transitions.map(|t| over(runs, &|run| run.throughput[t]));
    let estimates = estimates.chain(places.map(|p| over(runs, &|run| run.mean_tokens[p])));
    let relative = estimates
        .filter(|estimate| estimate.mean > 0.0)
        .map(|estimate| estimate.half_width.unwrap_or(0.0) / estimate.mean);
    Some(relative.fold(0.0, f64::max))
}

fn over(runs: &[Simulated], value: &dyn Fn(&Simulated) -> f64) -> Estimate {
    estimate(&runs.iter().map(value).collect::<Vec<_>>())
}

fn report(names: &Names, runs: &[Simulated], relative_half_width: Option<f64>) -> SimulateReport {
    let (transitions, places) = (names.transitions.len(), names.places.len());
    let throughput: Vec<Estimate> = (0..transitions).map(|t| over(runs, &|run| run.throughput[t])).collect();
    let tokens: Vec<Estimate> = (0..places).map(|p| over(runs, &|run| run.mean_tokens[p])).collect();
    let busy: Vec<Estimate> = (0..transitions).map(|t| over(runs, &|run| run.busy_servers[t])).collect();
    let rewards: Vec<Estimate> = (0..transitions).map(|t| over(runs, &|run| run.rewards[t])).collect();
    let rewarded = names.transitions.iter().zip(&rewards).filter(|(_, estimate)| estimate.mean != 0.0);
    let means = |estimates: &[Estimate]| estimates.iter().map(|estimate| estimate.mean).collect::<Vec<_>>();
    let widths = |names: &[String], estimates: &[Estimate]| {
        by_name(names, estimates.iter().map(|estimate| estimate.half_width))
    };
    let most = |p: usize| runs.iter().map(|run| run.most_tokens[p]).max().unwrap_or(0);
    let occupancy = |p: usize| {
        let longest = runs.iter().map(|run| run.occupancy[p].len()).max().unwrap_or(0);
        let share = |cell: usize| runs.iter().filter_map(|run| run.occupancy[p].get(cell)).sum::<f64>();
        (0..longest).map(|cell| share(cell) / runs.len() as f64).collect::<Vec<f64>>()
    };
    SimulateReport {
        throughput_half_width: widths(&names.transitions, &throughput),
        mean_tokens_half_width: widths(&names.places, &tokens),
        busy_servers: by_name(&names.transitions, busy.iter().map(|estimate| estimate.mean)),
        busy_servers_half_width: widths(&names.transitions, &busy),
        rewards: rewarded.clone().map(|(name, estimate)| (name.clone(), estimate.mean)).collect(),
        rewards_half_width: rewarded.map(|(name, estimate)| (name.clone(), estimate.half_width)).collect(),
        occupancy: by_name(&names.places, (0..places).map(occupancy)),
        most_tokens: by_name(&names.places, (0..places).map(most)),
        numbers: names.numbers(&means(&throughput), &means(&tokens)),
        replications: runs.len() as u32,
        firings: runs.iter().map(|run| run.firings).sum(),
        time: runs.first().map_or(0.0, |run| run.time),
        dead_replications: runs.iter().filter(|run| run.dead).count() as u32,
        relative_half_width,
    }
}

/// Quantiles of Student's t at 97.5 % for 1 to 30 degrees of freedom; beyond, the normal quantile is close.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

fn estimate(values: &[f64]) -> Estimate {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return Estimate { mean, half_width: None };
    }
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
    let quantile = STUDENT.get(values.len() - 2).copied().unwrap_or(1.96);
    Estimate { mean, half_width: Some(quantile * (variance / count).sqrt()) }
}
