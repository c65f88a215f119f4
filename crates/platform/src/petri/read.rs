//! From a file to a net, with its modules.

use super::file::{ArcEntry, ModuleEntry, NetFile, Number, PlaceEntry, Tokens, TransitionEntry};
use super::shape::{self, Lines, Shaped};
use crate::bounded;
use crate::error::{ConfigProblem, Error};
use crate::preset::{problem, shipped_net};
use linecard_config::nearest;
use linecard_petri::{
    ArcKind, Choice, Colour, ColouredBuilder, ColouredNet, Constant, Net, PetriError, Servers, TimingText,
    read_pnml_until,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Modules inside modules, at most.
const DEEPEST: usize = 16;
/// Modules in all.
const MOST_MODULES: usize = 1000;

/// Where a net comes from.
#[derive(Clone, Debug, Default)]
pub struct NetSource {
    /// Its file, or the name of a shipped net; with a text, what stands for it in errors.
    pub path: String,
    /// The net itself in TOML.
    pub text: Option<String>,
    /// Parameters that are set: `name=value`, the value an expression of the others.
    pub set: Vec<String>,
}

/// A net that was read.
#[derive(Clone, Debug)]
pub enum AnyNet {
    /// Places and transitions.
    Plain(Net),
    /// Tokens with colours.
    Coloured(ColouredNet),
}

impl AnyNet {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Plain(net) => &net.name,
            Self::Coloured(net) => &net.name,
        }
    }

    /// As a net of tokens, dots where there are no colours.
    ///
    /// # Errors
    /// When the net has none; nets that were read have one.
    pub fn into_coloured(self) -> Result<ColouredNet, PetriError> {
        match self {
            Self::Plain(net) => ColouredNet::of_plain(&net),
            Self::Coloured(net) => Ok(net),
        }
    }
}

pub(super) fn one_problem(path: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(path.to_owned(), "", message)] }
}

pub(super) fn petri(path: &str, error: PetriError) -> Error {
    match error {
        PetriError::Interrupted => Error::Interrupted,
        error => Error::Config { problems: vec![to_problem(path, &error)] },
    }
}

fn to_problem(path: &str, error: &PetriError) -> ConfigProblem {
    match error {
        PetriError::Part { part, name, found, expected } => {
            let key = if name.is_empty() { String::new() } else { format!("{part} {name}") };
            problem(path.to_owned(), &key, format!("found {found}, expected {expected}"))
        }
        PetriError::Expression { part, name, text, column, found, expected } => {
            let message = format!("in `{text}`, column {column}: found {found}, expected {expected}");
            problem(path.to_owned(), &format!("{part} {name}"), message)
        }
        other => problem(path.to_owned(), "", other.to_string()),
    }
}

/// Reads a net by the ending of its name: `.pnml` or `.xml`, else TOML.
///
/// # Errors
/// When it cannot be read; every problem of a TOML file that has the right shape.
pub fn read_net(source: &NetSource) -> Result<AnyNet, Error> {
    // Nobody stops it.
    read_net_until(source, &mut || ControlFlow::Continue(()))
}

