//! The route of a cluster to the memory of a role.

use crate::config::{ChipConfig, TargetConfig};
use crate::place::{Memory, Place};
use crate::thread::State;
use linecard_sim::{Ticks, Timebase};

/// The memory of a role that the cluster does not bind.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// The route of a cluster to the memory of a role.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Number of the memory, or [`NOWHERE`].
    pub place: u16,
    pub base: u64,
    pub issue: Ticks,
    pub back: Ticks,
    /// Links of the route; they are few, and mostly there are none.
    pub links: Box<[u16]>,
    /// State of a thread that waits for this memory.
    pub state: State,
    /// Accesses of all threads arrive in the order of issue, and the memory answers at once.
    pub direct: bool,
    /// Accesses reach a memory with channels, which answers later, in the instant of their issue.
    pub submits: bool,
    /// Its memory begins accesses ahead of time and notifies threads by number: accesses need no request.
    pub planned: bool,
    /// Accesses reach its first link in the order of issue, so that they cross it at once.
    pub first_link_direct: bool,
    /// Data caches of the engines are in front of it.
    pub cached: bool,
    /// It answers a thread at once: it is direct, and no data cache of the engine is in front of it.
    pub answers_thread: bool,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            place: NOWHERE,
            base: 0,
            issue: 0,
            back: 0,
            links: Box::default(),
            state: State::POSTED,
            direct: false,
            submits: false,
            planned: false,
            first_link_direct: false,
            cached: false,
            answers_thread: false,
        }
    }
}

/// Returns the route of each cluster to the memory of each role.
pub(crate) fn targets(
    config: &ChipConfig,
    places: &[Place],
    groups: &[u16],
    timebase: &Timebase,
) -> Vec<Target> {
    let all = || config.targets.iter().flatten().flatten();
    let by_ports = |place: usize| {
        config.packets.as_ref().is_some_and(|packets| {
            let moved = packets.received_by_ports || packets.sent_by_ports;
            let keeps = config.targets.iter().filter_map(|row| row[packets.role].as_ref());
            moved && keeps.into_iter().any(|target| target.place == place)
        })
    };
    let behind_cache =
        |place: usize| config.places.iter().any(|other| other.kind.numbers().behind() == Some(place));
    let answers = |place: usize| config.places[place].kind.numbers().answers_at_once();
    let direct = |place: usize| {
        let mut ways = all().filter(|target| target.place == place).map(|t| (t.issue_ps, t.links.is_empty()));
        let first = ways.next();
        let alike = first.is_some_and(|(issue, no_links)| no_links && ways.all(|way| way == (issue, true)));
        // A memory that serves any number of accesses at once has no order to keep.
        let endless = config.places[place].kind.numbers().serves_all();
        let no_links = all().filter(|target| target.place == place).all(|t| t.links.is_empty());
        answers(place) && (alike || endless && no_links) && !by_ports(place) && !behind_cache(place)
    };
    let direct: Vec<bool> = (0..config.places.len()).map(direct).collect();
    // If all accesses reach a link directly from threads with the same latency from issue, they reach it in
    // the order of issue.
    let first_link_direct = |link: usize| {
        let mut ways = all().filter(|target| target.links.contains(&link));
        let first = ways.next().map(|t| t.issue_ps);
        all()
            .filter(|t| t.links.contains(&link))
            .all(|t| t.links[0] == link && !t.links[1..].contains(&link) && Some(t.issue_ps) == first)
    };
    let at_once = |target: &TargetConfig| target.issue_ps == 0 && target.links.is_empty();
    let cached = |cluster: usize, place: usize| {
        let cache = config.clusters[cluster].data_cache.as_ref();
        cache.is_some_and(|cache| cache.of.contains(&config.places[place].group))
    };
    let target = |(cluster, target): (usize, &Option<TargetConfig>)| {
        let Some(t) = target else { return Target::default() };
        // An access that arrives in the instant of its issue comes after all earlier arrivals.
        let direct = direct[t.place] || answers(t.place) && at_once(t);
        let cached = cached(cluster, t.place);
        Target {
            place: t.place as u16,
            base: t.base,
            issue: timebase.ticks_from_ps(t.issue_ps),
            back: timebase.ticks_from_ps(t.back_ps),
            links: t.links.iter().map(|&link| link as u16).collect(),
            state: State(State::PLACES + groups[t.place]),
            direct,
            answers_thread: direct && !cached,
            submits: at_once(t) && places[t.place].channels() > 0,
            planned: false,
            first_link_direct: t.links.first().is_some_and(|&link| first_link_direct(link)),
            cached,
        }
    };
    let rows = config.targets.iter().enumerate();
    rows.flat_map(|(cluster, row)| row.iter().map(move |each| (cluster, each))).map(target).collect()
}
