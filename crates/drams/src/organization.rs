//! The organization of a part: channels, ranks, groups, banks, rows, and the width of its data bus.

use linecard_config::Section;
use linecard_dram::{Organization, Widths, widths};

/// The most banks of a channel, and the most address bits of a part.
const MOST_BANKS: u32 = 64;
const MOST_BITS: u32 = 48;

/// The table `[organization]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub channels: u32,
    pub access_bytes: u32,
    pub dual_issue: bool,
    pub organization: Organization,
    /// Bits of an address by field.
    pub widths: Widths,
}

/// Reads it; `None` if it does not exist.
pub(super) fn organization(root: &Section<'_>) -> Option<Made> {
    let table = root.needed_section("organization", "number and sizes of banks")?;
    let power = |key: &str, unit: &'static str, least: u64, most: u64, meaning: &str| {
        let value = table.in_unit(unit).integer(key, least..=most, meaning) as u32;
        if !value.is_power_of_two() {
            table.fail(key, format!("{value} is not a power of two"));
        }
        value.next_power_of_two()
    };
    let channels = power("channels", "channels", 1, 64, "independent channels");
    let ranks = power("ranks", "ranks", 1, 8, "ranks of a channel");
    let groups =
        power("bank_groups", "groups", 1, 16, "number of bank groups of a rank; 1 if the rank has no groups");
    let banks = power("banks_per_group", "banks", 1, 64, "banks of a group");
    let rows = power("rows", "rows", 1, 4_194_304, "rows of a bank");
    let row_bytes = power(
        "row_bytes",
        "bytes",
        16,
        1_048_576,
        "size of a row in a bank, summed over all parts of the channel",
    );
    let beat_bytes =
        power("bus_bytes", "bytes", 1, 256, "number of bytes that the data bus transfers per beat");
    let beats_per_cycle = power("beats_per_clock", "beats", 1, 16, "beats per memory clock");
    let access_bytes = power("access_bytes", "bytes", 1, 4096, "bytes of one access (a burst)");
    let dual_issue = table.switch_or(
        "dual_issue",
        false,
        "whether a row command and a column command can be issued in the \
         same clock",
    );
    let organization = Organization {
        ranks,
        groups: ranks * groups,
        banks: ranks * groups * banks,
        rows,
        row_bytes,
        beat_bytes,
        beats_per_cycle,
    };
    if access_bytes > row_bytes {
        let message = format!("an access of {access_bytes} bytes does not fit a row of {row_bytes} bytes");
        table.fail("access_bytes", message);
        return None;
    }
    if organization.banks > MOST_BANKS {
        let message = format!("{} banks in a channel, expected at most {MOST_BANKS}", organization.banks);
        table.fail("banks_per_group", message);
        return None;
    }
    let widths = widths(&organization, channels, access_bytes);
    if widths.iter().sum::<u32>() + access_bytes.ilog2() > MOST_BITS {
        let message = format!(
            "the DRAM part has a capacity above 2^{MOST_BITS} bytes; lower the number of \
             rows, banks or ranks"
        );
        table.fail("rows", message);
        return None;
    }
    Some(Made { channels, access_bytes, dual_issue, organization, widths })
}
