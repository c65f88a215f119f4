//! Ends the reading: returns the rows, or all problems.

use crate::document::{Document, once_each};
use crate::problem::{Problem, Row};
use crate::section::Section;

impl Document {
    /// Returns the values read, in the order of reading.
    ///
    /// # Errors
    ///
    /// All problems in order of their location, including those of [`Document::close`].
    pub fn finish(self) -> Result<Vec<Row>, Vec<Problem>> {
        self.finish_calling(|_| None)
    }

    /// As `finish`, with names for elements of lists at the top, which replace their paths in problems.
    ///
    /// # Errors
    ///
    /// As [`Document::finish`].
    pub fn finish_calling(
        self,
        name: impl Fn(&Section<'_>) -> Option<String>,
    ) -> Result<Vec<Row>, Vec<Problem>> {
        self.close();
        if self.log.len() == 0 {
            return Ok(self.rows.map_or_else(Vec::new, |rows| once_each(rows.into_inner())));
        }
        let mut problems = self.log.take(&self.places);
        for Problem { key, .. } in &mut problems {
            let end = key.find(']').map_or(0, |end| end + 1);
            if let Some(name) = self.element(&key[..end]).and_then(|element| name(&element)) {
                key.replace_range(..end, &name);
            }
        }
        Err(problems)
    }
}
