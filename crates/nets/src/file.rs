//! A net in TOML, with its modules: `[parameters]`, `[colours]`, `[[place]]`, `[[transition]]`, `[[arc]]`, `[[module]]`.

use super::colour::colour;
use super::said::{
    Tokens, Value, as_toml, called, described, each, expression, interface, name_of, parameter, tokens, value,
};
use super::text::{shipped, text_of};
use super::timing::timing;
use super::wrong::{in_words, sentence};
use linecard_config::{Document, Section, nearest};
use linecard_files::{ConfigProblem, Error, plain, problem};
use linecard_petri::{Choice, Colour, ColouredBuilder, ColouredNet, Constant, PetriError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The deepest nesting of modules.
const DEEPEST: usize = 16;
/// The most modules in all.
const MOST_MODULES: usize = 1000;

/// Reads the net of a text, and passes it to `make`.
///
/// # Errors
/// Every problem of the file and of its modules, unless it is not TOML.
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
        net: ColouredBuilder::new(&root.text_or("name", "", "name of the net")),
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
    // Problems of the file precede the problems of its modules.
    let of_modules = std::mem::take(&mut reader.problems);
    reader.said.clear();
    reader.end(document);
    reader.problems.extend(of_modules);
    Err(Error::Config { problems: reader.problems })
}

fn is_no_toml(document: &Document) -> bool {
    document.problems() > 0 && document.root().is_empty()
}

/// Returns the parameters that are set from outside, each `name=value`.
fn given(document: &Document, set: &[String]) -> BTreeMap<String, Value> {
    let mut names = document.root().section("parameters").map_or_else(Vec::new, |all| all.keys());
    names.sort();
    let mut found = BTreeMap::new();
    for given in set {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        let name = name.trim();
        if !given.contains('=') || !names.iter().any(|known| known == name) {
            let message = match names.as_slice() {
                [] => format!("found {given:?}, but the net has no parameters, [parameters]; omit it"),
                names => {
                    let near = nearest(name, names.iter().map(String::as_str));
                    let names = names.join(", ");
                    format!("found {given:?}, expected name=value with a parameter: {names}{near}")
                }
            };
            document.report("--set", "", message);
            continue;
        }
        found.insert(name.to_owned(), as_toml(value.trim()));
    }
    found
}

/// The parts of a file by name, and the parts about which nothing is reported.
struct Parts<'d> {
    document: &'d Document,
    places: BTreeMap<String, u32>,
    transitions: BTreeMap<String, (u32, Section<'d>)>,
    /// Parts that are missing because of a reported problem; problems that follow from it are not reported.
    broken: BTreeSet<String>,
    /// Transitions that lack an arc because the arc has a problem, so that they cannot be judged.
    touched: BTreeSet<String>,
}

