//! Compiles one transition: its patterns become slots of a binding, and its expressions code.
//!
//! Two slots that the guard requires to be equal become one, so that a search joins on them instead of testing
//! every pair.

use super::code::{Code, Op};
use super::colour::Colour;
use super::compile::{Names, Scope};
use super::fault::Misread;
use super::net::{Choice, ColouredPlace, ColouredTransition, Inhibitor, Need, Put, Take, TimingCode};
use super::parse::{Expr, Node, parse};
use super::raw::{RawArc, RawTransition, TimingText};
use crate::net::{ArcKind, Servers};
use std::collections::BTreeMap;

/// The error and its text; the text is empty if the error is not in an expression.
type Wrong = (String, Misread);

type Variables = BTreeMap<String, (Colour, u16)>;

/// A remaining condition of a pattern: the slot, the value's text.
struct Pending {
    slots: Vec<u16>,
    colour: Colour,
    expr: Expr,
    text: String,
}

struct Patterns<'a> {
    names: &'a Names,
    variables: Variables,
    next: u16,
    pending: Vec<Pending>,
}

impl Patterns<'_> {
    fn fresh(&mut self, count: usize) -> Result<Vec<u16>, Misread> {
        let first = self.next;
        self.next = u16::try_from(usize::from(first) + count)
            .map_err(|_| Misread::new(0, "more than 65535 values in a binding", "fewer values"))?;
        Ok((first..self.next).collect())
    }

    /// Returns the slots of a token of a colour that fits a pattern.
    fn slots(&mut self, expr: &Expr, colour: &Colour, text: &str) -> Result<Vec<u16>, Misread> {
        match (&expr.node, colour) {
            (Node::Any, _) => self.fresh(colour.width()),
            (Node::Name(name), _) if self.is_variable(name) => {
                if let Some((known, first)) = self.variables.get(name) {
                    let alike = matches!((known, colour), (Colour::Int { .. }, Colour::Int { .. }))
                        || known == colour;
                    if !alike {
                        let expected =
                            format!("{}, the colour that `{name}` has at its first use", known.describe());
                        return Err(Misread::new(expr.at, colour.describe(), expected));
                    }
                    return Ok((*first..*first + colour.width() as u16).collect());
                }
                let slots = self.fresh(colour.width())?;
                let first = slots.first().copied().unwrap_or(0);
                self.variables.insert(name.clone(), (colour.clone(), first));
                Ok(slots)
            }
            (Node::Record(fields, rest), Colour::Record(wanted)) => {
                if let Some((name, field)) = fields.iter().find(|(name, _)| colour.field(name).is_none()) {
                    return Err(Misread::new(field.at, format!("field `{name}`"), colour.describe()));
                }
                let mut slots = Vec::new();
                for (name, inner) in wanted.iter() {
                    match fields.iter().find(|(field, _)| field == name) {
                        Some((_, field)) => slots.extend(self.slots(field, inner, text)?),
                        None if *rest => slots.extend(self.fresh(inner.width())?),
                        None => {
                            let found = format!("a record without field `{name}`");
                            let expected = "a value of this field, or `...` for all fields that the record does not list";
                            return Err(Misread::new(expr.at, found, expected));
                        }
                    }
                }
                Ok(slots)
            }
            _ => {
                let slots = self.fresh(colour.width())?;
                let (colour, expr) = (colour.clone(), expr.clone());
                self.pending.push(Pending { slots: slots.clone(), colour, expr, text: text.to_owned() });
                Ok(slots)
            }
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        let known = self.names.constants.contains_key(name) || self.names.words.contains_key(name);
        !known && name != "true" && name != "false"
    }
}

fn in_text<T>(text: &str, result: Result<T, Misread>) -> Result<T, Wrong> {
    result.map_err(|wrong| (text.to_owned(), wrong))
}

fn plain(found: &str, expected: &str) -> Wrong {
    (String::new(), Misread::new(0, found, expected))
}

