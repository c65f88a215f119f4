//! Does the device permit each command exactly from the cycle in its table, and not a cycle earlier?
//!
//! Every test probes, issues, and asserts the earliest legal cycle: illegal at t-1, legal at t.

use crate::kit;

use kit::{constraint, from, groups, groups_organization, sdr100, sdr100_organization};
use linecard_dram::{Command, Constraint, Cycle, Device, Edge, Level, Organization, Timing};
use std::panic::{AssertUnwindSafe, catch_unwind};

use Command::{Activate, Precharge, Read, Refresh, Write};

/// A device, with the two operations of a test.
struct Bench(Device);

impl Bench {
    /// 4 banks in `groups` groups under the given rows of a table; a read's first beat follows after 3 cycles, a
    /// write's after 1.
    fn new(groups: u32, constraints: &[Constraint]) -> Self {
        let organization = Organization {
            ranks: 1,
            groups,
            banks: 4,
            row_bytes: 1024,
            rows: 8,
            beat_bytes: 8,
            beats_per_cycle: 1,
        };
        let constraints = constraints.to_vec();
        Self(Device::new(organization, Timing { read_latency: 3, write_latency: 1, constraints }))
    }

    /// Issues a command without checking the first legal cycle: 64 bytes are 8 beats.
    fn issue(&mut self, command: Command, bank: u32, at: Cycle) -> &mut Self {
        self.0.issue(command, bank, 0, 64, at);
        self
    }

    /// Expects `command` to `bank` to be illegal in cycle `at` - 1 and legal in cycle `at`. Leaves the device
    /// unchanged.
    #[track_caller]
    fn legal_from(&mut self, command: Command, bank: u32, at: Cycle) -> &mut Self {
        let probe = |device: &Device| device.earliest(command, bank);
        assert_eq!(probe(&self.0), at, "{} to bank {bank}", command.name());
        let strict = |at: Cycle| {
            let mut copy = self.0.clone();
            catch_unwind(AssertUnwindSafe(|| copy.issue(command, bank, 0, 64, at))).is_ok()
        };
        // The table and the state of the bank are separate conditions: a command is issued only if the state permits
        // it.
        if self.state_allows(command, bank) {
            assert!(strict(at), "{} to bank {bank} at {at}", command.name());
        }
        if at > 0 && cfg!(debug_assertions) {
            assert!(!strict(at - 1), "{} to bank {bank} at {}", command.name(), at - 1);
        }
        assert_eq!(probe(&self.0), at, "probing changes nothing");
        self
    }

    fn state_allows(&self, command: Command, bank: u32) -> bool {
        let open = |bank| self.0.open_row(bank).is_some();
        match command {
            Read | Write | Command::ReadAuto | Command::WriteAuto => open(bank),
            Activate | Command::RefreshBank => !open(bank),
            Refresh => !(0..self.0.organization().banks).any(open),
            Precharge => true,
        }
    }
}

#[test]
fn a_fresh_device_allows_everything_its_banks_do() {
    let mut b = Bench::new(2, &groups().constraints);
    for bank in 0..4 {
        b.legal_from(Activate, bank, 0).legal_from(Refresh, bank, 0).legal_from(Precharge, bank, 0);
        assert_eq!(b.0.open_row(bank), None);
    }
}

#[test]
fn a_bank_constraint_holds_in_its_bank_only() {
    let mut b = Bench::new(1, &[constraint("tRP", Level::Bank, &[Precharge], &[Activate], 5)]);
    b.issue(Precharge, 1, 10).legal_from(Activate, 1, 15);
    for other in [0, 2, 3] {
        b.legal_from(Activate, other, 0);
    }
}

#[test]
fn a_group_constraint_holds_in_the_banks_of_the_group() {
    // The groups have banks 0 and 1, and 2 and 3.
    let mut b = Bench::new(2, &[constraint("tRRD_L", Level::Group, &[Activate], &[Activate], 7)]);
    b.issue(Activate, 2, 10).legal_from(Activate, 3, 17);
    b.legal_from(Activate, 0, 0).legal_from(Activate, 1, 0);
}

#[test]
fn a_rank_constraint_holds_in_every_bank() {
    let mut b = Bench::new(2, &[constraint("tRRD_S", Level::Rank, &[Activate], &[Activate], 4)]);
    b.issue(Activate, 0, 10);
    for bank in 1..4 {
        b.legal_from(Activate, bank, 14);
    }
}

#[test]
fn without_bank_groups_a_group_constraint_holds_in_every_bank() {
    let mut b = Bench::new(1, &[constraint("tRRD_L", Level::Group, &[Activate], &[Activate], 7)]);
    b.issue(Activate, 0, 10).legal_from(Activate, 1, 17).legal_from(Activate, 3, 17);
}

