//! Digest and flow caches.
#![forbid(unsafe_code)]
