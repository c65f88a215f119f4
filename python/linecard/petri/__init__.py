"""Timed coloured Petri nets: functions that explore every marking, compute the steady state, and simulate a net.

The functions accept the name of a shipped net, a net file, or a :class:`Net` built in Python. A net file is TOML, or
PNML (place/transition or symmetric) with the suffix ``.pnml`` or ``.xml``. The guide to Petri nets is
docs/guide/petri.md.

>>> from linecard import petri
>>> petri.solve("mm1k.toml").throughput["serve"]  # doctest: +SKIP
0.8542678...
"""

from linecard.petri.net import Expr, Net, Place, Transition, Value, var, when
from linecard.petri.reports import ArcPart, Firing, PlacePart, TransitionPart
from linecard.petri.result import Explored, Parts, Simulated, Solved
from linecard.petri.run import explore, firings, parts, pnml, simulate, solve

__all__ = [
    "ArcPart",
    "Explored",
    "Expr",
    "Firing",
    "Net",
    "Parts",
    "Place",
    "PlacePart",
    "Simulated",
    "Solved",
    "Transition",
    "TransitionPart",
    "Value",
    "explore",
    "firings",
    "parts",
    "pnml",
    "simulate",
    "solve",
    "var",
    "when",
]
