"""Traffic: statistics of captures, traffic generated from statistics, and shot noise."""
