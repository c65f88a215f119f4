//! Frames that are not IP: what became of them, and what ends packets without losing them.

use crate::report::{NotIpFrames, Summary};
use linecard_chip::{Counts, Loss, NotIpCounts};
use linecard_program::DropReason;

/// Numbers of what loses packets; what ends them by choice does not.
pub(super) fn losses() -> impl Iterator<Item = usize> {
    let by_choice = |number: usize| DropReason::ALL.get(number).is_some_and(|reason| reason.is_by_choice());
    (0..Loss::COUNT).filter(move |number| !by_choice(*number))
}

/// Frames that are not IP, if there were any.
pub(super) fn frames(counts: &Counts) -> Option<NotIpFrames> {
    let NotIpCounts { packets_in, forwarded, finished, lost } = counts.not_ip;
    let ended = |reason| counts.dropped(Loss::Program(reason));
    let (punted, dropped_by_choice) = (ended(DropReason::Punted), ended(DropReason::NotIp));
    let frames = NotIpFrames { packets_in, forwarded, punted, dropped_by_choice, finished, lost };
    (frames != NotIpFrames::default()).then_some(frames)
}

/// Rows of them: component, metric, unit, value.
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
