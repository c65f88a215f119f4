//! A trial of the first packets: `check` warns about a chip whose file is valid but whose run would fail.

use super::design::Design;
use super::executed::Shared;
use super::simulate::{fits, judge};
use crate::request::RunRequest;
use linecard_chip::{ChipConfig, Loss, RunLimit};
use linecard_files::Error;
use linecard_program::DropReason;
use std::ops::ControlFlow;

/// Packets of the trial; it ends earlier if they take many events.
const PACKETS: u64 = 200;
/// Checks during a trial, each after some ten thousand events.
const MOST_LOOKS: u32 = 16;
const MOST_LOOKS_WHILE_NONE_LEAVES: u32 = 400;

/// Returns problems that the first packets of the chip's own traffic meet.
pub(super) fn warnings(design: &Design, preset: &str) -> Vec<String> {
    match first_packets(design, preset) {
        Ok(note) => note.into_iter().collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn first_packets(design: &Design, preset: &str) -> Result<Option<String>, Error> {
    let request = RunRequest {
        chip: preset.to_owned(),
        seed: 1,
        packets: PACKETS,
        warmup_packets: Some(0),
        ..RunRequest::default()
    };
    let config = ChipConfig { seed: request.seed, ..design.config.clone() };
    let (mut chip, notes) = design.chip(&request, config, &Shared::default())?;
    let limit = RunLimit { warmup_packets: request.warmup_packets, packets: PACKETS };
    let (mut looks, mut seen, mut without) = (0, 0, 0);
    let outcome = chip.run(limit, &mut |gone| {
        looks += 1;
        without = if gone > seen { 0 } else { without + 1 };
        seen = gone;
        // If no packet leaves, or none any more, the trial needs more time to find out whether another one will.
        let enough = looks > MOST_LOOKS && without == 0;
        if enough || without > MOST_LOOKS_WHILE_NONE_LEAVES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    match judge(&outcome, chip.timebase(), &notes.borrow(), &request) {
        Err(Error::Interrupted) => {}
        judged => judged?,
    }
    let counts = chip.counts();
    fits(&counts)?;
    let too_large = counts.dropped(Loss::Program(DropReason::TooLarge));
    Ok((too_large > 0).then(|| {
        format!(
            "{too_large} of the first {} packets do not fit into a receive buffer or a page of the packet memory, \
             and are dropped. Raise cells of the [buffer], or page_bytes",
            counts.packets_in
        )
    }))
}
