//! The account at the end.

use super::Chip;
use crate::account::Account;
use crate::counts::{
    ClusterCounts, Counts, InboxCounts, LinkCounts, PacketBufferCounts, PlaceCounts, PoolCounts, PortCounts,
    Spent,
};
use crate::place::{Place, Served, Serves};
use crate::thread::{NEVER, State};
use linecard_dram::packet_buffer::Statistics;
use linecard_sim::Ticks;

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

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
            clusters: self.cluster_counts(&spent, now),
            places: self.place_counts(now),
            links: self.link_counts(now),
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
            series: a.series.clone(),
        }
    }

    /// Time of threads by cluster and state up to `now`, what has not been entered yet included.
    fn spent(&self, now: Ticks) -> Vec<u128> {
        let mut spent = self.account.spent.clone();
        let states = self.account.states;
        for thread in &self.threads {
            let row = usize::from(thread.cluster) * states;
            // A wait that is over has been followed by one for the engine.
            let over = if thread.wake == NEVER { now } else { thread.wake.min(now) };
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
        // A thread without work attends to no packet.
        let attended = |row: &[u128]| -> u128 {
            row.iter().enumerate().filter(|&(state, _)| !State::is_free(state)).map(|(_, &ticks)| ticks).sum()
        };
        let rows =
            || spent.chunks(states).zip(self.clusters.iter().map(|cluster| cluster.block_cells.is_some()));
        let by = |senders: bool| -> u128 {
            rows().filter(|&(_, sends)| sends == senders).map(|(row, _)| attended(row)).sum()
        };
        // Of the threads that take packets, what was spent on those that were dropped goes off in proportion.
        let (by_takers, by_senders) = (by(false).max(1), by(true));
        let forwarded = by_takers.saturating_sub(self.account.on_dropped);
        let share = forwarded as f64 / by_takers as f64;
        let mut all = vec![0u128; states];
        for (row, sends) in rows() {
            for (state, (sum, &ticks)) in all.iter_mut().zip(row).enumerate() {
                if !State::is_free(state) {
                    let whole = sends || forwarded == by_takers;
                    *sum += if whole { ticks } else { (ticks as f64 * share) as u128 };
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
            // What is left of the time from the first block to the departure: no thread attends to the packet.
            ("wait transmit slot", self.account.sending.saturating_sub(by_senders)),
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
            // Those that have a thread in use.
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
        let duration = (now - self.account.since) as f64;
        let of_server = |server: &crate::place::Server| match server.concurrency() {
            0 => None,
            n => Some(share(server.busy(now) as f64, duration * f64::from(n))),
        };
        let of_parts = |served: Served| {
            let shares: Vec<f64> = served.busy.iter().map(|&busy| share(busy as f64, duration)).collect();
            let mean = (!shares.is_empty()).then(|| share(shares.iter().sum(), shares.len() as f64));
            let most = mean.map(|_| shares.iter().copied().fold(0.0, f64::max));
            (mean, most, served.accesses, served.residence, None)
        };
        let place = |(place, config): (&Place, &crate::config::PlaceConfig)| {
            let (utilization, most, accesses, residence, hit_rate) = match place {
                Place::Server(s) => (of_server(s), of_server(s), s.accesses, s.residence, None),
                Place::Banked(banks) => of_parts(banks.served(now)),
                Place::Of(place) => of_parts(place.served(now)),
                Place::Dram(d) => {
                    let (shares, most) = d.shares(now);
                    (Some(shares.data), Some(most), d.accesses, d.residence, Some(shares.row_hit_rate))
                }
                Place::Cached(c) => {
                    let rate = share(c.hits as f64, (c.hits + c.misses) as f64);
                    let use_ = of_server(&c.port);
                    (use_, use_, c.port.accesses, c.residence, Some(rate))
                }
                Place::PacketBuffer(b) => {
                    let cycles = b.cycles(now) as f64;
                    let channels = b.statistics(now);
                    let data = |s: &Statistics| (s.data_cycles[0] + s.data_cycles[1]) as f64;
                    let shares: Vec<f64> = channels.iter().map(|s| share(data(s), cycles).min(1.0)).collect();
                    let mean = share(shares.iter().sum(), shares.len() as f64);
                    let most = shares.iter().copied().fold(0.0, f64::max);
                    let hits = channels.iter().map(Statistics::row_hit_rate).sum::<f64>();
                    let hit_rate = Some(share(hits, shares.len() as f64));
                    (Some(mean), Some(most), b.accesses, b.residence(now), hit_rate)
                }
                Place::Results(r) => {
                    let use_ = of_server(&r.port);
                    let rate = share(r.hits as f64, r.lookups as f64);
                    (use_, use_, r.port.accesses, r.port.residence, Some(rate))
                }
                Place::QueueManager(m) => {
                    let usage = m.usage(now);
                    let rate = (usage.lookups > 0).then(|| share(usage.hits as f64, usage.lookups as f64));
                    (Some(usage.utilization), Some(usage.utilization), usage.operations, 0, rate)
                }
                Place::Slots(s) => {
                    let shares = s.shares(now);
                    let bus = Some((shares.data + shares.turnaround).min(1.0));
                    (bus, bus, shares.accesses, s.residence, None)
                }
            };
            PlaceCounts {
                name: config.name.clone(),
                group: config.group.clone(),
                utilization,
                utilization_most: most,
                accesses,
                bytes: match place {
                    Place::Server(s) => s.moved_bytes,
                    Place::Banked(banks) => banks.served(now).bytes,
                    Place::Of(place) => place.served(now).bytes,
                    Place::Dram(d) => d.bytes,
                    Place::Cached(c) => c.port.moved_bytes,
                    Place::Slots(s) => s.shares(now).bytes,
                    Place::PacketBuffer(b) => b.bytes,
                    Place::Results(r) => r.port.moved_bytes,
                    Place::QueueManager(_) => 0,
                },
                time_mean: share(residence as f64, accesses as f64),
                hit_rate,
                reads: match place {
                    Place::Cached(c) => Some((c.read_hits, c.read_misses)),
                    _ => None,
                },
                dram: match place {
                    Place::Dram(d) => Some(d.shares(now).0),
                    _ => None,
                },
                slots: match place {
                    Place::Slots(s) => Some(s.shares(now)),
                    _ => None,
                },
                packet_buffer: match place {
                    Place::PacketBuffer(b) => {
                        Some(PacketBufferCounts { channels: b.statistics(now), cycles: b.cycles(now) })
                    }
                    _ => None,
                },
                results: match place {
                    Place::Results(r) => Some((r.hits, r.lookups)),
                    _ => None,
                },
                queue_manager: match place {
                    Place::QueueManager(m) => Some(m.usage(now)),
                    _ => None,
                },
            }
        };
        self.places.iter().zip(&self.config.places).map(place).collect()
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
            let blocks = self.block_queues.iter().find(|blocks| usize::from(blocks.port) == number)?;
            Some(share(blocks.slots.taken(now) as f64, duration * blocks.slots.capacity() as f64))
        };
        let ports = self.ports.iter().zip(&self.config.ports);
        ports
            .enumerate()
            .map(|(number, (port, config))| {
                let (receiver, sender) = (port.receiver.as_ref(), port.sender.as_ref());
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
                    slots: taken(number),
                }
            })
            .collect()
    }
}
