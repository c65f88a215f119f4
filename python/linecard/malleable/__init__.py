"""Malleable cores: simulation of a multithreaded core with a data cache, which executes a traced program."""
