//! Petri nets from files: PNML, or TOML with `[[place]]`, `[[transition]]` and `[[arc]]`.

use crate::error::{ConfigProblem, Error};
use crate::preset::problem;
use linecard_petri::{
    Explored, Net, NetBuilder, PetriError, Run, Servers, Simulated, Solved, Timing, explore, read_pnml,
    simulate, solve,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetFile {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "description")]
    _description: String,
    /// What the numbers were made from; for readers.
    #[serde(default, rename = "parameters")]
    _parameters: BTreeMap<String, toml::Value>,
    /// Known results; for tests.
    #[serde(default, rename = "expected")]
    _expected: BTreeMap<String, toml::Value>,
    #[serde(default)]
    place: Vec<PlaceEntry>,
    #[serde(default)]
    transition: Vec<TransitionEntry>,
    #[serde(default)]
    arc: Vec<ArcEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceEntry {
    name: String,
    #[serde(default)]
    tokens: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransitionEntry {
    name: String,
    kind: String,
    rate: Option<f64>,
    delay: Option<f64>,
    weight: Option<f64>,
    priority: Option<u32>,
    servers: Option<ServersEntry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ServersEntry {
    Count(u32),
    Name(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArcEntry {
    from: String,
    to: String,
    #[serde(default = "one")]
    weight: u32,
    #[serde(default = "normal")]
    kind: String,
}

fn one() -> u32 {
    1
}

fn normal() -> String {
    "normal".to_owned()
}

/// Reads a net by the ending of its name: `.pnml` or `.xml`, else TOML.
///
/// # Errors
/// When it cannot be read; every problem of a TOML file that has the right shape.
pub fn read_net(path: &str) -> Result<Net, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|error| one_problem(path, format!("cannot read: {error}")))?;
    let ending = Path::new(path).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if matches!(ending.as_deref(), Some("pnml" | "xml")) {
        return read_pnml(&text).map_err(|error| petri(path, error));
    }
    let file: NetFile = toml::from_str(&text).map_err(|error| one_problem(path, error.to_string()))?;
    build(path, &file)
}

fn one_problem(path: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(path.to_owned(), "", message)] }
}

fn petri(path: &str, error: PetriError) -> Error {
    one_problem(path, error.to_string())
}

fn build(path: &str, file: &NetFile) -> Result<Net, Error> {
    let mut problems: Vec<ConfigProblem> = Vec::new();
    let mut net = NetBuilder::new(&file.name);
    let (mut places, mut transitions) = (BTreeMap::new(), BTreeMap::new());
    let mut keep = |what: String, result: Result<u32, String>| match result {
        Ok(number) => Some(number),
        Err(message) => {
            problems.push(problem(path.to_owned(), &what, message));
            None
        }
    };
    for place in &file.place {
        let added = net.place(&place.name, place.tokens).map_err(|error| error.to_string());
        if let Some(number) = keep(format!("place {}", place.name), added) {
            places.insert(place.name.as_str(), number);
        }
    }
    for entry in &file.transition {
        let added = timing(entry).and_then(|(timing, servers)| {
            net.transition(&entry.name, timing, servers).map_err(|error| error.to_string())
        });
        if let Some(number) = keep(format!("transition {}", entry.name), added) {
            transitions.insert(entry.name.as_str(), number);
        }
    }
    for arc in &file.arc {
        let (from, to) = (arc.from.as_str(), arc.to.as_str());
        let joined = match (places.get(from), transitions.get(to), transitions.get(from), places.get(to)) {
            (Some(&place), Some(&transition), ..) => match arc.kind.as_str() {
                "normal" => net.input(place, transition, arc.weight),
                "inhibitor" => net.inhibitor(place, transition, arc.weight),
                "reset" => net.reset(place, transition),
                other => {
                    let message = format!("found kind `{other}`, expected normal, inhibitor or reset");
                    keep(format!("arc {from} -> {to}"), Err(message));
                    continue;
                }
            },
            (_, _, Some(&transition), Some(&place)) if arc.kind == "normal" => {
                net.output(transition, place, arc.weight)
            }
            (_, _, Some(_), Some(_)) => {
                let message = format!("found kind `{}` to a place, expected normal", arc.kind);
                keep(format!("arc {from} -> {to}"), Err(message));
                continue;
            }
            _ => {
                let message = "expected a place and a transition of this net, in one order or the other";
                keep(format!("arc {from} -> {to}"), Err(message.to_owned()));
                continue;
            }
        };
        keep(format!("arc {from} -> {to}"), joined.map(|()| 0).map_err(|error| error.to_string()));
    }
    if !problems.is_empty() {
        return Err(Error::Config { problems });
    }
    net.build().map_err(|error| petri(path, error))
}

