//! PNML (ISO/IEC 15909-2): place/transition nets and symmetric nets.
//!
//! A symmetric net is unfolded: a place for each colour of its sort, a transition for each binding of its
//! variables whose guard holds. Names are ids, with `@` and the colours joined by points. Inhibitor and reset
//! arcs are not in the standard; the notations of GreatSPN, TAPAAL and pm4py are read. Any other type of arc is
//! an error, because a net without that arc would be another net.

mod bindings;
mod depth;
mod elements;
mod sorts;
mod terms;
mod write;

pub use write::{rewrite_pnml, write_pnml};

use crate::net::{Net, NetBuilder, Servers, Timing};
use crate::{ArcKind, PetriError};
use bindings::Bindings;
pub(crate) use elements::Watch;
use elements::{PARTS_PER_LOOK, attribute, child, children, parse, wrong};
use roxmltree::Node;
use rustc_hash::FxHashMap;
use sorts::{MOST_COLOURS, Sort, Sorts};
use std::ops::ControlFlow;
use terms::{Bag, Condition, Term, Variables};

/// Returns the number in the text of a label: in `<text>` or, in older files, `<value>`.
fn label(node: Node<'_, '_>, name: &str) -> Result<Option<u32>, PetriError> {
    let Some(label) = child(node, name) else { return Ok(None) };
    let text = child(label, "text").or_else(|| child(label, "value"));
    let text = text.and_then(|text| text.text()).unwrap_or("").trim();
    let count = default_class(text).unwrap_or(text);
    count.parse().map(Some).map_err(|_| wrong(label, format!("{text:?}"), "a whole number from 0"))
}

/// Returns the tokens of the class `Default` in `Default,1,red,0`, as PIPE writes numbers; `None` if another
/// class has tokens, which a place/transition net does not have.
fn default_class(text: &str) -> Option<&str> {
    let mut parts = text.split(',').map(str::trim);
    let mut of_default = None;
    while let (Some(class), Some(count)) = (parts.next(), parts.next()) {
        match class {
            "Default" if of_default.is_none() => of_default = Some(count),
            "" | "Default" => return None,
            _ if count == "0" => {}
            _ => return None,
        }
    }
    of_default.filter(|_| text.split(',').count().is_multiple_of(2))
}

/// Reads the first net of a PNML document.
///
/// # Errors
///
/// If it is no XML, no net of these kinds, or has unusable contents; with the line.
pub fn read_pnml(text: &str) -> Result<Net, PetriError> {
    // No watch stops it.
    read_pnml_until(text, &mut || ControlFlow::Continue(()))
}

/// As `read_pnml`; `watch` is called periodically and returns whether to continue, because a small file may
/// unfold to millions of transitions.
///
/// # Errors
///
/// As [`read_pnml`], and if `watch` ended it.
pub fn read_pnml_until(text: &str, watch: Watch<'_>) -> Result<Net, PetriError> {
    let document = parse(text)?;
    let root = document.root_element();
    let mut nets = children(root).filter(|node| node.tag_name().name() == "net");
    let net = nets.next().filter(|_| root.tag_name().name() == "pnml");
    let net =
        net.ok_or_else(|| wrong(root, format!("<{}>", root.tag_name().name()), "<pnml> with a <net>"))?;
    if let Some(second) = nets.next() {
        return Err(wrong(second, "a second <net>", "one <net>; move each further one to its own file"));
    }
    // Some tools write no type and mean a place/transition net, unless it contains parts of symmetric nets.
    let plain = || net.descendants().all(|node| !node.tag_name().name().starts_with("hlin"));
    let kind = match net.attribute("type") {
        None if plain() => "ptnet",
        None => attribute(net, "type")?,
        Some(kind) => kind.trim(),
    };
    let coloured = match kind.rsplit('/').next().unwrap_or("") {
        _ if kind.eq_ignore_ascii_case("P/T net") => false,
        "ptnet" | "pnmlcoremodel" => false,
        "symmetricnet" => true,
        _ if kind.ends_with("ptNetb") || kind.contains("PTNet") || kind.contains("pt-net") => false,
        _ => return Err(wrong(net, format!("a net of type {kind:?}"), "ptnet or symmetricnet")),
    };
    Reader::new(net, coloured, watch)?.read()
}

