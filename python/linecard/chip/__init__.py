"""Chip files that describe packet processors, closed-form checks of these files, and simulations."""
