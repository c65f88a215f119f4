"""Simulates managers of packet queues, and finds the smallest queuing cache that reaches a target throughput."""
