"""Find the best design: sweeps over everything that runs, in one table, kept by content.

`sweep` is what `linecard sweep` and `linecard.sweep` do: `spec` (a file, options, arguments) → `points` (grid or
sample, constraints) → `content` (the hash of each run) → `execute` (threads) or `cluster` (Dask), with `store` behind
them → `result` (the table). `axes` and `expression` read values and formulas; `subjects` knows what can be run.
"""

from linecard.explore.compare import CompareResult, compare
from linecard.explore.execute import Interrupted
from linecard.explore.ndr import NdrResult, ndr
from linecard.explore.optimize import OptimizeResult, optimize
from linecard.explore.result import SweepResult
from linecard.explore.store import Store
from linecard.explore.sweep import sweep
from linecard.explore.why import WhyResult, why

__all__ = [
    "CompareResult",
    "Interrupted",
    "NdrResult",
    "OptimizeResult",
    "Store",
    "SweepResult",
    "WhyResult",
    "compare",
    "ndr",
    "optimize",
    "sweep",
    "why",
]
