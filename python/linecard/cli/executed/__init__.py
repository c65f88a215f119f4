"""Commands for packet programs that Linecard executes."""
