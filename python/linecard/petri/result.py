"""Results for a Petri net: reachable markings, steady state, simulation, parts and firings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from linecard.petri.dot import to_dot
from linecard.petri.picture import to_svg
from linecard.petri.reports import ExploreReport, NetParts, SimulateReport, SolveReport
from linecard.result import Result
from linecard.tables import Table


class Explored(Result, ExploreReport, frozen=True):
    """Statistics of all reachable markings; the search ignores the firing times of the net."""

    ASKED: ClassVar[tuple[str, ...]] = ("net", "places", "transitions", "arcs")

    def table(self) -> Table:
        """A table of the maximum number of tokens in each place, one row per place."""
        return Table(("place", "most_tokens"), list(self.bounds.items()))

    def __repr__(self) -> str:
        return f"<Explored {self.net}: {self.reachable_markings:,} markings, {self.edges:,} edges>"


class Solved(Result, SolveReport, frozen=True):
    """The exact steady state of a net."""

    ASKED: ClassVar[tuple[str, ...]] = ("net",)

    def table(self) -> Table:
        """A table of throughputs and mean numbers of tokens, with three columns: measure, name and value."""
        rows: list[Sequence[object]] = [("throughput", name, value) for name, value in self.throughput.items()]
        rows += [("mean_tokens", name, value) for name, value in self.mean_tokens.items()]
        return Table(("measure", "name", "value"), rows)

    def __repr__(self) -> str:
        return f"<Solved {self.net}: {self.tangible_markings:,} tangible markings>"


class Simulated(Result, SimulateReport, frozen=True):
    """Results of several replications of a net: means, and the half-widths of their 95 % intervals (Student's t)."""

    ASKED: ClassVar[tuple[str, ...]] = ("net", "replications", "time")

    def table(self) -> Table:
        """A table with four columns: measure, name, mean, and half-width of the 95 % interval."""
        rows: list[Sequence[object]] = []
        for measure, means, widths in (
            ("throughput", self.throughput, self.throughput_half_width),
            ("mean_tokens", self.mean_tokens, self.mean_tokens_half_width),
            ("rewards", self.rewards, self.rewards_half_width),
            ("busy_servers", self.busy_servers, self.busy_servers_half_width),
        ):
            rows += [(measure, name, mean, widths[name]) for name, mean in means.items()]
        return Table(("measure", "name", "mean", "half_width"), rows)

    def __repr__(self) -> str:
        return f"<Simulated {self.net}: {self.replications} replications, {self.firings:,} firings>"


class Parts(NetParts, frozen=True):
    """The parts of a net, including its modules."""

    def to_dot(self) -> str:
        """Convert the net to the Graphviz format."""
        return to_dot(self)

    def to_svg(self) -> str:
        """Draw the net as SVG text."""
        return to_svg(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()
