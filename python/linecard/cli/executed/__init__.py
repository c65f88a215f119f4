"""Commands of packet programs that are executed."""
