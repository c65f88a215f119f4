"""Commands of chips."""
