"""DRAM parts alone, under traces and patterns."""
