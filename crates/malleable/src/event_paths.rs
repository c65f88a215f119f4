//! Paths between events, recorded run by run, so that executed code is not analysed again instruction by
//! instruction.
//!
//! A *place* is the progress of a packet since its last event. A *way* leads from place to place: a run of the
//! trace, or the part of it up to an event. Programs take the same few ways again and again, so compiling a
//! trace follows and counts them; only a new way reads the code.

use crate::segments::{BEHIND_EVENT, Segments};
use linecard_iss::{Class, Code, Runs};
use rustc_hash::FxHashMap;

/// No place, in place of the number of one.
pub(crate) const NONE: u32 = u32::MAX;
/// The place where a packet begins.
pub(crate) const START: u32 = 0;
/// A place too far from the last event to be recorded.
const FAR_AWAY: u32 = 1;
/// Most recorded ways between two events: more of them are a long loop that hardly ever repeats as a whole.
const MOST_BETWEEN: u32 = 1 << 14;
/// Most recorded ways, of 64 bytes each; a program with more of them starts again with an empty record.
const MOST_WAYS: usize = 1 << 19;
/// The way that is not recorded.
const UNREMEMBERED: usize = 0;

#[derive(Clone, Copy, Debug)]
struct Place {
    /// First of the ways that lead on.
    ways: u32,
    /// The way that leads here, unless an event does.
    by: u32,
    /// Instruction of the event that leads here, if one does.
    event: u32,
    /// The number of ways since the event.
    distance: u32,
    /// The segment of a packet that ends here, if one has ended here.
    end: u32,
}

/// The end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// No event.
    Nothing,
    /// An access to data.
    Access,
    /// A lock taken or released.
    Lock,
}

/// A part of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    from: u32,
    through: u32,
    /// Last instruction of the run.
    last: u32,
    /// The next way from the same place.
    sibling: u32,
    /// The loads and stores on it, one bit each, and those of them that accessed data.
    looked_at: u64,
    data: u64,
    times: u64,
    /// The place where it begins.
    of: u32,
    /// The place where it ends.
    pub to: u32,
    /// Instruction at which the run continues, if it continues.
    pub on: u32,
    /// Loads and stores on it.
    pub accesses: u32,
    /// The segment that it completes.
    pub segment: u32,
    /// Its end.
    pub ends: Ends,
}

impl Way {
    /// No instruction.
    const NOWHERE: Self = Self {
        from: 1,
        through: 0,
        last: 0,
        sibling: NONE,
        looked_at: 0,
        data: 0,
        times: 0,
        of: NONE,
        to: NONE,
        on: NONE,
        accesses: 0,
        segment: NONE,
        ends: Ends::Nothing,
    };

    /// Returns the way from an instruction of a run that ends at `last` to the next event or the end of the run;
    /// `data` has a bit for each load and store that accesses data.
    fn new(code: &Code, from: u32, last: u32, data: u64) -> Self {
        let (mut through, mut accesses, mut ends) = (from, 0, Ends::Nothing);
        let behind = loop {
            match code.class(through) {
                Class::Load | Class::Store | Class::Atomic => {
                    if data >> accesses & 1 == 1 {
                        ends = Ends::Access;
                    }
                    accesses += 1;
                }
                Class::Lock | Class::Unlock => ends = Ends::Lock,
                _ => {}
            }
            let behind = through + code.ops[through as usize].halfwords();
            if ends != Ends::Nothing || accesses == Runs::AHEAD || behind > last {
                break behind;
            }
            through = behind;
        };
        let looked_at = (1 << accesses) - 1;
        Self {
            from,
            through,
            last,
            looked_at,
            data: data & looked_at,
            on: if behind > last { NONE } else { behind },
            accesses,
            ends,
            ..Self::NOWHERE
        }
    }

    /// Returns its instructions.
    fn indices(&self, code: &Code) -> impl Iterator<Item = u32> {
        let behind = |&index: &u32| code.ops.get(index as usize).map(|op| index + op.halfwords());
        std::iter::successors(Some(self.from), behind)
            .take_while(|&index| index <= self.through)
            .filter(|&index| code.class(index) != Class::Mark)
    }

    /// Appends its instructions to a path.
    fn append(&self, code: &Code, path: &mut Vec<u32>) {
        path.extend(self.indices(code).map(|index| {
            let jumps = index == self.last && matches!(code.class(index), Class::Branch | Class::Jump);
            index << 1 | u32::from(jumps)
        }));
    }
}

/// All ways that a program has taken.
#[derive(Debug)]
pub(crate) struct EventPaths {
    places: Vec<Place>,
    ways: Vec<Way>,
    /// Places after events, by instruction.
    behind: FxHashMap<u32, u32>,
    /// The path to [`FAR_AWAY`].
    far: Vec<u32>,
    /// Executions of instructions on ways that are no longer recorded.
    executed: Vec<u64>,
}

