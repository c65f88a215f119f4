"""Describes packet processors in chip files, checks these files, and simulates the chips."""
