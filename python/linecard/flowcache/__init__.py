"""Simulation of flow caches that process a stream of packets."""
