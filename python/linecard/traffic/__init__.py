"""Traffic: what a capture holds, traffic to stated statistics, shot noise, the buffer of a link."""
