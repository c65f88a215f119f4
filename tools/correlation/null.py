"""Null models: predictions of a rate without a simulation of the chip under load."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from linecard.chip.result import RunResult
from linecard.study.runners import chip_settings
from tools.correlation.intervals import described
from tools.correlation.result import CYCLES, LEAST, SERVERS, THREADS, WIRE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from linecard.description import Description
    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun

# Preamble and gap of a frame on a wire.
FRAME_GAP_BYTES = 20
# A rate that the ports limit may exceed the rate of the wires by this share, because a run has ends.
WIRE_SLACK = 0.01
PARTS = ("count", "engines", "threads")


def one_thread(run: RunSpec) -> RunSpec | None:
    """The run with the same program and traffic on one thread of one engine.

    Runs that differ only in the numbers of threads and engines become the same run. The result is ``None`` if several
    clusters process each packet, because one thread then cannot do all of the work.
    """
    names = list(_clusters(described(run.preset)))
    if len(names) != 1:
        return None
    keys = [f"cluster.{names[0]}.{part}" for part in PARTS]
    kept = [override for override in run.overrides if not any(_is(key, override.partition("=")[0]) for key in keys)]
    return replace(run, overrides=tuple(sorted([*kept, *(f"{key}=1" for key in keys)])))


def null_rates(run: RunSpec, outcome: StudyRun, alone: StudyRun | str | None) -> dict[str, float]:
    """Rates of the null models in millions of packets per second; models that need further numbers are left out.

    The work for a packet, in engine cycles and in memory time, does not depend on the load. A rate divided by the
    utilisation of a resource is therefore the rate at full utilisation of this resource.
    """
    result = getattr(outcome, "first", outcome)
    if not isinstance(result, RunResult) or not result.summary.throughput_mpps:
        return {}
    chip = described(run.preset, tuple(chip_settings(run)))
    summary = result.summary
    frame_bits = summary.throughput_gbps / summary.throughput_mpps * 1e3
    found: dict[str, float] = {}
    wires = _wires_gbps(chip) / (frame_bits + 8 * FRAME_GAP_BYTES) * 1e3
    # A higher rate does not pass the ports: experiments with half of a forwarder leave them out.
    if wires > summary.throughput_mpps * (1 - WIRE_SLACK):
        found[WIRE] = wires
    busy = parts_of(result)
    for model, of_engines in ((CYCLES, True), (SERVERS, False)):
        most = max((share for name, share in busy.items() if name.startswith("engines of ") == of_engines), default=0.0)
        if most > 0:
            found[model] = summary.throughput_mpps / most
    if alone is not None and not isinstance(alone, str):
        threads = sum(_threads(chip, name) for name in _clusters(chip))
        found[THREADS] = alone.metric("total", "throughput_mpps") * threads
    found[LEAST] = min(found.values())
    return found


def parts_of(result: RunResult) -> dict[str, float]:
    """The utilisation of each part of the chip, except threads, which are busy while they hold a packet."""
    return {use.component: use.utilization for use in result.resources if not use.component.startswith("threads of ")}


def _is(key: str, name: str) -> bool:
    return key == name or key.endswith(f".{name}")


def _clusters(chip: Description) -> Iterator[str]:
    for parameter in chip.parameters:
        first, _, rest = parameter.key.partition(".")
        if first == "cluster" and rest.endswith(".threads"):
            yield rest.removesuffix(".threads")


def _threads(chip: Description, cluster: str) -> float:
    number = 1.0
    for part in PARTS:
        number *= float(chip[f"cluster.{cluster}.{part}"].text)
    return number


def _wires_gbps(chip: Description) -> float:
    rates = [parameter.key for parameter in chip.parameters if _is_port_rate(parameter.key)]
    return sum(float(chip[key].text) * float(chip[key.removesuffix("rate_gbps") + "count"].text) for key in rates)


def _is_port_rate(key: str) -> bool:
    return key.startswith("port.") and key.endswith(".rate_gbps")