impl Parts<'_> {
    fn knows(&self, name: &str) -> bool {
        self.places.contains_key(name) || self.transitions.contains_key(name)
    }

    /// Returns whether a name is that of a part that is missing because of its problems.
    fn lacks(&self, name: &str) -> bool {
        let broken = |part: &str| self.broken.contains(&format!("{part} {name}"));
        !self.knows(name) && (broken("place") || broken("transition"))
    }

    /// Reports a problem of the net as a whole, unless it follows from reported problems.
    fn built_wrong(&self, path: &str, error: &PetriError, sound: bool) {
        let follows = match error {
            // The problems of the net's parts have been reported.
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
    /// Problems of modules.
    problems: Vec<ConfigProblem>,
    /// The same problems as text: a net may be a module several times.
    said: BTreeSet<String>,
    /// Files that are being read, the innermost last.
    open: Vec<PathBuf>,
    /// Modules read so far, nested ones included: two in each of a few levels are thousands.
    modules: usize,
}

impl Reader {
    /// Adds the content of a file, with parameters that are set from outside and places that it shares.
    fn file<'d>(
        &mut self,
        path: &str,
        document: &'d Document,
        set: &BTreeMap<String, Value>,
        shared: &BTreeMap<String, u32>,
    ) -> Parts<'d> {
        let root = document.root();
        root.text_or("name", "", "name of the net");
        root.text_if("description", "description for readers");
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
        // An expression may use parameters that follow it, so parameters that can be evaluated go first.
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
            if let Err(message) = colour(&mut self.net, name, &all, &mut known, 0) {
                section.fail(name, message);
                parts.broken.insert(format!("colour {name}"));
            }
        }
        known
    }

    fn place(
        &mut self,
        row: &Section<'_>,
        colours: &BTreeMap<String, Colour>,
        shared: &BTreeMap<String, u32>,
        parts: &mut Parts<'_>,
    ) {
        let name = name_of(row);
        let said = row.text_if("colour", "colour of the tokens");
        let tokens = tokens(row, "initial tokens");
        let choices = [("random", Choice::Random), ("fifo", Choice::Fifo)];
        let choice = row.choice_or("choice", "random", &choices, "rule that selects the token to take");
        let Some(name) = name else { return };
        let called = format!("place {name}");
        let colour = match said {
            None => Some(Colour::Dot),
            Some(text) if parts.broken.contains(&format!("colour {text}")) => None,
            Some(text) => colour(&mut self.net, &text, &BTreeMap::new(), &mut colours.clone(), 0)
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
                row.fail(
                    "colour",
                    format!("found {found}, expected {outer}, the colour of the shared place"),
                );
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
            Some(_) if dots => Err(wrong("a list of tokens", "a number, because the tokens have no colour")),
            Some(_) => Err(wrong("other tokens", "\"all\", or a list such as [\"3 of {size: 64}\"]")),
        }
    }

    fn transition<'d>(&mut self, row: Section<'d>, parts: &mut Parts<'d>) {
        let name = name_of(&row);
        let guard = row.text_or("guard", "", "condition under which the transition may fire");
        let reward = expression(&row, "reward", "reward of a firing");
        let timing = timing(&self.net, &row, parts.document);
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

    fn arc(&mut self, row: &Section<'_>, parts: &mut Parts<'_>) {
        let before = parts.document.problems();
        let (from, to) =
            (row.text("from", "a place or a transition"), row.text("to", "a transition or a place"));
        let tokens = tokens(row, "tokens that the arc moves");
        let weight = expression(row, "weight", "number of tokens");
        let kind = row.text_or("kind", "normal", "kind of arc");
        row.close();
        // The arc itself, its source or its target has a problem that has been reported.
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

    /// Adds an arc, or returns its problem and the key of the problem.
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
            let message = "expected a place and a transition of this net, in either order".to_owned();
            return Err((String::new(), message + &unknown_end(from, to, parts)));
        };
        let add: fn(&mut ColouredBuilder, u32, u32, &str, &str) = match (kind, into) {
            ("normal", true) => ColouredBuilder::take,
            ("normal", false) => {
                |net, place, transition, tokens, weight| net.put(transition, place, tokens, weight)
            }
            ("read", true) => ColouredBuilder::read,
            ("inhibitor", true) => ColouredBuilder::inhibit,
            ("reset", true) => |net, place, transition, _, _| net.reset(place, transition),
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
            add(&mut self.net, place, transition, tokens, weight);
        }
        Ok(())
    }

    fn module(&mut self, path: &str, row: &Section<'_>, places: &BTreeMap<String, u32>) {
        let name = name_of(row);
        let file = row.text("file", "file of the net");
        let (ends, parameters) = (row.section("places"), row.section("parameters"));
        let outer_places = each(ends.as_ref(), |section, key| section.text_if(key, "a place of this net"));
        let values = each(parameters.as_ref(), value);
        let Some(name) = name.filter(|_| !file.is_empty()) else { return };
        let beside = Path::new(path).parent().map_or_else(|| PathBuf::from(&file), |dir| dir.join(&file));
        let inner = beside.to_string_lossy().into_owned();
        // A shipped net needs no path.
        let inner = if beside.exists() || shipped(&file).is_none() { inner } else { file.clone() };
        if !file.ends_with(".toml") && shipped(&file).is_none() {
            let message =
                format!("found the file {inner}, expected a file whose name ends in .toml, or a shipped net");
            return row.fail("file", message);
        }
        self.modules += 1;
        if self.modules > MOST_MODULES {
            return row.fail(
                "",
                format!("found more than {MOST_MODULES} modules in total, expected at most {MOST_MODULES}"),
            );
        }
        if self.open.len() >= DEEPEST || self.open.contains(&PathBuf::from(&inner)) {
            return row.fail(
                "file",
                format!("found {inner} inside itself, expected a module that does not contain itself"),
            );
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
                    section.fail(
                        &name,
                        format!("found {name:?}, expected interface places of the module: {known}"),
                    );
                }
                Some(&number) => drop(shared.insert(name, number)),
                None => section.fail(&name, format!("found {outer:?}, expected a place of this net")),
            }
        }
        let known = root.section("parameters").map_or_else(Vec::new, |all| all.keys());
        let mut set = BTreeMap::new();
        for (section, name, value) in values {
            if !known.contains(&name) {
                let message =
                    format!("found {name:?}, expected parameters of the module: {}", known.join(", "));
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

    /// Keeps the problems of the file of a module.
    fn end(&mut self, document: Document) {
        for each in document.finish_calling(called).err().unwrap_or_default() {
            if self.said.insert(each.to_string()) {
                self.problems.push(problem(each.place, &each.key, each.message));
            }
        }
    }
}

/// Returns a text for the end of an arc that names no part, with the name that was probably meant.
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
