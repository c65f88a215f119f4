"""Packet queues: simulation of queue managers, and the design of a queuing cache."""
