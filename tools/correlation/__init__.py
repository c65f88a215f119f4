"""Predictions beside measured rates of devices: `python -m tools.correlation` and its page."""
