"""Flow caches over a traffic."""
