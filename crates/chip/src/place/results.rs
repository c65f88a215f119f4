//! The result cache as a place: which flows' lookups need not be done again (Girish 2008, chapter 5).
//!
//! It keeps no results: an entry stands for its result, which the program knows. A flow that shares its digest with
//! another would get the other's result; that is not modelled here, `linecard flowcache --false-hits` counts it.

use super::server::Server;
use crate::config::ResultCacheConfig;
use linecard_flowcache::{Digester, FlowCache, Key};
use linecard_program::PacketHead;
use linecard_sim::Timebase;

pub(crate) struct Results {
    pub port: Server,
    cache: FlowCache,
    key: Key,
    digester: Digester,
    pub lookups: u64,
    pub hits: u64,
}

impl Results {
    /// An empty cache.
    ///
    /// # Errors
    /// A sentence on what does not fit.
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

    /// Looks the packet's flow up, and lets the policy bring it in on a miss; whether it was there.
    #[inline]
    pub fn recall(&mut self, head: &PacketHead) -> bool {
        let ports = (head.source_port, head.destination_port);
        let key = self.key.of_ipv4(head.source, head.destination, ports, head.protocol);
        let hit = self.cache.access(self.digester.digest(&key));
        self.lookups += 1;
        self.hits += u64::from(hit);
        hit
    }
}
