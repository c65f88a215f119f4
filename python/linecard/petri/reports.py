"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class ExploreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """All reachable markings, without regard to time.

    Attributes:
        net: Name of the net.
        places: Number of places after unfolding colours; so are ``transitions`` and ``arcs``.
        transitions: See ``places``.
        arcs: See ``places``.
        reachable_markings: Markings, including the first one.
        edges: Pairs of a marking and an enabled transition.
        dead_markings: Markings that enable no transition.
        max_tokens_in_place: Most tokens in a place.
        max_tokens_in_marking: Most tokens in a marking.
        never_enabled_transitions: Transitions that no marking enables.
        complete: Whether the search ended before the limit; otherwise the numbers cover the markings found so far.
        bounds: Most tokens of each place.
        unbounded_places: Places that the search proved unbounded before it stopped.
        place_invariants: Minimal P-semiflows: weights of places under which no firing changes the sum of tokens.
            ``None`` if they were not requested or are too many.
        transition_invariants: Minimal T-semiflows: numbers of firings that return to the same marking. ``None``
            likewise.
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
    """A steady state, exact.

    Attributes:
        tangible_markings: Markings in which time passes.
        vanishing_markings: Markings in which no time passes.
        net: Name of the net.
        throughput: Firings per time unit, by transition.
        mean_tokens: Tokens averaged over time, by place.
    """

    tangible_markings: int
    vanishing_markings: int
    net: str
    throughput: dict[str, float]
    mean_tokens: dict[str, float]


class SimulateReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Replications of a net: means, and the half-widths of their 95 % intervals (Student's t over replications).

    Attributes:
        net: Name of the net.
        throughput: Firings per time unit, by transition.
        mean_tokens: Tokens averaged over time, by place.
        throughput_half_width: Half-width of each interval; 0, without meaning, for one replication.
        mean_tokens_half_width: Half-width of each interval of the tokens.
        busy_servers: Mean number of busy servers over time, by transition; immediate ones have none.
        busy_servers_half_width: Half-width of each interval of the servers.
        rewards: Reward per time unit, of transitions with a reward.
        rewards_half_width: Half-width of each interval of the rewards.
        occupancy: For each place the shares of time with 0, 1, 2, ... tokens; the 65th share is for 64 and more.
        most_tokens: Most tokens, by place.
        replications: Number of replications, each with its own seed.
        firings: Firings of all replications.
        time: Measured time of one replication.
        dead_replications: Replications that ended in a dead marking.
        relative_half_width: Half-width of the widest relevant interval, divided by its mean; ``None`` with one
            replication.
    """

    net: str
    throughput: dict[str, float]
    mean_tokens: dict[str, float]
    throughput_half_width: dict[str, float]
    mean_tokens_half_width: dict[str, float]
    busy_servers: dict[str, float]
    busy_servers_half_width: dict[str, float]
    rewards: dict[str, float]
    rewards_half_width: dict[str, float]
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
        places: Places in their order.
        transitions: Transitions in their order.
        arcs: Arcs.
    """

    net: str
    places: tuple[PlacePart, ...]
    transitions: tuple[TransitionPart, ...]
    arcs: tuple[ArcPart, ...]


class PlacePart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place: its name, what its tokens are, whether they are a queue, and how many there are at the beginning.

    Attributes:
        name: Name.
        colour: Colour of its tokens.
        queue: Whether they are a queue.
        tokens: Tokens at the beginning.
    """

    name: str
    colour: str
    queue: bool
    tokens: int


class TransitionPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A transition: its name, time and guard as they were written, and whether it is immediate.

    Attributes:
        name: Name.
        time: Time in a few words.
        guard: Guard.
        immediate: Whether no time passes.
    """

    name: str
    time: str
    guard: str
    immediate: bool


class ArcPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """An arc between a place and a transition by their numbers: ``input``, ``output``, ``inhibitor`` or ``reset``.

    Attributes:
        place: Number of the place.
        transition: Number of the transition.
        kind: ``input``, ``output``, ``inhibitor`` or ``reset``.
        text: The tokens that move along it.
    """

    place: int
    transition: int
    kind: str
    text: str


class Firing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A firing: when, the transition's number, its variables, and the tokens of each place after it.

    Attributes:
        time: When.
        transition: Number of the transition.
        binding: Variables.
        tokens: Tokens of each place after it.
    """

    time: float
    transition: int
    binding: str
    tokens: tuple[int, ...]
