"""Flow caches under traffic."""
