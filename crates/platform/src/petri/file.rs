//! A net in TOML, with its modules: `[parameters]`, `[colours]`, `[[place]]`, `[[transition]]`, `[[arc]]`, `[[module]]`.

use super::text::{shipped, text_of};
use super::wrong::in_words;
use crate::error::{ConfigProblem, Error};
use crate::plain::plain;
use crate::preset::problem;
use linecard_config::{Document, Section, Shown, nearest};
use linecard_petri::{
    ArcKind, Choice, Colour, ColouredBuilder, ColouredNet, Constant, PetriError, Servers, TimingText,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules inside modules, at most.
const DEEPEST: usize = 16;
/// Modules in all.
const MOST_MODULES: usize = 1000;

/// Kinds of transitions, and the keys that each has of its own.
const KINDS: [(&str, &[&str]); 6] = [
    ("exp", &["rate"]),
    ("det", &["delay"]),
    ("imm", &["weight", "priority"]),
    ("uniform", &["low", "high"]),
    ("erlang", &["stages", "rate"]),
    ("empirical", &["values", "weights"]),
];
const OF_KINDS: [&str; 9] =
    ["rate", "delay", "weight", "priority", "low", "high", "stages", "values", "weights"];

/// A value of a parameter.
#[derive(Clone)]
enum Value {
    Constant(Constant),
    /// An expression of the others.
    Text(String),
}

/// A colour as its file has it.
enum Described {
    /// The name of another, or a language of its own.
    Text(String),
    Words(Vec<String>),
    Fields(BTreeMap<String, String>),
}

/// What a place or an arc says of tokens.
enum Tokens {
    Count(u32),
    Text(String),
    List(Vec<String>),
}

/// Reads the net of a text and makes of it what `make` does.
///
/// # Errors
/// Every problem of the file and of its modules, unless it is no TOML.
pub(super) fn net<T>(
    path: &str,
    text: String,
    set: &[String],
    make: impl FnOnce(ColouredNet) -> Result<T, PetriError>,
) -> Result<T, Error> {
    let document = plain(path, text);
    if is_no_toml(&document) {
        return Err(document.finish().err().unwrap_or_default().into());
    }
    let root = document.root();
    let mut reader = Reader {
        net: ColouredBuilder::new(&root.text_or("name", "", "what the net is called")),
        problems: Vec::new(),
        said: BTreeSet::new(),
        open: vec![PathBuf::from(path)],
        modules: 0,
    };
    let parts = reader.file(path, &document, &given(&document, set), &BTreeMap::new());
    let built = reader.net.build_all();
    document.close();
    let sound = document.problems() == 0 && reader.problems.is_empty();
    let wrong = match built {
        Ok(net) if sound => match make(net) {
            Ok(made) => return Ok(made),
            Err(PetriError::Interrupted) => return Err(Error::Interrupted),
            Err(error) => vec![error],
        },
        Ok(_) => Vec::new(),
        Err(wrong) => wrong,
    };
    wrong.iter().for_each(|error| parts.built_wrong(path, error, sound));
    // Those of the file stand before those of its modules.
    let of_modules = std::mem::take(&mut reader.problems);
    reader.said.clear();
    reader.end(document);
    reader.problems.extend(of_modules);
    Err(Error::Config { problems: reader.problems })
}

fn is_no_toml(document: &Document) -> bool {
    document.problems() > 0 && document.root().is_empty()
}

/// The parameters that are set from outside, each `name=value`.
fn given(document: &Document, set: &[String]) -> BTreeMap<String, Value> {
    let mut names = document.root().section("parameters").map_or_else(Vec::new, |all| all.keys());
    names.sort();
    let mut found = BTreeMap::new();
    for given in set {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        let name = name.trim();
        if !given.contains('=') || !names.iter().any(|known| known == name) {
            let near = nearest(name, names.iter().map(String::as_str));
            let message =
                format!("found {given:?}, expected name=value with a parameter: {}{near}", names.join(", "));
            document.report("--set", "", message);
            continue;
        }
        found.insert(name.to_owned(), as_toml(value.trim()));
    }
    found
}

/// A value as TOML writes it, or else an expression.
fn as_toml(text: &str) -> Value {
    let document = plain("--set", format!("value = {text}"));
    let value = value(&document.root(), "value");
    let is_one = document.finish().is_ok();
    value.filter(|_| is_one).unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn value(section: &Section<'_>, key: &str) -> Option<Value> {
    const ALLOWED: &str = "a number, a truth value, an expression, or [[value, weight], ...]";
    section.any_if(key, ALLOWED, "value of a parameter", |shown| {
        Some(Value::Constant(match shown {
            Shown::Whole(whole) => Constant::Int(*whole),
            Shown::Real(real) => Constant::Real(*real),
            Shown::Switch(on) => Constant::Bool(*on),
            Shown::Text(text) => return Some(Value::Text(text.clone())),
            Shown::List(pairs) => Constant::Shares(pairs.iter().map(pair).collect::<Option<_>>()?),
        }))
    })
}

/// A value with its weight.
fn pair(shown: &Shown) -> Option<(i64, f64)> {
    let Shown::List(pair) = shown else { return None };
    match pair[..] {
        [Shown::Whole(value), Shown::Whole(weight)] => Some((value, weight as f64)),
        [Shown::Whole(value), Shown::Real(weight)] => Some((value, weight)),
        _ => None,
    }
}

/// A number or an expression, as text.
fn expression(section: &Section<'_>, key: &str, meaning: &str) -> Option<String> {
    section.any_if(key, "a number or an expression", meaning, |shown| match shown {
        Shown::Whole(whole) => Some(whole.to_string()),
        Shown::Real(real) => Some(format!("{real:?}")),
        Shown::Text(text) => Some(text.clone()),
        _ => None,
    })
}

fn tokens(section: &Section<'_>, meaning: &str) -> Option<Tokens> {
    const ALLOWED: &str = "a whole number from 0 to 4294967295, an expression, or a list of tokens";
    section.any_if("tokens", ALLOWED, meaning, |shown| match shown {
        Shown::Whole(count) => u32::try_from(*count).ok().map(Tokens::Count),
        Shown::Text(text) => Some(Tokens::Text(text.clone())),
        Shown::List(items) => texts(items).map(Tokens::List),
        _ => None,
    })
}

fn texts(items: &[Shown]) -> Option<Vec<String>> {
    let text = |item: &Shown| if let Shown::Text(text) = item { Some(text.clone()) } else { None };
    items.iter().map(text).collect()
}

/// What is wrong with a part, which is named where it is another than the one that is `called` so.
fn sentence(error: &PetriError, called: &str) -> String {
    let (part, said) = in_words(error);
    if part.starts_with(called) || part.is_empty() { said } else { format!("{part}: {said}") }
}

/// The parts of a file by their names, and what is not said of them.
struct Parts<'d> {
    document: &'d Document,
    places: BTreeMap<String, u32>,
    transitions: BTreeMap<String, (u32, Section<'d>)>,
    /// Parts that are not there for a problem that has been said: what follows from it is not said.
    broken: BTreeSet<String>,
    /// Transitions that an arc is missing of, for it has a problem: what they do cannot be judged.
    touched: BTreeSet<String>,
}

impl Parts<'_> {
    fn knows(&self, name: &str) -> bool {
        self.places.contains_key(name) || self.transitions.contains_key(name)
    }

    /// Whether a name is that of a part which is not there for its problems.
    fn lacks(&self, name: &str) -> bool {
        let broken = |part: &str| self.broken.contains(&format!("{part} {name}"));
        !self.knows(name) && (broken("place") || broken("transition"))
    }

    /// What is wrong with the net as a whole, unless it follows from what has been said.
    fn built_wrong(&self, path: &str, error: &PetriError, sound: bool) {
        let follows = match error {
            // Its transitions had problems of their own.
            PetriError::Part { part: "net", .. } => !sound,
            PetriError::Expression { found, .. } => {
                let quoted = found.split('`').nth(1).unwrap_or_default();
                self.broken.contains(&format!("parameter {quoted}"))
            }
            _ => false,
        };
        let (called, said) = in_words(error);
        let name = called.strip_prefix("transition ").unwrap_or_default();
        if follows || self.touched.contains(name) {
            return;
        }
        match self.transitions.get(name) {
            Some((_, row)) => row.fail("", said),
            None => self.document.report(path, &called, said),
        }
    }
}

struct Reader {
    net: ColouredBuilder,
    /// Those of modules.
    problems: Vec<ConfigProblem>,
    /// The same in words: a net may be a module several times.
    said: BTreeSet<String>,
    /// Files that are being read, the innermost last.
    open: Vec<PathBuf>,
    /// Modules read so far, those of modules among them: two in each of a few levels are thousands.
    modules: usize,
}

impl Reader {
    /// Adds what a file says; with parameters that are set from outside, and places that it shares.
    fn file<'d>(
        &mut self,
        path: &str,
        document: &'d Document,
        set: &BTreeMap<String, Value>,
        shared: &BTreeMap<String, u32>,
    ) -> Parts<'d> {
        let root = document.root();
        root.text_or("name", "", "what the net is called");
        root.text_if("description", "what it stands for");
        if root.section("expected").is_some() {
            root.pass_over(&["expected"]);
        }
        let mut parts = Parts {
            document,
            places: BTreeMap::new(),
            transitions: BTreeMap::new(),
            broken: BTreeSet::new(),
            touched: BTreeSet::new(),
        };
        self.parameters(&root, set, &mut parts);
        let colours = self.colours(&root, &mut parts);
        for row in root.list("place") {
            self.place(&row, &colours, shared, &mut parts);
        }
        for name in interface(&root) {
            if !parts.places.contains_key(&name) && !parts.broken.contains(&format!("place {name}")) {
                root.fail("interface", format!("found {name:?}, expected places of this net"));
            }
        }
        for row in root.list("transition") {
            self.transition(row, &mut parts);
        }
        for row in root.list("arc") {
            self.arc(&row, &mut parts);
        }
        for row in root.list("module") {
            self.module(path, &row, &parts.places);
        }
        parts
    }

    fn parameters(&mut self, root: &Section<'_>, set: &BTreeMap<String, Value>, parts: &mut Parts<'_>) {
        let Some(section) = root.section("parameters") else { return };
        let mut left = Vec::new();
        let mut names = section.keys();
        names.sort();
        for name in names {
            match parameter(&section, &name) {
                Some(value) => left.push((set.get(&name).cloned().unwrap_or(value), name)),
                None => drop(parts.broken.insert(format!("parameter {name}"))),
            }
        }
        // An expression may use parameters that stand behind it: whoever can be evaluated goes first.
        loop {
            let before = left.len();
            let mut failed = Vec::new();
            for (value, name) in left {
                let constant = match &value {
                    Value::Constant(constant) => Ok(constant.clone()),
                    Value::Text(text) => self.net.value(text),
                };
                match constant {
                    Ok(constant) => {
                        if let Err(error) = self.net.constant(&name, constant) {
                            section.fail(&name, sentence(&error, &format!("parameter {name}")));
                            parts.broken.insert(format!("parameter {name}"));
                        }
                    }
                    Err(error) => failed.push((value, name, error)),
                }
            }
            if failed.len() == before || failed.is_empty() {
                for (_, name, error) in failed {
                    let called = format!("parameter {name}");
                    section.fail(&name, sentence(&error, &called));
                    parts.broken.insert(called);
                }
                return;
            }
            left = failed.into_iter().map(|(value, name, _)| (value, name)).collect();
        }
    }

    fn colours(&mut self, root: &Section<'_>, parts: &mut Parts<'_>) -> BTreeMap<String, Colour> {
        let mut known = BTreeMap::new();
        let Some(section) = root.section("colours") else { return known };
        let mut all = BTreeMap::new();
        for name in section.keys() {
            match described(&section, &name) {
                Some(colour) => drop(all.insert(name, colour)),
                None => drop(parts.broken.insert(format!("colour {name}"))),
            }
        }
        for name in all.keys() {
            if let Err(message) = self.colour(name, &all, &mut known, 0) {
                section.fail(name, message);
                parts.broken.insert(format!("colour {name}"));
            }
        }
        known
    }

    /// A colour by its name or its text: `dot`, `int`, `bool`, `low..high`.
    fn colour(
        &mut self,
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
                    let bound = |text: &str| match self.net.value(text) {
                        Ok(Constant::Int(value)) => Ok(value),
                        Ok(_) => Err(format!("found {text:?}, expected a whole number")),
                        Err(error) => Err(in_words(&error).1),
                    };
                    let (low, high) = (bound(low)?, bound(high)?);
                    if low > high {
                        return Err(format!(
                            "found {text:?}, which is {low}..{high}, expected at least one number"
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
            return Err(format!("found {text:?} inside itself, expected records that end"));
        }
        let colour = match described {
            Described::Text(inner) if inner != text => self.colour(inner, all, known, depth + 1)?,
            Described::Text(_) => return Err(format!("found {text:?} as itself, expected another colour")),
            Described::Words(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                self.net.enumeration(&words).map_err(|error| error.to_string())?
            }
            Described::Fields(fields) => {
                let mut record = Vec::new();
                for (name, text) in fields {
                    record.push((name.clone(), self.colour(text, all, known, depth + 1)?));
                }
                Colour::record(record)
            }
        };
        known.insert(text.to_owned(), colour.clone());
        Ok(colour)
    }

    fn place(
        &mut self,
        row: &Section<'_>,
        colours: &BTreeMap<String, Colour>,
        shared: &BTreeMap<String, u32>,
        parts: &mut Parts<'_>,
    ) {
        let name = name_of(row);
        let colour = row.text_if("colour", "what its tokens carry");
        let tokens = tokens(row, "what is in it at the beginning");
        let choices = [("random", Choice::Random), ("fifo", Choice::Fifo)];
        let choice = row.choice_or("choice", "random", &choices, "which of its tokens is taken");
        let Some(name) = name else { return };
        let called = format!("place {name}");
        let colour = match colour {
            None => Some(Colour::Dot),
            Some(text) if parts.broken.contains(&format!("colour {text}")) => None,
            Some(text) => self
                .colour(&text, &BTreeMap::new(), &mut colours.clone(), 0)
                .map_err(|message| row.fail("colour", message))
                .ok(),
        };
        let Some(colour) = colour else {
            parts.broken.insert(called);
            return;
        };
        if let Some(&number) = shared.get(&name) {
            if *self.net.colour_of(number) != colour {
                let (found, outer) = (colour.describe(), self.net.colour_of(number).describe());
                row.fail("colour", format!("found {found}, expected {outer}, as the place that it is"));
            }
            parts.places.insert(name, number);
            return;
        }
        match self.net.place(&name, &colour, choice) {
            Ok(number) => {
                if let Err(error) = self.tokens(number, &colour, tokens) {
                    row.fail("tokens", sentence(&error, &called));
                }
                parts.places.insert(name, number);
            }
            Err(error) => {
                row.fail("", sentence(&error, &called));
                parts.broken.insert(called);
            }
        }
    }

    fn tokens(&mut self, place: u32, colour: &Colour, tokens: Option<Tokens>) -> Result<(), PetriError> {
        let dots = *colour == Colour::Dot;
        let wrong = |found: &str, expected: &str| PetriError::Part {
            part: "place",
            name: String::new(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        let count = |net: &ColouredBuilder, text: &str| match net.value(text)? {
            Constant::Int(count) => {
                u32::try_from(count).map_err(|_| wrong(&format!("{count} tokens"), "0 to 4294967295"))
            }
            _ => Err(wrong(&format!("{text} tokens"), "a whole number")),
        };
        match tokens {
            None => Ok(()),
            Some(Tokens::Count(count)) if dots => {
                self.net.dots(place, count);
                Ok(())
            }
            Some(Tokens::Text(text)) if dots => {
                let count = count(&self.net, &text)?;
                self.net.dots(place, count);
                Ok(())
            }
            Some(Tokens::Text(text)) if text == "all" => self.net.all_tokens(place),
            Some(Tokens::List(list)) if !dots => {
                for text in &list {
                    let (number, token) = match text.split_once(" of ") {
                        Some((number, token)) => (count(&self.net, number)?, token),
                        None => (1, text.as_str()),
                    };
                    self.net.tokens(place, token, number)?;
                }
                Ok(())
            }
            Some(Tokens::Count(0)) => Ok(()),
            Some(_) if dots => Err(wrong("a list of tokens", "their number, since they have no colour")),
            Some(_) => Err(wrong("other tokens", "\"all\", or a list such as [\"3 of {size: 64}\"]")),
        }
    }

    fn transition<'d>(&mut self, row: Section<'d>, parts: &mut Parts<'d>) {
        let name = name_of(&row);
        let guard = row.text_or("guard", "", "when it may fire");
        let reward = expression(&row, "reward", "what a firing counts for");
        let timing = self.timing(&row, parts.document);
        let Some(name) = name else { return };
        let called = format!("transition {name}");
        let added = timing.and_then(|(timing, servers)| {
            let added = self.net.transition(&name, timing, servers, &guard);
            added.map_err(|error| row.fail("", sentence(&error, &called))).ok()
        });
        let Some(number) = added else {
            parts.broken.insert(called);
            return;
        };
        if let Some(reward) = reward {
            self.net.reward(number, &reward);
        }
        parts.transitions.insert(name, (number, row));
    }

    /// The time and the servers of a transition; nothing where they have a problem.
    fn timing(&self, row: &Section<'_>, document: &Document) -> Option<(TimingText, Servers)> {
        let before = document.problems();
        let kinds = KINDS.map(|kind| (kind.0, kind));
        let (kind, allowed) = row.choice("kind", &kinds, "how long it takes");
        if document.problems() > before {
            row.pass_over(&OF_KINDS);
            row.pass_over(&["servers"]);
            return None;
        }
        let numbers = allowed.iter().filter(|key| !["priority", "values", "weights"].contains(key));
        let read = |key: &&'static str| Some((*key, expression(row, key, "of its time")?));
        let given: BTreeMap<&str, String> = numbers.filter_map(read).collect();
        let times = |key: &str, meaning: &str| match allowed.contains(&key) {
            true if row.has(key) => Some(row.numbers(key, f64::MIN..=f64::MAX, meaning)),
            _ => None,
        };
        let (values, weights) = (times("values", "times that it may take"), times("weights", "of each"));
        let priority = match allowed.contains(&"priority") {
            true => row.integer_if("priority", 0..=u32::MAX.into(), "who fires first").unwrap_or(0),
            false => 0,
        };
        let servers = expression(row, "servers", "firings at once");
        let others: Vec<&str> = OF_KINDS.into_iter().filter(|key| !allowed.contains(key)).collect();
        row.without_effect(&others, &format!("kind {kind} has none"));
        row.close();
        let sound = document.problems() == before;
        let need = |key: &str| {
            if sound && !given.contains_key(key) {
                row.missing(key, &format!("a number or an expression, as kind {kind} needs it"));
            }
            given.get(key).cloned()
        };
        let whole = |key: &str, text: &str, or: &str| {
            let found = match self.net.value(text) {
                Ok(Constant::Int(value)) => match u32::try_from(value) {
                    Ok(value) => return Some(value),
                    Err(_) => format!("found {value}, expected 1 to 4294967295{or}"),
                },
                Ok(_) => format!("found `{text}`, expected a whole number{or}"),
                Err(error) => in_words(&error).1 + or,
            };
            row.fail(key, found);
            None
        };
        let timing = match kind {
            "exp" => TimingText::Exponential { rate: need("rate")? },
            "det" => TimingText::Deterministic { delay: need("delay")? },
            "uniform" => {
                let (low, high) = (need("low"), need("high"));
                TimingText::Uniform { low: low?, high: high? }
            }
            "erlang" => {
                let (stages, rate) = (need("stages"), need("rate"));
                TimingText::Erlang { stages: whole("stages", &stages?, "")?, rate: rate? }
            }
            "empirical" => {
                if sound && values.is_none() {
                    row.missing("values", "a list of numbers, as kind empirical needs it");
                }
                let values = values?;
                let weights = weights.unwrap_or_else(|| vec![1.0; values.len()]);
                TimingText::Empirical { values, weights }
            }
            _ => TimingText::Immediate {
                weight: given.get("weight").map_or("1", String::as_str).to_owned(),
                priority: priority as u32,
            },
        };
        let servers = match servers.as_deref() {
            None => Servers::Count(1),
            Some("inf") => Servers::Infinite,
            Some(text) => Servers::Count(whole("servers", text, ", or \"inf\"")?),
        };
        Some((timing, servers))
    }

    fn arc(&mut self, row: &Section<'_>, parts: &mut Parts<'_>) {
        let before = parts.document.problems();
        let (from, to) =
            (row.text("from", "a place or a transition"), row.text("to", "the other of the two"));
        let tokens = tokens(row, "which tokens it moves");
        let weight = expression(row, "weight", "how many tokens");
        let kind = row.text_or("kind", "normal", "what it does");
        row.close();
        // What it leads to or from has a problem, or it has one itself.
        let follows = parts.document.problems() > before || parts.lacks(&from) || parts.lacks(&to);
        let wrong = match follows {
            true => Err((String::new(), String::new())),
            false => {
                self.between(&from, &to, &kind, tokens, &weight.unwrap_or_else(|| "1".to_owned()), parts)
            }
        };
        let Err((key, message)) = wrong else { return };
        if !follows {
            row.fail(&key, message);
        }
        parts.touched.extend([from, to]);
    }

    /// Adds an arc, or says at which key it has what problem.
    fn between(
        &mut self,
        from: &str,
        to: &str,
        kind: &str,
        tokens: Option<Tokens>,
        weight: &str,
        parts: &Parts<'_>,
    ) -> Result<(), (String, String)> {
        let Parts { places, transitions, .. } = parts;
        let ends = match (places.get(from), transitions.get(to), transitions.get(from), places.get(to)) {
            (Some(&place), Some(&(transition, _)), ..) => Some((place, transition, true)),
            (_, _, Some(&(transition, _)), Some(&place)) => Some((place, transition, false)),
            _ => None,
        };
        let Some((place, transition, into)) = ends else {
            let message =
                "expected a place and a transition of this net, in one order or the other".to_owned();
            return Err((String::new(), message + &unknown_end(from, to, parts)));
        };
        let kinds: &[ArcKind] = match (kind, into) {
            ("normal", true) => &[ArcKind::Input],
            ("normal", false) => &[ArcKind::Output],
            // What is read is taken and put back.
            ("read", true) => &[ArcKind::Input, ArcKind::Output],
            ("inhibitor", true) => &[ArcKind::Inhibitor],
            ("reset", true) => &[ArcKind::Reset],
            (other, into) => {
                let known: &[&str] =
                    if into { &["normal", "inhibitor", "read", "reset"] } else { &["normal"] };
                let (near, to) =
                    (nearest(other, known.iter().copied()), if into { "" } else { " to a place" });
                return Err((
                    "kind".to_owned(),
                    format!("found `{other}`{to}, expected {}{near}", known.join(", ")),
                ));
            }
        };
        let texts = match tokens {
            None => vec![String::new()],
            Some(Tokens::Text(text)) => vec![text],
            Some(Tokens::List(texts)) => texts,
            Some(Tokens::Count(number)) => vec![number.to_string()],
        };
        for tokens in &texts {
            for kind in kinds {
                match kind {
                    ArcKind::Input => self.net.take(place, transition, tokens, weight),
                    ArcKind::Output => self.net.put(transition, place, tokens, weight),
                    ArcKind::Inhibitor => self.net.inhibit(place, transition, tokens, weight),
                    ArcKind::Reset => self.net.reset(place, transition),
                }
            }
        }
        Ok(())
    }

    fn module(&mut self, path: &str, row: &Section<'_>, places: &BTreeMap<String, u32>) {
        let name = name_of(row);
        let file = row.text("file", "the net that it is");
        let (ends, parameters) = (row.section("places"), row.section("parameters"));
        let outer_places = each(ends.as_ref(), |section, key| section.text_if(key, "a place of this net"));
        let values = each(parameters.as_ref(), value);
        let Some(name) = name.filter(|_| !file.is_empty()) else { return };
        let beside = Path::new(path).parent().map_or_else(|| PathBuf::from(&file), |dir| dir.join(&file));
        let inner = beside.to_string_lossy().into_owned();
        // A shipped net may be named as it is.
        let inner = if beside.exists() || shipped(&file).is_none() { inner } else { file.clone() };
        if !file.ends_with(".toml") && shipped(&file).is_none() {
            let message =
                format!("found the file {inner}, expected one whose name ends in .toml, or a shipped net");
            return row.fail("file", message);
        }
        self.modules += 1;
        if self.modules > MOST_MODULES {
            return row.fail("", format!("found more than {MOST_MODULES} modules in all, expected fewer"));
        }
        if self.open.len() >= DEEPEST || self.open.contains(&PathBuf::from(&inner)) {
            return row.fail("file", format!("found {inner} inside itself, expected modules that end"));
        }
        let text = match text_of(&inner) {
            Ok(text) => text,
            Err(error) => return row.fail("file", error.to_string()),
        };
        let document = plain(&inner, text);
        if is_no_toml(&document) {
            return self.end(document);
        }
        let root = document.root();
        let interface = interface(&root);
        let mut shared = BTreeMap::new();
        for (section, name, outer) in outer_places {
            match places.get(&outer) {
                _ if !interface.contains(&name) => {
                    let known = interface.join(", ");
                    section.fail(&name, format!("found {name:?}, expected places of its interface: {known}"));
                }
                Some(&number) => drop(shared.insert(name, number)),
                None => section.fail(&name, format!("found {outer:?}, expected a place of this net")),
            }
        }
        let known = root.section("parameters").map_or_else(Vec::new, |all| all.keys());
        let mut set = BTreeMap::new();
        for (section, name, value) in values {
            if !known.contains(&name) {
                let message = format!("found {name:?}, expected parameters of it: {}", known.join(", "));
                section.fail(&name, message);
                continue;
            }
            // Parameters are expressions of the outer net.
            let value = match value {
                Value::Text(text) => match self.net.value(&text) {
                    Ok(Constant::Shares(_)) => Value::Text(text),
                    Ok(constant) => Value::Constant(constant),
                    Err(error) => {
                        section.fail(&name, sentence(&error, ""));
                        continue;
                    }
                },
                constant => constant,
            };
            set.insert(name, value);
        }
        let outer = self.net.enter(&name);
        self.open.push(PathBuf::from(&inner));
        self.file(&inner, &document, &set, &shared);
        self.open.pop();
        self.net.leave(outer);
        self.end(document);
    }

    /// Keeps what is wrong with the file of a module.
    fn end(&mut self, document: Document) {
        for each in document.finish_calling(called).err().unwrap_or_default() {
            if self.said.insert(each.to_string()) {
                self.problems.push(problem(each.place, &each.key, each.message));
            }
        }
    }
}

/// What a part is called in problems.
fn called(row: &Section<'_>) -> Option<String> {
    let (part, _) = row.path().split_once('[')?;
    let text = |key: &str| row.text_if(key, "").unwrap_or_default();
    match (part, text("name")) {
        ("arc", _) => Some(format!("arc {} -> {}", text("from"), text("to"))),
        (_, name) => (!name.is_empty()).then(|| format!("{part} {name}")),
    }
}

fn name_of(row: &Section<'_>) -> Option<String> {
    let name = row.text("name", "what it is called");
    if row.says("name", "") {
        row.fail("name", "found no name, expected a name of its own");
    }
    (!name.is_empty()).then_some(name)
}

/// What stands in a table, each with its key.
fn each<'s, 'd, T>(
    section: Option<&'s Section<'d>>,
    read: impl Fn(&Section<'d>, &str) -> Option<T>,
) -> Vec<(&'s Section<'d>, String, T)> {
    let all =
        section.into_iter().flat_map(|section| section.keys().into_iter().map(move |key| (section, key)));
    all.filter_map(|(section, key)| read(section, &key).map(|value| (section, key, value))).collect()
}

/// Places that a net with this one as a module may make its own.
fn interface(root: &Section<'_>) -> Vec<String> {
    root.texts("interface", "places that are those of a net around it")
}

/// A value, which may stand in a table beside its unit and its source.
fn parameter(section: &Section<'_>, name: &str) -> Option<Value> {
    if !section.is_table(name) {
        return value(section, name);
    }
    let table = section.section(name)?;
    table.text_if("unit", "its unit");
    table.text_if("source", "where it comes from");
    if !table.has("value") {
        table.missing("value", "a number, a truth value or an expression");
    }
    value(&table, "value")
}

/// A colour, if it is described as one.
fn described(section: &Section<'_>, name: &str) -> Option<Described> {
    if section.is_table(name) {
        let record = section.section(name)?;
        let fields = record.keys().into_iter().map(|field| {
            let colour = record.text(&field, "colour of the field");
            (!colour.is_empty()).then_some((field, colour))
        });
        return fields.collect::<Option<_>>().map(Described::Fields);
    }
    let allowed = "a colour, a list of words, or a table of fields";
    section.any_if(name, allowed, "values of tokens", |shown| match shown {
        Shown::Text(text) => Some(Described::Text(text.clone())),
        Shown::List(words) => texts(words).map(Described::Words),
        _ => None,
    })
}

/// What stands at an end of an arc that no part is called, and what was probably meant.
fn unknown_end(from: &str, to: &str, parts: &Parts<'_>) -> String {
    let places = || parts.places.keys().map(String::as_str);
    let transitions = || parts.transitions.keys().map(String::as_str);
    let one = |end: &str, other: &str| {
        if parts.knows(end) {
            return String::new();
        }
        let (is_place, is_transition) =
            (parts.places.contains_key(other), parts.transitions.contains_key(other));
        let (what, names): (_, Vec<&str>) = match (is_place, is_transition) {
            (true, false) => ("transition", transitions().collect()),
            (false, true) => ("place", places().collect()),
            _ => ("place or transition", places().chain(transitions()).collect()),
        };
        format!("; no {what} is called `{end}`{}", nearest(end, names))
    };
    one(from, to) + &one(to, from)
}
