//! Marks on positions of a trace, and how many of them stand behind one.

use crate::last_seen::NEVER;

/// Positions to a word.
const WORD: usize = 64;
/// Counters that stand together on each level, and are added up together.
const FAN: usize = 16;

/// One mark at the latest position of each digest, counted on four levels above the bits: by words, and by 16, 256
/// and 4096 words. Counting the marks behind a position adds up 16 counters of a level at once, those up to the
/// position masked: no branch, and as many instructions for each packet.
#[derive(Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
    in_word: Vec<[u8; FAN]>,
    in_16_words: Vec<[u16; FAN]>,
    in_256_words: Vec<[u32; FAN]>,
    in_4096_words: Vec<u32>,
}

/// Counters of a level behind one of them.
macro_rules! behind {
    ($counters:expr, $place:expr, $type:ty) => {{
        // From the right start, a window of this is a mask of the places behind one.
        const MASKS: [$type; 2 * FAN] = {
            let mut masks = [0; 2 * FAN];
            let mut place = FAN;
            while place < 2 * FAN {
                masks[place] = <$type>::MAX;
                place += 1;
            }
            masks
        };
        let place = $place;
        let counters: &[$type; FAN] = &$counters[place / FAN];
        let masks = &MASKS[FAN - 1 - place % FAN..][..FAN];
        counters.iter().zip(masks).map(|(&marks, &mask)| u32::from(marks & mask)).sum::<u32>()
    }};
}

impl Marks {
    /// No marks on `positions` positions.
    pub fn new(positions: usize) -> Self {
        let words = positions.div_ceil(WORD);
        let groups = [1, 2, 3].map(|level| words.div_ceil(FAN.pow(level)));
        Self {
            words: vec![0; words],
            in_word: vec![[0; FAN]; groups[0]],
            in_16_words: vec![[0; FAN]; groups[1]],
            in_256_words: vec![[0; FAN]; groups[2]],
            in_4096_words: vec![0; groups[2]],
        }
    }

    /// Moves the mark of a digest from `previous` to `at`, behind all others; the number of marks it passed.
    #[inline]
    pub fn step(&mut self, at: u32, previous: u32) -> u32 {
        if previous == NEVER {
            self.change(at as usize, 1);
            return NEVER;
        }
        let passed = self.behind(previous as usize, at as usize);
        self.change(previous as usize, -1);
        self.change(at as usize, 1);
        passed
    }

    /// Marks behind position `first`; none stands at `end` or behind.
    #[inline]
    fn behind(&self, first: usize, end: usize) -> u32 {
        let word = first / WORD;
        let (group, last_group) = (word / FAN.pow(3), end / WORD / FAN.pow(3));
        (self.words[word] >> (first % WORD) >> 1).count_ones()
            + behind!(self.in_word, word, u8)
            + behind!(self.in_16_words, word / FAN, u16)
            + behind!(self.in_256_words, word / FAN.pow(2), u32)
            + self.in_4096_words[group + 1..last_group.max(group) + 1].iter().sum::<u32>()
    }

    /// Sets (`by` 1) or takes (`by` -1) the mark at a position.
    #[inline]
    fn change(&mut self, at: usize, by: i8) {
        let word = at / WORD;
        self.words[word] ^= 1 << (at % WORD);
        let count = &mut self.in_word[word / FAN][word % FAN];
        *count = count.wrapping_add_signed(by);
        let count = &mut self.in_16_words[word / FAN.pow(2)][word / FAN % FAN];
        *count = count.wrapping_add_signed(by.into());
        let count = &mut self.in_256_words[word / FAN.pow(3)][word / FAN.pow(2) % FAN];
        *count = count.wrapping_add_signed(by.into());
        let count = &mut self.in_4096_words[word / FAN.pow(3)];
        *count = count.wrapping_add_signed(by.into());
    }
}