/// What `tick` says while a net is read: nothing is done yet.
pub(super) fn ask(tick: &dyn Fn(u64, u64) -> bool) -> ControlFlow<()> {
    if tick(0, 0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The same; `watch` is asked now and then whether to go on, for a small file may stand for millions of transitions.
pub(super) fn read_net_until(
    source: &NetSource,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<AnyNet, Error> {
    let path = source.path.as_str();
    let ending = Path::new(path).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if source.text.is_none() && matches!(ending.as_deref(), Some("pnml" | "xml")) {
        if let Some(set) = source.set.first() {
            return Err(one_problem(
                path,
                format!("found --set {set}, expected none: PNML has no parameters"),
            ));
        }
        let net = read_pnml_until(&text_of(path)?, watch);
        return net.map(AnyNet::Plain).map_err(|error| petri(path, error));
    }
    let text = match &source.text {
        Some(text) => text.clone(),
        None => text_of(path)?,
    };
    let Shaped { file, problems, parts } =
        shape::read(path, &text).map_err(|problem| Error::Config { problems: vec![problem] })?;
    let mut reader = Reader {
        net: ColouredBuilder::new(&file.name),
        problems,
        broken: parts.into_iter().map(|part| (path.to_owned(), part)).collect(),
        touched: BTreeSet::new(),
        texts: BTreeMap::from([(path.to_owned(), text)]),
        open: vec![PathBuf::from(path)],
        modules: 0,
    };
    let mut set = BTreeMap::new();
    for given in &source.set {
        let pair = given.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| file.parameters.contains_key(*name)) else {
            let names: Vec<&str> = file.parameters.keys().map(String::as_str).collect();
            let name = given.split('=').next().unwrap_or_default().trim();
            let near = nearest(name, names.iter().copied());
            let message =
                format!("found {given:?}, expected name=value with a parameter: {}{near}", names.join(", "));
            reader.wrong("--set", "", message);
            continue;
        };
        // A value as TOML writes it, or else an expression.
        let written = format!("value = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut table| table.remove("value"));
        set.insert(name.to_owned(), written.unwrap_or_else(|| toml::Value::String(value.to_owned())));
    }
    reader.file(path, &file, &set, &BTreeMap::new());
    match reader.net.build_all() {
        Ok(net) if reader.problems.is_empty() => {
            return if_plain(net, watch).map_err(|error| match error {
                PetriError::Interrupted => Error::Interrupted,
                error => {
                    reader.problems.push(to_problem(path, &error));
                    reader.into_error()
                }
            });
        }
        Ok(_) => (),
        Err(wrong) => wrong.iter().for_each(|error| reader.built_wrong(path, error)),
    }
    Err(reader.into_error())
}

/// A net without colours and expressions is one of places and transitions.
fn if_plain(net: ColouredNet, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<AnyNet, PetriError> {
    if net.is_plain() { Ok(AnyNet::Plain(net.unfold_until(watch)?.net)) } else { Ok(AnyNet::Coloured(net)) }
}

/// The text of a file, or of a shipped net.
fn text_of(path: &str) -> Result<String, Error> {
    match bounded::read_text(path, bounded::MOST_INPUT_BYTES) {
        Ok(text) => Ok(text),
        Err(error) => match shipped(path) {
            Some(text) => Ok(text.to_owned()),
            None => Err(one_problem(path, format!("cannot read: {error}"))),
        },
    }
}

/// A shipped net by its name, with or without the ending.
fn shipped(path: &str) -> Option<&'static str> {
    shipped_net(path.strip_suffix(".toml").unwrap_or(path))
}

struct Reader {
    net: ColouredBuilder,
    problems: Vec<ConfigProblem>,
    /// Parts with a problem, each with its file: what follows from it is not said.
    broken: BTreeSet<(String, String)>,
    /// Transitions that an arc is missing of, for it has a problem: what they do cannot be judged.
    touched: BTreeSet<String>,
    /// Texts of all files.
    texts: BTreeMap<String, String>,
    /// Files that are being read, the innermost last.
    open: Vec<PathBuf>,
    /// Modules read so far, those of modules among them: two in each of a few levels are thousands.
    modules: usize,
}

impl Reader {
    fn keep<T>(&mut self, path: &str, key: &str, result: Result<T, PetriError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(_) if self.is_broken(path, key) => None,
            Err(error) => {
                let mut problem = to_problem(path, &error);
                if problem.key.is_empty() || !problem.key.starts_with(key) {
                    problem.message = if problem.key.is_empty() {
                        problem.message
                    } else {
                        format!("{}: {}", problem.key, problem.message)
                    };
                    key.clone_into(&mut problem.key);
                }
                self.problems.push(problem);
                self.broken.insert((path.to_owned(), key.to_owned()));
                None
            }
        }
    }

    fn wrong(&mut self, path: &str, key: &str, message: String) {
        if !self.is_broken(path, key) {
            self.problems.push(problem(path.to_owned(), key, message));
        }
    }

    fn is_broken(&self, path: &str, part: &str) -> bool {
        self.broken.contains(&(path.to_owned(), part.to_owned()))
    }

    /// A part has a problem, which has been said.
    fn breaks(&mut self, path: &str, part: &str) {
        self.broken.insert((path.to_owned(), part.to_owned()));
    }

    /// What is wrong with the net as a whole, unless it follows from what has been said.
    fn built_wrong(&mut self, path: &str, error: &PetriError) {
        let follows = match error {
            // Its transitions had problems of their own.
            PetriError::Part { part: "net", .. } => !self.problems.is_empty(),
            PetriError::Expression { found, .. } => {
                let quoted = found.split('`').nth(1).unwrap_or_default();
                self.is_broken(path, &format!("parameter {quoted}"))
            }
            _ => false,
        };
        let problem = to_problem(path, error);
        if !follows && !self.is_broken(path, &problem.key) && !self.touched.contains(&problem.key) {
            self.problems.push(problem);
        }
    }

    /// All problems, each with its line, in the order of their lines.
    fn into_error(self) -> Error {
        let Self { mut problems, texts, .. } = self;
        let lines: BTreeMap<&String, Lines> =
            texts.iter().map(|(path, text)| (path, Lines::of(text))).collect();
        for problem in &mut problems {
            if let Some(line) = lines.get(&problem.place).and_then(|lines| lines.get(&problem.key)) {
                problem.place = format!("{}:{line}", problem.place);
            }
        }
        let line = |place: &str| place.rsplit_once(':').and_then(|(_, line)| line.parse::<usize>().ok());
        problems.sort_by_key(|problem| line(&problem.place).unwrap_or(0));
        Error::Config { problems }
    }

    /// Adds what a file says; with parameters that are set from outside, and places that it shares.
    fn file(
        &mut self,
        path: &str,
        file: &NetFile,
        set: &BTreeMap<String, toml::Value>,
        shared: &BTreeMap<String, u32>,
    ) {
        self.parameters(path, file, set);
        let colours = self.colours(path, file);
        let mut places: BTreeMap<&str, u32> = BTreeMap::new();
        for entry in &file.place {
            match self.place(path, entry, &colours, shared.get(&entry.name).copied()) {
                Some(number) => {
                    places.insert(&entry.name, number);
                }
                None => self.breaks(path, &format!("place {}", entry.name)),
            }
        }
        for name in file.interface.iter().filter(|name| !places.contains_key(name.as_str())) {
            if self.is_broken(path, &format!("place {name}")) {
                continue;
            }
            self.wrong(path, "interface", format!("found {name:?}, expected places of this net"));
        }
        let mut transitions: BTreeMap<&str, u32> = BTreeMap::new();
        for entry in &file.transition {
            let key = format!("transition {}", entry.name);
            let timing = self.timing(entry);
            match timing {
                Ok((timing, servers)) => {
                    let added = self.net.transition(&entry.name, timing, servers, &entry.guard);
                    if let Some(number) = self.keep(path, &key, added) {
                        if let Some(reward) = &entry.reward {
                            self.net.reward(number, &reward.text());
                        }
                        transitions.insert(&entry.name, number);
                    }
                }
                Err(message) => {
                    self.wrong(path, &key, message);
                    self.breaks(path, &key);
                }
            }
        }
        for arc in &file.arc {
            let key = format!("arc {} -> {}", arc.from, arc.to);
            // What it leads to or from has a problem, or it has one itself.
            let ends = [&arc.from, &arc.to];
            let mut follows = self.is_broken(path, &key);
            for end in ends {
                let known = places.contains_key(end.as_str()) || transitions.contains_key(end.as_str());
                let broken = |what: &str| self.is_broken(path, &format!("{what} {end}"));
                follows |= !known && (broken("place") || broken("transition"));
            }
            let done = if follows { Err(String::new()) } else { self.arc(arc, &places, &transitions) };
            let Err(message) = done else { continue };
            if !follows {
                self.wrong(path, &key, message);
            }
            self.touched.extend(ends.map(|end| format!("transition {end}")));
        }
        for module in &file.module {
            self.module(path, module, &places);
        }
    }

    fn parameters(&mut self, path: &str, file: &NetFile, set: &BTreeMap<String, toml::Value>) {
        let mut left: Vec<(&String, &toml::Value)> = file
            .parameters
            .iter()
            .map(|(name, value)| {
                let value = set.get(name).unwrap_or(value);
                // A value may stand in a table beside its unit and its source.
                (name, value.as_table().and_then(|table| table.get("value")).unwrap_or(value))
            })
            .collect();
        // An expression may use parameters that stand behind it: whoever can be evaluated goes first.
        loop {
            let before = left.len();
            let mut failed = Vec::new();
            for (name, value) in left {
                match self.constant(value) {
                    Some(Ok(constant)) => {
                        let named = self.net.constant(name, constant);
                        self.keep(path, &format!("parameter {name}"), named);
                    }
                    Some(Err(error)) => failed.push((name, value, error)),
                    None => {
                        let key = format!("parameter {name}");
                        let message = format!(
                            "found {value}, expected a number, a truth value, an expression, or [[value, weight], ...]"
                        );
                        self.wrong(path, &key, message);
                        self.breaks(path, &key);
                    }
                }
            }
            if failed.len() == before || failed.is_empty() {
                for (name, _, error) in failed {
                    self.keep::<()>(path, &format!("parameter {name}"), Err(error));
                }
                return;
            }
            left = failed.into_iter().map(|(name, value, _)| (name, value)).collect();
        }
    }

    fn constant(&self, value: &toml::Value) -> Option<Result<Constant, PetriError>> {
        Some(Ok(match value {
            toml::Value::Integer(value) => Constant::Int(*value),
            toml::Value::Float(value) => Constant::Real(*value),
            toml::Value::Boolean(value) => Constant::Bool(*value),
            toml::Value::String(text) => return Some(self.net.value(text)),
            toml::Value::Array(pairs) => {
                let pair = |pair: &toml::Value| {
                    let pair = pair.as_array().filter(|pair| pair.len() == 2)?;
                    let weight =
                        pair[1].as_float().or_else(|| pair[1].as_integer().map(|weight| weight as f64))?;
                    Some((pair[0].as_integer()?, weight))
                };
                Constant::Shares(pairs.iter().map(pair).collect::<Option<Vec<_>>>()?)
            }
            _ => return None,
        }))
    }

    fn colours(&mut self, path: &str, file: &NetFile) -> BTreeMap<String, Colour> {
        let mut known = BTreeMap::new();
        for name in file.colours.keys() {
            if let Err(message) = self.colour(name, &file.colours, &mut known, 0) {
                let key = format!("colour {name}");
                self.wrong(path, &key, message);
                self.breaks(path, &key);
            }
        }
        known
    }

    /// A colour by its name or its text: `dot`, `int`, `bool`, `low..high`.
    fn colour(
        &mut self,
        text: &str,
        all: &BTreeMap<String, toml::Value>,
        known: &mut BTreeMap<String, Colour>,
        depth: usize,
    ) -> Result<Colour, String> {
        if let Some(colour) = known.get(text) {
            return Ok(colour.clone());
        }
        let Some(value) = all.get(text) else {
            return match (text.trim(), text.split_once("..")) {
                ("dot", _) => Ok(Colour::Dot),
                ("int", _) => Ok(Colour::ANY_INT),
                ("bool", _) => Ok(Colour::Bool),
                (_, Some((low, high))) => {
                    let bound = |text: &str| match self.net.value(text) {
                        Ok(Constant::Int(value)) => Ok(value),
                        Ok(_) => Err(format!("found {text:?}, expected a whole number")),
                        Err(error) => Err(error.to_string()),
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
                    let names: Vec<&str> = all.keys().map(String::as_str).collect();
                    Err(format!(
                        "found {text:?}, expected dot, int, bool, low..high, or a colour: {}",
                        names.join(", ")
                    ))
                }
            };
        };
        if depth > DEEPEST {
            return Err(format!("found {text:?} inside itself, expected records that end"));
        }
        let colour = match value {
            toml::Value::String(inner) if inner != text => self.colour(inner, all, known, depth + 1)?,
            toml::Value::Array(words) => {
                let words: Option<Vec<&str>> = words.iter().map(toml::Value::as_str).collect();
                let words = words.ok_or("found another list, expected words")?;
                self.net.enumeration(&words).map_err(|error| error.to_string())?
            }
            toml::Value::Table(fields) => {
                let mut record = Vec::new();
                for (name, value) in fields {
                    let text = value
                        .as_str()
                        .ok_or_else(|| format!("found {value} as {name}, expected a colour"))?;
                    record.push((name.clone(), self.colour(text, all, known, depth + 1)?));
                }
                Colour::record(record)
            }
            _ => {
                return Err(format!(
                    "found {value}, expected a colour, a list of words, or a table of fields"
                ));
            }
        };
        known.insert(text.to_owned(), colour.clone());
        Ok(colour)
    }

    fn place(
        &mut self,
        path: &str,
        entry: &PlaceEntry,
        colours: &BTreeMap<String, Colour>,
        shared: Option<u32>,
    ) -> Option<u32> {
        let key = format!("place {}", entry.name);
        let colour = match &entry.colour {
            None => Colour::Dot,
            Some(text) if self.is_broken(path, &format!("colour {text}")) => return None,
            Some(text) => match self.colour(text, &BTreeMap::new(), &mut colours.clone(), 0) {
                Ok(colour) => colour,
                Err(message) => {
                    self.wrong(path, &key, message);
                    return None;
                }
            },
        };
        let choice = match entry.choice.as_deref() {
            None | Some("random") => Choice::Random,
            Some("fifo") => Choice::Fifo,
            Some(other) => {
                self.wrong(path, &key, format!("found choice `{other}`, expected fifo or random"));
                return None;
            }
        };
        if let Some(number) = shared {
            if *self.net.colour_of(number) != colour {
                let outer = self.net.colour_of(number).describe();
                self.wrong(
                    path,
                    &key,
                    format!("found {}, expected {outer}, as the place that it is", colour.describe()),
                );
            }
            return Some(number);
        }
        let added = self.net.place(&entry.name, &colour, choice);
        let number = self.keep(path, &key, added)?;
        let put = self.tokens(number, &colour, entry.tokens.as_ref());
        self.keep(path, &key, put);
        Some(number)
    }

    fn tokens(&mut self, place: u32, colour: &Colour, tokens: Option<&Tokens>) -> Result<(), PetriError> {
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
                self.net.dots(place, *count);
                Ok(())
            }
            Some(Tokens::Text(text)) if dots => {
                let count = count(&self.net, text)?;
                self.net.dots(place, count);
                Ok(())
            }
            Some(Tokens::Text(text)) if text == "all" => self.net.all_tokens(place),
            Some(Tokens::List(list)) if !dots => {
                for text in list {
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

    /// The time and the servers of a transition.
    fn timing(&self, entry: &TransitionEntry) -> Result<(TimingText, Servers), String> {
        let given = [
            ("rate", entry.rate.is_some()),
            ("delay", entry.delay.is_some()),
            ("weight", entry.weight.is_some()),
            ("low", entry.low.is_some()),
            ("high", entry.high.is_some()),
            ("stages", entry.stages.is_some()),
            ("values", entry.values.is_some()),
            ("weights", entry.weights.is_some()),
        ];
        let allowed: &[&str] = match entry.kind.as_str() {
            "exp" => &["rate"],
            "det" => &["delay"],
            "imm" => &["weight"],
            "uniform" => &["low", "high"],
            "erlang" => &["stages", "rate"],
            "empirical" => &["values", "weights"],
            other => {
                let near = nearest(other, ["exp", "det", "imm", "uniform", "erlang", "empirical"]);
                return Err(format!(
                    "found kind `{other}`, expected exp, det, imm, uniform, erlang or empirical{near}"
                ));
            }
        };
        if let Some((name, _)) = given.iter().find(|(name, given)| *given && !allowed.contains(name)) {
            return Err(format!("kind {} has no `{name}`", entry.kind));
        }
        if entry.priority.is_some() && entry.kind != "imm" {
            return Err(format!("kind {} has no `priority`", entry.kind));
        }
        let need = |name: &str, number: &Option<Number>| {
            number.as_ref().map(Number::text).ok_or_else(|| format!("kind {} needs `{name}`", entry.kind))
        };
        let whole = |what: &str, number: &Number, or: &str| match self.net.value(&number.text()) {
            Ok(Constant::Int(value)) => u32::try_from(value)
                .map_err(|_| format!("found {value} {what}, expected 1 to 4294967295{or}")),
            Ok(_) => Err(format!("found `{}` {what}, expected a whole number{or}", number.text())),
            Err(PetriError::Expression { text, column, found, expected, .. }) => {
                Err(format!("{what}: in `{text}`, column {column}: found {found}, expected {expected}{or}"))
            }
            Err(error) => Err(error.to_string()),
        };
        let timing = match entry.kind.as_str() {
            "exp" => TimingText::Exponential { rate: need("rate", &entry.rate)? },
            "det" => TimingText::Deterministic { delay: need("delay", &entry.delay)? },
            "uniform" => {
                TimingText::Uniform { low: need("low", &entry.low)?, high: need("high", &entry.high)? }
            }
            "erlang" => {
                need("stages", &entry.stages)?;
                let stages = entry.stages.as_ref().map_or(Ok(0), |stages| whole("stages", stages, ""))?;
                TimingText::Erlang { stages, rate: need("rate", &entry.rate)? }
            }
            "empirical" => {
                let values = entry.values.clone().ok_or("kind empirical needs `values`")?;
                let weights = entry.weights.clone().unwrap_or_else(|| vec![1.0; values.len()]);
                TimingText::Empirical { values, weights }
            }
            _ => TimingText::Immediate {
                weight: entry.weight.as_ref().map_or_else(|| "1".to_owned(), Number::text),
                priority: entry.priority.unwrap_or(0),
            },
        };
        let servers = match &entry.servers {
            None => Servers::Count(1),
            Some(Number::Text(text)) if text == "inf" => Servers::Infinite,
            Some(number) => Servers::Count(whole("servers", number, ", or \"inf\"")?),
        };
        Ok((timing, servers))
    }

    fn arc(
        &mut self,
        arc: &ArcEntry,
        places: &BTreeMap<&str, u32>,
        transitions: &BTreeMap<&str, u32>,
    ) -> Result<(), String> {
        let (from, to) = (arc.from.as_str(), arc.to.as_str());
        let ends = match (places.get(from), transitions.get(to), transitions.get(from), places.get(to)) {
            (Some(&place), Some(&transition), ..) => Some((place, transition, true)),
            (_, _, Some(&transition), Some(&place)) => Some((place, transition, false)),
            _ => None,
        };
        let Some((place, transition, into)) = ends else {
            let message =
                "expected a place and a transition of this net, in one order or the other".to_owned();
            return Err(message + &unknown_end(from, to, places, transitions));
        };
        let kind = match (arc.kind.as_str(), into) {
            ("normal", true) => ArcKind::Input,
            ("normal", false) => ArcKind::Output,
            ("inhibitor", true) => ArcKind::Inhibitor,
            ("reset", true) => ArcKind::Reset,
            ("read", true) => {
                // What is read is taken and put back.
                let back = ArcEntry {
                    from: arc.to.clone(),
                    to: arc.from.clone(),
                    tokens: None,
                    weight: arc.weight.clone(),
                    kind: normal_kind(),
                };
                for tokens in token_texts(arc.tokens.as_ref())? {
                    let tokens = tokens.map(|text| Tokens::List(vec![text]));
                    let there =
                        ArcEntry { from: arc.from.clone(), to: arc.to.clone(), tokens, ..back_of(&back) };
                    self.arc(&there, places, transitions)?;
                    let back = ArcEntry { tokens: there.tokens, ..back_of(&back) };
                    self.arc(&back, places, transitions)?;
                }
                return Ok(());
            }
            (other, true) => {
                return Err(format!("found kind `{other}`, expected normal, inhibitor, read or reset"));
            }
            (other, false) => return Err(format!("found kind `{other}` to a place, expected normal")),
        };
        let weight = arc.weight.as_ref().map_or_else(|| "1".to_owned(), Number::text);
        for tokens in token_texts(arc.tokens.as_ref())? {
            let tokens = tokens.unwrap_or_default();
            match kind {
                ArcKind::Input => self.net.take(place, transition, &tokens, &weight),
                ArcKind::Output => self.net.put(transition, place, &tokens, &weight),
                ArcKind::Inhibitor => self.net.inhibit(place, transition, &tokens, &weight),
                ArcKind::Reset => self.net.reset(place, transition),
            }
        }
        Ok(())
    }

    fn module(&mut self, path: &str, entry: &ModuleEntry, places: &BTreeMap<&str, u32>) {
        let key = format!("module {}", entry.name);
        let beside =
            Path::new(path).parent().map_or_else(|| PathBuf::from(&entry.file), |dir| dir.join(&entry.file));
        let inner = beside.to_string_lossy().into_owned();
        // A shipped net may be named as it is.
        let inner =
            if beside.exists() || shipped(&entry.file).is_none() { inner } else { entry.file.clone() };
        if !entry.file.ends_with(".toml") && shipped(&entry.file).is_none() {
            let message =
                format!("found the file {inner}, expected one whose name ends in .toml, or a shipped net");
            return self.wrong(path, &key, message);
        }
        self.modules += 1;
        if self.modules > MOST_MODULES {
            return self.wrong(
                path,
                &key,
                format!("found more than {MOST_MODULES} modules in all, expected fewer"),
            );
        }
        if self.open.len() >= DEEPEST || self.open.contains(&PathBuf::from(&inner)) {
            return self.wrong(path, &key, format!("found {inner} inside itself, expected modules that end"));
        }
        let text = match text_of(&inner) {
            Ok(text) => text,
            Err(error) => return self.wrong(path, &key, error.to_string()),
        };
        let file = match shape::read(&inner, &text) {
            Ok(Shaped { file, problems, parts }) => {
                // A net may be a module several times.
                if !self.texts.contains_key(&inner) {
                    self.problems.extend(problems);
                }
                self.broken.extend(parts.into_iter().map(|part| (inner.clone(), part)));
                file
            }
            Err(problem) => {
                self.problems.push(problem);
                return;
            }
        };
        self.texts.insert(inner.clone(), text);
        let mut shared = BTreeMap::new();
        for (name, outer) in &entry.places {
            match places.get(outer.as_str()) {
                _ if !file.interface.contains(name) => {
                    let message = format!(
                        "found {name:?}, expected places of its interface: {}",
                        file.interface.join(", ")
                    );
                    self.wrong(path, &key, message);
                }
                Some(&number) => {
                    shared.insert(name.clone(), number);
                }
                None => self.wrong(path, &key, format!("found {outer:?}, expected a place of this net")),
            }
        }
        // Parameters are expressions of the outer net.
        let mut set = BTreeMap::new();
        for (name, value) in &entry.parameters {
            if !file.parameters.contains_key(name) {
                let names: Vec<&str> = file.parameters.keys().map(String::as_str).collect();
                self.wrong(
                    path,
                    &key,
                    format!("found {name:?}, expected parameters of it: {}", names.join(", ")),
                );
                continue;
            }
            let value = match value {
                toml::Value::String(text) => match self.net.value(text) {
                    Ok(Constant::Int(value)) => toml::Value::Integer(value),
                    Ok(Constant::Real(value)) => toml::Value::Float(value),
                    Ok(Constant::Bool(value)) => toml::Value::Boolean(value),
                    Ok(Constant::Shares(_)) => value.clone(),
                    Err(error) => {
                        self.keep::<()>(path, &key, Err(error));
                        continue;
                    }
                },
                other => other.clone(),
            };
            set.insert(name.clone(), value);
        }
        let outer = self.net.enter(&entry.name);
        self.open.push(PathBuf::from(&inner));
        self.file(&inner, &file, &set, &shared);
        self.open.pop();
        self.net.leave(outer);
    }
}

/// What stands at an end of an arc that no part is called, and what was probably meant.
fn unknown_end(
    from: &str,
    to: &str,
    places: &BTreeMap<&str, u32>,
    transitions: &BTreeMap<&str, u32>,
) -> String {
    let one = |end: &str, other: &str| {
        if places.contains_key(end) || transitions.contains_key(end) {
            return String::new();
        }
        let (what, names): (_, Vec<&str>) =
            match (places.contains_key(other), transitions.contains_key(other)) {
                (true, false) => ("transition", transitions.keys().copied().collect()),
                (false, true) => ("place", places.keys().copied().collect()),
                _ => ("place or transition", places.keys().chain(transitions.keys()).copied().collect()),
            };
        format!("; no {what} is called `{end}`{}", nearest(end, names))
    };
    one(from, to) + &one(to, from)
}

fn normal_kind() -> String {
    "normal".to_owned()
}

fn back_of(arc: &ArcEntry) -> ArcEntry {
    ArcEntry {
        from: arc.from.clone(),
        to: arc.to.clone(),
        tokens: None,
        weight: arc.weight.clone(),
        kind: normal_kind(),
    }
}

/// What an arc says of its tokens: one text after another, or nothing.
fn token_texts(tokens: Option<&Tokens>) -> Result<Vec<Option<String>>, String> {
    match tokens {
        None => Ok(vec![None]),
        Some(Tokens::Text(text)) => Ok(vec![Some(text.clone())]),
        Some(Tokens::List(texts)) => Ok(texts.iter().cloned().map(Some).collect()),
        Some(Tokens::Count(number)) => Ok(vec![Some(number.to_string())]),
    }
}
