//! Terms of a symmetric net: multisets of colours, and conditions.

use super::elements::{attribute, children, wrong};
use super::sorts::{MOST_COLOURS, Sort, Sorts};
use crate::PetriError;
use roxmltree::Node;
use rustc_hash::FxHashMap;

/// Colours with their counts.
pub(super) type Bag = FxHashMap<u32, i64>;
/// A colour by its parts.
pub(super) type Colour = Vec<(usize, u32)>;

/// The colours that variables are bound to.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    bound: FxHashMap<String, Colour>,
}

impl Variables {
    pub fn set(&mut self, name: &str, colour: Colour) {
        self.bound.insert(name.to_owned(), colour);
    }

    pub fn clear(&mut self, name: &str) {
        self.bound.remove(name);
    }
}

/// A term for colours.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Sum(Vec<Term>),
    Difference(Vec<Term>),
    Times(i64, Box<Term>),
    Empty,
    All(Sort),
    Tuple(Vec<Term>),
    Variable(String),
    Constant((usize, u32)),
    Dot,
    Further(Box<Term>, i64),
}

fn too_many(at: Node<'_, '_>) -> PetriError {
    wrong(at, "a multiset with more than 9223372036854775807 tokens of a colour", "fewer")
}

/// The operands: each is wrapped in a `subterm`.
fn operands<'a, 'i>(node: Node<'a, 'i>) -> Result<Vec<Node<'a, 'i>>, PetriError> {
    let wrapped = children(node).filter(|child| child.tag_name().name() == "subterm");
    wrapped.map(|sub| children(sub).next().ok_or_else(|| wrong(sub, "an empty subterm", "a term"))).collect()
}

impl Term {
    pub fn read(node: Node<'_, '_>, sorts: &Sorts) -> Result<Self, PetriError> {
        let inner = || -> Result<Vec<Term>, PetriError> {
            operands(node)?.into_iter().map(|operand| Self::read(operand, sorts)).collect()
        };
        let one = || -> Result<Box<Term>, PetriError> {
            inner()?.pop().map(Box::new).ok_or_else(|| wrong(node, "no operand", "one"))
        };
        match node.tag_name().name() {
            "add" => Ok(Self::Sum(inner()?)),
            "subtract" => Ok(Self::Difference(inner()?)),
            "numberof" | "scalarproduct" => Self::times(node, sorts),
            "empty" => Ok(Self::Empty),
            "all" => {
                let sort =
                    children(node).next().ok_or_else(|| wrong(node, "`all` without a sort", "a sort"))?;
                Ok(Self::All(sorts.of(sort)?))
            }
            "tuple" => Ok(Self::Tuple(inner()?)),
            "variable" => Ok(Self::Variable(attribute(node, "refvariable")?.to_owned())),
            "useroperator" => {
                let name = attribute(node, "declaration")?;
                let constant = sorts.constant(name);
                constant
                    .map(Self::Constant)
                    .ok_or_else(|| wrong(node, format!("{name:?}"), "a declared colour"))
            }
            "finiteintrangeconstant" => Ok(Self::Constant(sorts.in_range(node)?)),
            "dotconstant" => Ok(Self::Dot),
            further @ ("successor" | "predecessor") => {
                let of = one()?;
                if of.sort(sorts).is_some_and(|sort| !sorts.is_ordered(&sort)) {
                    let expected =
                        "a colour of a cyclic enumeration or a range: a finite enumeration has no order";
                    return Err(wrong(node, format!("a {further}"), expected));
                }
                Ok(Self::Further(of, if further == "successor" { 1 } else { -1 }))
            }
            other => Err(wrong(node, format!("<{other}>"), "a term of a symmetric net")),
        }
    }

    /// `numberof`: a number, one if it is left out, and a term.
    fn times(node: Node<'_, '_>, sorts: &Sorts) -> Result<Self, PetriError> {
        let mut count = 1;
        let mut term = None;
        for operand in operands(node)? {
            if operand.tag_name().name() == "numberconstant" {
                let text = attribute(operand, "value")?;
                count = text.parse().map_err(|_| wrong(operand, format!("{text:?}"), "a whole number"))?;
            } else {
                term = Some(Self::read(operand, sorts)?);
            }
        }
        let term = term.ok_or_else(|| wrong(node, "a number without a term", "a term"))?;
        Ok(Self::Times(count, Box::new(term)))
    }

