"""Commands of queues."""
