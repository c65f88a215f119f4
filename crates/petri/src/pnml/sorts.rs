//! Sorts of a symmetric net, and their colours by number.

use super::elements::{attribute, child, children, wrong};
use crate::PetriError;
use roxmltree::Node;
use rustc_hash::FxHashMap;

/// Colours of a sort of which a place holds tokens, or of which all are meant.
pub(super) const MOST_COLOURS: u64 = 1_000_000;
/// Simple sorts side by side: a product of products that doubles at each step ends here.
const MOST_PARTS: usize = 256;

/// A sort as simple sorts side by side: a product has several, the sort of black tokens has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sort {
    parts: Vec<usize>,
}

/// A simple sort: its colours in order of declaration.
#[derive(Clone, Debug)]
struct Simple {
    colours: Vec<String>,
    /// Whether its colours have successors and predecessors.
    is_ordered: bool,
}

/// Everything declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorts {
    simple: Vec<Simple>,
    named: FxHashMap<String, Sort>,
    /// Colours by id: simple sort and number.
    constants: FxHashMap<String, (usize, u32)>,
    /// First and last of ranges of whole numbers, and their simple sort.
    ranges: Vec<(i64, i64, usize)>,
    variables: FxHashMap<String, Sort>,
}

impl Sort {
    /// Returns the sort of black tokens.
    pub fn dot() -> Self {
        Self::default()
    }

    /// Returns a simple sort by its number.
    pub fn simple(number: usize) -> Self {
        Self { parts: vec![number] }
    }

    /// Returns the number of colours; for a product too large to count, the largest number.
    pub fn size(&self, sorts: &Sorts) -> u64 {
        let sizes = self.parts.iter().map(|&part| sorts.simple[part].colours.len() as u64);
        sizes.fold(1, u64::saturating_mul)
    }

    /// Returns the colours of the simple sorts of which a colour consists; the last one varies fastest.
    pub fn parts(&self, mut colour: u32, sorts: &Sorts) -> Vec<(usize, u32)> {
        let mut parts: Vec<(usize, u32)> = Vec::with_capacity(self.parts.len());
        for &part in self.parts.iter().rev() {
            let size = sorts.simple[part].colours.len() as u32;
            parts.push((part, colour % size));
            colour /= size;
        }
        parts.reverse();
        parts
    }

    /// Returns the number of a colour; `None` if it is of another sort, or its number is too large.
    pub fn number(&self, parts: &[(usize, u32)], sorts: &Sorts) -> Option<u32> {
        if parts.len() != self.parts.len()
            || parts.iter().zip(&self.parts).any(|(part, sort)| part.0 != *sort)
        {
            return None;
        }
        parts.iter().try_fold(0u32, |number, &(sort, colour)| {
            number.checked_mul(sorts.simple[sort].colours.len() as u32)?.checked_add(colour)
        })
    }

    /// Returns the number of colours, if all can be listed.
    ///
    /// # Errors
    /// When there are too many.
    pub fn listed(&self, sorts: &Sorts, at: Node<'_, '_>) -> Result<u32, PetriError> {
        let size = self.size(sorts);
        let fits = u32::try_from(size).ok().filter(|_| size <= MOST_COLOURS);
        fits.ok_or_else(|| wrong(at, format!("a sort of {size} colours"), "at most a million"))
    }

    /// Returns the name of a colour: its parts joined by dots.
    pub fn name_of(&self, colour: u32, sorts: &Sorts) -> String {
        if self.parts.is_empty() {
            return "dot".to_owned();
        }
        let names = self.parts(colour, sorts);
        let names: Vec<&str> = names
            .iter()
            .map(|&(sort, colour)| sorts.simple[sort].colours[colour as usize].as_str())
            .collect();
        names.join(".")
    }
}

