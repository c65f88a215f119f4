"""Explores design spaces: sweeps over chips, DRAM parts and other models, with a store of finished runs.

`sweep` implements `linecard sweep` and `linecard.sweep` in the following steps:

- `spec` reads a sweep from a file, options or arguments.
- `points` builds the grid or the sample of points, and applies the constraints.
- `content` computes a hash of the inputs of each run.
- `execute` (threads) or `cluster` (Dask) executes the points whose results are not in `store`.
- `result` defines the result table.

`axes` parses values, and `expression` parses formulas. `subjects` defines the models that a sweep can run, such as
chips, DRAM parts and Petri nets.
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
