//! The currents of a part, for the energy of a run.

use linecard_config::Section;
use linecard_dram::energy::Currents;

/// Reads the table `[energy]`, if it exists.
pub(super) fn currents(root: &Section<'_>) -> Option<Currents> {
    let energy = if root.has("energy") { root.section("energy") } else { None }?;
    if energy.is_empty() {
        return None;
    }
    let ma = |key: &str, meaning: &str| energy.in_unit("mA").number(key, 0.0..=10_000.0, meaning);
    Some(Currents {
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
    })
}
