"""Simulation of flow caches with a stream of packets."""
