//! Lists of steps: `[[step]]` of a program, its parts, and its extension.

mod check;
mod parts;
mod placed;
mod step;

use super::executed::Around;
use super::reading::Reading;
use super::runs::{ReadProgram, Runs, execute};
use linecard_apps::{Does, Each, ListedStep, OutPort, RouteTable, StepList};
use linecard_config::Section;
use placed::Placed;
use step::{StepReader, Verb, verb};

/// The steps that a section lists.
pub(super) fn listed(section: &Section<'_>, name: &str, reading: &mut Reading<'_>) -> Option<ReadProgram> {
    let sections = section.list("step");
    if sections.is_empty() {
        // Of what is no list that has been said.
        if section.is_list("step") || !section.has("step") {
            let message = "a program lists its steps, [[step]] with op = \"compute\", \"read\", \"send\", …";
            section.lacks("step", message);
        }
        return None;
    }
    no_helpers(section, name, reading);
    let mut reader = StepReader::new(reading, section);
    let (mut placed, mut extended) = (Vec::new(), false);
    for step in &sections {
        match verb(step) {
            Verb::Extend => {
                let kept = reader.mark(step);
                extended |= kept.is_some();
                placed.extend(extension(section, kept, &mut reader));
            }
            verb => placed.extend(reader.step(step, verb)),
        }
    }
    if section.has("extension") && !extended {
        let message =
            "has no effect: no step says where it stands, op = \"extend\", or `without` leaves that out";
        section.fail("extension", message);
        section.pass_over(&["extension"]);
    }
    let (mut read, looks_up) = reader.done(section, name);
    if looks_up {
        read.routes = reading.routes(section);
    } else {
        section.leave(&["routes"]);
    }
    check::once_where_it_must_be(&placed);
    check::locks(&placed);
    check::blocks(&placed, reading.executable.is_some());
    let runs_at = placed.iter().position(|placed| placed.runs);
    let steps: Vec<ListedStep> = placed.into_iter().map(|placed| placed.step).collect();
    let routes = read.routes.as_deref().map(|routes| RouteTable::new(routes));
    read.runs = match (runs_at, reading.executable) {
        (Some(at), Some(executable)) => {
            let (front, behind) = StepList::parted(steps, at + 1, routes);
            let (front, behind) = (front.with_seed(reading.seed), behind.with_seed(reading.seed));
            execute(executable, Around::Steps { front, behind }, &section.place(), reading, &mut read)
        }
        _ => {
            let list = StepList::new(steps, last_word(reading.sends_blocks), routes);
            Runs::of(list.with_seed(reading.seed))
        }
    };
    Some(read)
}

/// What a list without a last word ends in.
fn last_word(sends_blocks: bool) -> Does {
    match sends_blocks {
        true => Does::Leave,
        false => Does::Send { port: OutPort::Chosen, class: 0 },
    }
}

/// The steps of `extension`, done as often as the step that marks their place; none if that is left out.
fn extension<'d>(
    section: &Section<'d>,
    each: Option<Each>,
    reader: &mut StepReader<'_, '_>,
) -> Vec<Placed<'d>> {
    let Some(each) = each.filter(|_| section.has("extension")) else { return Vec::new() };
    let steps = section.list("extension");
    steps.iter().filter_map(|step| reader.step_of(step, verb(step), each)).collect()
}

/// Queue managers and result caches serve programs that ask for them.
fn no_helpers(section: &Section<'_>, name: &str, reading: &Reading<'_>) {
    if reading.queue_manager.is_some() || reading.results {
        let message = format!(
            "a queue manager (queues.manager) serves l3fwd16, nat and firewall, a result cache (cache.entries) l3fwd16 and \
             firewall; what {name} does is steps of its own"
        );
        section.fail("run", message);
    }
}
