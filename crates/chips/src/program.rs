//! Programs: `[program]` of a chip, and files of listed steps.

use super::executed::{Around, Executable, ExecutionCosts};
use super::listed::listed;
use super::native::{self, names, reader};
pub(super) use super::read_program::ReadProgram;
use super::read_program::{Runs, execute};
pub(super) use super::reading::{Reading, Roles};
use linecard_apps::{Does, StepList};
use linecard_config::nearest;
use linecard_config::{Document, Problem, Request, Row, Section};
use linecard_files::preset::{find, in_folder};

/// Keys of `[program]` for a list of steps.
pub(super) const LISTED: &[&str] = &["step", "extension", "without"];

/// Returns the name of the program in a file.
pub(super) fn called(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml")
}

/// Where a program is named: location and key, for messages.
pub(super) type NamedAt = (String, String);

/// Reads the program of a name, with the location of the name. Without a name, it is the program in `[program]` of
/// the chip's file, or the native program `native`, with the costs in the chip's file.
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
                root.lacks("program", "set the program: [program] with run = \"NAME\" or [[program.step]]");
                return None;
            };
            if let Some(name) = reading.laid.clone() {
                own.leave(&native::costs());
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
                            "this key names a program, but the file also lists steps; omit one of them",
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

/// Reads a program from a separate file: its problems are reported with the chip's.
fn from_file(
    document: &Document,
    name: &str,
    named_at: NamedAt,
    reading: &mut Reading<'_>,
) -> Option<ReadProgram> {
    if reader(name).is_some() {
        let (place, key) = named_at;
        let message = format!(
            "`{name}` is a built-in program that takes its costs from the chip's [program]; set program.run = \
             \"{name}\" in the chip's file, as platforms/ixp2400 does"
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
    let own = Request::of(&file, &find).read();
    own.expect_kind("program");
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

/// Returns the rows and problems of a program file, for `describe`.
pub(super) fn describe_program(name: &str) -> Result<(String, Vec<String>, Vec<Row>), Vec<Problem>> {
    let document = Request::of(&in_folder("programs", name), &find).read();
    let mut roles = Roles::default();
    let mut reading = Reading {
        roles: &mut roles,
        inboxes: &[],
        ports: 1,
        classes: None,
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

/// Reads a program that is executed instead of a chip's own. The code that moves packets stays.
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
        runs: Runs::of(StepList::new(vec![], Does::Finish, None)),
        routes: None,
        roles,
        moves_cells: moves,
        allocates: matches!(around, Around::Io(_)),
        puts: Vec::new(),
    };
    read.runs = execute(executable, around, place, reading, &mut read);
    read
}

/// Returns whether `[program]` of a chip lists a step at which a program is executed.
pub(super) fn runs_by_step(root: &Section<'_>) -> bool {
    let Some(own) = root.section("program") else { return false };
    own.has("step") && own.list("step").iter().any(|step| step.says("op", "run"))
}
