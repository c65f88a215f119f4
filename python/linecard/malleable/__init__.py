"""Malleable cores: a multithreaded core with a data cache under a traced program."""
