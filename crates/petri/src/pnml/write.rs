//! Writes PNML: a place/transition net from its parts, or a document as it was read.
//!
//! The standard has no times. They are in `<toolspecific tool="linecard">` of a transition, which the reader
//! knows.

use super::elements::{attribute, child, children, parse, wrong};
use crate::PetriError;
use crate::net::{ArcKind, Net, Servers, Timing};
use roxmltree::Node;
use std::fmt::Write as _;

/// The tool whose blocks hold times.
pub(super) const TOOL: &str = "linecard";
const PT_NET: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// Writes a place/transition net.
#[must_use]
pub fn write_pnml(net: &Net) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let id = escaped(&net.name);
    // Writing into a string does not fail.
    let _ = writeln!(out, "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">");
    let _ = writeln!(out, "  <net id=\"{id}\" type=\"{PT_NET}\">\n    <page id=\"page\">");
    for place in &net.places {
        let id = escaped(&place.name);
        let _ = write!(out, "      <place id=\"{id}\">{}", label("name", &place.name));
        if place.tokens > 0 {
            out.push_str(&label("initialMarking", &place.tokens.to_string()));
        }
        out.push_str("</place>\n");
    }
    for transition in &net.transitions {
        let id = escaped(&transition.name);
        let _ = write!(out, "      <transition id=\"{id}\">{}", label("name", &transition.name));
        if transition.timing != Timing::Untimed {
            let _ = write!(
                out,
                "<toolspecific tool=\"{TOOL}\" version=\"1\"><timing kind=\"{}\"",
                transition.timing.kind()
            );
            let _ = match &transition.timing {
                Timing::Untimed => Ok(()),
                Timing::Immediate { weight, priority } => {
                    write!(out, " weight=\"{weight:?}\" priority=\"{priority}\"")
                }
                Timing::Exponential { rate } => write!(out, " rate=\"{rate:?}\""),
                Timing::Deterministic { delay } => write!(out, " delay=\"{delay:?}\""),
                Timing::Uniform { low, high } => write!(out, " low=\"{low:?}\" high=\"{high:?}\""),
                Timing::Erlang { stages, rate } => write!(out, " stages=\"{stages}\" rate=\"{rate:?}\""),
                Timing::Empirical { values, upto } => {
                    write!(out, " values=\"{}\" upto=\"{}\"", numbers(values), numbers(upto))
                }
            };
            let _ = match transition.servers {
                Servers::Count(count) => write!(out, " servers=\"{count}\""),
                Servers::Infinite => write!(out, " servers=\"inf\""),
            };
            out.push_str("/></toolspecific>");
        }
        out.push_str("</transition>\n");
    }
    for (number, arc) in net.arcs.iter().enumerate() {
        let place = escaped(&net.places[arc.place as usize].name);
        let transition = escaped(&net.transitions[arc.transition as usize].name);
        let (from, to) =
            if arc.kind == ArcKind::Output { (&transition, &place) } else { (&place, &transition) };
        let _ = write!(out, "      <arc id=\"arc{number}\" source=\"{from}\" target=\"{to}\">");
        if arc.weight != 1 {
            out.push_str(&label("inscription", &arc.weight.to_string()));
        }
        match arc.kind {
            ArcKind::Inhibitor => out.push_str("<type value=\"inhibitor\"/>"),
            ArcKind::Reset => out.push_str("<type value=\"reset\"/>"),
            ArcKind::Input | ArcKind::Output => (),
        }
        out.push_str("</arc>\n");
    }
    out.push_str("    </page>\n  </net>\n</pnml>\n");
    out
}

