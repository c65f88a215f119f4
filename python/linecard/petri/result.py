"""Results of a Petri net: its markings, steady state and simulation, its parts and firings."""

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
    """Every reachable marking, regardless of time.

    Attributes:
        net: Name of the net.
        places: Number of places after unfolding colours; so are ``transitions`` and ``arcs``.
        reachable_markings: Reachable markings, the initial one included.
        edges: Pairs of a marking and an enabled transition.
        dead_markings: Markings that enable nothing.
        max_tokens_in_place: Most tokens in a place.
        max_tokens_in_marking: Most tokens in a marking.
        never_enabled_transitions: Transitions that no marking enables.
        bounds: Most tokens of each place.
        complete: Whether the search ended before the limit; otherwise the numbers cover the markings found so far.
        unbounded_places: Places that the search proved unbounded before it stopped.
        place_invariants: Minimal P-semiflows: weights of places under which no firing changes the sum of tokens.
            ``None`` if they were not requested or are too many.
        transition_invariants: Minimal T-semiflows: numbers of firings that return to the same marking. ``None``
            likewise.
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
        vanishing_markings: Markings in which no time passes.
        throughput: Firings per unit of time, by transition.
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
        throughput_half_width: Half the width of each interval; 0, without meaning, for one replication.
        mean_tokens_half_width: Half the width of each interval of the tokens.
        busy_servers: Mean number of busy servers over time, by transition; immediate ones have none.
        busy_servers_half_width: Half the width of each interval of the servers.
        rewards: Reward per unit of time, of transitions with a reward.
        rewards_half_width: Half the width of each interval of the rewards.
        occupancy: For each place the shares of time with 0, 1, 2, ... tokens; the 65th share is for 64 and more.
        most_tokens: Most tokens, by place.
        replications: Number of replications, each with its own seed.
        firings: Firings of all replications.
        time: Measured time of one replication.
        dead_replications: Replications that ended in a dead marking.
        relative_half_width: Half of the widest relevant interval, divided by its mean; ``None`` with one replication.
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
    """A place: its name, the colour of its tokens, whether they are a queue, and their initial number."""

    name: str
    colour: str
    queue: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class TransitionPart:
    """A transition: its name, its time and guard as written, and whether it is immediate."""

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
    """The parts of a net, its modules included."""

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
    """A firing: its time, the transition's number, its variables, and the tokens of each place after it."""

    time: float
    transition: int
    binding: str
    tokens: list[int]
