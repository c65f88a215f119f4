//! Programs: what `[program]` of a chip says, and files of listed steps.

use super::cluster::NamedInbox;
use super::executed::{Around, Executable, ExecutionCosts, Plan, Shared};
use super::listed::listed;
use super::native::{self, Runs, names, reader};
use super::places::in_folder;
use crate::preset::find;
use crate::routes::routes;
use linecard_apps::{Does, Route, StepList};
use linecard_config::nearest;
use linecard_config::{Document, Problem, Row, Section, read};
use linecard_program::script::PacketProgram;
use std::rc::Rc;

/// Names of roles, numbered in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    pub names: Vec<String>,
    /// Bytes that programs use of each, and where the file says so.
    pub bytes: Vec<u64>,
    pub places: Vec<String>,
    /// Regions of executed programs, which may be bound.
    pub regions: Vec<String>,
}

impl Roles {
    /// The number of a role.
    pub fn number(&mut self, name: &str, place: &str) -> usize {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.bytes.push(0);
        self.places.push(place.to_owned());
        self.names.len() - 1
    }

    /// A program keeps so many bytes there.
    pub fn uses(&mut self, number: usize, bytes: u64) {
        self.bytes[number] = self.bytes[number].max(bytes);
    }
}

/// A program that has been read.
#[derive(Clone, Debug)]
pub(super) struct ReadProgram {
    pub name: String,
    pub runs: Runs,
    /// Its forwarding table, if it has one.
    pub routes: Option<Rc<[Route]>>,
    /// Roles that it uses.
    pub roles: Vec<usize>,
    /// Whether it moves cells of packets itself.
    pub moves_cells: bool,
    /// Whether it asks for room in the packet memory.
    pub allocates: bool,
}

impl ReadProgram {
    /// A program that has seen no packet, for the chip's program of a number.
    pub fn fresh(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        self.runs.fresh(number, shared)
    }

    /// The executed program, if it is one.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.runs {
            Runs::Executed(plan) => Some(plan),
            _ => None,
        }
    }
}

/// What a program is read with.
pub(super) struct Reading<'a> {
    pub roles: &'a mut Roles,
    pub inboxes: &'a [NamedInbox],
    pub ports: u16,
    pub seed: u64,
    /// Threads of the chip.
    pub threads: u64,
    /// Whether packets of congested ports are kept in memory.
    pub keeps: bool,
    /// Whether there is a cache of lookup results.
    pub results: bool,
    /// The queue manager, if there is one.
    pub queue_manager: Option<linecard_queueing::Kind>,
    /// `[bind]` of the chip.
    pub bind: Option<Section<'a>>,
    /// The program that is to be executed, if one is.
    pub executable: Option<&'a Executable>,
    /// What its instructions cost on the cluster at hand.
    pub costs: ExecutionCosts,
    /// Whether a program has a step that executes it.
    pub is_executed: bool,
    /// Whether threads of some cluster send block by block.
    pub sends_blocks: bool,
    /// The program whose file lies under `[program]`, if one does.
    pub laid: Option<String>,
}

impl Reading<'_> {
    /// The forwarding table that a section names.
    pub fn routes(&self, section: &Section<'_>) -> Option<Rc<[Route]>> {
        let file = section.text_or(
            "routes",
            "",
            "forwarding table: file of `prefix next_hop …` lines, plain or gzip; empty generates one",
        );
        match routes(&file, self.ports.max(1), self.seed) {
            Ok(routes) => Some(routes.into()),
            Err(message) => {
                section.fail("routes", message);
                None
            }
        }
    }
}

/// Keys of `[program]` that a list of steps has.
pub(super) const LISTED: &[&str] = &["step", "extension", "without"];

/// What a program is called whose file has this name.
pub(super) fn called(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml")
}

/// Where a program is named: place and key, for messages.
pub(super) type NamedAt = (String, String);

