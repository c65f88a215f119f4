"""The result of an analysis of limits: bounds, gains, elasticities and sensitivities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result
from linecard.tables import Table, records

if TYPE_CHECKING:
    from linecard.explore.execute import Counts


# The smallest gain that shows a limit, as in the verdict of a run.
LEAST_GAIN = 0.03
# The throughput of all gains and elasticities: packets per second, as in the verdict of a run.
METRIC = "throughput_mpps"
# The widest half interval of a determined elasticity: absolute, or relative to its value.
_WIDEST, _WIDEST_SHARE = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class Limit:
    """The capacity of one part of the chip.

    Attributes:
        component: Name of the part.
        utilization: Utilisation of the busiest instance, from 0 to 1. For engines that share one packet queue, the
            utilisation is the mean over the engines.
        bound_mpps: Capacity of the part: the throughput at which the part would always be busy, in 10^6 packets per
            second.
    """

    component: str
    utilization: float
    bound_mpps: float


@dataclass(frozen=True, slots=True)
class Elasticity:
    """The elasticity of throughput with respect to one parameter: d ln throughput / d ln parameter.

    Attributes:
        parameter: Key of the parameter; ``program cycles`` means the cycles of all program steps.
        kind: Kind of the parameter: ``rate``, ``time``, ``work``, ``count`` or ``size``.
        value: The elasticity; for example, 1 if the throughput is proportional to the parameter, and -1 if it is
            inversely proportional.
        low: Lower bound of the 95 % confidence interval of the elasticity.
        high: Upper bound of the 95 % confidence interval of the elasticity.
        latency: The elasticity of the mean latency with respect to this parameter.
        now: The current value of the parameter.
        unit: Unit.
        seeds: Number of seeds with which the change was simulated; 1 if the change had almost no effect with the first
            seed.
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
        """Whether the half-width of the 95 % interval is at most 0.2, or at most half of the elasticity's magnitude."""
        if self.low is None or self.high is None:
            return True
        return (self.high - self.low) / 2 <= max(_WIDEST, _WIDEST_SHARE * abs(self.value))


@dataclass(frozen=True, slots=True)
class Lifted:
    """The throughput gain from lifting one limit or two limits.

    Attributes:
        components: Name of the improved part, or the names of two parts that are improved together.
        kind: Type of the lifted limit: ``engines``, ``threads``, ``memory`` (a memory or a unit), ``latency``,
            ``link``, ``port``, ``shaper``, ``buffer``, ``lock``, ``order``, or ``pair``.
        text: Description of the change.
        gain: Relative increase of the throughput; 0.34 means 34 %.
        low: Lower bound of the 95 % confidence interval of the gain.
        high: Upper bound of the 95 % confidence interval of the gain.
        settings: Settings that apply the change, in the form of ``--set``.
        seeds: Number of seeds with which the change was simulated; 1 if the change had almost no effect with the first
            seed.
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
        """Whether the gain is statistically significant, and large enough to identify a limit."""
        return self.gain >= LEAST_GAIN and (self.low is None or self.low > 0)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The effect of one parameter if all parameters vary at the same time, from half to twice their values.

    Attributes:
        parameter: Key of the parameter.
        morris_mean: Mean magnitude of the parameter's elementary effects on ln throughput, over the whole range of the
            parameter.
        morris_spread: Standard deviation of the elementary effects; large if the effect is non-linear or depends on
            other parameters.
        sobol_first: Fraction of the variance of ln throughput that the parameter explains by itself; ``None`` if the
            screening excluded the parameter.
        sobol_total: Fraction of the variance of ln throughput that the parameter and its interactions with other
            parameters explain.
    """

    parameter: str
    morris_mean: float
    morris_spread: float
    sobol_first: float | None
    sobol_total: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WhyResult(Result):
    """The part that limits a chip's throughput, and changes that raise the throughput.

    Attributes:
        chip: The chip.
        load: The offered load: ``as given``, or, if the chip forwards all of the given load, ``saturated`` (saturated
            input) or ``full wires`` (line rate).
        answered: Whether the throughput is conclusive. If the throughput is not conclusive, the result contains
            capacities of parts, but no gains and no elasticities.
        throughput_mpps: Throughput in 10^6 packets per second.
        throughput_gbps: Throughput in 10^9 bits per second.
        loss_fraction: Packets dropped, divided by packets that left or were dropped.
        steady: Whether all runs of the unchanged chip are steady.
        inside_fraction: Packets that are still in the chip at the end of a run, divided by packets that arrived.
        verdict: The part that limits the throughput, or ``several parts``, ``not clear`` or ``not known``. ``several
            parts`` means that no single part and no pair of parts is the limit. ``not clear`` means that no measured
            gain is statistically significant. ``not known`` means that the throughput is not conclusive.
        why: The verdict as a sentence.
        limits: Capacities of all parts, lowest capacity first.
        elasticities: Elasticities of the throughput with respect to all parameters, strongest first.
        elasticity_sum: Sum of the rate elasticities minus the sum of the time elasticities; 1 if all times come from
            keys of the chip.
        elasticity_sum_low: Lower bound of the 95 % confidence interval of ``elasticity_sum``.
        elasticity_sum_high: Upper bound of the 95 % confidence interval of ``elasticity_sum``.
        out_of_reach: Parts whose service times do not come from a key of the chip; ``elasticity_sum`` does not include
            these times.
        lifts: Throughput gains from lifting single limits and pairs of limits, largest first.
        not_tried: Changes that are impossible for this chip, each with the reason.
        sensitivities: Sensitivities of the throughput to parameters; empty unless ``global_`` is true.
        seeds: Number of seeds for each measurement.
        packets: Number of measured packets in each run; more than requested if only longer runs had a conclusive
            throughput.
        elasticity_packets: Number of measured packets in each run that measures elasticities; can be lower than
            ``packets``.
        counts: Numbers of reused and executed runs.
        metric: Name of the metric to which gains and elasticities refer: ``throughput_mpps``. The verdict of a run
            uses the same metric.
        asked: The request as plain data, for the manifest.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("chip", "load", "seeds", "packets", "elasticity_packets")
    INPUT: ClassVar[str] = "chip"
    APART: ClassVar[tuple[str, ...]] = ("counts", "asked")

    chip: str
    load: str
    answered: bool
    throughput_mpps: float
    throughput_gbps: float
    loss_fraction: float
    steady: bool
    inside_fraction: float
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
    metric: str = METRIC
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def table(self) -> Table:
        """Return a table of throughput gains with one row per lifted limit or pair of limits."""
        several = [", ".join(f"{key}={value}" for key, value in each.settings.items()) for each in self.lifts]
        return records(self.lifts, Lifted, settings=several)

    def __repr__(self) -> str:
        return f"<WhyResult {self.chip}: {self.throughput_mpps:.3f} Mpps, limited by {self.verdict}>"
