"""The IXP2400 as a coloured Petri net: the shipped net ``ixp2400_ipv4``, with its parameters from a preset.

The net models a saturated input (``traffic.arrivals``): a packet is always available to an idle thread, and ports are
never busy. The module rejects every value of ``traffic.arrivals`` except ``saturated``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from linecard import petri
from linecard.catalogue import describe
from linecard.errors import ConfigError, ConfigProblem

NET = "ixp2400_ipv4"
SCHEMES = ("BASE", "HB", "FCB", "FCB+TB")
# The duration of the run that measures how many packets leave per nanosecond.
PILOT_NS = 300_000.0

# Parameters of the net that are parameters of the preset, and derived ones.
SAME = {
    "engines": "cluster.me.engines",
    "threads": "cluster.me.threads",
    "packet_cycles": "program.packet_cycles",
    "store_cycles": "program.store_cycles",
    "load_cycles": "program.load_cycles",
    "header_bytes": "program.header_bytes",
    "table_reads": "program.table_reads",
    "table_words": "program.table_words",
    "sram_channels": "memory.sram.banks",
    "sram_latency_ns": "memory.sram.latency_ns",
    "sram_word_ns": "memory.sram.word_ns",
    "scratch_latency_ns": "memory.scratch.latency_ns",
    "scratch_word_ns": "memory.scratch.word_ns",
    "banks": "memory.dram.banks",
    "slots": "memory.dram.slots",
    "activate_cycles": "memory.dram.activate_cycles",
    "column_cycles": "memory.dram.column_cycles",
    "precharge_cycles": "memory.dram.precharge_cycles",
    "turnaround_cycles": "memory.dram.turnaround_cycles",
    "refresh_cycle": "memory.dram.refresh_every_cycles",
    "refresh_interval": "memory.dram.refresh_cycles",
}


def _bus_cycle_ns(p: Mapping[str, str]) -> float:
    """Time of the bus for the data of one cycle of the banks; a bus without a stage of its own takes that cycle."""
    beat_ns, beats = float(p["memory.dram.bus_beat_ns"]), int(p["memory.dram.beats_per_cycle"])
    return beat_ns * beats or 1e3 / float(p["clock.dram_mhz"])


DERIVED: dict[str, Callable[[Mapping[str, str]], float]] = {
    "engine_ns": lambda p: 1e3 / float(p["clock.engine_mhz"]),
    "cycle_ns": lambda p: 1e3 / float(p["clock.dram_mhz"]),
    "bytes_per_cycle": lambda p: int(p["memory.dram.bus_bytes"]) * int(p["memory.dram.beats_per_cycle"]),
    "bus_cycle_ns": _bus_cycle_ns,
    "hash_ns": lambda p: float(p["unit.hash.access_ns"]) * int(p["program.hashes"]),
    "scheme": lambda p: SCHEMES.index(p["program.scheme"]),
    "middle_order": lambda p: int(p["memory.dram.interleaving"] == "middle_order"),
}


def sizes_of(spec: str) -> list[list[float]]:
    """Parse packet sizes with weights, such as ``40:0.2, 64-575:0.38``; a range divides its weight among its sizes."""
    sizes: list[list[float]] = []
    for part in spec.split(","):
        size, _, weight = part.partition(":")
        low, _, high = size.strip().partition("-")
        values = range(int(low), int(high or low) + 1)
        sizes += [[value, float(weight) / len(values)] for value in values]
    return sizes


def parameters(preset: str, changes: Sequence[str]) -> dict[str, str]:
    """Return the parameters of the preset, with the changes applied.

    Raises:
        ConfigError: A change is invalid, or enables a feature that the net does not model.
    """
    values = {parameter.key: parameter.text for parameter in describe(preset, changes).parameters}
    problems: list[ConfigProblem] = []

    def refuse(key: str, what: str) -> None:
        problems.append(ConfigProblem("compare-models", key, f"found {values[key]}, expected {what}"))

    if values["traffic.arrivals"] != "saturated":
        refuse("traffic.arrivals", "saturated; the net models no other arrivals")
    if values["program.scheme"] not in SCHEMES:
        refuse("program.scheme", f"one of {', '.join(SCHEMES)}")
    if int(values["memory.dram.back_pressure_requests"]):
        refuse("memory.dram.back_pressure_requests", "0, because the net and Girish (2008) do not model back pressure")
    if int(values["cluster.me.switch_cycles"]):
        refuse("cluster.me.switch_cycles", "0")
    ConfigError.check(problems)
    return values


def overrides(values: Mapping[str, str]) -> list[str]:
    """Derive the parameters of the net from the preset."""
    kind = values["traffic.kind"]
    match kind:
        case "fixed":
            spec = f"{values['traffic.packet_bytes']}:1"
        case "sizes":
            spec = values["traffic.sizes"]
        case mix:
            spec = values[f"mix.{mix}"]
    sizes = sizes_of(spec)
    return [
        *(f"{name}={values[key]}" for name, key in SAME.items()),
        *(f"{name}={derive(values)!r}" for name, derive in DERIVED.items()),
        f"sizes={sizes}",
    ]


def run(
    preset: str, changes: Sequence[str], seed: int, packets: int, warmup_packets: int
) -> dict[tuple[str, str], float]:
    """Simulate the net for about ``packets`` packets, and return the metrics that both chip models report.

    Raises:
        ConfigError: A change is invalid; see :func:`parameters`.
    """
    values = parameters(preset, changes)
    settings = overrides(values)
    pilot = petri.simulate(NET, PILOT_NS, warmup=PILOT_NS / 10, replications=1, seed=seed, overrides=settings)
    per_packet = 1 / max(pilot.throughput["RunNext"], 1 / PILOT_NS)
    found = petri.simulate(
        NET,
        math.ceil(packets * per_packet),
        warmup=math.ceil(warmup_packets * per_packet),
        replications=1,
        seed=seed,
        overrides=settings,
    )
    busy, tokens = found.busy_servers, found.mean_tokens
    threads = int(values["cluster.me.engines"]) * int(values["cluster.me.threads"])
    utilization = {
        "dram": busy["dram.CpuTrans"],
        "dram banks": 1 - tokens["dram.Banks"] / int(values["memory.dram.banks"]),
        "hash": busy["Hash"],
        "engines of me": busy["Compute"] / int(values["cluster.me.engines"]),
        "sram": busy["Sram"] / int(values["memory.sram.banks"]),
        "scratch": busy["Scratch"],
        "threads of me": 1 - tokens["FreeThreads"] / threads,
    }
    if "RunNext" not in found.rewards:
        raise ConfigError.at(
            "packets", "", f"found {packets}, expected more packets; no packet was sent after the warm-up"
        )
    metrics = {("total", "throughput_mbps"): found.rewards["RunNext"] * 1e3}
    return metrics | {(name, "utilization_percent"): share * 100 for name, share in utilization.items()}
