//! Lists of steps: `[[step]]` of a program, its parts, and its extension.

mod check;
mod parts;
mod placed;
mod step;

use super::executed::{Around, Share};
use super::read_program::{ReadProgram, Runs, execute};
use super::reading::Reading;
use linecard_apps::{Does, Each, ListedStep, NotIp, OutPort, RouteTable, StepList, StepsByInbox};
use linecard_config::Section;
use placed::Placed;
use std::collections::BTreeSet;
use std::rc::Rc;
use step::{StepReader, Verb, verb};

/// Reads the steps that a section lists.
pub(super) fn listed(section: &Section<'_>, name: &str, reading: &mut Reading<'_>) -> Option<ReadProgram> {
    let sections = section.list("step");
    if sections.is_empty() {
        // A value that is not a list has already been reported.
        if section.is_list("step") || !section.has("step") {
            let message =
                "list the steps of the program as [[step]] with op = \"compute\", \"read\", \"send\", …";
            section.lacks("step", message);
        }
        return None;
    }
    no_helpers(section, name, reading);
    let share = Share::read(section);
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
        let message = "has no effect: no step has op = \"extend\", or the key `without` omits that step";
        section.fail("extension", message);
        section.pass_over(&["extension"]);
    }
    scale(&mut placed, share);
    let (mut read, looks_up) = reader.done(section, name);
    if looks_up {
        read.routes = Some(reading.routes(section));
    } else {
        section.leave(&["routes"]);
    }
    let looks = looks_up || placed.iter().any(|placed| matches!(placed.step.does, Does::Check));
    let not_ip = if looks { reading.not_ip(section) } else { NotIp::default() };
    if !looks {
        section.leave(&["not_ip"]);
    }
    let routes = read.routes.as_ref().map(|routes| Rc::clone(&routes.table));
    if placed.iter().any(|placed| placed.from.is_some()) {
        read.runs = by_inbox(&placed, routes, not_ip, reading);
        return Some(read);
    }
    check(&placed, reading);
    check::reached(&placed, &[None]);
    let runs_at = placed.iter().position(|placed| placed.runs);
    let steps: Vec<ListedStep> = placed.into_iter().map(|placed| placed.step).collect();
    read.runs = match (runs_at, reading.executable) {
        (Some(at), Some(executable)) => {
            let (front, behind) = StepList::parted(steps, at + 1, routes);
            let (front, behind) = (ready(front, not_ip, reading), ready(behind, not_ip, reading));
            execute(executable, Around::Steps { front, behind }, &section.place(), reading, &mut read)
        }
        _ => {
            let list = StepList::new(steps, last_word(reading.sends_blocks), routes);
            Runs::of(ready(list, not_ip, reading))
        }
    };
    Some(read)
}

/// Corrects the cycles of steps by a share. Steps carry the fraction of a cycle from packet to packet, and from one
/// repetition to the next.
fn scale(placed: &mut [Placed<'_>], share: Share) {
    for step in placed.iter_mut().map(|placed| &mut placed.step) {
        (step.cycles, step.fraction) = share.parts_of(step.cycles);
    }
}

/// Checks a list.
fn check(listed: &[Placed<'_>], reading: &Reading<'_>) {
    check::once_where_it_must_be(listed);
    check::locks(listed);
    check::blocks(listed, reading.executable.is_some());
    check::lent(listed);
}

/// Returns a list for each inbox that steps name; it includes the steps that name none.
fn by_inbox(
    listed: &[Placed<'_>],
    routes: Option<Rc<RouteTable>>,
    not_ip: NotIp,
    reading: &Reading<'_>,
) -> Runs {
    for placed in listed.iter().filter(|placed| placed.runs || matches!(placed.step.does, Does::Enqueue)) {
        let message =
            "steps that name an inbox (from) cannot be combined with op = \"run\" or op = \"enqueue\"";
        placed.section.fail("op", message);
    }
    let list_of = |inbox: Option<u16>| {
        let done = |placed: &&Placed<'_>| placed.from.is_none() || placed.from == inbox;
        let own: Vec<Placed<'_>> = listed.iter().filter(done).cloned().collect();
        if inbox.is_some() {
            check(&own, reading);
        }
        let steps = own.into_iter().map(|placed| placed.step).collect();
        ready(StepList::new(steps, last_word(reading.sends_blocks), routes.clone()), not_ip, reading)
    };
    let inboxes: BTreeSet<u16> = listed.iter().filter_map(|placed| placed.from).collect();
    check::reached(listed, &inboxes.iter().copied().map(Some).chain([None]).collect::<Vec<_>>());
    let own = inboxes.into_iter().map(|inbox| (inbox, list_of(Some(inbox)))).collect();
    Runs::of(StepsByInbox::new(own, list_of(None)))
}

/// Returns a list with its settings.
fn ready(list: StepList, not_ip: NotIp, reading: &Reading<'_>) -> StepList {
    list.with_seed(reading.seed).with_not_ip(not_ip)
}

/// Returns the last action of a list that does not state one.
fn last_word(sends_blocks: bool) -> Does {
    match sends_blocks {
        true => Does::Leave,
        false => Does::Send { port: OutPort::Chosen, class: 0 },
    }
}

/// Returns the steps of `extension`, executed as often as the step that marks their position; none if that step is
/// left out.
fn extension<'d>(
    section: &Section<'d>,
    each: Option<Each>,
    reader: &mut StepReader<'_, '_>,
) -> Vec<Placed<'d>> {
    let Some(each) = each.filter(|_| section.has("extension")) else { return Vec::new() };
    let steps = section.list("extension");
    steps.iter().filter_map(|step| reader.step_of(step, verb(step), each)).collect()
}

/// Reports queue managers and result caches, which serve only programs that use them.
fn no_helpers(section: &Section<'_>, name: &str, reading: &Reading<'_>) {
    if reading.queue_manager.is_some() || reading.results {
        let message = format!(
            "{name} is a program of steps, which uses neither queues.manager nor cache.entries. l3fwd16 and firewall \
             use both; nat uses only a queue manager"
        );
        section.fail("run", message);
    }
}
