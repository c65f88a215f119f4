//! How long a place held how many tokens.

/// Token counts below this have a cell of their own.
pub(crate) const CELLS: usize = 64;

/// Times by place and number of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    since: Vec<f64>,
    /// `CELLS` times for each place.
    times: Vec<f64>,
    /// Tokens times time, and time, where there were more.
    beyond: Vec<(f64, f64)>,
    most: Vec<u32>,
}

impl Occupancy {
    pub fn new(tokens: &[u32]) -> Self {
        Self {
            since: vec![0.0; tokens.len()],
            times: vec![0.0; tokens.len() * CELLS],
            beyond: vec![(0.0, 0.0); tokens.len()],
            most: tokens.to_vec(),
        }
    }

    /// A place held `before` tokens until now, and holds `after` from now on.
    #[inline]
    pub fn change(&mut self, place: usize, before: u32, after: u32, now: f64) {
        let time = now - self.since[place];
        self.since[place] = now;
        if (before as usize) < CELLS {
            self.times[place * CELLS + before as usize] += time;
        } else {
            let (tokens, beyond) = &mut self.beyond[place];
            *tokens += f64::from(before) * time;
            *beyond += time;
        }
        if after > self.most[place] {
            self.most[place] = after;
        }
    }

    /// Forgets what was before.
    pub fn restart(&mut self, tokens: &[u32], now: f64) {
        *self = Self::new(tokens);
        self.since.fill(now);
    }

    /// Tokens averaged over time, by place.
    pub fn means(&self, time: f64) -> Vec<f64> {
        let mean = |(cells, (tokens, _)): (&[f64], &(f64, f64))| {
            let sum: f64 = cells.iter().zip(0..).map(|(time, count)| time * f64::from(count)).sum();
            if time > 0.0 { (sum + tokens) / time } else { 0.0 }
        };
        self.times.chunks(CELLS).zip(&self.beyond).map(mean).collect()
    }

    /// For each place the shares of time with 0, 1, 2, ... tokens, as far as there were any; the last of `CELLS` + 1 is for
    /// all above.
    pub fn shares(&self, time: f64) -> Vec<Vec<f64>> {
        let shares = self.times.chunks(CELLS).zip(&self.beyond).map(|(cells, (_, beyond))| {
            let mut shares: Vec<f64> = cells.iter().copied().chain([*beyond]).collect();
            while shares.len() > 1 && shares.last() == Some(&0.0) {
                shares.pop();
            }
            shares.iter_mut().for_each(|share| *share = if time > 0.0 { *share / time } else { 0.0 });
            shares
        });
        shares.collect()
    }

    pub fn most(&self) -> &[u32] {
        &self.most
    }
}
