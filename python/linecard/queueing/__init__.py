"""Packet queues: simulates queue managers, and finds the smallest queuing cache that reaches a target throughput."""
