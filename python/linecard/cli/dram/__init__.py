"""Commands for DRAM parts."""
