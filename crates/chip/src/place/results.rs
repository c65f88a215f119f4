//! The result cache as a memory of a chip: it decides which flows need no lookup (Girish 2008, chapter 5).
//!
//! It stores no results: an entry represents its result, which the program knows. A flow that shares its digest
//! with another flow would get a wrong result. That is not modelled here; `linecard flowcache --false-hits`
//! counts it.

use super::facts::Facts;
use super::memory::{Memory, Numbers, share};
use super::server::Server;
use crate::config::ResultCacheConfig;
use crate::counts::PlaceCounts;
use linecard_flowcache::{Digester, FlowCache, Key};
use linecard_program::PacketHead;
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};

pub(crate) struct Results {
    port: Server,
    cache: FlowCache,
    key: Key,
    digester: Digester,
    lookups: u64,
    hits: u64,
}

impl Results {
    /// Returns an empty cache.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what does not fit.
    pub fn new(config: &ResultCacheConfig, timebase: &Timebase) -> Result<Self, String> {
        Ok(Self {
            port: Server::new(&config.port, timebase),
            cache: FlowCache::new(&config.configuration, config.seed).map_err(|e| e.to_string())?,
            key: config.key.clone(),
            digester: config.digester.clone(),
            lookups: 0,
            hits: 0,
        })
    }
}

impl Numbers for ResultCacheConfig {
    fn facts(&self) -> Facts {
        self.port.facts_of(f64::from(self.port.concurrency), "concurrency / service")
    }

    fn faster(&mut self) {
        self.port.faster();
    }

    fn answers_at_once(&self) -> bool {
        true
    }
}

impl Memory for Results {
    #[inline(always)]
    fn serve(&mut self, at: Ticks, kind: Access, _address: u64, bytes: u32) -> Option<Ticks> {
        Some(self.port.serve(at, kind, bytes))
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.port.entered_ahead(lead);
    }

    fn restart(&mut self, now: Ticks) {
        self.port.restart(now);
        (self.lookups, self.hits) = (0, 0);
    }

    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts {
        PlaceCounts {
            hit_rate: Some(share(self.hits as f64, self.lookups as f64)),
            results: Some((self.hits, self.lookups)),
            ..self.port.counts(now, since)
        }
    }

    /// The policy inserts a missing entry.
    fn recall(&mut self, head: &PacketHead) -> bool {
        let ports = (head.source_port, head.destination_port);
        let key = self.key.of_ipv4(head.source, head.destination, ports, head.protocol);
        let hit = self.cache.access(self.digester.digest(&key));
        self.lookups += 1;
        self.hits += u64::from(hit);
        hit
    }
}
