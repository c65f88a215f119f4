"""The result of an analysis of limits: bounds, gains, elasticities, sensitivities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result
from linecard.tables import Table, records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linecard.explore.execute import Counts


# The smallest gain that shows a limit, as in the verdict of a run.
LEAST_GAIN = 0.03
# The widest half interval of a determined elasticity: absolute, or relative to its value.
_WIDEST, _WIDEST_SHARE = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class Limit:
    """The capacity of a part.

    Attributes:
        component: The part.
        utilization: Utilisation, 0 to 1, of the busiest instance. For engines that share a list of packets, it is the
            mean.
        bound_mpps: Packet rate at which the part is always busy, 10^6 per second.
    """

    component: str
    utilization: float
    bound_mpps: float


@dataclass(frozen=True, slots=True)
class Elasticity:
    """The effect of a parameter on throughput: d ln throughput / d ln parameter.

    Attributes:
        parameter: The key, or ``program cycles`` for the cycles of all steps together.
        kind: ``rate``, ``time``, ``work``, ``count`` or ``size``.
        value: The elasticity; 1 if throughput grows in proportion, -1 if it shrinks in proportion.
        low: Lower bound, 95 %.
        high: Upper bound, 95 %.
        latency: The elasticity of the mean latency.
        now: The present value of the parameter.
        unit: Unit.
        seeds: Number of seeds; one if the first seed showed almost no effect.
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
        """Whether the half-width of its interval is at most 0.2, or at most half of the value."""
        if self.low is None or self.high is None:
            return True
        return (self.high - self.low) / 2 <= max(_WIDEST, _WIDEST_SHARE * abs(self.value))


@dataclass(frozen=True, slots=True)
class Lifted:
    """The gain of a lifted limit.

    Attributes:
        components: The improved parts; two for a pair.
        kind: ``engines``, ``threads``, ``place``, ``latency``, ``link``, ``port``, ``buffer``, ``lock``, ``order``, or
            ``pair``.
        text: The change in words.
        gain: Relative gain of throughput: 0.34 is 34 %.
        low: Lower bound, 95 %.
        high: Upper bound, 95 %.
        settings: Settings, as ``--set`` takes them.
        seeds: Number of seeds; one if the first seed showed almost no effect.
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
        """Whether the gain shows a limit: it is beyond noise and large enough."""
        return self.gain >= LEAST_GAIN and (self.low is None or self.low > 0)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The effect of a parameter from half to twice its value, while all others vary too.

    Attributes:
        parameter: The key.
        morris_mean: Mean of the absolute elementary effects on ln throughput, over the whole range.
        morris_spread: Standard deviation: large if the effect depends on other parameters.
        sobol_first: Fraction of the variance that the parameter alone explains; ``None`` if the screening excluded it.
        sobol_total: Fraction of the variance, including interactions.
    """

    parameter: str
    morris_mean: float
    morris_spread: float
    sobol_first: float | None
    sobol_total: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WhyResult(Result):
    """The limit of a chip, and changes that raise its throughput.

    Attributes:
        chip: The chip.
        load: ``as given``; if the chip carries that load, ``saturated`` (the input is saturated) or ``full wires`` (the
            load is the capacity of the wires).
        answered: Whether the throughput is conclusive. If not, the result has bounds only.
        throughput_mpps: Throughput, 10^6 packets per second.
        throughput_gbps: Throughput, 10^9 bits per second.
        loss_fraction: Fraction of the packets that the chip drops.
        verdict: The part that is the limit. ``several parts``: neither a single part nor a pair is the limit. ``not
            clear``: the measured gains are within noise. ``not known``: the throughput is not conclusive.
        why: The verdict in a sentence.
        limits: Bounds of all parts, the lowest first.
        elasticities: Elasticities of all parameters, the strongest first.
        elasticity_sum: The sum over rates minus the sum over times; 1 if keys set all times.
        elasticity_sum_low: Lower bound, 95 %.
        elasticity_sum_high: Upper bound, 95 %.
        out_of_reach: Parts with times that no key sets, which the sum lacks.
        lifts: Gains of lifted limits, alone and in pairs, the largest first.
        not_tried: Changes that the chip does not allow, with the reason.
        sensitivities: Sensitivities with ``global_``; else empty.
        seeds: Seeds of each statement.
        packets: Measured packets of each run; more than requested if the throughput needed longer runs.
        elasticity_packets: Measured packets of each run for elasticities, which may be fewer.
        counts: Numbers of reused and executed runs.
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
        """The gain of each lifted limit."""
        several = [", ".join(f"{key}={value}" for key, value in each.settings.items()) for each in self.lifts]
        return records(self.lifts, Lifted, settings=several)

    def __repr__(self) -> str:
        return f"<WhyResult {self.chip}: {self.throughput_mpps:.3f} Mpps, limited by {self.verdict}>"
