//! Nets made by chance, and what they mean by definition: bindings by enumeration, firings token by token.

use super::builder::ColouredBuilder;
use super::colour::Colour;
use super::net::{Choice, ColouredNet};
use super::raw::TimingText;
use crate::net::Servers;
use linecard_sim::{Stream, stream};
use std::collections::{BTreeMap, BTreeSet};

/// Colours of each coloured place: 0, 1, 2.
const COLOURS: u32 = 3;
/// The first places have colours, the last one has dots, whose colour counts as 0.
const PLACES: u32 = 3;
const DOTS: u32 = PLACES - 1;
const GUARDS: [&str; 3] = ["", "x == y", "x != y"];

/// For each place and colour its tokens, if there are any.
pub(super) type Marking = BTreeMap<(u32, i64), u32>;
/// Values of x and y; 0 for a variable that the transition does not have.
pub(super) type Values = [i64; 2];

#[derive(Clone, Copy, PartialEq)]
enum Token {
    X,
    Y,
    Opposite,
    One,
}

impl Token {
    fn text(self) -> &'static str {
        ["x", "y", "2 - x", "1"][self as usize]
    }

    fn value(self, [x, y]: Values) -> i64 {
        [x, y, 2 - x, 1][self as usize]
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Take,
    Read,
    Put,
    Inhibit,
    InhibitAll,
    Reset,
}

#[derive(Clone, Copy)]
struct Arc {
    kind: Kind,
    place: u32,
    token: Token,
    weight: u32,
}

impl Arc {
    fn at(self, values: Values) -> (u32, i64) {
        (self.place, if self.place == DOTS { 0 } else { self.token.value(values) })
    }

    fn needs(self) -> bool {
        matches!(self.kind, Kind::Take | Kind::Read)
    }
}

pub(super) struct Transition {
    arcs: Vec<Arc>,
    guard: usize,
    pub servers: Servers,
    pub is_immediate: bool,
}

/// A net, before it is built.
pub(super) struct Plan {
    pub first: Marking,
    pub transitions: Vec<Transition>,
}

fn any<T: Copy>(random: &mut Stream, of: &[T]) -> T {
    of[random.below(of.len() as u32) as usize]
}

impl Transition {
    fn by_chance(random: &mut Stream) -> Self {
        let mut arcs = Vec::new();
        let mut bound: Vec<Token> = vec![Token::One];
        for _ in 0..=random.below(3) {
            let kind = any(random, &[Kind::Take, Kind::Take, Kind::Take, Kind::Read]);
            let (place, token) =
                (random.below(PLACES), any(random, &[Token::X, Token::X, Token::Y, Token::One]));
            let weight = any(random, &[1, 1, 1, 2]);
            arcs.push(Arc { kind, place, token, weight });
            if place != DOTS {
                bound.push(token);
            }
        }
        if bound.contains(&Token::X) {
            bound.push(Token::Opposite);
        }
        let mut further = vec![Kind::Put; random.below(4) as usize];
        for kind in [Kind::Inhibit, Kind::InhibitAll, Kind::Reset] {
            if random.below(4) == 0 {
                further.push(kind);
            }
        }
        for kind in further {
            let (place, token) = (random.below(PLACES), any(random, &bound));
            arcs.push(Arc { kind, place, token, weight: any(random, &[1, 1, 2]) });
        }
        let both = bound.contains(&Token::X) && bound.contains(&Token::Y);
        let guard = if both { random.below(GUARDS.len() as u32) as usize } else { 0 };
        let servers = any(random, &[Servers::Count(1), Servers::Count(2), Servers::Infinite]);
        Self { arcs, guard, servers, is_immediate: false }
    }

    /// Returns the bindings that the marking permits, and how often.
    pub fn enabled(&self, marking: &Marking) -> BTreeMap<Values, u32> {
        let names = |token: Token| {
            let named = self.arcs.iter().any(|arc| arc.needs() && arc.place != DOTS && arc.token == token);
            0..if named { i64::from(COLOURS) } else { 1 }
        };
        let all = names(Token::X).flat_map(|x| names(Token::Y).map(move |y| [x, y]));
        all.map(|values| (values, self.degree(marking, values))).filter(|(_, degree)| *degree > 0).collect()
    }

