"""Simulation of a DRAM part alone, with traces and patterns."""