impl Sorts {
    /// Reads all declarations of a net.
    pub fn read(net: Node<'_, '_>) -> Result<Self, PetriError> {
        let mut sorts = Self::default();
        sorts.named.insert("dot".to_owned(), Sort::dot());
        let named: Vec<_> = net.descendants().filter(|node| node.tag_name().name() == "namedsort").collect();
        // A product may precede its parts: a sort that cannot be read yet is tried again.
        let mut waiting = named;
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for node in waiting {
                let id = attribute(node, "id")?;
                let inner =
                    children(node).next().ok_or_else(|| wrong(node, "an empty sort", "its definition"))?;
                if sorts.is_known(inner) {
                    let sort = sorts.define(inner)?;
                    sorts.named.insert(id.to_owned(), sort);
                } else {
                    later.push(node);
                }
            }
            if later.len() == before {
                return Err(wrong(later[0], "a sort that uses an undeclared sort", "declared sorts"));
            }
            waiting = later;
        }
        for node in net.descendants().filter(|node| node.tag_name().name() == "variabledecl") {
            let inner =
                children(node).next().ok_or_else(|| wrong(node, "a variable without a sort", "one"))?;
            let sort = sorts.of(inner)?;
            sorts.variables.insert(attribute(node, "id")?.to_owned(), sort);
        }
        Ok(sorts)
    }

    /// Returns whether a definition's parts are declared.
    fn is_known(&self, node: Node<'_, '_>) -> bool {
        match node.tag_name().name() {
            "usersort" => node.attribute("declaration").is_some_and(|name| self.named.contains_key(name)),
            "productsort" => children(node).all(|part| self.is_known(part)),
            _ => true,
        }
    }

    fn define(&mut self, node: Node<'_, '_>) -> Result<Sort, PetriError> {
        match node.tag_name().name() {
            "cyclicenumeration" | "finiteenumeration" => {
                let number = self.simple.len();
                let mut colours = Vec::new();
                for constant in children(node).filter(|child| child.tag_name().name() == "feconstant") {
                    let id = attribute(constant, "id")?;
                    self.constants.insert(id.to_owned(), (number, colours.len() as u32));
                    colours.push(id.to_owned());
                }
                self.simple(node, colours, node.tag_name().name() == "cyclicenumeration")
            }
            "finiteintrange" => {
                let bound = |name| -> Result<i64, PetriError> {
                    let text = attribute(node, name)?;
                    text.parse().map_err(|_| wrong(node, format!("{name} {text:?}"), "a whole number"))
                };
                let (first, last) = (bound("start")?, bound("end")?);
                if last < first || last.checked_sub(first).is_none_or(|wide| wide > 1_000_000) {
                    return Err(wrong(
                        node,
                        format!("a range from {first} to {last}"),
                        "1 to a million numbers",
                    ));
                }
                self.ranges.push((first, last, self.simple.len()));
                self.simple(node, (first..=last).map(|number| number.to_string()).collect(), true)
            }
            _ => self.of(node),
        }
    }

    fn simple(
        &mut self,
        node: Node<'_, '_>,
        colours: Vec<String>,
        is_ordered: bool,
    ) -> Result<Sort, PetriError> {
        if colours.is_empty() {
            return Err(wrong(node, "a sort without colours", "at least one"));
        }
        self.simple.push(Simple { colours, is_ordered });
        Ok(Sort::simple(self.simple.len() - 1))
    }

    /// Returns the sort that an element names.
    pub fn of(&self, node: Node<'_, '_>) -> Result<Sort, PetriError> {
        match node.tag_name().name() {
            "dot" => Ok(Sort::dot()),
            "usersort" => {
                let name = attribute(node, "declaration")?;
                let sort = self.named.get(name).cloned();
                sort.ok_or_else(|| wrong(node, format!("sort {name:?}"), "a declared one"))
            }
            "productsort" => {
                let mut parts = Vec::new();
                for part in children(node) {
                    parts.extend(self.of(part)?.parts);
                    if parts.len() > MOST_PARTS {
                        let expected = format!("at most {MOST_PARTS}");
                        return Err(wrong(node, format!("a product of {} sorts", parts.len()), &expected));
                    }
                }
                Ok(Sort { parts })
            }
            "finiteintrange" => {
                let known = |&&(first, last, _): &&(i64, i64, usize)| {
                    let is = |name, value: i64| node.attribute(name) == Some(value.to_string().as_str());
                    is("start", first) && is("end", last)
                };
                let range = self.ranges.iter().find(known);
                let range =
                    range.ok_or_else(|| wrong(node, "a range that is not declared", "a declared range"))?;
                Ok(Sort::simple(range.2))
            }
            other => Err(wrong(
                node,
                format!("<{other}>"),
                "dot, usersort, productsort, an enumeration or a range",
            )),
        }
    }

    /// Returns the colour that a constant names.
    pub fn constant(&self, id: &str) -> Option<(usize, u32)> {
        self.constants.get(id).copied()
    }

    /// Returns the colour of a number in a range.
    pub fn in_range(&self, node: Node<'_, '_>) -> Result<(usize, u32), PetriError> {
        let text = attribute(node, "value")?;
        let range =
            child(node, "finiteintrange").ok_or_else(|| wrong(node, "no range", "<finiteintrange>"))?;
        let sort = self.of(range)?;
        let first = self.ranges.iter().find(|range| range.2 == sort.parts[0]).map_or(0, |range| range.0);
        let value: i64 = text.parse().map_err(|_| wrong(node, format!("{text:?}"), "a whole number"))?;
        let place = value.checked_sub(first).and_then(|place| u32::try_from(place).ok());
        match place.filter(|&place| u64::from(place) < sort.size(self)) {
            Some(place) => Ok((sort.parts[0], place)),
            None => Err(wrong(node, format!("{value}"), "a number inside the declared range")),
        }
    }

    /// Returns the colour a number of steps further, cyclically.
    pub fn further(&self, (sort, colour): (usize, u32), by: i64) -> (usize, u32) {
        let size = self.simple[sort].colours.len() as i64;
        (sort, (i64::from(colour) + by).rem_euclid(size) as u32)
    }

    /// Returns whether every part of a sort has successors and predecessors: finite enumerations have none.
    pub fn is_ordered(&self, sort: &Sort) -> bool {
        sort.parts.iter().all(|&part| self.simple[part].is_ordered)
    }

    /// Returns the sort of a variable.
    pub fn of_variable(&self, name: &str) -> Option<Sort> {
        self.variables.get(name).cloned()
    }

    /// Returns all colours of a sort, each by its parts.
    ///
    /// # Errors
    /// When there are too many.
    pub fn all(&self, sort: &Sort, at: Node<'_, '_>) -> Result<Vec<Vec<(usize, u32)>>, PetriError> {
        Ok((0..sort.listed(self, at)?).map(|colour| sort.parts(colour, self)).collect())
    }
}
