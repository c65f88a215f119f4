"""Predicted and measured rates of devices: `python -m tools.correlation` and its page."""
