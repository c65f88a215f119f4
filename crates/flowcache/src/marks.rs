//! Marks on positions of a trace, and the number of marks behind a position.

use crate::last_seen::NEVER;

/// Positions per word.
const WORD: usize = 64;
/// Adjacent counters of a level, which are summed together.
const FAN: usize = 16;
/// Positions per counter of the highest level.
const HIGHEST: usize = WORD * FAN.pow(3);

/// One mark at the latest position of each digest, counted on four levels above the bits: by words, and by 16,
/// 256 and 4096 words. Future positions are marked from the start but do not count yet, so that marks are only
/// removed. A count of the marks up to a position sums 16 counters of a level at once, with a mask over those
/// behind it: no branch, and the same number of instructions for each packet.
#[derive(Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
    in_word: Vec<[u8; FAN]>,
    in_16_words: Vec<[u16; FAN]>,
    in_256_words: Vec<[u32; FAN]>,
    in_4096_words: Vec<u32>,
}

/// Counters of a level in front of one of them.
macro_rules! in_front {
    ($counters:expr, $place:expr, $type:ty) => {{
        // A window of this array, from the right start, is a mask of the positions before one position.
        const MASKS: [$type; 2 * FAN] = {
            let mut masks = [0; 2 * FAN];
            let mut place = 0;
            while place < FAN {
                masks[place] = <$type>::MAX;
                place += 1;
            }
            masks
        };
        let place = $place;
        let counters: &[$type; FAN] = &$counters[place / FAN];
        let masks = &MASKS[FAN - place % FAN..][..FAN];
        counters.iter().zip(masks).map(|(&marks, &mask)| u32::from(marks & mask)).sum::<u32>()
    }};
}

impl Marks {
    /// Returns marks on `positions` positions, all of them in the future.
    pub fn new(positions: usize) -> Self {
        let words = positions.div_ceil(WORD);
        let groups = [1, 2, 3].map(|level| words.div_ceil(FAN.pow(level)));
        Self {
            words: vec![u64::MAX; words],
            in_word: vec![[WORD as u8; FAN]; groups[0]],
            in_16_words: vec![[(WORD * FAN) as u16; FAN]; groups[1]],
            in_256_words: vec![[(WORD * FAN.pow(2)) as u32; FAN]; groups[2]],
            in_4096_words: vec![HIGHEST as u32; groups[2]],
        }
    }

    /// Moves the mark of a digest from `previous` to `at`, behind all others. Returns the number of marks that
    /// it passed.
    #[inline]
    pub fn step(&mut self, at: u32, previous: u32) -> u32 {
        if previous == NEVER {
            return NEVER;
        }
        let passed = self.behind(previous as usize, at as usize);
        self.take(previous as usize);
        passed
    }

    /// Returns the marks behind position `first`; those from `end` on are in the future.
    #[inline]
    fn behind(&self, first: usize, end: usize) -> u32 {
        let word = first / WORD;
        let up_to_first = (self.words[word] << (WORD - 1 - first % WORD)).count_ones()
            + in_front!(self.in_word, word, u8)
            + in_front!(self.in_16_words, word / FAN, u16)
            + in_front!(self.in_256_words, word / FAN.pow(2), u32);
        let (group, last_group) = (first / HIGHEST, end / HIGHEST);
        let to_come = (last_group + 1) * HIGHEST - end;
        // The sum includes marks of the future and may wrap around; the subtractions undo that.
        let from_group =
            self.in_4096_words[group..=last_group].iter().fold(0, |sum: u32, &marks| sum.wrapping_add(marks));
        from_group.wrapping_sub(up_to_first).wrapping_sub(to_come as u32)
    }

    /// Removes the mark at a position.
    #[inline]
    fn take(&mut self, at: usize) {
        let word = at / WORD;
        self.words[word] ^= 1 << (at % WORD);
        self.in_word[word / FAN][word % FAN] -= 1;
        self.in_16_words[word / FAN.pow(2)][word / FAN % FAN] -= 1;
        self.in_256_words[word / FAN.pow(3)][word / FAN.pow(2) % FAN] -= 1;
        self.in_4096_words[word / FAN.pow(3)] -= 1;
    }
}
