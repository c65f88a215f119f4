"""The virtual router processor: the resources that extensions may use if the chip forwards packets at line rate."""
