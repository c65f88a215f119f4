//! Ramulator's load-store trace: `LD address`, `ST address`.

use super::words::{Request, need_address, need_operation, words};

pub(super) fn access(line: &[u8]) -> Result<Request, String> {
    let mut words = words(line);
    let (Some(op), Some(address), None) = (words.next(), words.next(), words.next()) else {
        return Err("expected `LD address` or `ST address`, such as `LD 0x1a40`".to_owned());
    };
    Ok(Request {
        write: need_operation(op, "LD or ST")?,
        address: need_address(address)?,
        arrival: None,
        bytes: None,
    })
}
