"""The virtual router processor: the resources that extensions may use at line rate."""