#[test]
fn every_level_counts_and_the_latest_wins() {
    let table = [
        constraint("tRRD_S", Level::Rank, &[Activate], &[Activate], 2),
        constraint("tRRD_L", Level::Group, &[Activate], &[Activate], 5),
        constraint("tRC", Level::Bank, &[Activate], &[Activate], 20),
    ];
    let mut b = Bench::new(2, &table);
    b.issue(Activate, 0, 0).issue(Precharge, 0, 1);
    b.legal_from(Activate, 0, 20).legal_from(Activate, 1, 5).legal_from(Activate, 2, 2);
    // A later command changes only the level that it shares: bank 0 still waits for its own tRC, bank 1 for its
    // group's first activate, and bank 3 for its group's second.
    b.issue(Activate, 2, 2);
    b.legal_from(Activate, 0, 20).legal_from(Activate, 1, 5).legal_from(Activate, 3, 7);
}

#[test]
fn a_constraint_from_the_issue_does_not_see_the_data() {
    let mut b = Bench::new(1, &[constraint("tRTP", Level::Bank, &[Read], &[Precharge], 4)]);
    b.issue(Activate, 0, 0).issue(Read, 0, 10).legal_from(Precharge, 0, 14);
}

#[test]
fn a_constraint_from_the_column_end_counts_the_beats() {
    // 8 beats of 8 bytes: the column accesses of a read in cycle 10 end with cycle 17.
    let tccd = from(Edge::ColumnEnd, constraint("tCCD", Level::Rank, &[Read, Write], &[Read, Write], 0));
    let mut b = Bench::new(1, std::slice::from_ref(&tccd));
    b.issue(Activate, 0, 0).issue(Activate, 1, 0).issue(Read, 0, 10);
    b.legal_from(Read, 1, 18).legal_from(Write, 1, 18).legal_from(Read, 0, 18);
    let mut b = Bench::new(1, &[Constraint { cycles: 2, ..tccd }]);
    b.issue(Activate, 0, 0).issue(Write, 0, 10).legal_from(Read, 0, 20);
}

#[test]
fn a_constraint_from_the_data_end_counts_latency_and_beats() {
    let table = [
        from(Edge::DataEnd, constraint("tWR", Level::Bank, &[Write], &[Precharge], 2)),
        from(Edge::DataEnd, constraint("tRTP", Level::Bank, &[Read], &[Precharge], 0)),
        from(Edge::DataEnd, constraint("tWTR", Level::Rank, &[Write], &[Read], 1)),
    ];
    let mut b = Bench::new(1, &table);
    b.issue(Activate, 0, 0).issue(Activate, 1, 0);
    // The write is in cycle 10; its data are in cycles 11 to 18, and the cycle after them is 19.
    b.issue(Write, 0, 10).legal_from(Precharge, 0, 21).legal_from(Read, 1, 20).legal_from(Precharge, 1, 1);
    // The read is in cycle 20; its data are in cycles 23 to 30, and the cycle after them is 31.
    b.issue(Read, 1, 20).legal_from(Precharge, 1, 31).legal_from(Precharge, 0, 21);
}

#[test]
fn the_beats_of_a_transfer_are_those_of_its_bytes() {
    let table = [from(Edge::ColumnEnd, constraint("tCCD", Level::Rank, &[Read], &[Read], 0))];
    for (bytes, beats_per_cycle, end) in
        [(8, 1, 1), (64, 1, 8), (20, 1, 3), (64, 2, 4), (8, 2, 1), (24, 2, 2)]
    {
        let organization = Organization {
            ranks: 1,
            groups: 1,
            banks: 1,
            row_bytes: 1024,
            rows: 8,
            beat_bytes: 8,
            beats_per_cycle,
        };
        let timing = Timing { read_latency: 3, write_latency: 3, constraints: table.to_vec() };
        let mut device = Device::new(organization, timing);
        device.issue(Activate, 0, 0, 0, 0);
        device.issue(Read, 0, 0, bytes, 0);
        assert_eq!(device.earliest(Read, 0), end, "{bytes} bytes, {beats_per_cycle} beats a cycle");
    }
}

