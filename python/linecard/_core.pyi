"""Types of the compiled core. Written by `make docs` from its bindings; `linecard` has what users call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

__version__: Final[str]

class Traced: ...

def run(
    request: Mapping[str, Any], *, verdict: bool, progress: Callable[[int, int], object] | None
) -> dict[str, Any]: ...
def flows(
    path: str, *, packets: int, strict: bool, most_flows: int, progress: Callable[[int, int], object] | None
) -> dict[str, Any]: ...
def flowcache(
    source: object,
    *,
    entries: Sequence[int],
    ways: Sequence[int | None],
    policies: Sequence[str],
    key: str | None,
    hash: str | None,
    width_bits: int,
    result_bits: int,
    cold_window_packets: int,
    foresight_packets: int,
    seed: int,
    threads: int,
    packets: int,
    strict: bool,
    false_hits: bool,
    curves: bool,
    time_out_ns: int | None,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def flow_mix(
    *,
    packets: int,
    single_flows_percent: float,
    packets_in_single_flows_percent: float,
    large_flows_percent: float,
    packets_in_large_flows_percent: float,
    largest_flow_packets: int,
    concurrent_flows: float,
    time_out_ns: int,
    rate_pps: float,
    seed: int,
) -> dict[str, Any]: ...
def dram(request: Mapping[str, Any], *, progress: Callable[[int, int], object] | None) -> dict[str, Any]: ...
def applications() -> list[str]: ...
def presets() -> list[dict[str, Any]]: ...
def describe(preset: str, overrides: Sequence[str]) -> dict[str, Any]: ...
def declared_keys(preset: str, overrides: Sequence[str]) -> list[dict[str, Any]]: ...
def request_schemas() -> list[tuple[str, dict[str, Any]]]: ...
def report_schemas() -> list[tuple[str, dict[str, Any]]]: ...
def check_chip(request: Mapping[str, Any]) -> dict[str, Any]: ...
def lifts(chip: str, overrides: Sequence[str]) -> list[dict[str, Any]]: ...
def chip_drawing(chip: str, overrides: Sequence[str]) -> dict[str, Any]: ...
def chip_template(preset: str) -> str: ...
def worked_seconds() -> float: ...
def queueing_run(
    workload: str,
    *,
    capture: bool,
    managers: Sequence[str],
    machine: str,
    settings: Sequence[str],
    operations: int,
    warmup: int,
    seed: int,
    strict: bool,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def queueing_design(
    workload: str,
    *,
    capture: bool,
    target_mops: float,
    machine: str,
    settings: Sequence[str],
    operations: int,
    warmup: int,
    seed: int,
    strict: bool,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def queueing_settings(machine: str, changes: Sequence[str]) -> list[dict[str, Any]]: ...
def hierarchy(
    chip: str,
    *,
    overrides: Sequence[str],
    rate_pps: float,
    packet_bytes: int,
    message_bytes: int,
    one_in: int,
    packets: int,
    seed: int,
) -> dict[str, Any]: ...
def shot_noise(
    chip: str,
    *,
    overrides: Sequence[str],
    seed: int,
    windows: int,
    window_ms: float,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def petri_explore(
    path: str,
    text: str | None,
    set: Sequence[str],
    *,
    most_markings: int,
    invariants: bool,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def petri_solve(
    path: str,
    text: str | None,
    set: Sequence[str],
    *,
    most_markings: int,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def petri_simulate(
    path: str,
    text: str | None,
    set: Sequence[str],
    *,
    warmup: float,
    time: float,
    replications: int,
    accuracy: float | None,
    of: Sequence[str],
    most_replications: int,
    seed: int,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def petri_parts(path: str, text: str | None, set: Sequence[str]) -> dict[str, Any]: ...
def petri_firings(
    path: str, text: str | None, set: Sequence[str], *, seed: int, first: int, most: int, time: float
) -> list[dict[str, Any]]: ...
def petri_pnml(path: str, text: str | None, set: Sequence[str], *, unfold: bool) -> str: ...
def program_trace(
    elf: str,
    *,
    entry: str | None,
    control: str | None,
    traffic: str,
    packets: int,
    payload: str,
    seed: int,
    routes: str | None,
    strict: bool,
    budget: int,
    checked: bool,
    cache: str | None,
    cache_bytes: int | None,
    progress: Callable[[int, int], object] | None,
) -> Traced: ...
def traced_report(traced: Traced) -> dict[str, Any]: ...
def traced_notes(traced: Traced) -> list[str]: ...
def program_run(elf: str, budget: int, progress: Callable[[int, int], object] | None) -> tuple[int, int]: ...
def xdp_run(
    file: str,
    *,
    name: str,
    program: str | None,
    maps: Sequence[tuple[str, str]],
    fib: str | None,
    traffic: str,
    packets: int,
    payload: str,
    seed: int,
    routes: str | None,
    strict: bool,
    budget: int,
    cpus: int,
    interface: int,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def xdp_rows(
    file: str, *, name: str, program: str | None, lanes: int, kept_arguments: bool, path_exits: bool
) -> dict[str, Any]: ...
def cached_traces(folder: str) -> list[dict[str, Any]]: ...
def clear_cached_traces(folder: str) -> tuple[int, int]: ...
def core(
    traced: Traced,
    *,
    latency_cycles: int,
    refs_per_cycle: float,
    area: int,
    threads: int,
    clock_mhz: int,
    events: int,
    adapt_packets: int,
    jobs: int,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
def core_deployments(
    traced: Traced,
    list: Sequence[tuple[int, float]],
    *,
    events: int,
    chips: Sequence[str],
    adapt_packets: int,
    per_chip: bool,
    jobs: int,
    progress: Callable[[int, int], object] | None,
) -> list[dict[str, Any]]: ...
def core_registers(
    traced: Traced,
    *,
    latency_cycles: int,
    refs_per_cycle: float,
    threads: int,
    cache_registers: Sequence[int],
    only_predicted: bool,
    events: int,
    jobs: int,
    progress: Callable[[int, int], object] | None,
) -> list[dict[str, Any]]: ...
def core_termination(
    traced: Traced,
    *,
    latency_cycles: int,
    refs_per_cycle: float,
    threads: int,
    packets: Sequence[int],
    events: int,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]: ...
