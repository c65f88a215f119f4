//! The result cache in front of a lookup: a packet whose flow was seen lately takes the result from there.
//!
//! Source: Girish 2008, section 5.2.1. The key is hashed to a digest, the cache is asked for it; on a miss the
//! program does its lookup and writes the result back.

use linecard_program::{Ctx, Unit};

/// What a program with a result cache does beside its lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultCacheUse {
    /// Hashes that the hash unit makes for a digest.
    pub hashes: u32,
}

/// Whether the result is at hand; without a cache it never is.
pub(crate) async fn recall(ctx: &Ctx, cache: Option<ResultCacheUse>) -> bool {
    let Some(cache) = cache else { return false };
    ctx.read(Unit::Hash, cache.hashes).await;
    ctx.recall().await
}

/// Write the result of a lookup to the cache.
pub(crate) async fn remember(ctx: &Ctx, cache: Option<ResultCacheUse>) {
    if cache.is_some() {
        ctx.write(Unit::ResultCache, 1).await;
    }
}