    fn degree(&self, marking: &Marking, values: Values) -> u32 {
        let [x, y] = values;
        if [false, x != y, x == y][self.guard] {
            return 0;
        }
        let held = |at: (u32, i64)| marking.get(&at).copied().unwrap_or(0);
        let mut needed = Marking::new();
        for arc in &self.arcs {
            let tokens = match arc.kind {
                Kind::Inhibit => held(arc.at(values)),
                Kind::InhibitAll => (0..i64::from(COLOURS)).map(|colour| held((arc.place, colour))).sum(),
                _ => 0,
            };
            if matches!(arc.kind, Kind::Inhibit | Kind::InhibitAll) && tokens >= arc.weight {
                return 0;
            }
            if arc.needs() {
                *needed.entry(arc.at(values)).or_default() += arc.weight;
            }
        }
        needed.into_iter().map(|(at, weight)| held(at) / weight).min().unwrap_or(1)
    }

    /// Returns the marking after a firing: tokens are taken, places are reset, tokens are put.
    pub fn fired(&self, marking: &Marking, values: Values) -> Marking {
        let mut after = marking.clone();
        for arc in self.arcs.iter().filter(|arc| arc.kind == Kind::Take) {
            *after.get_mut(&arc.at(values)).unwrap() -= arc.weight;
        }
        for reset in self.arcs.iter().filter(|arc| arc.kind == Kind::Reset) {
            after.retain(|(place, _), _| *place != reset.place);
        }
        for arc in self.arcs.iter().filter(|arc| arc.kind == Kind::Put) {
            *after.entry(arc.at(values)).or_default() += arc.weight;
        }
        after.retain(|_, count| *count > 0);
        after
    }
}

impl Plan {
    pub fn by_chance(seed: u64) -> Self {
        let mut random = stream(seed, "nets");
        let mut first = Marking::new();
        for _ in 0..5 {
            let place = random.below(PLACES);
            let colour = if place == DOTS { 0 } else { random.below(COLOURS) };
            *first.entry((place, i64::from(colour))).or_default() += 1;
        }
        let transitions = (0..3).map(|_| Transition::by_chance(&mut random)).collect();
        Self { first, transitions }
    }

    pub fn net(&self) -> ColouredNet {
        let mut net = ColouredBuilder::new("by chance");
        let digit = Colour::Int { low: 0, high: i64::from(COLOURS) - 1 };
        for place in 0..PLACES {
            let colour = if place == DOTS { &Colour::Dot } else { &digit };
            net.place(&format!("p{place}"), colour, Choice::Random).unwrap();
        }
        for (&(place, colour), &count) in &self.first {
            match place {
                DOTS => net.dots(place, count),
                _ => net.tokens(place, &colour.to_string(), count).unwrap(),
            }
        }
        for (number, plan) in self.transitions.iter().enumerate() {
            let timing = match plan.is_immediate {
                true => TimingText::Immediate { weight: "1".to_owned(), priority: 0 },
                false => TimingText::Exponential { rate: "1".to_owned() },
            };
            let (name, guard) = (format!("t{number}"), GUARDS[plan.guard]);
            let transition = net.transition(&name, timing, plan.servers, guard).unwrap();
            for arc in &plan.arcs {
                let tokens = if arc.place == DOTS { "" } else { arc.token.text() };
                let (place, weight) = (arc.place, arc.weight.to_string());
                match arc.kind {
                    Kind::Take => net.take(place, transition, tokens, &weight),
                    Kind::Read => net.read(place, transition, tokens, &weight),
                    Kind::Put => net.put(transition, place, tokens, &weight),
                    Kind::Inhibit => net.inhibit(place, transition, tokens, &weight),
                    Kind::InhibitAll => net.inhibit(place, transition, "", &weight),
                    Kind::Reset => net.reset(place, transition),
                }
            }
        }
        net.build().unwrap()
    }

    /// Returns the number of markings and of firings in them, if there are at most as many markings as stated.
    fn explored(&self, most: usize) -> Option<(u64, u64)> {
        let mut seen = BTreeSet::from([self.first.clone()]);
        let (mut left, mut edges) = (vec![self.first.clone()], 0);
        while let Some(marking) = left.pop() {
            for transition in &self.transitions {
                for values in transition.enabled(&marking).into_keys() {
                    edges += 1;
                    let after = transition.fired(&marking, values);
                    if seen.insert(after.clone()) {
                        left.push(after);
                    }
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        Some((seen.len() as u64, edges))
    }
}

#[test]
fn unfolded_nets_have_the_markings_and_firings_of_the_definition() {
    let mut compared = 0;
    for seed in 0..600 {
        let plan = Plan::by_chance(seed);
        let Some((markings, edges)) = plan.explored(300) else { continue };
        let found = crate::explore(&plan.net().unfold().unwrap().net, 1_000);
        assert_eq!((found.reachable_markings, found.edges), (markings, edges), "seed {seed}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}
