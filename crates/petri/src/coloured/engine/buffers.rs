//! Lists that are reused in each firing, so that none is allocated anew.

/// The lists.
pub(super) struct Buffers {
    /// The transition that fired last, with its binding.
    pub last: u32,
    pub frame: Vec<i64>,
    pub entries: Vec<u32>,
    /// Words of tokens that are put, and of colours that are looked up.
    pub words: Vec<i64>,
    /// Place, beginning of the words, number of tokens.
    pub puts: Vec<(u32, u32, u32)>,
    /// Numbers of dots that the arcs of a binding take.
    pub needed: Vec<u32>,
    /// Dots that are put and taken by the binding's numbers.
    pub dots: Vec<(u32, i64)>,
    /// Place, entry and number of the tokens that resets take.
    pub emptied: Vec<(u32, u32, u32)>,
    /// Entries of bindings that a search found.
    pub found: Vec<u32>,
    pub new: Vec<(u32, u32)>,
    /// Whether the new entry fits each arc that takes from its place.
    pub fits: Vec<bool>,
    pub touched: Vec<(u32, u32)>,
    /// Places whose number of tokens changed, with the old number.
    pub changed: Vec<(u32, u32)>,
    pub is_changed: Vec<bool>,
    pub concerned: Vec<u32>,
    pub is_concerned: Vec<bool>,
    pub refills: Vec<u32>,
    pub needs_refill: Vec<bool>,
    /// Most tokens of an entry that a transition ever saw.
    pub widest: Vec<u32>,
    /// How often the dots enabled each transition at the last test.
    pub units: Vec<u32>,
}

impl Buffers {
    pub fn new(places: usize, transitions: usize) -> Self {
        Self {
            last: 0,
            frame: Vec::new(),
            entries: Vec::new(),
            words: Vec::new(),
            puts: Vec::new(),
            needed: Vec::new(),
            dots: Vec::new(),
            emptied: Vec::new(),
            found: Vec::new(),
            new: Vec::new(),
            fits: Vec::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            is_changed: vec![false; places],
            concerned: Vec::new(),
            is_concerned: vec![false; transitions],
            refills: Vec::new(),
            needs_refill: vec![false; transitions],
            widest: vec![1; transitions],
            units: vec![u32::MAX; transitions],
        }
    }

    /// Marks a transition whose dots must be tested.
    pub fn concern(&mut self, transition: u32) {
        if !std::mem::replace(&mut self.is_concerned[transition as usize], true) {
            self.concerned.push(transition);
        }
    }

    pub fn refill(&mut self, transition: u32) {
        if !std::mem::replace(&mut self.needs_refill[transition as usize], true) {
            self.refills.push(transition);
        }
    }
}