/// Compiles a transition.
pub(crate) fn transition(
    raw: &RawTransition,
    names: &Names,
    places: &[ColouredPlace],
) -> Result<ColouredTransition, Wrong> {
    let mut patterns = Patterns { names, variables: Variables::new(), next: 0, pending: Vec::new() };
    let mut takes = Vec::new();
    let is_coloured = |arc: &RawArc| places[arc.place as usize].colour != Colour::Dot;
    let mut resets: Vec<u32> = Vec::new();
    for arc in raw.arcs.iter().filter(|arc| arc.kind == ArcKind::Reset) {
        if !resets.contains(&arc.place) {
            resets.push(arc.place);
        }
    }
    for arc in &raw.arcs {
        if is_coloured(arc) && arc.tokens.is_empty() && matches!(arc.kind, ArcKind::Input | ArcKind::Output) {
            let colour = places[arc.place as usize].colour.describe();
            let name = &places[arc.place as usize].name;
            return Err(plain(
                &format!("an arc without `tokens` at place {name:?}"),
                &format!("the tokens that the arc consumes or produces: {colour}"),
            ));
        }
        if !is_coloured(arc) && !arc.tokens.is_empty() {
            let name = &places[arc.place as usize].name;
            return Err(plain(
                &format!("`tokens` at place {name:?}, whose tokens have no colour"),
                "only `weight`",
            ));
        }
    }
    for arc in raw.arcs.iter().filter(|arc| is_coloured(arc) && arc.kind == ArcKind::Input) {
        let place = &places[arc.place as usize];
        let slots = in_text(
            &arc.tokens,
            parse(&arc.tokens).and_then(|e| patterns.slots(&e, &place.colour, &arc.tokens)),
        )?;
        // The reset takes what the arc would leave.
        let read = arc.read && !resets.contains(&arc.place);
        takes.push(Take { place: arc.place, slots, weight: 1, read });
    }
    let Patterns { variables, next, pending, .. } = patterns;
    let mut scope = Scope { names, variables: &variables, picks: Vec::new(), time: None };
    let mut guard = Vec::new();
    if !raw.guard.is_empty() {
        let compiled = parse(&raw.guard).and_then(|expr| {
            let parts = scope.condition(&expr)?;
            parts.into_iter().map(|ops| scope.finish(&expr, ops)).collect::<Result<Vec<_>, _>>()
        });
        guard = in_text(&raw.guard, compiled)?;
    }
    for wanted in pending {
        let parts = in_text(&wanted.text, scope.token(&wanted.expr, &wanted.colour))?;
        for (&slot, part) in wanted.slots.iter().zip(parts) {
            let ops = [&[Op::Slot(slot)], part.ops(), &[Op::Equal]].concat();
            guard.push(in_text(&wanted.text, scope.finish(&wanted.expr, ops))?);
        }
    }
    if guard.iter().any(Code::is_random) {
        return Err((
            raw.guard.clone(),
            Misread::new(0, "a random guard", "a guard without random() and pick()"),
        ));
    }
    let weight =
        |scope: &mut Scope<'_>, text: &str| in_text(text, parse(text).and_then(|expr| scope.whole(&expr)));
    let (mut needs, mut puts, mut inhibitors) = (Vec::new(), Vec::new(), Vec::new());
    let mut take = takes.iter_mut();
    for arc in &raw.arcs {
        let place = &places[arc.place as usize];
        let weight = weight(&mut scope, &arc.weight)?;
        let least = i64::from(matches!(arc.kind, ArcKind::Input | ArcKind::Inhibitor));
        if let Some(found) = weight.constant().filter(|&found| found < least || found > i64::from(u32::MAX)) {
            return Err((
                arc.weight.clone(),
                Misread::new(0, format!("weight {found}"), format!("{least} to 4294967295")),
            ));
        }
        if arc.kind != ArcKind::Output && weight.is_random() {
            return Err((
                arc.weight.clone(),
                Misread::new(0, "a random weight", "a weight without random() and pick()"),
            ));
        }
        match arc.kind {
            ArcKind::Input if place.colour == Colour::Dot => needs.push(Need { place: arc.place, weight }),
            ArcKind::Input => {
                let constant = weight.constant().and_then(|weight| u32::try_from(weight).ok());
                let fits = constant.filter(|&weight| weight == 1 || place.choice == Choice::Random);
                let Some(constant) = fits else {
                    let expected = "weight 1 for an arc from a fifo place, or a constant weight for an arc \
                                    from any other coloured place";
                    return Err((
                        arc.weight.clone(),
                        Misread::new(0, "a weight that is invalid for this arc", expected),
                    ));
                };
                if let Some(take) = take.next() {
                    take.weight = constant;
                }
            }
            ArcKind::Output if arc.read && (is_coloured(arc) || resets.contains(&arc.place)) => (),
            ArcKind::Output => {
                let parts = if place.colour == Colour::Dot {
                    Vec::new()
                } else {
                    in_text(
                        &arc.tokens,
                        parse(&arc.tokens).and_then(|expr| scope.token(&expr, &place.colour)),
                    )?
                };
                puts.push(Put { place: arc.place, parts, weight });
            }
            ArcKind::Inhibitor => {
                let colour = if arc.tokens.is_empty() {
                    None
                } else if place.choice == Choice::Fifo {
                    return Err((
                        arc.tokens.clone(),
                        Misread::new(0, "`tokens` of an inhibitor arc from a fifo place", "no `tokens`"),
                    ));
                } else {
                    Some(in_text(
                        &arc.tokens,
                        parse(&arc.tokens).and_then(|e| scope.token(&e, &place.colour)),
                    )?)
                };
                inhibitors.push(Inhibitor { place: arc.place, colour, weight });
            }
            ArcKind::Reset => (),
        }
    }
    let reward = match raw.reward.as_str() {
        "" => None,
        text => Some(in_text(text, parse(text).and_then(|expr| scope.real(&expr)))?),
    };
    let mut slots = next as usize;
    let mut time_slot = None;
    if let TimingText::Deterministic { .. } | TimingText::Uniform { .. } = raw.timing {
        scope.time = Some(next);
    }
    let timing = timing(&mut scope, &raw.timing)?;
    if let TimingCode::Deterministic { delay: code } | TimingCode::Uniform { high: code, .. } = &timing {
        let low = if let TimingCode::Uniform { low, .. } = &timing { low } else { code };
        if code.slots().chain(low.slots()).any(|slot| slot == next) {
            (slots, time_slot) = (slots + 1, Some(next));
        }
    }
    if raw.servers == Servers::Infinite && takes.is_empty() && needs.is_empty() {
        return Err(plain("infinitely many servers and no input place", "a number of servers"));
    }
    let named = variables.iter().map(|(name, (colour, first))| {
        let slots = (*first..*first + colour.width() as u16).collect();
        (name.clone(), colour.clone(), slots)
    });
    let mut built = ColouredTransition {
        name: raw.name.clone(),
        timing,
        servers: raw.servers,
        slots,
        time_slot,
        takes,
        needs,
        puts,
        inhibitors,
        resets,
        reward,
        guard,
        variables: named.collect(),
        guard_text: raw.guard.clone(),
        timing_text: raw.timing.text(),
    };
    join_equal_slots(&mut built);
    find_reads(&mut built, places);
    Ok(built)
}

