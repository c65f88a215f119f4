"""Timed coloured Petri nets: explore every marking, solve for the steady state, simulate.

A net is a file, PNML (place/transition or symmetric, endings ``.pnml`` and ``.xml``) or TOML; a shipped net;
or a :class:`Net` built in Python. See docs/guide/petri.md.

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
