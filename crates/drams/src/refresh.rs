//! The refresh of a part, and whether it leaves time for accesses.

use super::table::Distance;
use super::times::Times;
use linecard_config::{Section, nearest};
use linecard_dram::channel::RefreshMode;
use linecard_dram::{Command, Cycle, Level, Timing};
use std::collections::BTreeSet;

/// The banks of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refreshed {
    Nothing,
    AllBanks,
    EachBank,
}

/// Reads `refresh.mode`; `None` if it is wrong.
pub(super) fn refreshed(root: &Section<'_>) -> Option<Refreshed> {
    let refresh = if root.has("refresh") { root.section("refresh") } else { None };
    let Some(refresh) = refresh.filter(|refresh| refresh.has("mode")) else {
        return Some(Refreshed::Nothing);
    };
    let modes =
        [("none", Refreshed::Nothing), ("all_bank", Refreshed::AllBanks), ("per_bank", Refreshed::EachBank)];
    let mode = |text: &str| {
        let known = modes.iter().find(|(name, _)| *name == text);
        let near = || nearest(text, modes.iter().map(|(name, _)| *name));
        known.map(|(_, mode)| *mode).ok_or_else(|| format!("found `{text}`{}", near()))
    };
    refresh.understood_if("mode", "none, all_bank or per_bank", "banks refreshed together", mode)
}

/// Returns the refresh mode, with the interval between refreshes.
pub(super) fn refresh_mode(root: &Section<'_>, refreshed: Refreshed, times: &Times) -> Option<RefreshMode> {
    let interval = || {
        let interval = times.clocks("tREFI")? as Cycle;
        if interval == 0 {
            root.section("timing")?.fail(
                "tREFI",
                "found less than a clock; expected at least one clock between refreshes, or refresh.mode = none",
            );
        }
        Some(interval).filter(|&interval| interval > 0)
    };
    Some(match refreshed {
        Refreshed::Nothing => RefreshMode::None,
        Refreshed::AllBanks => RefreshMode::AllBank { interval: interval()? },
        Refreshed::EachBank => RefreshMode::PerBank { interval: interval()? },
    })
}

/// Checks that a refresh leaves time for accesses. A refresh of the same banks is due every interval, and closes
/// their rows. If opening a row takes longer than the rest of the interval, no data ever move, and a run would never
/// end.
pub(super) fn leaves_time(root: &Section<'_>, timing: &Timing, refresh: RefreshMode, table: &[Distance<'_>]) {
    let (interval, command) = match refresh {
        RefreshMode::None => return,
        RefreshMode::AllBank { interval } => (interval, Command::Refresh),
        RefreshMode::PerBank { interval } => (interval, Command::RefreshBank),
    };
    let longest = |before: Command, after: Command| {
        let between = timing.constraints.iter().filter(|row| {
            let within = row.window == 1 && row.level != Level::OtherRanks;
            within && row.before.contains(&before) && row.after.contains(&after)
        });
        between.map(|row| row.cycles).max().unwrap_or(0)
    };
    let names = |before: Command, after: Command| {
        let mut names = BTreeSet::new();
        table.iter().filter(|row| row.is_between(before, after)).for_each(|row| row.add_names(&mut names));
        Vec::from_iter(names).join(", ")
    };
    for column in [Command::Read, Command::Write] {
        let (recovery, open) = (longest(command, Command::Activate), longest(Command::Activate, column));
        if recovery.saturating_add(open) >= interval {
            let (name, refresh) = (column.name(), command.name());
            let opening = names(Command::Activate, column);
            let message = format!(
                "refreshes every {interval} clocks (tREFI) leave no time for {name}. {opening} delays {name} until {open} \
                 clocks after ACT, and {} delays ACT until {recovery} clocks after {refresh}",
                names(command, Command::Activate),
            );
            let first = opening.split(", ").next().unwrap_or_default();
            if let Some(timing) = root.section("timing") {
                timing.fail(first, message);
            }
            return;
        }
    }
}