#[test]
fn a_window_of_four_lets_four_pass_and_holds_the_fifth() {
    let tfaw = |level| Constraint { window: 4, ..constraint("tFAW", level, &[Activate], &[Activate], 20) };
    let mut b = Bench::new(1, &[tfaw(Level::Rank)]);
    // Activates are in cycles 0, 3, 6 and 9; rows are closed at once, so that a bank can be opened again.
    for (bank, at) in [(0, 0), (1, 3), (2, 6), (3, 9)] {
        b.legal_from(Activate, bank, 0).issue(Activate, bank, at).issue(Precharge, bank, at + 1);
    }
    // The fifth activate waits for the first, the sixth for the second, and so on.
    for (bank, at) in [(0, 20), (1, 23), (2, 26), (3, 29), (0, 40)] {
        b.legal_from(Activate, bank, at).issue(Activate, bank, at).issue(Precharge, bank, at + 1);
    }
    // After a pause longer than the window, the window delays nothing: the fourth last activate was in cycle 26.
    b.issue(Activate, 1, 100).legal_from(Activate, 2, 46);
}

#[test]
fn a_window_of_a_group_counts_the_activates_of_the_group() {
    let tfaw = Constraint { window: 2, ..constraint("tFAW", Level::Group, &[Activate], &[Activate], 20) };
    let mut b = Bench::new(2, &[tfaw]);
    b.issue(Activate, 0, 0).issue(Activate, 2, 1).issue(Activate, 1, 2).issue(Precharge, 0, 3);
    b.legal_from(Activate, 0, 20);
    // The other group has had only one activate.
    b.legal_from(Activate, 3, 0);
}

#[test]
fn a_refresh_holds_every_bank_and_waits_for_every_precharge() {
    let table = [
        constraint("tRP", Level::Bank, &[Precharge], &[Activate], 4),
        constraint("tRP(REF)", Level::Rank, &[Precharge], &[Refresh], 4),
        constraint("tRFC", Level::Rank, &[Refresh], &[Activate, Refresh], 30),
    ];
    let mut b = Bench::new(2, &table);
    b.issue(Activate, 3, 0).issue(Precharge, 3, 10).legal_from(Refresh, 0, 14);
    b.issue(Refresh, 0, 14);
    for bank in 0..4 {
        b.legal_from(Activate, bank, 44).legal_from(Refresh, bank, 44);
    }
}

#[test]
fn a_precharge_follows_its_activate_even_without_a_constraint() {
    let mut b = Bench::new(1, &[]);
    b.issue(Activate, 1, 10).legal_from(Precharge, 1, 11).legal_from(Precharge, 0, 0);
}

#[test]
#[cfg(debug_assertions)]
fn commands_that_the_state_of_a_bank_forbids_are_refused() {
    let refused = |open: &[u32], command: Command, bank: u32| {
        let mut b = Bench::new(1, &[]);
        for &bank in open {
            b.issue(Activate, bank, 0);
        }
        catch_unwind(AssertUnwindSafe(|| b.issue(command, bank, 5).0.open_row(bank))).is_err()
    };
    assert!(refused(&[], Read, 0), "a read of a closed bank");
    assert!(refused(&[1], Write, 0), "a write to a closed bank");
    assert!(refused(&[0], Activate, 0), "an activate of an open bank");
    assert!(refused(&[2], Refresh, 0), "a refresh with a bank open");
    assert!(!refused(&[0], Activate, 1), "an activate of another bank");
    assert!(!refused(&[], Precharge, 0), "a precharge of a closed bank does nothing");
}

#[test]
fn a_bank_remembers_the_row_it_opened() {
    let mut device = Device::new(sdr100_organization(4), sdr100());
    assert_eq!(device.open_row(2), None);
    device.issue(Activate, 2, 7, 0, 0);
    assert_eq!([1, 2, 3].map(|bank| device.open_row(bank)), [None, Some(7), None]);
    assert!(device.is_open(2, 7) && !device.is_open(2, 6) && !device.is_open(1, 7));
    device.issue(Read, 2, 7, 64, 2);
    assert_eq!(device.open_row(2), Some(7), "a column access leaves the row open");
    device.issue(Precharge, 2, 0, 0, 12);
    assert_eq!(device.open_row(2), None);
    device.issue(Activate, 2, 9, 0, 14);
    assert!(device.is_open(2, 9));
}

/// The table of Hasan 2003's memory: tRP 2, tRCD 2, latency 2, columns back to back, precharge after the data.
#[test]
fn the_part_of_the_document_step_by_step() {
    let mut b = Bench(Device::new(sdr100_organization(4), sdr100()));
    b.issue(Activate, 0, 0).legal_from(Read, 0, 2).legal_from(Activate, 1, 0);
    // Columns 2 to 9, data 4 to 11.
    b.issue(Read, 0, 2).legal_from(Read, 0, 10).legal_from(Write, 0, 10).legal_from(Precharge, 0, 12);
    // Another bank opens meanwhile; its data follow without a gap.
    b.issue(Activate, 1, 4).legal_from(Write, 1, 10);
    b.issue(Write, 1, 10).legal_from(Precharge, 1, 20).legal_from(Precharge, 0, 12);
    b.issue(Precharge, 0, 12).legal_from(Activate, 0, 14);
}

