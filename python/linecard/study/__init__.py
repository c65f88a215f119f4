"""Studies of published documents: reproduce the experiments, and compare every number with its published value."""