/// A place of the file: where its colours begin among the unfolded places.
struct FilePlace {
    sort: Sort,
    first: u32,
}

struct Reader<'a, 'i, 'w> {
    net: Node<'a, 'i>,
    coloured: bool,
    sorts: Sorts,
    builder: NetBuilder,
    places: FxHashMap<&'a str, FilePlace>,
    /// Reference places and transitions, and their targets.
    references: FxHashMap<&'a str, &'a str>,
    unfolded_places: u64,
    watch: Watch<'w>,
    /// Places and transitions made.
    parts: u64,
}

/// An arc of the file.
struct FileArc<'a, 'i> {
    node: Node<'a, 'i>,
    place: &'a str,
    kind: ArcKind,
}

impl<'a, 'i, 'w> Reader<'a, 'i, 'w> {
    fn new(net: Node<'a, 'i>, coloured: bool, watch: Watch<'w>) -> Result<Self, PetriError> {
        let name = net.attribute("id").unwrap_or("net");
        Ok(Self {
            net,
            coloured,
            sorts: Sorts::read(net)?,
            builder: NetBuilder::new(name),
            places: FxHashMap::default(),
            references: FxHashMap::default(),
            unfolded_places: 0,
            watch,
            parts: 0,
        })
    }

    fn elements(&self, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> + use<'a, 'i, 'w> {
        self.net.descendants().filter(move |node| node.is_element() && node.tag_name().name() == name)
    }

    fn read(mut self) -> Result<Net, PetriError> {
        for name in ["referencePlace", "referenceTransition"] {
            for node in self.elements(name) {
                self.references.insert(attribute(node, "id")?, attribute(node, "ref")?);
            }
        }
        for node in self.elements("place") {
            self.place(node)?;
        }
        let mut arcs: FxHashMap<&'a str, Vec<FileArc<'a, 'i>>> = FxHashMap::default();
        let transitions: Vec<_> = self.elements("transition").collect();
        for node in &transitions {
            arcs.insert(attribute(*node, "id")?, Vec::new());
        }
        for node in self.elements("arc") {
            let (source, target) =
                (self.real(attribute(node, "source")?), self.real(attribute(node, "target")?));
            let (place, transition, into) = if self.places.contains_key(source) {
                (source, target, true)
            } else {
                (target, source, false)
            };
            let list = arcs.get_mut(transition).filter(|_| self.places.contains_key(place));
            let Some(list) = list else {
                let found = format!("an arc from {source:?} to {target:?}");
                return Err(wrong(node, found, "an arc between a place and a transition of this net"));
            };
            list.push(FileArc { node, place, kind: arc_kind(node, into)? });
        }
        for node in transitions {
            let id = attribute(node, "id")?;
            let arcs = arcs.remove(id).unwrap_or_default();
            if self.coloured { self.unfold(node, id, &arcs)? } else { self.transition(node, id, &arcs)? }
        }
        self.builder.build()
    }

