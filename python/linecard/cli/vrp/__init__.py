"""Commands for the virtual router processor."""
