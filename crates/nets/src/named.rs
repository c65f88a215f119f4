//! The numbers of a net by the names of its parts.

use super::read::AnyNet;
use linecard_petri::Net;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers by name.
#[derive(JsonSchema, Serialize)]
pub struct NamedNumbers {
    /// Name of the net.
    pub net: String,
    /// Throughput of each transition in firings per time unit.
    pub throughput: BTreeMap<String, f64>,
    /// Number of tokens in each place, averaged over time.
    pub mean_tokens: BTreeMap<String, f64>,
}

/// The names of a net's parts.
pub(super) struct Names {
    pub net: String,
    pub places: Vec<String>,
    pub transitions: Vec<String>,
}

impl Names {
    pub fn of(net: &AnyNet) -> Self {
        match net {
            AnyNet::Plain(net) => Self::of_plain(net),
            AnyNet::Coloured(net) => Self {
                net: net.name.clone(),
                places: net.places.iter().map(|place| place.name.clone()).collect(),
                transitions: net.transition_names().map(str::to_owned).collect(),
            },
        }
    }

    fn of_plain(net: &Net) -> Self {
        Self {
            net: net.name.clone(),
            places: net.places.iter().map(|place| place.name.clone()).collect(),
            transitions: net.transitions.iter().map(|transition| transition.name.clone()).collect(),
        }
    }

    pub fn numbers(&self, throughput: &[f64], mean_tokens: &[f64]) -> NamedNumbers {
        NamedNumbers {
            net: self.net.clone(),
            throughput: by_name(&self.transitions, throughput.iter().copied()),
            mean_tokens: by_name(&self.places, mean_tokens.iter().copied()),
        }
    }
}

/// Returns values by name.
pub(super) fn by_name<T>(names: &[String], values: impl Iterator<Item = T>) -> BTreeMap<String, T> {
    names.iter().cloned().zip(values).collect()
}