/// The part with bank groups: banks 0 to 3 and 4 to 7; 64 bytes are 8 cycles.
#[test]
fn the_part_with_bank_groups_step_by_step() {
    let mut b = Bench(Device::new(groups_organization(), groups()));
    b.issue(Activate, 0, 0);
    b.legal_from(Activate, 1, 3)
        .legal_from(Activate, 4, 2)
        .legal_from(Activate, 0, 20)
        .legal_from(Read, 0, 6);
    b.issue(Activate, 4, 2).issue(Activate, 1, 4).issue(Activate, 5, 6);
    // tFAW counts from the first of the four, although tRRD_S alone would permit 8.
    b.legal_from(Activate, 2, 16).legal_from(Activate, 6, 16).legal_from(Activate, 0, 20);
    // Columns 6 to 13: the other group continues at 14, the same group a cycle later, and a write 4 after the last
    // column.
    b.issue(Read, 0, 6);
    b.legal_from(Read, 4, 14).legal_from(Read, 1, 15).legal_from(Write, 4, 18);
    b.legal_from(Precharge, 0, 14);
    // Columns 18 to 25, data 22 to 29: a read is legal 3 after the last data, a precharge 6 after.
    b.issue(Write, 4, 18);
    b.legal_from(Read, 0, 33).legal_from(Write, 0, 26).legal_from(Write, 5, 27).legal_from(Precharge, 4, 36);
}

/// A read with auto-precharge counts as a read, and its precharge follows as soon as the bank permits one.
#[test]
fn auto_precharge_waits_for_the_distance_of_the_column_and_for_the_row() {
    let ready = |rules, at_read| {
        let mut device = Device::new(groups_organization(), groups()).with_auto_precharge(rules);
        device.issue(Activate, 0, 0, 0, 0);
        device.issue(Command::ReadAuto, 0, 0, 64, at_read);
        assert_eq!(device.open_row(0), None);
        (device.earliest(Activate, 0), device.earliest(Refresh, 0))
    };
    use linecard_dram::AutoPrecharge::{DramSim3, Standard};
    // Read at 6: tRTP ends at 10, tRAS at 14; tRP 6. Read at 20: tRTP ends at 24.
    assert_eq!(ready(Standard, 6), (20, 20));
    assert_eq!(ready(Standard, 20), (30, 30));
    // For an activate, DRAMsim3 counts tRTP from the last of the 8 columns; for a refresh, it ignores tRAS.
    assert_eq!(ready(DramSim3, 6), (24, 16));
    assert_eq!(ready(DramSim3, 20), (38, 30));
}

/// A window over two commands counts both.
#[test]
fn a_window_counts_all_its_commands_together() {
    let window =
        Constraint { window: 2, ..constraint("two", Level::Rank, &[Read, Write], &[Read, Write], 30) };
    let opened = constraint("tRCD", Level::Bank, &[Activate], &[Read, Write], 1);
    let mut b = Bench::new(1, &[window, opened]);
    b.issue(Activate, 0, 0).issue(Read, 0, 5).issue(Write, 0, 9);
    b.legal_from(Read, 0, 35).legal_from(Write, 0, 35);
}

/// Ranks share no timing except the table's rows for other ranks.
#[test]
fn other_ranks_wait_only_for_what_names_them() {
    let organization = Organization { ranks: 2, groups: 2, banks: 4, ..sdr100_organization(4) };
    let table = vec![
        constraint("tRRD", Level::Rank, &[Activate], &[Activate], 7),
        from(Edge::ColumnEnd, constraint("rank to rank", Level::OtherRanks, &[Read], &[Read], 1)),
        from(Edge::ColumnEnd, constraint("bus", Level::Rank, &[Read], &[Read], 0)),
    ];
    let mut d = Device::new(organization, Timing { read_latency: 2, write_latency: 2, constraints: table });
    d.issue(Activate, 0, 0, 0, 0);
    assert_eq!((d.earliest(Activate, 1), d.earliest(Activate, 2)), (7, 0));
    d.issue(Activate, 2, 0, 0, 1);
    d.issue(Read, 0, 0, 64, 10);
    assert_eq!((d.earliest(Read, 1), d.earliest(Read, 2), d.earliest(Read, 3)), (18, 19, 19));
}
