"""The virtual router processor: what is left for extensions at line rate."""
