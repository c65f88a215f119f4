//! The values that tokens carry, by name or by text.

use super::said::Described;
use super::wrong::in_words;
use linecard_config::nearest;
use linecard_petri::{Colour, ColouredBuilder, Constant};
use std::collections::BTreeMap;

/// The deepest nesting of records.
const DEEPEST: usize = 16;

/// Returns a colour by its name or its text: `dot`, `int`, `bool`, `low..high`.
pub(super) fn colour(
    net: &mut ColouredBuilder,
    text: &str,
    all: &BTreeMap<String, Described>,
    known: &mut BTreeMap<String, Colour>,
    depth: usize,
) -> Result<Colour, String> {
    if let Some(colour) = known.get(text) {
        return Ok(colour.clone());
    }
    let Some(described) = all.get(text) else {
        return match (text.trim(), text.split_once("..")) {
            ("dot", _) => Ok(Colour::Dot),
            ("int", _) => Ok(Colour::ANY_INT),
            ("bool", _) => Ok(Colour::Bool),
            (_, Some((low, high))) => {
                let bound = |text: &str| match net.value(text) {
                    Ok(Constant::Int(value)) => Ok(value),
                    Ok(_) => Err(format!("found {text:?}, expected a whole number")),
                    Err(error) => Err(in_words(&error).1),
                };
                let (low, high) = (bound(low)?, bound(high)?);
                if low > high {
                    return Err(format!(
                        "found {text:?}, the empty range {low}..{high}, expected at least one number"
                    ));
                }
                Ok(Colour::Int { low, high })
            }
            _ => {
                let names: Vec<&str> = all.keys().chain(known.keys()).map(String::as_str).collect();
                let near = nearest(text, names.iter().copied());
                Err(format!(
                    "found {text:?}, expected dot, int, bool, low..high, or a colour: {}{near}",
                    names.join(", ")
                ))
            }
        };
    };
    if depth > DEEPEST {
        return Err(format!("found {text:?} inside itself, expected a record that does not contain itself"));
    }
    let colour = match described {
        Described::Text(inner) if inner != text => colour(net, inner, all, known, depth + 1)?,
        Described::Text(_) => {
            return Err(format!("found {text:?} defined as itself, expected another colour"));
        }
        Described::Words(words) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            net.enumeration(&words).map_err(|error| error.to_string())?
        }
        Described::Fields(fields) => {
            let mut record = Vec::new();
            for (name, text) in fields {
                record.push((name.clone(), colour(net, text, all, known, depth + 1)?));
            }
            Colour::record(record)
        }
    };
    known.insert(text.to_owned(), colour.clone());
    Ok(colour)
}
