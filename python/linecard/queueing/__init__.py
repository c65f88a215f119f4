"""Queues of packets: their managers, and the design of a queuing cache."""
