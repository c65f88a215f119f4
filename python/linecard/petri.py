"""Timed coloured Petri nets: explore every marking, solve for the steady state, simulate.

A net is a file, PNML (place/transition or symmetric, endings ``.pnml`` and ``.xml``) or TOML; a shipped net;
or a :class:`Net` built in Python. See docs/guide/petri.md.

>>> from linecard import petri
>>> petri.solve("mm1k.toml").throughput["serve"]  # doctest: +SKIP
0.8542678...
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from linecard import _core, _html, petriview
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.petrinet import Expr, Net, Place, Transition, Value, var, when
from linecard.results import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars

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

MOST_MARKINGS = 10_000_000
_U64_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True, repr=False)
class Explored:
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

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def __repr__(self) -> str:
        return f"<Explored {self.net}: {self.reachable_markings:,} markings, {self.edges:,} edges>"


@dataclass(frozen=True, slots=True, repr=False)
class Solved:
    """A steady state, exact.

    Attributes:
        net: Name of the net.
        tangible_markings: Markings in which time passes.
        vanishing_markings: Markings that are left at once.
        throughput: Firings in a unit of time, by transition.
        mean_tokens: Tokens averaged over time, by place.
    """

    net: str
    tangible_markings: int
    vanishing_markings: int
    throughput: dict[str, float]
    mean_tokens: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def to_frame(self) -> polars.DataFrame:
        """Measure, name and value as a polars data frame (extra ``frames``)."""
        from linecard import tables

        rows = [["throughput", name, value] for name, value in self.throughput.items()]
        rows += [["mean_tokens", name, value] for name, value in self.mean_tokens.items()]
        return tables.frame(("measure", "name", "value"), rows)

    def __repr__(self) -> str:
        return f"<Solved {self.net}: {self.tangible_markings:,} tangible markings>"

    def _repr_html_(self) -> str:
        rows = [(name, f"{value:.6g}", "firings") for name, value in self.throughput.items()]
        rows += [(name, f"{value:.6g}", "tokens") for name, value in self.mean_tokens.items()]
        return _html.block(self.net, _html.table(("name", "value", ""), rows))


@dataclass(frozen=True, slots=True, repr=False)
class Simulated:
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
    occupancy: dict[str, list[float]]
    most_tokens: dict[str, int]
    replications: int
    firings: int
    time: float
    dead_replications: int
    relative_half_width: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def to_frame(self) -> polars.DataFrame:
        """Measure, name, mean and half width as a polars data frame (extra ``frames``)."""
        from linecard import tables

        rows: list[list[object]] = []
        for measure, means, widths in (
            ("throughput", self.throughput, self.throughput_half_width),
            ("mean_tokens", self.mean_tokens, self.mean_tokens_half_width),
            ("rewards", self.rewards, self.rewards_half_width),
            ("busy_servers", self.busy_servers, self.busy_servers_half_width),
        ):
            rows += [[measure, name, mean, widths[name]] for name, mean in means.items()]
        return tables.frame(("measure", "name", "mean", "half_width"), rows)

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
        return petriview.to_dot(self)

    def to_svg(self) -> str:
        """The net as a picture."""
        return petriview.to_svg(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()


@dataclass(frozen=True, slots=True)
class Firing:
    """A firing: when, the transition's number, its variables, and the tokens of each place after it."""

    time: float
    transition: int
    binding: str
    tokens: list[int]


def _limit(limit: int) -> int:
    if not 1 <= limit <= 2**32 - 2:
        raise ConfigError.of([ConfigProblem("limit", "", f"found {limit}, expected 1 to {2**32 - 2}")])
    return limit


def _source(net: str | PathLike[str] | Net) -> tuple[str, str | None]:
    return (net.name, net.to_toml()) if isinstance(net, Net) else (fspath(net), None)