fn label(name: &str, text: &str) -> String {
    format!("<{name}><text>{}</text></{name}>", escaped(text))
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", letter as u32);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// Writes a document as it was read, including the contents of other tools.
///
/// # Errors
///
/// If it is no XML.
pub fn rewrite_pnml(text: &str) -> Result<String, PetriError> {
    let document = parse(text)?;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    for node in document.root().children() {
        element(node, &mut out);
        out.push('\n');
    }
    Ok(out)
}

/// Writes a node and its contents; iteratively, so that any depth is possible.
fn element(root: Node<'_, '_>, out: &mut String) {
    let mut stack = vec![(root, false)];
    while let Some((node, opened)) = stack.pop() {
        if opened {
            let _ = write!(out, "</{}>", qualified(node));
            continue;
        }
        open(node, out);
        if node.has_children() {
            stack.push((node, true));
            // The last goes onto the stack first.
            stack.extend(node.children().rev().map(|child| (child, false)));
        }
    }
}

fn open(node: Node<'_, '_>, out: &mut String) {
    if node.is_text() {
        out.push_str(&escaped_text(node.text().unwrap_or("")));
    } else if node.is_comment() {
        let _ = write!(out, "<!--{}-->", node.text().unwrap_or(""));
    } else if let Some(pi) = node.pi() {
        let _ = write!(out, "<?{} {}?>", pi.target, pi.value.unwrap_or(""));
    } else if node.is_element() {
        let _ = write!(out, "<{}", qualified(node));
        let outer: Vec<_> = node.parent().map(|parent| parent.namespaces().collect()).unwrap_or_default();
        for space in node.namespaces().filter(|space| space.uri() != "http://www.w3.org/XML/1998/namespace") {
            let known = outer.iter().any(|other| other.name() == space.name() && other.uri() == space.uri());
            if !known {
                let _ = match space.name() {
                    Some(prefix) => write!(out, " xmlns:{prefix}=\"{}\"", escaped(space.uri())),
                    None => write!(out, " xmlns=\"{}\"", escaped(space.uri())),
                };
            }
        }
        for attribute in node.attributes() {
            let prefix = attribute.namespace().and_then(|uri| node.lookup_prefix(uri));
            let name = attribute.name();
            let _ = match prefix {
                Some(prefix) => write!(out, " {prefix}:{name}=\"{}\"", escaped(attribute.value())),
                None => write!(out, " {name}=\"{}\"", escaped(attribute.value())),
            };
        }
        out.push_str(if node.has_children() { ">" } else { "/>" });
    }
}

fn escaped_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;")
}

fn qualified(node: Node<'_, '_>) -> String {
    let name = node.tag_name().name();
    // An element without a prefix is in the default namespace.
    match node
        .tag_name()
        .namespace()
        .and_then(|uri| node.lookup_prefix(uri))
        .filter(|prefix| !prefix.is_empty())
    {
        Some(prefix) if node.default_namespace() != node.tag_name().namespace() => format!("{prefix}:{name}"),
        _ => name.to_owned(),
    }
}

/// Returns the time and servers of a transition, if this tool wrote them.
pub(super) fn timing(node: Node<'_, '_>) -> Result<Option<(Timing, Servers)>, PetriError> {
    let ours = |block: &Node<'_, '_>| {
        block.tag_name().name() == "toolspecific" && block.attribute("tool") == Some(TOOL)
    };
    let Some(block) = children(node).find(ours).and_then(|block| child(block, "timing")) else {
        return Ok(None);
    };
    let real = |name: &str| {
        let text = attribute(block, name)?;
        text.parse::<f64>().map_err(|_| wrong(block, format!("{name} {text:?}"), "a number"))
    };
    let whole = |name: &str| {
        let text = attribute(block, name)?;
        text.parse::<u32>().map_err(|_| wrong(block, format!("{name} {text:?}"), "a whole number"))
    };
    let list = |name: &str| {
        let text = attribute(block, name)?;
        let values: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
        values.map_err(|_| wrong(block, format!("{name} {text:?}"), "numbers"))
    };
    let timing = match attribute(block, "kind")? {
        "imm" => Timing::Immediate { weight: real("weight")?, priority: whole("priority")? },
        "exp" => Timing::Exponential { rate: real("rate")? },
        "det" => Timing::Deterministic { delay: real("delay")? },
        "uniform" => Timing::Uniform { low: real("low")?, high: real("high")? },
        "erlang" => Timing::Erlang { stages: whole("stages")?, rate: real("rate")? },
        "empirical" => {
            let (values, upto) = (list("values")?, list("upto")?);
            let rises = upto.windows(2).all(|pair| pair[0] <= pair[1]);
            let fine = values.iter().all(|value| value.is_finite() && *value >= 0.0);
            if values.len() != upto.len() || !rises || !fine {
                return Err(wrong(
                    block,
                    "these values",
                    "times of at least 0, and one cumulative probability for each time, in ascending order",
                ));
            }
            Timing::Empirical { values: values.into(), upto: upto.into() }
        }
        other => {
            return Err(wrong(
                block,
                format!("kind {other:?}"),
                "imm, exp, det, uniform, erlang or empirical",
            ));
        }
    };
    let servers = match attribute(block, "servers")? {
        "inf" => Servers::Infinite,
        _ => Servers::Count(whole("servers")?),
    };
    Ok(Some((timing, servers)))
}
