"""Commands for chips."""
