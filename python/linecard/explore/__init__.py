"""Find the best design: sweeps over everything that runs, in one table, kept by content.

`sweep` is what `linecard sweep` and `linecard.sweep` do: `spec` (a file, options, arguments) → `points` (grid or
sample, constraints) → `content` (the hash of each run) → `execute` (threads) or `cluster` (Dask), with `store` behind
them → `result` (the table). `axes` and `expression` read values and formulas; `subjects` knows what can be run.
"""

from typing import TYPE_CHECKING

from linecard._lazy import make_lazy

if TYPE_CHECKING:
    from linecard.explore.compare import compare
    from linecard.explore.compare_result import CompareResult
    from linecard.explore.execute import Interrupted
    from linecard.explore.ndr import ndr
    from linecard.explore.ndr_result import NdrResult
    from linecard.explore.optimize import optimize
    from linecard.explore.optimize_result import OptimizeResult
    from linecard.explore.result import SweepResult
    from linecard.explore.store import Store
    from linecard.explore.sweep import sweep
    from linecard.explore.why import why
    from linecard.explore.why_result import WhyResult

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

make_lazy(
    __name__,
    {
        "compare": "compare",
        "compare_result": "CompareResult",
        "execute": "Interrupted",
        "ndr": "ndr",
        "ndr_result": "NdrResult",
        "optimize": "optimize",
        "optimize_result": "OptimizeResult",
        "result": "SweepResult",
        "store": "Store",
        "sweep": "sweep",
        "why": "why",
        "why_result": "WhyResult",
    },
)