/// The time and the servers of a transition.
fn timing(entry: &TransitionEntry) -> Result<(Timing, Servers), String> {
    let numbers = [("rate", entry.rate), ("delay", entry.delay), ("weight", entry.weight)];
    let need = |name: &str| {
        let given = numbers.iter().find(|(other, _)| *other == name).and_then(|(_, number)| *number);
        given.ok_or_else(|| format!("kind {} needs `{name}`", entry.kind))
    };
    let allowed: &[&str] = match entry.kind.as_str() {
        "exp" => &["rate"],
        "det" => &["delay"],
        "imm" => &["weight"],
        other => return Err(format!("found kind `{other}`, expected exp, det or imm")),
    };
    if let Some((name, _)) = numbers.iter().find(|(name, number)| number.is_some() && !allowed.contains(name))
    {
        return Err(format!("kind {} has no `{name}`", entry.kind));
    }
    if entry.priority.is_some() && entry.kind != "imm" {
        return Err(format!("kind {} has no `priority`", entry.kind));
    }
    let timing = match entry.kind.as_str() {
        "exp" => Timing::Exponential { rate: need("rate")? },
        "det" => Timing::Deterministic { delay: need("delay")? },
        "imm" => {
            Timing::Immediate { weight: entry.weight.unwrap_or(1.0), priority: entry.priority.unwrap_or(0) }
        }
        other => return Err(format!("found kind `{other}`, expected exp, det or imm")),
    };
    let servers = match &entry.servers {
        None => Servers::Count(1),
        Some(ServersEntry::Count(count)) => Servers::Count(*count),
        Some(ServersEntry::Name(name)) if name == "inf" => Servers::Infinite,
        Some(ServersEntry::Name(name)) => {
            return Err(format!("found servers `{name}`, expected a number or inf"));
        }
    };
    Ok((timing, servers))
}

/// A net's names, and what exploration found.
#[derive(Serialize)]
pub struct ExploreReport {
    /// Name of the net.
    pub net: String,
    /// Places and their bounds.
    pub bounds: BTreeMap<String, u64>,
    /// Places, transitions and arcs.
    pub places: usize,
    /// See `places`.
    pub transitions: usize,
    /// See `places`.
    pub arcs: usize,
    /// What was found.
    #[serde(flatten)]
    pub explored: Explored,
}

/// Explores the net of a file.
///
/// # Errors
/// As [`read_net`].
pub fn explore_file(path: &str, most_markings: u64) -> Result<ExploreReport, Error> {
    let net = read_net(path)?;
    let explored = explore(&net, most_markings);
    let bounds = net.places.iter().zip(&explored.bounds).map(|(place, &bound)| (place.name.clone(), bound));
    Ok(ExploreReport {
        bounds: bounds.collect(),
        places: net.places.len(),
        transitions: net.transitions.len(),
        arcs: net.arcs.len(),
        net: net.name,
        explored,
    })
}

/// Numbers by name.
#[derive(Serialize)]
pub struct NamedNumbers {
    /// Name of the net.
    pub net: String,
    /// Firings in a unit of time.
    pub throughput: BTreeMap<String, f64>,
    /// Tokens averaged over time.
    pub mean_tokens: BTreeMap<String, f64>,
}

fn named(net: &Net, throughput: &[f64], mean_tokens: &[f64]) -> NamedNumbers {
    NamedNumbers {
        net: net.name.clone(),
        throughput: net.transitions.iter().map(|t| t.name.clone()).zip(throughput.iter().copied()).collect(),
        mean_tokens: net.places.iter().map(|p| p.name.clone()).zip(mean_tokens.iter().copied()).collect(),
    }
}

/// A steady state by name.
#[derive(Serialize)]
pub struct SolveReport {
    /// Markings in which time passes.
    pub tangible_markings: u64,
    /// Markings that are left at once.
    pub vanishing_markings: u64,
    /// Throughputs and mean tokens.
    #[serde(flatten)]
    pub numbers: NamedNumbers,
}

/// Solves the net of a file.
///
/// # Errors
/// As [`read_net`], and when the net has no steady state that can be solved for.
pub fn solve_file(path: &str, most_markings: u64) -> Result<SolveReport, Error> {
    let net = read_net(path)?;
    let solved: Solved = solve(&net, most_markings).map_err(|error| petri(path, error))?;
    Ok(SolveReport {
        tangible_markings: solved.tangible_markings,
        vanishing_markings: solved.vanishing_markings,
        numbers: named(&net, &solved.throughput, &solved.mean_tokens),
    })
}

/// A mean over replications, and half the width of its 95 % interval.
#[derive(Clone, Copy, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width; 0 for a single replication says nothing of accuracy.
    pub half_width: f64,
}

