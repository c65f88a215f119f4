"""What a Petri net gives: its markings, its steady state, its simulation; its parts and firings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from linecard.petri.dot import to_dot
from linecard.petri.picture import to_svg
from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, repr=False)
class Explored(Result):
    """Every marking that can be reached; time plays no part.

    Attributes:
        net: Name of the net.
        places: Places, after unfolding colours; ``transitions`` and ``arcs`` likewise.
        reachable_markings: Markings, the first one included.
        edges: Pairs of a marking and a transition that it enables.
        dead_markings: Markings that enable nothing.
        max_tokens_in_place: Most tokens in a place.
        max_tokens_in_marking: Most tokens in a marking.
        never_enabled_transitions: Transitions that no marking enables.
        bounds: Most tokens of each place.
        complete: Whether everything was found before the limit; otherwise the numbers are of what was found.
        unbounded_places: Places that can get any number of tokens, where the search stopped and that could be shown.
        place_invariants: Weights of places under which no firing changes the sum of tokens: the minimal semiflows.
            ``None`` where they were not asked for or are too many.
        transition_invariants: How often transitions fire on the way back to where it began; likewise.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("net", "places", "transitions", "arcs")

    net: str
    places: int
    transitions: int
    arcs: int
    reachable_markings: int
    edges: int
    dead_markings: int
    max_tokens_in_place: int
    max_tokens_in_marking: int
    never_enabled_transitions: int
    bounds: dict[str, int]
    complete: bool
    unbounded_places: list[str]
    place_invariants: list[dict[str, int]] | None
    transition_invariants: list[dict[str, int]] | None

    def table(self) -> Table:
        """A place and the most tokens in it, a row each."""
        return Table(("place", "most_tokens"), list(self.bounds.items()))

    def __repr__(self) -> str:
        return f"<Explored {self.net}: {self.reachable_markings:,} markings, {self.edges:,} edges>"


@dataclass(frozen=True, slots=True, repr=False)
class Solved(Result):
    """A steady state, exact.

    Attributes:
        net: Name of the net.
        tangible_markings: Markings in which time passes.
        vanishing_markings: Markings that are left at once.
        throughput: Firings in a unit of time, by transition.
        mean_tokens: Tokens averaged over time, by place.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("net",)

    net: str
    tangible_markings: int
    vanishing_markings: int
    throughput: dict[str, float]
    mean_tokens: dict[str, float]

    def table(self) -> Table:
        """Measure, name and value: firings in a unit of time, tokens."""
        rows: list[Sequence[object]] = [("throughput", name, value) for name, value in self.throughput.items()]
        rows += [("mean_tokens", name, value) for name, value in self.mean_tokens.items()]
        return Table(("measure", "name", "value"), rows)

    def __repr__(self) -> str:
        return f"<Solved {self.net}: {self.tangible_markings:,} tangible markings>"


@dataclass(frozen=True, slots=True, repr=False)
class Simulated(Result):
    """Replications of a net: means, and half the widths of their 95 % intervals (Student's t over replications).

    Attributes:
        net: Name of the net.
        throughput: Firings in a unit of time, by transition.
        mean_tokens: Tokens averaged over time, by place.
        throughput_half_width: Half the width of each interval; 0 with one replication says nothing.
        mean_tokens_half_width: The same for tokens.
        busy_servers: Servers that work, averaged over time, by transition; immediate ones have none.
        busy_servers_half_width: The same for servers.
        rewards: What firings count for in a unit of time, of transitions that state a reward.
        rewards_half_width: The same for rewards.
        occupancy: For each place the shares of time with 0, 1, 2, ... tokens; the 65th is for 64 and more.
        most_tokens: Most tokens seen, by place.
        replications: Replications, each with a seed of its own.
        firings: Firings of all of them.
        time: Time with statistics of one.
        dead_replications: Those in which nothing was enabled any more.
        relative_half_width: The widest interval of what counts, half of it, against its mean; ``None`` with one
            replication.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("net", "replications", "time")

    net: str
    throughput: dict[str, float]
    mean_tokens: dict[str, float]
    throughput_half_width: dict[str, float]
    mean_tokens_half_width: dict[str, float]
    busy_servers: dict[str, float]
    busy_servers_half_width: dict[str, float]
    rewards: dict[str, float]
    rewards_half_width: dict[str, float]
    occupancy: dict[str, list[float]]
    most_tokens: dict[str, int]
    replications: int
    firings: int
    time: float
    dead_replications: int
    relative_half_width: float | None

    def table(self) -> Table:
        """Measure, name, mean and half width of its 95 % interval."""
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


@dataclass(frozen=True, slots=True)
class PlacePart:
    """A place: its name, what its tokens are, whether they are a queue, and how many there are at the beginning."""

    name: str
    colour: str
    queue: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class TransitionPart:
    """A transition: its name, time and guard as they were written, and whether it is immediate."""

    name: str
    time: str
    guard: str
    immediate: bool


@dataclass(frozen=True, slots=True)
class ArcPart:
    """An arc between a place and a transition by their numbers: ``input``, ``output``, ``inhibitor`` or ``reset``."""

    place: int
    transition: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Parts:
    """What a net is made of, its modules included."""

    net: str
    places: list[PlacePart]
    transitions: list[TransitionPart]
    arcs: list[ArcPart]

    def to_dot(self) -> str:
        """The net for Graphviz."""
        return to_dot(self)

    def to_svg(self) -> str:
        """The net as a picture."""
        return to_svg(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()


@dataclass(frozen=True, slots=True)
class Firing:
    """A firing: when, the transition's number, its variables, and the tokens of each place after it."""

    time: float
    transition: int
    binding: str
    tokens: list[int]
