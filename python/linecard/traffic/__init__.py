"""Traffic: statistics of captures, generation of traffic from statistics, and shot-noise traffic."""