/// Replications of a net.
#[derive(Serialize)]
pub struct SimulateReport {
    /// Throughputs and mean tokens.
    #[serde(flatten)]
    pub numbers: NamedNumbers,
    /// Half widths of the 95 % intervals of the throughputs.
    pub throughput_half_width: BTreeMap<String, f64>,
    /// Half widths of the 95 % intervals of the mean tokens.
    pub mean_tokens_half_width: BTreeMap<String, f64>,
    /// Most tokens seen in a place.
    pub most_tokens: BTreeMap<String, u32>,
    /// Replications.
    pub replications: u32,
    /// Firings of all replications.
    pub firings: u64,
    /// Time with statistics of a replication.
    pub time: f64,
    /// Replications in which nothing was enabled any more.
    pub dead_replications: u32,
}

/// What is asked of a simulation.
#[derive(Clone, Debug)]
pub struct SimulateRequest {
    /// The net's file.
    pub path: String,
    /// Time before statistics start.
    pub warmup: f64,
    /// Time with statistics.
    pub time: f64,
    /// Replications, each with a seed of its own.
    pub replications: u32,
    /// Seed of the first.
    pub seed: u64,
    /// Replications at the same time; 0 stands for all cores.
    pub threads: usize,
}

/// Simulates the net of a file; the result does not depend on the threads.
///
/// # Errors
/// As [`read_net`], when the net cannot be simulated, or when `stop` says so.
pub fn simulate_file(
    request: &SimulateRequest,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<SimulateReport, Error> {
    let sound = |number: f64| number.is_finite() && number >= 0.0;
    if !sound(request.warmup) || !sound(request.time) || request.time == 0.0 || request.replications == 0 {
        let found = format!(
            "found {} replications of time {} after {}, expected at least one, of a time above 0",
            request.replications, request.time, request.warmup
        );
        return Err(one_problem("simulate", found));
    }
    let net = read_net(&request.path)?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if request.threads == 0 { cores } else { request.threads };
    let next = std::sync::atomic::AtomicU32::new(0);
    let runs = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.min(request.replications as usize) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if number >= request.replications || stop() {
                        break;
                    }
                    let seed = request.seed.wrapping_add(u64::from(number));
                    let run = Run { warmup: request.warmup, time: request.time, seed };
                    let mut progress =
                        |_| if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                    let measured = simulate(&net, &run, &mut progress);
                    runs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, measured));
                }
            });
        }
    });
    if stop() {
        return Err(Error::Interrupted);
    }
    let mut runs = runs.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    runs.sort_by_key(|(number, _)| *number);
    let runs: Result<Vec<Simulated>, PetriError> = runs.into_iter().map(|(_, measured)| measured).collect();
    let runs = runs.map_err(|error| petri(&request.path, error))?;
    Ok(report(&net, &runs))
}

fn report(net: &Net, runs: &[Simulated]) -> SimulateReport {
    let over = |values: &dyn Fn(&Simulated) -> f64| estimate(&runs.iter().map(values).collect::<Vec<_>>());
    let throughput: Vec<Estimate> =
        (0..net.transitions.len()).map(|t| over(&|run| run.throughput[t])).collect();
    let tokens: Vec<Estimate> = (0..net.places.len()).map(|p| over(&|run| run.mean_tokens[p])).collect();
    let means = |estimates: &[Estimate]| estimates.iter().map(|estimate| estimate.mean).collect::<Vec<_>>();
    let widths = |names: Vec<&String>, estimates: &[Estimate]| {
        names.into_iter().cloned().zip(estimates.iter().map(|estimate| estimate.half_width)).collect()
    };
    let most = |p: usize| runs.iter().map(|run| run.most_tokens[p]).max().unwrap_or(0);
    SimulateReport {
        throughput_half_width: widths(net.transitions.iter().map(|t| &t.name).collect(), &throughput),
        mean_tokens_half_width: widths(net.places.iter().map(|p| &p.name).collect(), &tokens),
        most_tokens: net.places.iter().enumerate().map(|(p, place)| (place.name.clone(), most(p))).collect(),
        numbers: named(net, &means(&throughput), &means(&tokens)),
        replications: runs.len() as u32,
        firings: runs.iter().map(|run| run.firings).sum(),
        time: runs.first().map_or(0.0, |run| run.time),
        dead_replications: runs.iter().filter(|run| run.dead).count() as u32,
    }
}

/// Quantiles of Student's t at 97.5 % for 1 to 30 degrees of freedom; beyond, the normal one is close.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

fn estimate(values: &[f64]) -> Estimate {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return Estimate { mean, half_width: 0.0 };
    }
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
    let quantile = STUDENT.get(values.len() - 2).copied().unwrap_or(1.96);
    Estimate { mean, half_width: quantile * (variance / count).sqrt() }
}
