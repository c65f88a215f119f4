"""The command for processor cores."""
