"""The command of flow caches."""
