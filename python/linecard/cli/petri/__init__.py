"""Commands of Petri nets."""
