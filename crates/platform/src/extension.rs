//! Extensions of a program as text: operations without loops, in order (Spalink 2000, section 4.2).

use crate::schema::nearest;
use linecard_apps::ExtensionOp;

/// What makes an operation of its number.
type Make = fn(u32) -> ExtensionOp;

/// Every operation by name.
const OPERATIONS: [(&str, Make); 7] = [
    ("compute", ExtensionOp::Compute),
    ("dram_read", ExtensionOp::DramRead),
    ("dram_write", ExtensionOp::DramWrite),
    ("sram_read", ExtensionOp::Sram),
    ("sram_write", ExtensionOp::Sram),
    ("scratch", ExtensionOp::Scratch),
    ("hash", ExtensionOp::Hash),
];

/// The operations of a list such as `compute 20, sram_read 16, hash 1`; an empty text has none.
pub(crate) fn parse(text: &str) -> Result<Vec<ExtensionOp>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(operation).collect()
}

fn operation(part: &str) -> Result<ExtensionOp, String> {
    let (name, number) = part.split_once(' ').unwrap_or((part, ""));
    let Some((_, make)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        let near = nearest(name, OPERATIONS.iter().map(|(known, _)| *known));
        let known = OPERATIONS.map(|(known, _)| known).join(", ");
        return Err(format!("`{part}`: no operation is called `{name}`{near} (there are {known})"));
    };
    match number.trim().parse() {
        Ok(number) => Ok(make(number)),
        Err(_) => Err(format!("`{part}`: expected a whole number after the name, such as `{name} 32`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_in_order() {
        let expected = [ExtensionOp::Compute(20), ExtensionOp::Sram(16), ExtensionOp::Hash(1)];
        assert_eq!(parse(" compute 20, sram_write 16,hash 1,").unwrap(), expected);
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn what_is_no_operation_is_named() {
        assert!(parse("compute 20, srom_read 4").unwrap_err().contains("did you mean `sram_read`?"));
        assert!(parse("hash -1").unwrap_err().contains("expected a whole number"));
        assert!(parse("hash").unwrap_err().contains("such as `hash 32`"));
    }
}
