//! The results at the end of a run.

use super::Chip;
use crate::account::Account;
use crate::counts::{
    ClusterCounts, Counts, InboxCounts, LinkCounts, PlaceCounts, PoolCounts, PortCounts, Spent,
};
use crate::place::memory::{Memory, share};
use crate::thread::State;
use linecard_sim::Ticks;

impl Chip {
    pub(super) fn count(&self, now: Ticks) -> Counts {
        let a = &self.account;
        let duration = now - a.since;
        let spent = self.spent(now);
        Counts {
            duration,
            packets_in: a.packets_in,
            bytes_in: a.bytes_in,
            packets_out: a.packets_out,
            bytes_out: a.bytes_out,
            packets_finished: a.finished,
            drops: a.drops.to_vec(),
            not_ip: a.not_ip,
            latency: a.latency.clone(),
            packet_time: self.packet_time(&spent),
            inside_at_start: a.inside_at_start,
            inside_at_end: a.inside.now,
            inside_mean: share(a.inside.integral(now) as f64, duration as f64),
            inside_most: a.inside.most,
            before_lines_at_start: a.before_lines_at_start,
            before_lines_at_end: a.before_lines.now,
            before_lines_mean: share(a.before_lines.integral(now) as f64, duration as f64),
            last_arrival: a.last_arrival,
            clusters: self.cluster_counts(&spent, now),
            places: self.place_counts(now),
            links: self.link_counts(now),
            locks: self
                .locks
                .iter()
                .map(|lock| lock.held(now))
                .filter(|&held| held > 0)
                .map(|held| share(held as f64, duration as f64))
                .collect(),
            pools: self.pool_counts(now),
            ports: self.port_counts(now),
            inboxes: self
                .inboxes
                .iter()
                .zip(&self.config.inboxes)
                .map(|(inbox, config)| InboxCounts {
                    name: config.name.clone(),
                    most: inbox.most_waiting,
                    offered: inbox.offered,
                    refused: inbox.refused,
                })
                .collect(),
            order_most: self.order.most_waiting,
            bytes_dropped: a.bytes_dropped,
            kept_packets: a.kept_packets,
            kept_bytes: a.kept_bytes,
            receive_bytes_mean: share(a.receive_bytes.integral(now) as f64, duration as f64),
            transmit_bytes_mean: self
                .transmit
                .as_ref()
                .map_or(0.0, |buffer| share(buffer.bytes.integral(now) as f64, duration as f64)),
            cells_in_use: self
                .memory
                .as_ref()
                .filter(|memory| memory.placed_by_programs)
                .map(|memory| share(memory.cells.integral(now) as f64, duration as f64)),
            wide_blocks: self
                .memory
                .as_ref()
                .and_then(|memory| memory.wide.as_ref())
                .map(|wide| (wide.caches.bypassed_blocks, wide.caches.written_blocks)),
            bytes_inside: a.bytes_inside.seen(now, duration),
            breakdown: self.tallies.breakdown(),
        }
    }

    /// Returns the time of threads by cluster and state up to `now`, with waits that are not yet entered.
    fn spent(&self, now: Ticks) -> Vec<u128> {
        let mut spent = self.account.spent.clone();
        let states = self.account.states;
        for thread in &self.threads {
            let row = usize::from(thread.cluster) * states;
            // After its wait has ended, the thread is ready and waits for the engine.
            let over = self.engines[thread.engine as usize].wake_of(thread.number).min(now);
            let from = thread.since.max(self.account.since);
            spent[row + usize::from(thread.state.0)] += u128::from(over.saturating_sub(from));
            spent[row + usize::from(State::READY.0)] += u128::from(now - over.max(from).min(now));
            if let Some((number, ticks)) = Account::ahead(thread, now) {
                spent[number] -= ticks;
            }
        }
        spent
    }

    fn spent_names(&self, row: &[u128]) -> Vec<Spent> {
        let named = row
            .iter()
            .enumerate()
            .filter(|&(_, &ticks)| ticks > 0)
            .map(|(state, &ticks)| Spent { part: self.state_name(State(state as u16)), ticks });
        named.collect()
    }

    fn packet_time(&self, spent: &[u128]) -> Vec<Spent> {
        let states = self.account.states;
        // A thread without work has no packet.
        let attended = |row: &[u128]| -> u128 {
            row.iter().enumerate().filter(|&(state, _)| !State::is_free(state)).map(|(_, &ticks)| ticks).sum()
        };
        let rows =
            || spent.chunks(states).zip(self.clusters.iter().map(|cluster| cluster.block_cells.is_some()));
        let by = |senders: bool| -> u128 {
            rows().filter(|&(_, sends)| sends == senders).map(|(row, _)| attended(row)).sum()
        };
        // The time that receiving threads spent on dropped packets is subtracted in proportion, and so is the time of
        // sending threads beyond that from the first block to the departure: in it they have no packet yet, or no
        // longer.
        let (by_takers, by_senders) = (by(false), by(true));
        let sending = self.account.sending;
        let forwarded = [by_takers.saturating_sub(self.account.on_dropped), by_senders.min(sending)];
        let mut all = vec![0u128; states];
        for (row, sends) in rows() {
            let (part, whole) = (forwarded[usize::from(sends)], if sends { by_senders } else { by_takers });
            for (state, (sum, &ticks)) in all.iter_mut().zip(row).enumerate() {
                if !State::is_free(state) {
                    let scaled = || (ticks as f64 * (part as f64 / whole as f64)) as u128;
                    *sum += if part == whole { ticks } else { scaled() };
                }
            }
        }
        let mut parts = self.spent_names(&all);
        for (part, ticks) in [
            ("into memory by the port", self.account.stored),
            ("in inbox", self.account.waited),
            ("wait for turn", self.account.turned),
            ("kept in memory", self.account.kept),
            ("in transmit buffer", self.account.transmitted),
            ("in output queue", self.account.queued),
            ("on the wire", self.account.wired),
            // The part of the time from the first block to the departure in which no thread works on the
            // packet.
            ("wait transmit slot", sending.saturating_sub(by_senders)),
        ] {
            if ticks > 0 {
                parts.push(Spent { part: part.to_owned(), ticks });
            }
        }
        parts
    }

