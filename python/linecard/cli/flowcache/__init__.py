"""The command for flow caches."""
