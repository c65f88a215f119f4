"""The command-line interface: `linecard run`, `sweep`, `reproduce` and others.

Commands write data to stdout, and progress and diagnostics to stderr. All commands use the same exit statuses:

| status | meaning |
|---|---|
| 0 | success |
| 1 | `reproduce --check`: a limit is not met, or the list of deviations is stale; `vrp check`: rejected |
| 1 | `compare-models`: the models differ by more than their limits |
| 2 | wrong usage, or a configuration error; every problem is listed |
| 3 | the capture is damaged (the result is still printed) or cannot be used |
| 4 | the run failed: a deadlock, or a packet that fits no buffer; `sweep`: one of its runs failed (table printed) |
| 130 | interrupted |
| 141 | the reader of stdout closed the pipe; the output is incomplete |
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
