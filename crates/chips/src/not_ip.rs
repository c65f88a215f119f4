//! Frames that are not IP and their outcomes, and the reasons for which packets end without loss.

use crate::report::{NotIpFrames, Summary};
use linecard_chip::{Counts, Loss, NotIpCounts};
use linecard_program::DropReason;

/// Returns the numbers of the reasons that lose packets; a program's choice to end a packet is not one.
pub(super) fn losses() -> impl Iterator<Item = usize> {
    let by_choice = |number: usize| DropReason::ALL.get(number).is_some_and(|reason| reason.is_by_choice());
    (0..Loss::COUNT).filter(move |number| !by_choice(*number))
}

/// Returns the frames that are not IP, if there were any.
pub(super) fn frames(counts: &Counts) -> Option<NotIpFrames> {
    let NotIpCounts { packets_in, forwarded, finished, lost } = counts.not_ip;
    let ended = |reason| counts.dropped(Loss::Program(reason));
    let (punted, dropped_by_choice) = (ended(DropReason::Punted), ended(DropReason::NotIp));
    let frames = NotIpFrames { packets_in, forwarded, punted, dropped_by_choice, finished, lost };
    (frames != NotIpFrames::default()).then_some(frames)
}

/// Adds their rows: component, metric, unit, value.
pub(super) fn add_metrics(summary: &Summary, add: &mut impl FnMut(&str, &str, &'static str, f64)) {
    let Some(frames) = summary.not_ip else { return };
    for (metric, packets) in [
        ("packets_in", frames.packets_in),
        ("forwarded", frames.forwarded),
        ("punted", frames.punted),
        ("dropped_by_choice", frames.dropped_by_choice),
        ("finished", frames.finished),
        ("lost", frames.lost),
    ] {
        add("not_ip", metric, "packets", packets as f64);
    }
}
