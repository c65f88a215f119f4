//! Parts of a program, which may be left out.

use linecard_config::Section;
use linecard_config::nearest;

/// Parts that are left out, and all parts that steps name.
pub(super) struct Parts {
    without: Vec<String>,
    named: Vec<String>,
}

impl Parts {
    /// Reads which parts are left out of a program.
    pub fn of(program: &Section<'_>) -> Self {
        let without = program.texts("without", "parts of the program that are left out");
        Self { without, named: Vec::new() }
    }

    /// Returns whether a step, or an access of a step, is kept.
    pub fn keep(&mut self, step: &Section<'_>) -> bool {
        let parts = step
            .texts("part", "parts of the program to which the step belongs; the key `without` omits parts");
        let kept = !parts.iter().any(|part| self.without.contains(part));
        self.named.extend(parts);
        kept
    }

    /// Reports parts that are left out and that no step has named.
    pub fn say_unknown(&self, program: &Section<'_>) {
        for name in self.without.iter().filter(|name| !self.named.contains(name)) {
            let near = nearest(name, self.named.iter().map(String::as_str));
            program.fail("without", format!("no step belongs to the part `{name}`{near}"));
        }
    }
}
