//! The location of a value: an offset in a file, or the number of a `--set`.

/// A location. The order is that of the problems: files in the order of opening, then overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// Byte of a file, by its number.
    File { file: usize, offset: usize },
    /// An override, counted from 0.
    Set(usize),
}

/// The opened files, to format locations.
#[derive(Debug, Default)]
pub(crate) struct Places {
    files: Vec<Lines>,
}

#[derive(Debug)]
struct Lines {
    name: String,
    /// Offset of each line but the first.
    starts: Vec<usize>,
}

/// Sorts problems: unknown places, files by number, line and offset, overrides.
pub(crate) type Rank = (u8, usize, usize, usize);

impl Places {
    /// Adds a file and returns its number.
    pub fn add(&mut self, name: &str, text: &str) -> usize {
        let starts = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n').map(|(_, at)| at).collect();
        self.files.push(Lines { name: name.to_owned(), starts });
        self.files.len() - 1
    }

    /// Returns the number of files.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Returns the name of a file for messages.
    pub fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |f| f.name.as_str())
    }

    fn line(&self, file: usize, offset: usize) -> usize {
        self.files.get(file).map_or(1, |f| f.starts.partition_point(|&start| start <= offset) + 1)
    }

    /// Returns `file:line`, or `--set (number N)`.
    pub fn show(&self, place: Place) -> String {
        match place {
            Place::File { file, offset } => {
                let name = self.files.get(file).map_or("", |f| f.name.as_str());
                // Every value that is read formats its location: format! takes several times as long.
                [name, ":", &self.line(file, offset).to_string()].concat()
            }
            Place::Set(number) => format!("--set (number {})", number + 1),
        }
    }

    pub fn rank(&self, place: Place) -> Rank {
        match place {
            Place::File { file, offset } => (1, file, self.line(file, offset), offset),
            Place::Set(number) => (2, number, 0, 0),
        }
    }

    /// Returns the rank of a formatted location.
    pub fn rank_of_words(&self, place: &str) -> Rank {
        let number = place.strip_prefix("--set (number ").and_then(|rest| rest.strip_suffix(')'));
        if let Some(number) = number.and_then(|n| n.parse::<usize>().ok()) {
            return (2, number.saturating_sub(1), 0, 0);
        }
        let in_file = place.rsplit_once(':').and_then(|(name, line)| {
            let file = self.files.iter().position(|f| f.name == name)?;
            Some((1, file, line.parse().ok()?, 0))
        });
        in_file.unwrap_or_default()
    }
}
