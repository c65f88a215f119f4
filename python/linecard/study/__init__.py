"""Studies, which reproduce the experiments of published documents and compare every number with its published value."""
