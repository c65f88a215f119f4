"""What limits a chip, as it is told: limits, gains, elasticities, sensitivities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result
from linecard.tables import Table, records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linecard.explore.execute import Counts


# A gain below this is no limit; the same as in the verdict of a run.
LEAST_GAIN = 0.03
# Half an interval beyond which an elasticity is not determined: so much, or this share of its value.
_WIDEST, _WIDEST_SHARE = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class Limit:
    """What a part can carry at most.

    Attributes:
        component: The part.
        utilization: Share of the time for which it was busy, 0 to 1: of several the busiest, of engines that take
            packets from one list the mean.
        bound_mpps: Packets a second, 10^6, at which it would always be busy.
    """

    component: str
    utilization: float
    bound_mpps: float


@dataclass(frozen=True, slots=True)
class Elasticity:
    """How throughput follows a parameter: d ln throughput / d ln parameter.

    Attributes:
        parameter: The key, or ``program cycles`` for the cycles of all steps together.
        kind: ``rate``, ``time``, ``work``, ``count`` or ``size``.
        value: The elasticity; 1 if throughput grows in proportion, -1 if it shrinks so.
        low: Lower bound, 95 %.
        high: Upper bound, 95 %.
        latency: The same of the mean latency.
        now: What the parameter is now.
        unit: Its unit.
        seeds: Seeds that it was measured with; one where that showed next to nothing.
    """

    parameter: str
    kind: str
    value: float
    low: float | None
    high: float | None
    latency: float
    now: float
    unit: str
    seeds: int

    @property
    def determined(self) -> bool:
        """Whether its interval says more than the value does: at most a fifth either way, or half of the value."""
        if self.low is None or self.high is None:
            return True
        return (self.high - self.low) / 2 <= max(_WIDEST, _WIDEST_SHARE * abs(self.value))


@dataclass(frozen=True, slots=True)
class Lifted:
    """What lifting a limit gains.

    Attributes:
        components: What was made better; two of a pair.
        kind: ``engines``, ``threads``, ``place``, ``latency``, ``link``, ``port``, ``buffer``, ``lock``, ``order``, or
            ``pair``.
        text: What was done.
        gain: Throughput more, as a share: 0.34 is 34 % more.
        low: Lower bound, 95 %.
        high: Upper bound, 95 %.
        settings: What to ``--set`` for it.
        seeds: Seeds that it was measured with; one where that showed next to nothing.
    """

    components: tuple[str, ...]
    kind: str
    text: str
    gain: float
    low: float | None
    high: float | None
    settings: Mapping[str, Any]
    seeds: int = 1

    @property
    def counts(self) -> bool:
        """Whether the gain is a limit: beyond noise, and worth it."""
        return self.gain >= LEAST_GAIN and (self.low is None or self.low > 0)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What a parameter does over a wide range, half to twice its value, with all others moving too.

    Attributes:
        parameter: The key.
        morris_mean: Mean of the absolute elementary effects on ln throughput, over the whole range.
        morris_spread: Their standard deviation: large where it depends on the others.
        sobol_first: Share of the variance that it explains alone; ``None`` where it was screened out.
        sobol_total: The same with all that it does together with others.
    """

    parameter: str
    morris_mean: float
    morris_spread: float
    sobol_first: float | None
    sobol_total: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WhyResult(Result):
    """What limits a chip and what would help.

    Attributes:
        chip: The chip.
        load: ``as given``; where the chip carries all that its traffic offers, ``saturated`` (a packet always waits) or
            ``full wires`` (as much is offered as its wires carry).
        answered: Whether the rate is sure. If not, nothing is said of parts but how busy they were.
        throughput_mpps: Packets a second that leave, 10^6.
        throughput_gbps: The same in bits, 10^9.
        loss_fraction: Packets dropped.
        verdict: The part that is the limit, ``several parts`` where none is alone or in a pair, ``not clear`` where the
            gains that were measured are within noise, or ``not known`` where the rate itself is not sure.
        why: The verdict in a sentence.
        limits: Bounds of all parts, the lowest first.
        elasticities: Of all parameters, the strongest first.
        elasticity_sum: Over rates, less those over times; 1 where all times are in reach.
        elasticity_sum_low: Lower bound, 95 %.
        elasticity_sum_high: Upper bound, 95 %.
        out_of_reach: Parts with times that no key changes, which the sum lacks.
        lifts: What lifting limits gains, alone and in pairs, the most first.
        not_tried: Changes that the chip does not allow, and why.
        sensitivities: With ``global_``; empty without.
        seeds: Seeds of each statement.
        packets: Packets that each run measured; more than were asked for where those did not make the rate sure.
        elasticity_packets: The same of the elasticities' runs, which may be fewer.
        counts: Runs found and made.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("chip", "load", "seeds", "packets", "elasticity_packets")
    INPUT: ClassVar[str] = "chip"
    APART: ClassVar[tuple[str, ...]] = ("counts",)

    chip: str
    load: str
    answered: bool
    throughput_mpps: float
    throughput_gbps: float
    loss_fraction: float
    verdict: str
    why: str
    limits: tuple[Limit, ...]
    elasticities: tuple[Elasticity, ...]
    elasticity_sum: float
    elasticity_sum_low: float | None
    elasticity_sum_high: float | None
    out_of_reach: tuple[str, ...]
    lifts: tuple[Lifted, ...]
    not_tried: tuple[str, ...]
    sensitivities: tuple[Sensitivity, ...]
    seeds: int
    packets: int
    elasticity_packets: int
    counts: Counts = field(compare=False)

    def table(self) -> Table:
        """What lifting each limit gains."""
        several = [", ".join(f"{key}={value}" for key, value in each.settings.items()) for each in self.lifts]
        return records(self.lifts, Lifted, settings=several)

    def __repr__(self) -> str:
        return f"<WhyResult {self.chip}: {self.throughput_mpps:.3f} Mpps, limited by {self.verdict}>"
