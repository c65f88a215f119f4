//! Views of a net: its parts for a picture, its firings one by one, and the net as PNML.

use super::pnml;
use super::read::{AnyNet, NetSource, ask, read_net_until};
use super::wrong::{one_problem, petri};
use linecard_files::{Error, bounded};
use linecard_petri::{ArcKind, Choice, ColouredNet, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::Path;

/// A place: its name, the colour of its tokens, whether it is a queue, and its initial number of tokens.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "PlacePart")]
pub struct PlaceView {
    /// Name.
    pub name: String,
    /// Colour of the place's tokens.
    pub colour: String,
    /// Whether the place is a first-in, first-out queue.
    pub queue: bool,
    /// Initial number of tokens.
    pub tokens: u64,
}

/// A transition: its name, its firing time and guard as written in the file, and whether it is immediate.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TransitionPart")]
pub struct TransitionView {
    /// Name.
    pub name: String,
    /// Short description of the firing time.
    pub time: String,
    /// Guard.
    pub guard: String,
    /// Whether the transition is immediate, which means that it fires in zero time.
    pub immediate: bool,
}

/// An input, output, inhibitor or reset arc, with the numbers of the place and the transition that the arc
/// connects.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ArcPart")]
pub struct ArcView {
    /// Number of the place that the arc connects.
    pub place: u32,
    /// Number of the transition that the arc connects.
    pub transition: u32,
    /// Kind of the arc: `input`, `output`, `inhibitor` or `reset`.
    pub kind: &'static str,
    /// Inscription of the arc, which describes the tokens that the arc moves or tests.
    pub text: String,
}

/// The parts of a net, including its modules.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NetParts")]
pub struct NetView {
    /// Name.
    pub net: String,
    /// The places, in the order of their numbers.
    pub places: Vec<PlaceView>,
    /// The transitions, in the order of their numbers.
    pub transitions: Vec<TransitionView>,
    /// Arcs.
    pub arcs: Vec<ArcView>,
}

fn coloured(source: &NetSource, tick: &dyn Fn(u64, u64) -> bool) -> Result<ColouredNet, Error> {
    read_net_until(source, &mut || ask(tick))?.into_coloured().map_err(|error| petri(&source.path, error))
}

/// Returns the parts of a net, with its modules. `tick` returns whether to stop.
///
/// # Errors
/// As [`read_net`](super::read_net), and if `tick` stops it.
pub fn view_net(source: &NetSource, tick: &dyn Fn(u64, u64) -> bool) -> Result<NetView, Error> {
    let net = coloured(source, tick)?;
    let place = |place: &linecard_petri::ColouredPlace| PlaceView {
        name: place.name.clone(),
        colour: place.colour.describe(),
        queue: place.choice == Choice::Fifo,
        tokens: place.count(),
    };
    let transitions = net.transition_names().enumerate().map(|(number, name)| {
        let (guard, time) = net.transition_texts(number);
        let (guard, time) = (guard.to_owned(), time.to_owned());
        TransitionView { name: name.to_owned(), time, guard, immediate: net.is_immediate(number) }
    });
    let arcs = net.arcs.iter().map(|arc| ArcView {
        place: arc.place,
        transition: arc.transition,
        kind: match arc.kind {
            ArcKind::Input => "input",
            ArcKind::Output => "output",
            ArcKind::Inhibitor => "inhibitor",
            ArcKind::Reset => "reset",
        },
        text: arc.text.clone(),
    });
    Ok(NetView {
        net: net.name.clone(),
        places: net.places.iter().map(place).collect(),
        transitions: transitions.collect(),
        arcs: arcs.collect(),
    })
}

/// A firing: time, transition, values of the variables, and tokens in each place after the firing.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Firing")]
pub struct FiringView {
    /// When.
    pub time: f64,
    /// Number of the transition that fires.
    pub transition: u32,
    /// Variables.
    pub binding: String,
    /// Number of tokens in each place after the firing.
    pub tokens: Vec<u32>,
}

/// The firings of a run to return.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRequest {
    /// Seed of the run.
    pub seed: u64,
    /// Firings that are skipped.
    pub first: u64,
    /// The most firings.
    pub most: usize,
    /// The time at which the run ends.
    pub time: f64,
}

/// Returns the firings of a run, in order. `tick` returns whether to stop.
///
/// # Errors
/// As [`read_net`](super::read_net), and if the net cannot be simulated, or `tick` stops it.
pub fn trace_net(
    source: &NetSource,
    request: &TraceRequest,
    tick: &dyn Fn(u64, u64) -> bool,
) -> Result<Vec<FiringView>, Error> {
    if !(request.time.is_finite() && request.time > 0.0) {
        return Err(one_problem("trace", format!("found time {}, expected a time above 0", request.time)));
    }
    let net = coloured(source, tick)?;
    let run = Run { warmup: 0.0, time: request.time, seed: request.seed };
    let (mut number, mut firings, mut stopped) = (0u64, Vec::new(), false);
    let watched = net.watch(&run, &mut |firing| {
        number += 1;
        stopped = number.is_multiple_of(1 << 14) && tick(number, request.first + request.most as u64);
        if number > request.first {
            firings.push(FiringView {
                time: firing.time,
                transition: firing.transition,
                binding: (firing.binding)(),
                tokens: firing.tokens.to_vec(),
            });
        }
        if stopped || firings.len() >= request.most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    watched.map_err(|error| petri(&source.path, error))?;
    if stopped { Err(Error::Interrupted) } else { Ok(firings) }
}

/// Returns a net as PNML. A PNML file keeps its content, with everything that other tools added; a place/transition
/// net has its times; a coloured net must be unfolded. `tick` returns whether to stop.
///
/// # Errors
/// As [`read_net`](super::read_net), and if a coloured net is not to be unfolded or cannot be, or if `tick` stops it.
pub fn net_to_pnml(
    source: &NetSource,
    unfold: bool,
    tick: &dyn Fn(u64, u64) -> bool,
) -> Result<String, Error> {
    let path = source.path.as_str();
    let ending = Path::new(path).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let net = read_net_until(source, &mut || ask(tick))?;
    if source.text.is_none() && !unfold && matches!(ending.as_deref(), Some("pnml" | "xml")) {
        let text = bounded::read_text(path, bounded::MOST_INPUT_BYTES)
            .map_err(|error| one_problem(path, format!("cannot read: {error}")))?;
        return pnml::rewrite(path, &text);
    }
    match net {
        AnyNet::Plain(net) => pnml::write(path, &net),
        AnyNet::Coloured(net) if unfold => {
            let unfolded = net.unfold_until(&mut || ask(tick)).map_err(|error| petri(path, error))?;
            pnml::write(path, &unfolded.net)
        }
        AnyNet::Coloured(_) => {
            let message = "found a coloured net, expected a net without colours, or the option --unfold; \
                           PNML cannot represent Linecard's expressions";
            Err(one_problem(path, message.to_owned()))
        }
    }
}
