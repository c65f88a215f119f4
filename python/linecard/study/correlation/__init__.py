"""Predictions beside measured rates of devices: ``linecard reproduce --correlation`` and its page."""
