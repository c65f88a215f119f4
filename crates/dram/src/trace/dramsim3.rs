//! DRAMsim3: `address OP clock`.

use super::words::{Request, need_address, need_arrival, need_operation, words};

pub(super) fn access(line: &[u8]) -> Result<Request, String> {
    let mut words = words(line);
    let (Some(address), Some(op), Some(clock), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("expected `address OP clock`, such as `0x1a40 READ 12`".to_owned());
    };
    Ok(Request {
        address: need_address(address)?,
        write: need_operation(op, "READ or WRITE")?,
        arrival: Some(need_arrival(clock)?),
        bytes: None,
    })
}
