"""Packet queues: queue managers, and the design of a queuing cache."""
