"""The command of cores."""
