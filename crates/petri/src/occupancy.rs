//! The distribution of token counts of places over time.

/// Token counts below this have a cell of their own.
pub(crate) const CELLS: usize = 64;

#[derive(Clone, Debug)]
struct Held {
    since: f64,
    most: u32,
    /// Token counts above the cells: tokens multiplied by time, and time.
    beyond: (f64, f64),
    times: [f64; CELLS],
}

/// Times by place and number of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    places: Vec<Held>,
}

impl Occupancy {
    pub fn new(tokens: &[u32], now: f64) -> Self {
        let held = |&most: &u32| Held { since: now, most, beyond: (0.0, 0.0), times: [0.0; CELLS] };
        Self { places: tokens.iter().map(held).collect() }
    }

    /// A place held `before` tokens until now, and holds `after` from now on.
    #[inline]
    pub fn change(&mut self, place: usize, before: u32, after: u32, now: f64) {
        let held = &mut self.places[place];
        let time = now - held.since;
        held.since = now;
        if let Some(cell) = held.times.get_mut(before as usize) {
            *cell += time;
        } else {
            held.beyond.0 += f64::from(before) * time;
            held.beyond.1 += time;
        }
        held.most = held.most.max(after);
    }

    /// Returns the mean tokens over time, by place.
    pub fn means(&self, time: f64) -> Vec<f64> {
        let mean = |held: &Held| {
            let sum: f64 = held.times.iter().zip(0..).map(|(time, count)| time * f64::from(count)).sum();
            if time > 0.0 { (sum + held.beyond.0) / time } else { 0.0 }
        };
        self.places.iter().map(mean).collect()
    }

    /// Returns for each place the fractions of time with 0, 1, 2, ... tokens, up to the most that it held; the last
    /// of `CELLS` + 1 is for all larger numbers.
    pub fn shares(&self, time: f64) -> Vec<Vec<f64>> {
        let shares = self.places.iter().map(|held| {
            let mut shares: Vec<f64> = held.times.iter().copied().chain([held.beyond.1]).collect();
            while shares.len() > 1 && shares.last() == Some(&0.0) {
                shares.pop();
            }
            shares.iter_mut().for_each(|share| *share = if time > 0.0 { *share / time } else { 0.0 });
            shares
        });
        shares.collect()
    }

    pub fn most(&self) -> Vec<u32> {
        self.places.iter().map(|held| held.most).collect()
    }
}