def explore(
    net: str | PathLike[str] | Net,
    limit: int = MOST_MARKINGS,
    *,
    invariants: bool = False,
    overrides: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Explored:
    """Every marking of a net, its bounds and dead ends. A coloured net is unfolded.

    Args:
        net: A net.
        limit: Markings at which the search stops with what was found.
        invariants: Find semiflows as well.
        overrides: Parameters, as ``name=value``.
        progress: Called now and then with (markings, ``limit``).

    Raises:
        ConfigError: The file is no net; every problem is listed.
    """
    path, text = _source(net)
    found = _core.petri_explore(
        path, text, overrides, most_markings=_limit(limit), invariants=invariants, progress=progress
    )
    return convert(found, Explored)


def solve(
    net: str | PathLike[str] | Net,
    limit: int = MOST_MARKINGS,
    *,
    overrides: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Solved:
    """The steady state of a net with exponential and immediate transitions, exact. A coloured net is unfolded.

    Raises:
        ConfigError: The file is no net, or the net has no steady state that can be solved for; the text says why.
    """
    path, text = _source(net)
    found = _core.petri_solve(path, text, overrides, most_markings=_limit(limit), progress=progress)
    return convert(found, Solved)


def simulate(
    net: str | PathLike[str] | Net,
    time: float = 10_000.0,
    *,
    warmup: float | None = None,
    replications: int = 10,
    accuracy: float | None = None,
    of: Sequence[str] = (),
    most_replications: int = 1000,
    seed: int = 1,
    threads: int | None = None,
    overrides: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Simulated:
    """Simulate a net in several replications on all cores. The result does not depend on the threads.

    Args:
        net: A net whose transitions all have times.
        time: Time with statistics of each replication.
        warmup: Time before; ``None`` takes a tenth of ``time``.
        replications: Replications with seeds of their own; the fewest with ``accuracy``.
        accuracy: Replications go on until half of each 95 % interval is at most this share of its mean.
        of: Places and transitions that ``accuracy`` is for; all, if there are none.
        most_replications: Replications at which ``accuracy`` gives up.
        seed: Seed of the first.
        threads: Replications at the same time; ``None`` takes one per core.
        overrides: Parameters, as ``name=value``.
        progress: Called now and then with thousandths of replications, (done, in all).

    Raises:
        ConfigError: The file is no net, or it cannot be simulated; the text says why.
    """
    problems = [
        ConfigProblem(name, "", f"found {value}, expected {least} to {most}")
        for name, value, least, most in (
            ("replications", replications, 1, 1_000_000),
            ("most_replications", most_replications, 1, 1_000_000),
            ("seed", seed, 0, _U64_MAX),
            ("threads", 1 if threads is None else threads, 1, 1024),
        )
        if not least <= value <= most
    ]
    if problems:
        raise ConfigError.of(problems)
    path, text = _source(net)
    found = _core.petri_simulate(
        path,
        text,
        overrides,
        warmup=time / 10 if warmup is None else warmup,
        time=time,
        replications=replications,
        accuracy=accuracy,
        of=of,
        most_replications=most_replications,
        seed=seed,
        threads=threads or 0,
        progress=progress,
    )
    return convert(found, Simulated)


def parts(net: str | PathLike[str] | Net, *, overrides: Sequence[str] = ()) -> Parts:
    """What a net is made of, for pictures: ``parts(net).to_svg()``.

    Raises:
        ConfigError: The file is no net; every problem is listed.
    """
    path, text = _source(net)
    return convert(_core.petri_parts(path, text, overrides), Parts)


def firings(
    net: str | PathLike[str] | Net,
    most: int = 10_000,
    *,
    first: int = 0,
    time: float = 1e300,
    seed: int = 1,
    overrides: Sequence[str] = (),
) -> list[Firing]:
    """Firings of a run, one by one.

    Args:
        net: A net whose transitions all have times.
        most: Firings at most.
        first: Firings that come before and are left out.
        time: Time at which the run ends.
        seed: Seed of the run.
        overrides: Parameters, as ``name=value``.

    Raises:
        ConfigError: The file is no net, or it cannot be simulated; the text says why.
    """
    path, text = _source(net)
    found = _core.petri_firings(path, text, overrides, seed=seed, first=first, most=most, time=time)
    return convert(found, list[Firing])


def pnml(net: str | PathLike[str] | Net, *, unfold: bool = False, overrides: Sequence[str] = ()) -> str:
    """A net as PNML.

    A PNML file comes out with all that other tools put into it, a net of places and transitions with its times in
    blocks of this tool, a coloured net only unfolded.

    Raises:
        ConfigError: The file is no net; it is coloured and not to be unfolded, or cannot be.
    """
    path, text = _source(net)
    return _core.petri_pnml(path, text, overrides, unfold=unfold)
