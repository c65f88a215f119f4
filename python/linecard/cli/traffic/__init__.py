"""Commands for traffic."""
