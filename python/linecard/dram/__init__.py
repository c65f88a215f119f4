"""Simulation of a DRAM part without a chip, with traces and patterns."""