impl EventPaths {
    pub fn new() -> Self {
        let mut paths = Self {
            places: Vec::new(),
            ways: Vec::new(),
            behind: FxHashMap::default(),
            far: Vec::new(),
            executed: Vec::new(),
        };
        paths.clear();
        paths
    }

    /// Returns the way from a place with which the rest of a run begins, and counts it.
    #[inline(always)]
    pub fn follow(
        &mut self,
        (place, from, last, data): (u32, u32, u32, u64),
        code: &Code,
        segments: &mut Segments,
    ) -> &Way {
        let mut number = self.places[place as usize].ways;
        while let Some(way) = self.ways.get(number as usize) {
            // Both are compared at once: the first alone hardly ever distinguishes them.
            let differ = (way.from ^ from) | (way.last ^ last);
            if u64::from(differ) | (data & way.looked_at ^ way.data) == 0 {
                break;
            }
            number = way.sibling;
        }
        if number == NONE {
            number = self.learn(place, Way::new(code, from, last, data), code, segments);
        }
        let way = &mut self.ways[number as usize];
        way.times += 1;
        way
    }

    /// Returns the segment of a packet that ends at a place.
    pub fn end(&mut self, place: u32, code: &Code, segments: &mut Segments) -> u32 {
        let known = self.places[place as usize].end;
        if known != NONE {
            return known;
        }
        let segment = segments.last(self.path(place, code), code);
        if place != FAR_AWAY {
            self.places[place as usize].end = segment;
        }
        segment
    }

    /// Returns how often each instruction was executed.
    pub fn executed(&self, code: &Code) -> Vec<u64> {
        let mut executed = self.executed.clone();
        executed.resize(code.ops.len(), 0);
        for way in &self.ways {
            way.indices(code).for_each(|index| executed[index as usize] += way.times);
        }
        executed
    }

    #[cold]
    fn learn(&mut self, place: u32, mut way: Way, code: &Code, segments: &mut Segments) -> u32 {
        let distance = self.places[place as usize].distance + 1;
        let mut remembered = distance <= MOST_BETWEEN;
        way.of = place;
        if way.ends != Ends::Nothing {
            let mut path = self.path(place, code);
            way.append(code, &mut path);
            way.segment = segments.between(path, code);
            if self.ways.len() >= MOST_WAYS {
                self.executed = self.executed(code);
                self.clear();
                remembered = false;
            }
            way.to = self.behind(way.through);
        } else if remembered {
            way.to =
                self.add(Place { ways: NONE, by: self.ways.len() as u32, event: NONE, distance, end: NONE });
        } else {
            let mut path = self.path(place, code);
            way.append(code, &mut path);
            (self.far, way.to) = (path, FAR_AWAY);
        }
        if !remembered {
            let before = self.ways[UNREMEMBERED];
            self.executed.resize(code.ops.len(), 0);
            before.indices(code).for_each(|index| self.executed[index as usize] += before.times);
            self.ways[UNREMEMBERED] = way;
            return UNREMEMBERED as u32;
        }
        // A new way goes to the end: ways that are found early are taken often.
        let number = self.ways.len() as u32;
        let first = self.places[place as usize].ways;
        let siblings =
            std::iter::successors(Some(first), |&way| self.ways.get(way as usize).map(|way| way.sibling));
        match siblings.take_while(|&way| way != NONE).last() {
            Some(last) => self.ways[last as usize].sibling = number,
            None => self.places[place as usize].ways = number,
        }
        self.ways.push(way);
        number
    }

    /// Returns the instructions executed up to a place, beginning with the previous event.
    fn path(&mut self, place: u32, code: &Code) -> Vec<u32> {
        if place == FAR_AWAY {
            return std::mem::take(&mut self.far);
        }
        let (mut ways, mut at) = (Vec::new(), self.places[place as usize]);
        while let Some(way) = self.ways.get(at.by as usize) {
            ways.push(way);
            at = self.places[way.of as usize];
        }
        let mut path = if at.event == NONE { Vec::new() } else { vec![at.event << 1, BEHIND_EVENT] };
        ways.iter().rev().for_each(|way| way.append(code, &mut path));
        path
    }

    /// Returns the place after an event.
    fn behind(&mut self, event: u32) -> u32 {
        if let Some(&place) = self.behind.get(&event) {
            return place;
        }
        let place = self.add(Place { ways: NONE, by: NONE, event, distance: 0, end: NONE });
        self.behind.insert(event, place);
        place
    }

    fn add(&mut self, place: Place) -> u32 {
        self.places.push(place);
        self.places.len() as u32 - 1
    }

    /// Discards all ways.
    fn clear(&mut self) {
        let nowhere = Place { ways: NONE, by: NONE, event: NONE, distance: 0, end: NONE };
        self.places.clear();
        self.places.extend([nowhere, Place { distance: MOST_BETWEEN, ..nowhere }]);
        self.ways.clear();
        self.ways.push(Way::NOWHERE);
        self.behind.clear();
    }
}