    /// Returns the sort of its colours, if the term alone determines it.
    fn sort(&self, sorts: &Sorts) -> Option<Sort> {
        match self {
            Self::Variable(name) => sorts.of_variable(name),
            Self::Constant((sort, _)) => Some(Sort::simple(*sort)),
            Self::All(sort) => Some(sort.clone()),
            Self::Further(term, _) => term.sort(sorts),
            _ => None,
        }
    }

    pub fn variables(&self, names: &mut Vec<String>) {
        match self {
            Self::Sum(terms) | Self::Difference(terms) | Self::Tuple(terms) => {
                terms.iter().for_each(|term| term.variables(names));
            }
            Self::Times(_, term) | Self::Further(term, _) => term.variables(names),
            Self::Variable(name) => names.push(name.clone()),
            Self::Empty | Self::All(_) | Self::Constant(_) | Self::Dot => (),
        }
    }

    /// The multiset over a sort.
    pub fn bag(
        &self,
        sort: &Sort,
        sorts: &Sorts,
        bound: &Variables,
        at: Node<'_, '_>,
    ) -> Result<Bag, PetriError> {
        let mut bag = Bag::default();
        self.add_to(&mut bag, 1, (sort, sorts), bound, at)?;
        Ok(bag)
    }

    fn add_to(
        &self,
        bag: &mut Bag,
        times: i64,
        (sort, sorts): (&Sort, &Sorts),
        bound: &Variables,
        at: Node<'_, '_>,
    ) -> Result<(), PetriError> {
        match self {
            Self::Empty => Ok(()),
            Self::Sum(terms) => {
                terms.iter().try_for_each(|term| term.add_to(bag, times, (sort, sorts), bound, at))
            }
            Self::Difference(terms) => {
                let less = times.checked_neg().ok_or_else(|| too_many(at))?;
                for (number, term) in terms.iter().enumerate() {
                    let sign = if number == 0 { times } else { less };
                    term.add_to(bag, sign, (sort, sorts), bound, at)?;
                }
                Ok(())
            }
            Self::Times(count, term) => {
                let times = times.checked_mul(*count).ok_or_else(|| too_many(at))?;
                term.add_to(bag, times, (sort, sorts), bound, at)
            }
            _ => {
                for colour in self.colours(sorts, bound, at)? {
                    let number = sort.number(&colour, sorts);
                    let number = number.ok_or_else(|| {
                        wrong(at, "a colour of another sort", "a colour of the place's sort")
                    })?;
                    let held = bag.entry(number).or_default();
                    *held = held.checked_add(times).ok_or_else(|| too_many(at))?;
                }
                Ok(())
            }
        }
    }

    /// Returns every colour of the term: several if `all` is part of it.
    fn colours(&self, sorts: &Sorts, bound: &Variables, at: Node<'_, '_>) -> Result<Vec<Colour>, PetriError> {
        match self {
            Self::Dot => Ok(vec![Vec::new()]),
            Self::Constant(colour) => Ok(vec![vec![*colour]]),
            Self::All(sort) => sorts.all(sort, at),
            Self::Variable(name) => {
                let colour = bound.bound.get(name).cloned();
                let colour = colour.ok_or_else(|| wrong(at, format!("variable {name:?}"), "a bound one"))?;
                Ok(vec![colour])
            }
            Self::Further(term, by) => {
                let colours = term.colours(sorts, bound, at)?;
                Ok(colours
                    .into_iter()
                    .map(|c| c.into_iter().map(|part| sorts.further(part, *by)).collect())
                    .collect())
            }
            Self::Tuple(terms) => {
                let mut found: Vec<Colour> = vec![Vec::new()];
                for term in terms {
                    let parts = term.colours(sorts, bound, at)?;
                    if found.len() as u64 * parts.len() as u64 > MOST_COLOURS {
                        let found = format!("a tuple with {} × {} colours", found.len(), parts.len());
                        return Err(wrong(at, found, "at most a million"));
                    }
                    let with = |so_far: &Colour| {
                        let so_far = so_far.clone();
                        parts.iter().map(move |part| [so_far.as_slice(), part].concat()).collect::<Vec<_>>()
                    };
                    found = found.iter().flat_map(with).collect();
                }
                Ok(found)
            }
            Self::Sum(_) | Self::Difference(_) | Self::Times(..) | Self::Empty => {
                Err(wrong(at, "a multiset", "a single colour"))
            }
        }
    }

