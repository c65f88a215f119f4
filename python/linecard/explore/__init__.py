"""Find the best design: sweeps over everything that runs, in one table, kept by content.

`sweep` is what `linecard sweep` and `linecard.sweep` do: `spec` (a file, options, arguments) → `points` (grid or
sample, constraints) → `content` (the hash of each run) → `execute` (threads) or `cluster` (Dask), with `store` behind
them → `result` (the table). `axes` and `expression` read values and formulas; `subjects` knows what can be run.
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