    /// Returns the target of an id.
    fn real(&self, mut id: &'a str) -> &'a str {
        // A chain of references longer than their number is a circle.
        for _ in 0..=self.references.len() {
            match self.references.get(id) {
                Some(&further) => id = further,
                None => break,
            }
        }
        id
    }

    fn place(&mut self, node: Node<'a, 'i>) -> Result<(), PetriError> {
        let id = attribute(node, "id")?;
        let sort = match child(node, "type").filter(|_| self.coloured) {
            Some(kind) => self.sorts.of(structure(kind)?)?,
            None => Sort::dot(),
        };
        let colours = sort.listed(&self.sorts, node)?;
        // The tool PIPE writes this label; 0 means no capacity.
        if let Some(capacity @ 1..) = label(node, "capacity")? {
            let instead = "no capacity; model the free space as a second place: adding a token to the \
                           first place takes one from the second";
            return Err(wrong(node, format!("a place with a capacity of {capacity}"), instead));
        }
        let tokens: Bag = match (self.coloured, child(node, "hlinitialMarking")) {
            (true, Some(marking)) => {
                let term = Term::read(structure(marking)?, &self.sorts)?;
                term.bag(&sort, &self.sorts, &Variables::default(), marking)?
            }
            (true, None) => Bag::default(),
            (false, _) => [(0, i64::from(label(node, "initialMarking")?.unwrap_or(0)))].into_iter().collect(),
        };
        self.unfolded_places += u64::from(colours);
        if self.unfolded_places > MOST_COLOURS && self.coloured {
            let found = format!("more than {} places after unfolding", self.unfolded_places);
            return Err(wrong(node, found, "at most a million"));
        }
        let mut first = 0;
        for colour in 0..colours {
            self.look()?;
            let name = if self.coloured {
                format!("{id}@{}", sort.name_of(colour, &self.sorts))
            } else {
                id.to_owned()
            };
            let held = tokens.get(&colour).copied().unwrap_or(0);
            let held =
                u32::try_from(held).map_err(|_| wrong(node, format!("{held} tokens"), "0 to 4294967295"))?;
            let number =
                self.builder.place(&name, held).map_err(|error| wrong(node, error, "a unique id"))?;
            first = if colour == 0 { number } else { first };
        }
        self.places.insert(id, FilePlace { sort, first });
        Ok(())
    }

    fn transition(
        &mut self,
        node: Node<'a, 'i>,
        id: &str,
        arcs: &[FileArc<'a, 'i>],
    ) -> Result<(), PetriError> {
        let (timing, servers) = write::timing(node)?.unwrap_or((Timing::Untimed, Servers::Count(1)));
        let added = self.builder.transition(id, timing, servers);
        let transition = added.map_err(|error| wrong(node, error, "a unique id"))?;
        for arc in arcs {
            let weight = label(arc.node, "inscription")?.unwrap_or(1);
            let place = self.places[arc.place].first;
            self.join(arc, place, transition, i64::from(weight))?;
        }
        Ok(())
    }

    fn join(
        &mut self,
        arc: &FileArc<'a, 'i>,
        place: u32,
        transition: u32,
        weight: i64,
    ) -> Result<(), PetriError> {
        let expected = "a weight of 1 to 4294967295";
        let weight = u32::try_from(weight).ok().filter(|&weight| weight > 0);
        let weight = weight.ok_or_else(|| wrong(arc.node, "another weight", expected))?;
        let joined = match arc.kind {
            ArcKind::Input => self.builder.input(place, transition, weight),
            ArcKind::Output => self.builder.output(transition, place, weight),
            ArcKind::Inhibitor => self.builder.inhibitor(place, transition, weight),
            ArcKind::Reset => self.builder.reset(place, transition),
        };
        joined.map_err(|error| wrong(arc.node, error, expected))
    }

    /// Adds a transition for each binding of its variables for which the guard holds.
    fn unfold(&mut self, node: Node<'a, 'i>, id: &str, arcs: &[FileArc<'a, 'i>]) -> Result<(), PetriError> {
        let guard = match child(node, "condition") {
            Some(condition) => Some(Condition::read(structure(condition)?, &self.sorts)?),
            None => None,
        };
        let mut terms = Vec::with_capacity(arcs.len());
        let mut names: Vec<String> = Vec::new();
        if let Some(guard) = &guard {
            guard.variables(&mut names);
        }
        for arc in arcs {
            let inscription = child(arc.node, "hlinscription");
            let inscription = inscription
                .ok_or_else(|| wrong(arc.node, "an arc without hlinscription", "an hlinscription"))?;
            let term = Term::read(structure(inscription)?, &self.sorts)?;
            term.variables(&mut names);
            terms.push(term);
        }
        names.sort();
        names.dedup();
        let mut variables = Vec::with_capacity(names.len());
        for name in names {
            let sort = self.sorts.of_variable(&name);
            let sort = sort.ok_or_else(|| wrong(node, format!("variable {name:?}"), "a declared one"))?;
            variables.push((name, sort));
        }
        let mut search = Bindings::new(&self.sorts, guard.as_ref(), node, &variables);
        search.find(&mut *self.watch)?;
        let found = search.into_found();
        let mut binding = Variables::default();
        for colours in &found {
            for ((name, sort), &colour) in variables.iter().zip(colours) {
                binding.set(name, sort.parts(colour, &self.sorts));
            }
            self.look()?;
            self.bound(node, id, arcs, &terms, &binding, (&variables, colours))?;
        }
        Ok(())
    }

    /// Returns whether to continue.
    fn look(&mut self) -> Result<(), PetriError> {
        self.parts += 1;
        if self.parts.is_multiple_of(PARTS_PER_LOOK) && (self.watch)().is_break() {
            return Err(PetriError::Interrupted);
        }
        Ok(())
    }

    fn bound(
        &mut self,
        node: Node<'a, 'i>,
        id: &str,
        arcs: &[FileArc<'a, 'i>],
        terms: &[Term],
        binding: &Variables,
        (variables, colours): (&[(String, Sort)], &[u32]),
    ) -> Result<(), PetriError> {
        let parts: Vec<String> = variables
            .iter()
            .zip(colours)
            .map(|((_, sort), &colour)| sort.name_of(colour, &self.sorts))
            .collect();
        let name = if parts.is_empty() { id.to_owned() } else { format!("{id}@{}", parts.join(".")) };
        let added = self.builder.transition(&name, Timing::Untimed, Servers::Count(1));
        let transition = added.map_err(|error| wrong(node, error, "a unique id"))?;
        for (arc, term) in arcs.iter().zip(terms) {
            let place = &self.places[arc.place];
            let bag = term.bag(&place.sort, &self.sorts, binding, arc.node)?;
            let first = place.first;
            let mut held: Vec<(u32, i64)> = bag.into_iter().filter(|&(_, count)| count != 0).collect();
            held.sort_unstable();
            for (colour, count) in held {
                self.join(arc, first + colour, transition, count)?;
            }
        }
        Ok(())
    }
}

/// Returns the structure of a label of a symmetric net, which holds its meaning.
fn structure<'a, 'i>(label: Node<'a, 'i>) -> Result<Node<'a, 'i>, PetriError> {
    let inner = child(label, "structure").and_then(|structure| children(structure).next());
    inner.ok_or_else(|| {
        wrong(label, format!("<{}> without structure", label.tag_name().name()), "<structure>")
    })
}

fn arc_kind(node: Node<'_, '_>, into: bool) -> Result<ArcKind, PetriError> {
    let written = node
        .attribute("type")
        .or_else(|| child(node, "type").and_then(|kind| kind.attribute("value")))
        .or_else(|| child(node, "arctype").and_then(|kind| child(kind, "text")).and_then(|text| text.text()))
        .map(str::trim);
    match (written, into) {
        (None | Some("normal"), true) => Ok(ArcKind::Input),
        (None | Some("normal"), false) => Ok(ArcKind::Output),
        (Some("inhibitor" | "tapnInhibitor"), true) => Ok(ArcKind::Inhibitor),
        (Some("reset"), _) => Ok(ArcKind::Reset),
        (Some(other), _) => Err(wrong(
            node,
            format!("an arc of type {other:?}"),
            "type normal or reset, or type inhibitor on an arc from a place",
        )),
    }
}
