"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class ExploreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every marking that can be reached; time plays no part.

    Attributes:
        net: Name of the net.
        places: Places, after unfolding colours; ``transitions`` and ``arcs`` likewise.
        transitions: See ``places``.
        arcs: See ``places``.
        reachable_markings: Markings, the first one included.
        edges: Pairs of a marking and a transition that it enables.
        dead_markings: Markings that enable nothing.
        max_tokens_in_place: Most tokens in a place.
        max_tokens_in_marking: Most tokens in a marking.
        never_enabled_transitions: Transitions that no marking enables.
        complete: Whether everything was found before the limit; otherwise the numbers are of what was found.
        bounds: Most tokens of each place.
        unbounded_places: Places that can get any number of tokens, where the search stopped and that could be shown.
        place_invariants: Weights of places under which no firing changes the sum of tokens: the minimal semiflows.
            ``None`` where they were not asked for or are too many.
        transition_invariants: How often transitions fire on the way back to where it began; likewise.
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
        vanishing_markings: Markings that are left at once.
        net: Name of the net.
        throughput: Firings in a unit of time, by transition.
        mean_tokens: Tokens averaged over time, by place.
    """

    tangible_markings: int
    vanishing_markings: int
    net: str
    throughput: dict[str, float]
    mean_tokens: dict[str, float]


class SimulateReport(msgspec.Struct, frozen=True, omit_defaults=True):
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
    """What a net is made of, its modules included.

    Attributes:
        net: Its name.
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
        name: Its name.
        colour: What its tokens are.
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
        name: Its name.
        time: Its time in a few words.
        guard: Its guard.
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
        text: What moves along it.
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
        binding: Its variables.
        tokens: Tokens of each place after it.
    """

    time: float
    transition: int
    binding: str
    tokens: tuple[int, ...]
