"""Studies of published documents: run their experiments, and compare every number with the published one."""
