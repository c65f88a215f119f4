//! The currents of a part, for the energy of a run, and whether any part can draw them.

use linecard_config::{Document, Section};
use linecard_dram::channel::RefreshMode;
use linecard_dram::energy::{Currents, EnergyTiming};
use linecard_dram::{Organization, Timing};

/// The key of the current of refreshes of single banks, as in JESD209.
const BANK_REFRESH: &str = "IDD5PB";

/// The fraction by which a current may be below its minimum: sums of decimal numbers are rounded.
const ROUNDED: f64 = 1e-9;

/// Reads the table `[energy]`, if it exists; `None` if it is wrong, too.
pub(super) fn currents(document: &Document) -> Option<Currents> {
    let energy = table(&document.root())?;
    let ma = |key: &str, meaning: &str| energy.in_unit("mA").number(key, 0.0..=10_000.0, meaning);
    let judged = document.problems();
    let currents = Currents {
        parts: energy.in_unit("parts").integer(
            "parts",
            1..=1024,
            "number of DRAM parts that together transfer the data of an access",
        ) as u32,
        vdd_v: energy.in_unit("V").number("VDD", 0.1..=10.0, "supply voltage"),
        idd0_ma: ma("IDD0", "supply current while one bank is activated and precharged every tRC"),
        idd2n_ma: ma("IDD2N", "supply current in standby, with all banks closed"),
        idd3n_ma: ma("IDD3N", "supply current in standby, with open banks"),
        idd4r_ma: ma("IDD4R", "supply current during continuous reads"),
        idd4w_ma: ma("IDD4W", "supply current during continuous writes"),
        idd5_ma: ma("IDD5", "supply current during continuous refreshes"),
        idd5pb_ma: energy.in_unit("mA").number_if(
            BANK_REFRESH,
            0.0..=10_000.0,
            "average supply current while each bank is refreshed on its own once per tREFI; without it, runs with \
             refresh.mode = per_bank state no energy",
        ),
    };
    if document.problems() == judged {
        exceed_standby(&energy, &currents);
    }
    Some(currents).filter(|_| document.problems() == judged)
}

fn table<'d>(root: &Section<'d>) -> Option<Section<'d>> {
    let energy = if root.has("energy") { root.section("energy") } else { None };
    energy.filter(|energy| !energy.is_empty())
}

/// Checks that commands draw at least the standby current. Otherwise, their energy would be negative.
fn exceed_standby(energy: &Section<'_>, currents: &Currents) {
    let Currents { idd2n_ma, idd3n_ma, idd4r_ma, idd4w_ma, idd5_ma, idd5pb_ma, .. } = *currents;
    for (key, found, standby, least) in [
        ("IDD4R", idd4r_ma, "IDD3N", idd3n_ma),
        ("IDD4W", idd4w_ma, "IDD3N", idd3n_ma),
        ("IDD5", idd5_ma, "IDD2N", idd2n_ma),
        (BANK_REFRESH, idd5pb_ma.unwrap_or(idd2n_ma), "IDD2N", idd2n_ma),
    ] {
        if found < least {
            energy.fail(
                key,
                format!("found {found} mA, below {standby}; expected {key} >= {standby}, here {least} mA"),
            );
        }
    }
}

/// Checks that a row that opens and closes draws at least the standby current.
pub(super) fn rows_exceed_standby(root: &Section<'_>, currents: &Currents, timing: &EnergyTiming) {
    let (found, charge) = (currents.idd0_ma, currents.row_charge(timing));
    if charge < -ROUNDED * found * timing.rc
        && let Some(energy) = table(root)
    {
        let least = found - charge / timing.rc;
        let expected = "IDD0 >= (IDD3N tRAS + IDD2N (tRC - tRAS)) / tRC";
        energy.fail(
            "IDD0",
            format!("found {found} mA, below standby; expected {expected}, here {least:.2} mA"),
        );
    }
}

/// Returns whether the currents contain that of the refreshes: without the current of refreshes of single banks, the
/// energy of a run with them is not known.
pub(super) fn include_refresh(currents: &Currents, refresh: RefreshMode) -> bool {
    currents.idd5pb_ma.is_some() || !matches!(refresh, RefreshMode::PerBank { .. })
}

/// Returns the times for the energy. A row stays open for tRAS, also if a part states a shorter tRC.
pub(super) fn energy_timing(
    period_ns: f64,
    timing: &Timing,
    refresh: RefreshMode,
    organization: &Organization,
) -> EnergyTiming {
    let clocks = |name: &str| {
        let found = timing.constraints.iter().find(|c| c.name == name);
        found.map_or(0.0, |c| c.cycles as f64)
    };
    let ras = clocks("tRAS");
    let bank_refresh = match refresh {
        RefreshMode::PerBank { interval } => {
            interval as f64 * f64::from(organization.ranks) / f64::from(organization.banks)
        }
        RefreshMode::AllBank { .. } | RefreshMode::None => 0.0,
    };
    EnergyTiming { period_ns, ras, rc: clocks("tRC").max(ras), rfc: clocks("tRFC"), bank_refresh }
}
