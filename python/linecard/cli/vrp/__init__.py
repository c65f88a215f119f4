"""Commands of the virtual router processor."""
