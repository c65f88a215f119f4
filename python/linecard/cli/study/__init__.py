"""Commands for studies of published documents."""
