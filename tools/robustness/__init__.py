"""A study with other seeds and values: run, values (what is varied), kept (finished steps), result, documents."""
