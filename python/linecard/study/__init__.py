"""Studies of published documents: run what the document ran, and put every number beside the published one."""
