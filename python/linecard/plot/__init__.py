"""Plots with matplotlib (extra ``plot``), a module a kind of result."""