fn timing(scope: &mut Scope<'_>, timing: &TimingText) -> Result<TimingCode, Wrong> {
    let mut number = |text: &str, least_is_allowed: bool| {
        let code = in_text(text, parse(text).and_then(|expr| scope.real(&expr)))?;
        if let Some(bits) = code.constant() {
            let value = f64::from_bits(bits as u64);
            if !(value.is_finite() && (value > 0.0 || least_is_allowed && value == 0.0)) {
                return Err(plain(&value.to_string(), "a rate, delay or weight above 0"));
            }
        }
        Ok(code)
    };
    Ok(match timing {
        TimingText::Untimed => TimingCode::Untimed,
        TimingText::Immediate { weight, priority } => {
            TimingCode::Immediate { weight: number(weight, false)?, priority: *priority }
        }
        TimingText::Exponential { rate } => TimingCode::Exponential { rate: number(rate, false)? },
        TimingText::Deterministic { delay } => TimingCode::Deterministic { delay: number(delay, false)? },
        TimingText::Uniform { low, high } => {
            let (low, high) = (number(low, true)?, number(high, false)?);
            let real = |code: &Code| code.constant().map(|bits| f64::from_bits(bits as u64));
            if let (Some(low), Some(high)) = (real(&low), real(&high))
                && low > high
            {
                return Err(plain(
                    &format!("low {low} above high {high}"),
                    "a low value that is not above the high value",
                ));
            }
            TimingCode::Uniform { low, high }
        }
        TimingText::Erlang { stages, rate } => {
            TimingCode::Erlang { stages: *stages, rate: number(rate, false)? }
        }
        TimingText::Empirical { values, weights } => {
            let sum: f64 = weights.iter().sum();
            let mut before = 0.0;
            let upto = weights.iter().map(|weight| {
                before += weight / sum;
                before
            });
            TimingCode::Empirical { upto: upto.collect(), values: values.clone() }
        }
    })
}

