"""Commands for design-space exploration."""
