"""Multithreaded cores with a data cache, under traced programs."""
