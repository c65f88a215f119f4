"""Commands for packet queues."""
