"""Commands for Petri nets."""
