"""Commands of traffic."""
