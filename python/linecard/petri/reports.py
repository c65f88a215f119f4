"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec


class ExploreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of the search for all reachable markings; the search ignores the firing times of the net.

    Attributes:
        net: Name of the net.
        places: Number of places in the unfolded net.
        transitions: Number of transitions in the unfolded net.
        arcs: Number of arcs in the unfolded net.
        reachable_markings: Number of reachable markings, including the initial one.
        edges: Number of edges in the reachability graph: pairs of a marking and a transition that is enabled in this
            marking.
        dead_markings: Number of dead markings, in which no transition is enabled.
        max_tokens_in_place: Maximum number of tokens in one place.
        max_tokens_in_marking: Maximum number of tokens in one marking.
        never_enabled_transitions: Number of transitions that are not enabled in any marking that the search found.
        complete: Whether the search found all markings; if not, the search stopped at the limit, and the results cover
            only the markings found.
        bounds: Maximum number of tokens in each place, in the markings found.
        unbounded_places: Places that the search proved to be unbounded before the search stopped.
        place_invariants: Minimal P-semiflows: weights of the places for which the weighted sum of all tokens is the
            same in every reachable marking. ``None`` if semiflows were not requested, or if the net has too many
            semiflows.
        transition_invariants: Minimal T-semiflows: firing counts of the transitions; a sequence of firings with these
            counts ends in the marking in which it began. ``None`` if semiflows were not requested, or if the net has
            too many semiflows.
    """

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
    complete: bool
    bounds: dict[str, int]
    unbounded_places: tuple[str, ...]
    place_invariants: tuple[dict[str, int], ...] | None
    transition_invariants: tuple[dict[str, int], ...] | None


class SolveReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The exact steady state of a net.

    Attributes:
        tangible_markings: Number of tangible markings, which are markings in which time passes.
        vanishing_markings: Number of vanishing markings, which are markings in which no time passes.
        net: Name of the net.
        throughput: Throughput of each transition in firings per time unit.
        mean_tokens: Number of tokens in each place, averaged over time.
    """

    tangible_markings: int
    vanishing_markings: int
    net: str
    throughput: dict[str, float]
    mean_tokens: dict[str, float]


class SimulateReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of several replications of a net: means, and the half-widths of their 95 % intervals (Student's t).

    Attributes:
        net: Name of the net.
        throughput: Throughput of each transition in firings per time unit.
        mean_tokens: Number of tokens in each place, averaged over time.
        throughput_half_width: Half-width of the 95 % confidence interval of each throughput; ``None`` if only one
            replication was simulated.
        mean_tokens_half_width: Half-width of the 95 % interval of each value in ``mean_tokens``.
        busy_servers: Number of busy servers of each timed transition, averaged over time.
        busy_servers_half_width: Half-width of the 95 % interval of each value in ``busy_servers``.
        rewards: Reward per time unit for each transition that has a reward.
        rewards_half_width: Half-width of the 95 % interval of each value in ``rewards``.
        occupancy: For each place, the fractions of time with 0, 1, 2, ... tokens; the 65th fraction covers 64 or more
            tokens.
        most_tokens: Maximum number of tokens in each place.
        replications: Number of replications, each with a different seed.
        firings: Number of firings in all replications.
        time: Simulated time over which each replication takes its measurements.
        dead_replications: Number of replications that ended in a dead marking.
        relative_half_width: Half-width of the 95 % interval, divided by the mean: the largest value among the places
            and transitions to which ``accuracy`` applies. ``None`` if only one replication was simulated.
    """

    net: str
    throughput: dict[str, float]
    mean_tokens: dict[str, float]
    throughput_half_width: dict[str, float | None]
    mean_tokens_half_width: dict[str, float | None]
    busy_servers: dict[str, float]
    busy_servers_half_width: dict[str, float | None]
    rewards: dict[str, float]
    rewards_half_width: dict[str, float | None]
    occupancy: dict[str, tuple[float, ...]]
    most_tokens: dict[str, int]
    replications: int
    firings: int
    time: float
    dead_replications: int
    relative_half_width: float | None


class NetParts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The parts of a net, including its modules.

    Attributes:
        net: Name.
        places: The places, in the order of their numbers.
        transitions: The transitions, in the order of their numbers.
        arcs: Arcs.
    """

    net: str
    places: tuple[PlacePart, ...]
    transitions: tuple[TransitionPart, ...]
    arcs: tuple[ArcPart, ...]


class PlacePart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place: its name, the colour of its tokens, whether it is a queue, and its initial number of tokens.

    Attributes:
        name: Name.
        colour: Colour of the place's tokens.
        queue: Whether the place is a first-in, first-out queue.
        tokens: Initial number of tokens.
    """

    name: str
    colour: str
    queue: bool
    tokens: int


class TransitionPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A transition: its name, its firing time and guard as written in the file, and whether it is immediate.

    Attributes:
        name: Name.
        time: Short description of the firing time.
        guard: Guard.
        immediate: Whether the transition is immediate, which means that it fires in zero time.
    """

    name: str
    time: str
    guard: str
    immediate: bool


class ArcPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """An input, output, inhibitor or reset arc, with the numbers of the place and the transition that the arc connects.

    Attributes:
        place: Number of the place that the arc connects.
        transition: Number of the transition that the arc connects.
        kind: Kind of the arc: ``input``, ``output``, ``inhibitor`` or ``reset``.
        text: Inscription of the arc, which describes the tokens that the arc moves or tests.
    """

    place: int
    transition: int
    kind: str
    text: str


class Firing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A firing: time, transition, values of the variables, and tokens in each place after the firing.

    Attributes:
        time: When.
        transition: Number of the transition that fires.
        binding: Variables.
        tokens: Number of tokens in each place after the firing.
    """

    time: float
    transition: int
    binding: str
    tokens: tuple[int, ...]