    fn cluster_counts(&self, spent: &[u128], now: Ticks) -> Vec<ClusterCounts> {
        let duration = (now - self.account.since) as f64;
        let states = self.account.states;
        let cluster = |number: usize| {
            let config = &self.config.clusters[number];
            // Engines that have a thread in use.
            let engines = || {
                let of_cluster = self.engines.iter().filter(move |e| usize::from(e.cluster) == number);
                of_cluster.zip(0..).filter(|(_, own)| config.threads_of(*own) > 0).map(|(engine, _)| engine)
            };
            let shares: Vec<f64> = engines().map(|e| share(e.busy(now) as f64, duration)).collect();
            let row = &spent[number * states..(number + 1) * states];
            let all: u128 = row.iter().sum();
            let free = row[usize::from(State::FREE.0)] + row[usize::from(State::POLL.0)];
            let polled = engines().map(|e| share(e.polled(now) as f64, duration));
            ClusterCounts {
                name: config.name.clone(),
                group: config.group.clone(),
                busy: share(shares.iter().sum(), shares.len() as f64),
                polling: share(polled.sum(), shares.len() as f64),
                sends_blocks: config.block_cells.is_some(),
                data_cache: config.data_cache.is_some().then(|| {
                    engines().filter_map(|engine| engine.data_cache.as_ref()).map(|cache| cache.used).sum()
                }),
                busiest: shares.iter().copied().fold(0.0, f64::max),
                threads_held: share((all - free) as f64, all as f64),
                threads: self.spent_names(row),
            }
        };
        (0..self.clusters.len()).map(cluster).collect()
    }

    fn place_counts(&self, now: Ticks) -> Vec<PlaceCounts> {
        let places = self.places.iter().zip(&self.config.places);
        let counted = places.map(|(place, config)| PlaceCounts {
            name: config.name.clone(),
            group: config.group.clone(),
            ..place.counts(now, self.account.since)
        });
        counted.collect()
    }

    fn link_counts(&self, now: Ticks) -> Vec<LinkCounts> {
        let duration = (now - self.account.since) as f64;
        let links = self.links.iter().zip(&self.config.links);
        links
            .map(|(link, config)| LinkCounts {
                name: config.name.clone(),
                utilization: share(link.busy(now) as f64, duration),
                bytes: link.bytes,
            })
            .collect()
    }

    fn pool_counts(&self, now: Ticks) -> Vec<PoolCounts> {
        let duration = (now - self.account.since) as f64;
        let pools = self.pools.iter().zip(&self.config.pools);
        pools
            .map(|(pool, config)| PoolCounts {
                name: config.name.clone(),
                cells: pool.cells,
                mean: share(pool.level.integral(now) as f64, duration),
                most: pool.level.most,
            })
            .collect()
    }

    fn port_counts(&self, now: Ticks) -> Vec<PortCounts> {
        let duration = (now - self.account.since) as f64;
        let taken = |number: usize| {
            let slots = &self.block_queues.get(number)?.slots;
            Some(share(slots.taken(now) as f64, duration * slots.capacity() as f64))
        };
        let ports = self.config.ports.iter().enumerate();
        ports
            .map(|(number, config)| {
                let receiver = self.receivers.iter().find(|receiver| usize::from(receiver.port) == number);
                let sending = self.senders.iter().position(|sender| usize::from(sender.port) == number);
                let sender = sending.map(|sending| &self.senders[sending]);
                let used = |wire: &crate::wire::Wire| share(wire.busy(now) as f64, duration);
                PortCounts {
                    name: config.name.clone(),
                    group: config.group.clone(),
                    receive: receiver.map(|r| used(&r.wire)),
                    transmit: sender.map(|s| used(&s.wire)),
                    packets: [receiver.map_or(0, |r| r.packets), sender.map_or(0, |s| s.packets)],
                    bytes: [receiver.map_or(0, |r| r.bytes), sender.map_or(0, |s| s.bytes)],
                    most_queued: sender.map_or(0, |s| s.most_queued),
                    shaper: sender.and_then(|s| s.scheduler.shaper_used(now - self.account.since)),
                    slots: sending.and_then(taken),
                }
            })
            .collect()
    }
}
