//! Exploration and solution of a net, by name.

use super::named::{NamedNumbers, Names};
use super::read::{AnyNet, NetSource, read_net_until};
use super::wrong::petri;
use linecard_files::Error;
use linecard_petri::{Explored, PetriError, Semiflows, Unfolded, explore_until, invariants, solve_until};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The most rows of the search for semiflows.
const MOST_ROWS: usize = 20_000;

/// Weights by name.
pub type Semiflow = BTreeMap<String, u64>;

/// Results of the search for all reachable markings; the search ignores the firing times of the net.
#[derive(JsonSchema, Serialize)]
pub struct ExploreReport {
    /// Name of the net.
    pub net: String,
    /// Number of places in the unfolded net.
    pub places: usize,
    /// Number of transitions in the unfolded net.
    pub transitions: usize,
    /// Number of arcs in the unfolded net.
    pub arcs: usize,
    /// What was found.
    #[serde(flatten)]
    pub explored: Explored,
    /// Maximum number of tokens in each place, in the markings found.
    pub bounds: BTreeMap<String, u64>,
    /// Places that the search proved to be unbounded before the search stopped.
    pub unbounded_places: Vec<String>,
    /// Minimal P-semiflows: weights of the places for which the weighted sum of all tokens is the same in every
    /// reachable marking. `None` if semiflows were not requested, or if the net has too many semiflows.
    pub place_invariants: Option<Vec<Semiflow>>,
    /// Minimal T-semiflows: firing counts of the transitions; a sequence of firings with these counts ends in the
    /// marking in which it began. `None` if semiflows were not requested, or if the net has too many semiflows.
    pub transition_invariants: Option<Vec<Semiflow>>,
}

/// Returns the place/transition net that a net is or unfolds to.
fn unfolded(path: &str, net: AnyNet, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Unfolded, Error> {
    match net {
        AnyNet::Coloured(net) => net.unfold_until(watch).map_err(|error| petri(path, error)),
        AnyNet::Plain(net) => Ok(Unfolded {
            place_of: (0..net.places.len() as u32).map(Some).collect(),
            transition_of: (0..net.transitions.len() as u32).collect(),
            net,
        }),
    }
}

/// Explores a net with `workers` workers (0: one per core). `progress` is called with the number of markings, and may
/// stop the exploration.
///
/// # Errors
/// As [`read_net`](super::read_net), and if the net cannot be unfolded or `progress` stopped it.
pub fn explore_net(
    source: &NetSource,
    most_markings: u64,
    with_invariants: bool,
    threads: usize,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<ExploreReport, Error> {
    let path = source.path.as_str();
    // While the net is read, no marking has been found.
    let mut reading = || progress(0);
    let net = read_net_until(source, &mut reading)?;
    let net = unfolded(path, net, &mut reading)?.net;
    let explored =
        explore_until(&net, most_markings, threads, progress).map_err(|error| petri(path, error))?;
    let bounds = net.places.iter().zip(&explored.bounds).map(|(place, &bound)| (place.name.clone(), bound));
    let unbounded = explored.unbounded.iter().map(|&place| net.places[place as usize].name.clone());
    let (mut place_invariants, mut transition_invariants) = (None, None);
    if with_invariants {
        let found = invariants(&net, MOST_ROWS, progress).map_err(|error| petri(path, error))?;
        place_invariants = named(&found.places, |at| &net.places[at as usize].name);
        transition_invariants = named(&found.transitions, |at| &net.transitions[at as usize].name);
    }
    Ok(ExploreReport {
        bounds: bounds.collect(),
        places: net.places.len(),
        transitions: net.transitions.len(),
        arcs: net.arcs.len(),
        unbounded_places: unbounded.collect(),
        place_invariants,
        transition_invariants,
        net: net.name.clone(),
        explored,
    })
}

fn named<'a>(flows: &Semiflows, name: impl Fn(u32) -> &'a String) -> Option<Vec<Semiflow>> {
    let flow = |flow: &Vec<(u32, u64)>| flow.iter().map(|&(at, weight)| (name(at).clone(), weight)).collect();
    flows.complete.then(|| flows.flows.iter().map(flow).collect())
}

/// The exact steady state of a net.
#[derive(JsonSchema, Serialize)]
pub struct SolveReport {
    /// Number of tangible markings, which are markings in which time passes.
    pub tangible_markings: u64,
    /// Number of vanishing markings, which are markings in which no time passes.
    pub vanishing_markings: u64,
    /// Throughputs and mean tokens.
    #[serde(flatten)]
    pub numbers: NamedNumbers,
}

/// Solves a net; for a coloured net, the numbers of the unfolded parts are added. `progress` is called with the
/// number of markings, and may stop the solution.
///
/// # Errors
/// As [`read_net`](super::read_net), and if the net has no steady state that can be solved for, or `progress` stopped
/// it.
pub fn solve_net(
    source: &NetSource,
    most_markings: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<SolveReport, Error> {
    let path = source.path.as_str();
    let mut reading = || progress(0);
    let net = read_net_until(source, &mut reading)?;
    let names = Names::of(&net);
    let unfolded = unfolded(path, net, &mut reading)?;
    let solved = solve_until(&unfolded.net, most_markings, progress)
        .map_err(|error: PetriError| petri(path, error))?;
    let (mut throughput, mut tokens) = (vec![0.0; names.transitions.len()], vec![0.0; names.places.len()]);
    for (&of, value) in unfolded.transition_of.iter().zip(&solved.throughput) {
        throughput[of as usize] += value;
    }
    // Each is a number, but their sum may exceed the largest one.
    if let Some((name, _)) = names.transitions.iter().zip(&throughput).find(|(_, sum)| !sum.is_finite()) {
        let text = format!("the throughput of transition {name:?} is too large for a number");
        return Err(petri(path, PetriError::Unsolvable(text)));
    }
    for (of, value) in unfolded.place_of.iter().zip(&solved.mean_tokens) {
        if let Some(of) = of {
            tokens[*of as usize] += value;
        }
    }
    Ok(SolveReport {
        tangible_markings: solved.tangible_markings,
        vanishing_markings: solved.vanishing_markings,
        numbers: names.numbers(&throughput, &tokens),
    })
}
