//! Energy from the currents of a datasheet, as in Micron's power calculators (TN-40-07, TN-41-01): the current
//! of each command above standby, for its duration, and standby itself.

use crate::channel::ChannelStatistics;
use crate::{Cycle, Organization};

/// Currents of one part at its supply voltage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Currents {
    /// Parts that share an access; each draws the current.
    pub parts: u32,
    /// Supply voltage.
    pub vdd_v: f64,
    /// One bank activated and precharged every tRC.
    pub idd0_ma: f64,
    /// Standby, all banks closed.
    pub idd2n_ma: f64,
    /// Standby, with open banks.
    pub idd3n_ma: f64,
    /// Continuous reads.
    pub idd4r_ma: f64,
    /// Continuous writes.
    pub idd4w_ma: f64,
    /// Continuous refresh.
    pub idd5_ma: f64,
    /// Each bank refreshed on its own once per tREFI; `None` for a part that never does so.
    pub idd5pb_ma: Option<f64>,
}

/// Energy of a channel, in nanojoules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Opening and closing rows.
    pub activate_nj: f64,
    /// Reads.
    pub read_nj: f64,
    /// Writes.
    pub write_nj: f64,
    /// Refresh.
    pub refresh_nj: f64,
    /// Standby with rows open.
    pub open_standby_nj: f64,
    /// Standby with all rows closed.
    pub closed_standby_nj: f64,
}

impl Energy {
    /// Returns the total.
    pub fn total_nj(&self) -> f64 {
        self.activate_nj
            + self.read_nj
            + self.write_nj
            + self.refresh_nj
            + self.open_standby_nj
            + self.closed_standby_nj
    }
}

/// Times of a part for the energy, in clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyTiming {
    /// Period of the clock.
    pub period_ns: f64,
    /// tRAS.
    pub ras: f64,
    /// tRC.
    pub rc: f64,
    /// tRFC.
    pub rfc: f64,
    /// Time between two refreshes of single banks of a rank: tREFI / banks.
    pub bank_refresh: f64,
}

impl Currents {
    /// Returns the charge that opens and closes a row, without standby, in mA times clocks.
    pub fn row_charge(&self, timing: &EnergyTiming) -> f64 {
        self.idd0_ma * timing.rc - self.idd3n_ma * timing.ras - self.idd2n_ma * (timing.rc - timing.ras)
    }
}

/// Returns the energy of a channel during a run of `cycles` clocks. An idle channel draws the standby current, too.
pub fn energy(
    currents: &Currents,
    timing: &EnergyTiming,
    organization: &Organization,
    statistics: &ChannelStatistics,
    cycles: Cycle,
) -> Energy {
    // mA x V x ns = pJ.
    let nj = |ma: f64, clocks: f64| {
        f64::from(currents.parts) * currents.vdd_v * ma * clocks * timing.period_ns / 1000.0
    };
    let Currents { idd2n_ma, idd3n_ma, idd4r_ma, idd4w_ma, idd5_ma, idd5pb_ma, .. } = *currents;
    let bank_refreshes: u64 = statistics.banks.iter().map(|bank| bank.refreshes).sum();
    let of_bank_refreshes = idd5pb_ma
        .map_or(0.0, |idd5pb_ma| nj(idd5pb_ma - idd2n_ma, timing.bank_refresh * bank_refreshes as f64));
    let rank_cycles = cycles as f64 * f64::from(organization.ranks);
    let open = (statistics.open_cycles as f64).min(rank_cycles);
    Energy {
        activate_nj: nj(1.0, currents.row_charge(timing) * statistics.activates() as f64),
        read_nj: nj(idd4r_ma - idd3n_ma, statistics.data_cycles[0] as f64),
        write_nj: nj(idd4w_ma - idd3n_ma, statistics.data_cycles[1] as f64),
        refresh_nj: nj(idd5_ma - idd2n_ma, timing.rfc * statistics.refreshes as f64) + of_bank_refreshes,
        open_standby_nj: nj(idd3n_ma, open),
        closed_standby_nj: nj(idd2n_ma, rank_cycles - open),
    }
}
