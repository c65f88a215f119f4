//! CSV with named columns.

use super::words::{Request, decimal, need_address, need_arrival, need_operation, shown};

const NAMES: [&[u8]; 4] = [b"arrival", b"op", b"address", b"bytes"];

/// The position of each column; `usize::MAX` if it is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    places: [usize; NAMES.len()],
    count: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Self { places: [usize::MAX; NAMES.len()], count: 0 }
    }
}

impl Columns {
    pub fn of_header(line: &[u8]) -> Result<Self, String> {
        let mut columns = Self::default();
        for (place, name) in line.split(|&c| c == b',').map(<[u8]>::trim_ascii).enumerate() {
            let Some(known) = NAMES.iter().position(|n| name.eq_ignore_ascii_case(n)) else {
                return Err(format!(
                    "the column {} is unknown; expected arrival, op, address and, optionally, bytes",
                    shown(name)
                ));
            };
            if columns.places[known] != usize::MAX {
                return Err(format!("column {} is listed twice", shown(name)));
            }
            columns.places[known] = place;
            columns.count += 1;
        }
        let missing = NAMES[..3].iter().zip(columns.places).find(|(_, place)| *place == usize::MAX);
        match missing {
            Some((name, _)) => Err(format!("column {} is missing", shown(name))),
            None => Ok(columns),
        }
    }

    #[inline]
    pub fn access(&self, line: &[u8]) -> Result<Request, String> {
        let mut fields: [&[u8]; NAMES.len()] = [b""; NAMES.len()];
        let mut found = 0;
        for field in line.split(|&c| c == b',') {
            if found < NAMES.len() {
                fields[found] = field.trim_ascii();
            }
            found += 1;
        }
        if found != self.count {
            return Err(format!("found {found} columns; expected {}, as in the header", self.count));
        }
        let [arrival, op, address, bytes] = self.places.map(|place| fields.get(place).copied());
        let bytes = match bytes {
            None => None,
            Some(word) => match decimal(word).and_then(|n| u32::try_from(n).ok()) {
                None => return Err(format!("found size {}; expected a whole number of bytes", shown(word))),
                some => some,
            },
        };
        Ok(Request {
            arrival: Some(need_arrival(arrival.unwrap_or_default())?),
            address: need_address(address.unwrap_or_default())?,
            write: need_operation(op.unwrap_or_default(), "R or W")?,
            bytes,
        })
    }
}
