"""Design-space exploration: sweeps over every kind of run, one table, and a store of finished runs.

`sweep` implements `linecard sweep` and `linecard.sweep` in these steps:

- `spec` reads a file, options or arguments.
- `points` makes the grid or the sample and applies the constraints.
- `content` hashes each run.
- `execute` (threads) or `cluster` (Dask) runs the points that `store` does not have.
- `result` holds the table.

`axes` and `expression` read values and formulas. `subjects` defines the kinds of run.
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