    /// Returns whether all its variables are bound.
    fn is_bound(&self, bound: &Variables) -> bool {
        match self {
            Self::Sum(terms) | Self::Difference(terms) | Self::Tuple(terms) => {
                terms.iter().all(|term| term.is_bound(bound))
            }
            Self::Times(_, term) | Self::Further(term, _) => term.is_bound(bound),
            Self::Variable(name) => bound.bound.contains_key(name),
            Self::Empty | Self::All(_) | Self::Constant(_) | Self::Dot => true,
        }
    }

    /// Returns the offset of this term from a variable, if it is that variable or a fixed number of steps from it.
    fn offset_from(&self, name: &str) -> Option<i64> {
        match self {
            Self::Variable(own) if own == name => Some(0),
            Self::Further(term, by) => term.offset_from(name).map(|offset| offset + by),
            _ => None,
        }
    }

    fn colour(&self, sorts: &Sorts, bound: &Variables, at: Node<'_, '_>) -> Result<Colour, PetriError> {
        let mut colours = self.colours(sorts, bound, at)?;
        match (colours.pop(), colours.is_empty()) {
            (Some(colour), true) => Ok(colour),
            _ => Err(wrong(at, "several colours", "a single one")),
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A guard.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Implies(Box<Condition>, Box<Condition>),
    Compare(Relation, Term, Term),
    Always(bool),
}

impl Condition {
    pub fn read(node: Node<'_, '_>, sorts: &Sorts) -> Result<Self, PetriError> {
        let conditions = || -> Result<Vec<Condition>, PetriError> {
            operands(node)?.into_iter().map(|operand| Self::read(operand, sorts)).collect()
        };
        let pair = |relation| -> Result<Self, PetriError> {
            let mut terms = operands(node)?
                .into_iter()
                .map(|operand| Term::read(operand, sorts))
                .collect::<Result<Vec<_>, _>>()?;
            match (terms.pop(), terms.pop(), terms.is_empty()) {
                (Some(right), Some(left), true) => Ok(Self::Compare(relation, left, right)),
                _ => Err(wrong(node, "a comparison", "two terms")),
            }
        };
        match node.tag_name().name() {
            "and" => Ok(Self::And(conditions()?)),
            "or" => Ok(Self::Or(conditions()?)),
            "not" => match conditions()?.pop() {
                Some(inner) => Ok(Self::Not(Box::new(inner))),
                None => Err(wrong(node, "`not` without a condition", "a condition")),
            },
            "imply" => {
                let mut inner = conditions()?;
                match (inner.pop(), inner.pop()) {
                    (Some(then), Some(when)) => Ok(Self::Implies(Box::new(when), Box::new(then))),
                    _ => Err(wrong(node, "an implication", "two conditions")),
                }
            }
            "equality" => pair(Relation::Equal),
            "inequality" => pair(Relation::Unequal),
            "lessthan" => pair(Relation::Less),
            "lessthanorequal" => pair(Relation::LessOrEqual),
            "greaterthan" => pair(Relation::Greater),
            "greaterthanorequal" => pair(Relation::GreaterOrEqual),
            "booleanconstant" => Ok(Self::Always(attribute(node, "value")? == "true")),
            other => Err(wrong(node, format!("<{other}>"), "a condition of a symmetric net")),
        }
    }

    pub fn variables(&self, names: &mut Vec<String>) {
        match self {
            Self::And(inner) | Self::Or(inner) => inner.iter().for_each(|c| c.variables(names)),
            Self::Not(inner) => inner.variables(names),
            Self::Implies(when, then) => {
                when.variables(names);
                then.variables(names);
            }
            Self::Compare(_, left, right) => {
                left.variables(names);
                right.variables(names);
            }
            Self::Always(_) => (),
        }
    }

    /// Returns whether it holds for all values of the unbound variables; `None` if it depends on them.
    pub fn decide(
        &self,
        sorts: &Sorts,
        bound: &Variables,
        at: Node<'_, '_>,
    ) -> Result<Option<bool>, PetriError> {
        match self {
            Self::Always(value) => Ok(Some(*value)),
            Self::Not(inner) => Ok(inner.decide(sorts, bound, at)?.map(|holds| !holds)),
            Self::Implies(when, then) => match when.decide(sorts, bound, at)? {
                Some(false) => Ok(Some(true)),
                Some(true) => then.decide(sorts, bound, at),
                None => Ok(then.decide(sorts, bound, at)?.filter(|holds| *holds)),
            },
            Self::And(inner) => decide_all(inner, true, sorts, bound, at),
            Self::Or(inner) => decide_all(inner, false, sorts, bound, at),
            Self::Compare(_, left, right) if !(left.is_bound(bound) && right.is_bound(bound)) => Ok(None),
            Self::Compare(relation, left, right) => {
                let (left, right) = (left.colour(sorts, bound, at)?, right.colour(sorts, bound, at)?);
                let order = left.cmp(&right);
                Ok(Some(match relation {
                    Relation::Equal => order.is_eq(),
                    Relation::Unequal => order.is_ne(),
                    Relation::Less => order.is_lt(),
                    Relation::LessOrEqual => order.is_le(),
                    Relation::Greater => order.is_gt(),
                    Relation::GreaterOrEqual => order.is_ge(),
                }))
            }
        }
    }

    /// Returns the only colours that a variable can still have, if the bound variables leave a few: it must
    /// equal a known term, or one in each of several cases.
    pub fn left_for(
        &self,
        name: &str,
        sorts: &Sorts,
        bound: &Variables,
        at: Node<'_, '_>,
    ) -> Result<Option<Vec<Colour>>, PetriError> {
        match self {
            Self::Compare(Relation::Equal, left, right) => {
                for (own, other) in [(left, right), (right, left)] {
                    if let (Some(offset), true) = (own.offset_from(name), other.is_bound(bound)) {
                        let colour = other.colour(sorts, bound, at)?;
                        return Ok(Some(vec![
                            colour.into_iter().map(|part| sorts.further(part, -offset)).collect(),
                        ]));
                    }
                }
                Ok(None)
            }
            Self::And(inner) => {
                let mut least: Option<Vec<Colour>> = None;
                for condition in inner {
                    let found = condition.left_for(name, sorts, bound, at)?;
                    let fewer =
                        found.filter(|found| least.as_ref().is_none_or(|least| found.len() < least.len()));
                    least = fewer.or(least);
                }
                Ok(least)
            }
            Self::Or(inner) => {
                let mut all = Vec::new();
                for condition in inner {
                    if condition.decide(sorts, bound, at)? == Some(false) {
                        continue;
                    }
                    match condition.left_for(name, sorts, bound, at)? {
                        Some(found) => all.extend(found),
                        None => return Ok(None),
                    }
                }
                all.sort_unstable();
                all.dedup();
                Ok(Some(all))
            }
            Self::Not(_) | Self::Implies(..) | Self::Compare(..) | Self::Always(_) => Ok(None),
        }
    }
}

/// Decides a conjunction (`unless` is true) or a disjunction (false): `unless` if all conditions have this value, its
/// opposite as soon as one has that.
fn decide_all(
    conditions: &[Condition],
    unless: bool,
    sorts: &Sorts,
    bound: &Variables,
    at: Node<'_, '_>,
) -> Result<Option<bool>, PetriError> {
    let mut known = true;
    for condition in conditions {
        match condition.decide(sorts, bound, at)? {
            Some(holds) if holds != unless => return Ok(Some(!unless)),
            Some(_) => {}
            None => known = false,
        }
    }
    Ok(known.then_some(unless))
}
