"""The virtual router processor: the budget of extensions at line rate."""
