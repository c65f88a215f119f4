"""Malleable cores: simulation of a multithreaded core with a data cache that runs a traced program."""