/// Merges slots that the guard requires to be equal.
fn join_equal_slots(transition: &mut ColouredTransition) {
    let mut of: Vec<u16> = (0..transition.slots as u16).collect();
    let root = |of: &[u16], mut slot: u16| {
        while of[slot as usize] != slot {
            slot = of[slot as usize];
        }
        slot
    };
    transition.guard.retain(|code| match *code.ops() {
        [Op::Slot(a), Op::Slot(b), Op::Equal] => {
            let (a, b) = (root(&of, a), root(&of, b));
            of[a.max(b) as usize] = a.min(b);
            false
        }
        _ => true,
    });
    let to = |slot: u16| root(&of, slot);
    transition.takes.iter_mut().for_each(|take| take.slots.iter_mut().for_each(|slot| *slot = to(*slot)));
    let rename = |code: &mut Code| *code = code.renamed(&to);
    transition.guard.iter_mut().for_each(rename);
    transition.needs.iter_mut().for_each(|need| rename(&mut need.weight));
    transition.reward.iter_mut().for_each(rename);
    for put in &mut transition.puts {
        rename(&mut put.weight);
        put.parts.iter_mut().for_each(rename);
    }
    for inhibitor in &mut transition.inhibitors {
        rename(&mut inhibitor.weight);
        inhibitor.colour.iter_mut().flatten().for_each(rename);
    }
    match &mut transition.timing {
        TimingCode::Immediate { weight: code, .. }
        | TimingCode::Exponential { rate: code }
        | TimingCode::Deterministic { delay: code }
        | TimingCode::Erlang { rate: code, .. } => rename(code),
        TimingCode::Uniform { low, high } => {
            rename(low);
            rename(high);
        }
        TimingCode::Untimed | TimingCode::Empirical { .. } => (),
    }
    // The slot of the time is the last: no other slot becomes it.
    transition.variables.iter_mut().flat_map(|(.., slots)| slots).for_each(|slot| *slot = to(*slot));
}

/// Finds tokens that are taken and put back unchanged: they stay in their place, unless it is a queue, whose end
/// they join, or is reset.
fn find_reads(transition: &mut ColouredTransition, places: &[ColouredPlace]) {
    let resets = &transition.resets;
    let stays = |take: &&mut Take| {
        let place = &places[take.place as usize];
        !take.read && take.weight == 1 && place.choice == Choice::Random && !resets.contains(&take.place)
    };
    for take in transition.takes.iter_mut().filter(stays) {
        let same = transition.puts.iter().position(|put| {
            put.place == take.place
                && put.weight.constant() == Some(1)
                && put.parts.len() == take.slots.len()
                && put.parts.iter().zip(&take.slots).all(|(part, slot)| part.ops() == [Op::Slot(*slot)])
        });
        if let Some(at) = same {
            transition.puts.remove(at);
            take.read = true;
        }
    }
}