/// The program of a name, with where that stands; without one what the chip's own file says under `[program]`, or of the
/// programs that come with the project the one called `native`, with the costs that stand there.
pub(super) fn program(
    document: &Document,
    name: Option<(&str, NamedAt)>,
    native: Option<&str>,
    reading: &mut Reading<'_>,
) -> Option<ReadProgram> {
    let root = document.root();
    match name {
        Some((name, named_at)) => from_file(document, name, named_at, reading),
        None => {
            let own = root.section("program");
            let Some(own) = own else {
                root.fail(
                    "program",
                    "missing: say what runs, [program] with run = \"NAME\" or [[program.step]]",
                );
                return None;
            };
            if let Some(name) = reading.laid.clone() {
                own.leave(native::COSTS);
                return listed(&own, &name, reading);
            }
            let run = own.text_if("run", "program: a preset of presets/programs, or a file");
            match native.map(str::to_owned).or(run) {
                Some(run) if reader(&run).is_some() => {
                    own.leave(LISTED);
                    reader(&run).map(|read| read(&root, &own, reading))
                }
                Some(run) => {
                    if !own.list("step").is_empty() {
                        own.fail(
                            "run",
                            "names a program, and steps are listed beside it: choose one of the two",
                        );
                    }
                    let named_at = (own.place_of("run"), "program.run".to_owned());
                    from_file(document, &run, named_at, reading)
                }
                None => listed(&own, "program", reading),
            }
        }
    }
}

/// A file of its own: its problems are told with the chip's.
fn from_file(
    document: &Document,
    name: &str,
    named_at: NamedAt,
    reading: &mut Reading<'_>,
) -> Option<ReadProgram> {
    if reader(name).is_some() {
        let (place, key) = named_at;
        let message = format!(
            "`{name}` comes with the project and takes its costs from [program] of the chip: set program.run = \"{name}\" \
             there, as platforms/ixp2400 does"
        );
        document.report(place, &key, message);
        return None;
    }
    let file = in_folder("programs", name);
    if let Err(message) = find(&file) {
        let (place, key) = named_at;
        let own = nearest(name, names());
        let message = if own.is_empty() { message } else { format!("no program is called `{name}`{own}") };
        document.report(place, &key, message);
        return None;
    }
    let own = read(&file, &[], &[], &find);
    if !own.kind().is_empty() && own.kind() != "program" {
        own.report(file.clone(), "kind", format!("this is a {}, no program", own.kind()));
    }
    let built = listed(&own.root(), called(name), reading);
    match own.finish() {
        Ok(_) => built,
        Err(problems) => {
            for Problem { place, key, message } in problems {
                document.report(place, &key, message);
            }
            None
        }
    }
}

/// Rows and problems of a program file alone, for `describe`.
pub(super) fn describe_program(name: &str) -> Result<(String, Vec<String>, Vec<Row>), Vec<Problem>> {
    let document = read(&in_folder("programs", name), &[], &[], &find);
    let mut roles = Roles::default();
    let mut reading = Reading {
        roles: &mut roles,
        inboxes: &[],
        ports: 1,
        seed: 1,
        threads: 1,
        keeps: false,
        results: false,
        queue_manager: None,
        bind: None,
        executable: None,
        costs: ExecutionCosts::plain(),
        is_executed: false,
        sends_blocks: false,
        laid: None,
    };
    listed(&document.root(), name, &mut reading);
    let (title, extends) = (document.title().to_owned(), document.extends().to_vec());
    Ok((title, extends, document.finish()?))
}

/// A program that is executed in the place of a chip's own. What moves packets there stays.
pub(super) fn executed(
    executable: &Executable,
    document: &Document,
    place: &str,
    reading: &mut Reading<'_>,
) -> ReadProgram {
    let root = document.root();
    let own = root.section("program");
    let around = own.as_ref().and_then(|own| native::around(&root, own, reading));
    let moves = around.is_some();
    let (around, roles) = around.unwrap_or_else(|| {
        let (front, behind) = StepList::parted(vec![], 0, None);
        (Around::Steps { front, behind }, Vec::new())
    });
    let mut read = ReadProgram {
        name: String::new(),
        runs: Runs::Steps(StepList::new(vec![], Does::Finish, None)),
        routes: None,
        roles,
        moves_cells: moves,
        allocates: matches!(around, Around::Io(_)),
    };
    read.runs = execute(executable, around, place, reading, &mut read);
    read
}

/// Whether `[program]` of a chip lists a step at which a program is executed.
pub(super) fn runs_by_step(root: &Section<'_>) -> bool {
    let Some(own) = root.section("program") else { return false };
    own.has("step") && own.list("step").iter().any(|step| step.says("op", "run"))
}

/// A program that is executed between steps.
pub(super) fn execute(
    executable: &Executable,
    around: Around,
    place: &str,
    reading: &mut Reading<'_>,
    read: &mut ReadProgram,
) -> Runs {
    read.name = executable.name().to_owned();
    reading.is_executed = true;
    Runs::Executed(Box::new(executable.plan(around, place, reading, &mut read.roles)))
}
