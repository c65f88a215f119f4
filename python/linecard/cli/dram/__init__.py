"""Commands of DRAM parts."""
