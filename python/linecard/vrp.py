"""The virtual router processor: what a program may do for every packet without falling behind the line.

Source: Spalink 2000, section 4.2. The forwarding program runs at a packet rate; operations are added to it until
it no longer keeps up: more than 0.1 % of the packets are lost, or more than 1 % of them pile up inside. What it stands
of one kind of operation is that resource's head room, and extensions are given a share of it.
An extension is a list of operations without loops; it is checked against the budget, then run.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from linecard import _core, _html, api
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.results import field_names, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    import polars

    from linecard.api import ProgressCallback, Settings
    from linecard.results import RunResult

APP = "vanilla_ip"
PACKET_BYTES = 64
TRANSFER_BYTES = 32
# A run at a rate, what it may lose and still sustain it (bursts of a port may overflow its buffer), and what may pile
# up inside (large buffers hide an overload for a while).
PACKETS, WARMUP_PACKETS = 20_000, 4_000
LOSS_ALLOWED = 0.001
GROWTH_ALLOWED = 0.01
# Rates that a traffic generator can make.
RATES_PPS = (1e3, 1e9)

# Each resource: an operation that takes one of it, and the most that is searched.
_RESOURCES: tuple[tuple[str, str, tuple[str, int], int], ...] = (
    ("cycles", "cycles", ("compute", 1), 1 << 20),
    ("dram_reads", "transfers of 32 bytes", ("dram_read", TRANSFER_BYTES), 1 << 10),
    ("dram_writes", "transfers of 32 bytes", ("dram_write", TRANSFER_BYTES), 1 << 10),
    ("sram_transfers", "transfers of 32 bytes", ("sram_read", TRANSFER_BYTES), 1 << 10),
    ("hashes", "hashes", ("hash", 1), 1 << 10),
)
# Roles that the probe measures for one of them.
_PROBES = {"dram_reads": "dram_to_engine", "dram_writes": "engine_to_dram", "sram_transfers": "table", "hashes": "hash"}

# Operations of an extension: the resource, and what its number is called.
OPERATIONS = {
    "compute": ("cycles", "cycles"),
    "dram_read": ("dram_reads", "bytes"),
    "dram_write": ("dram_writes", "bytes"),
    "sram_read": ("sram_transfers", "bytes"),
    "sram_write": ("sram_transfers", "bytes"),
    "hash": ("hashes", "count"),
}
# The same as steps of a program, and the role that they ask for.
_STEPS = {
    "dram_read": ("transfer", "dram_to_engine"),
    "dram_write": ("transfer", "engine_to_dram"),
    "sram_read": ("read", "table"),
    "sram_write": ("write", "table"),
    "hash": ("ask", "hash"),
}
# Bytes of a word of SRAM, and of what is hashed.
_WORD_BYTES = 4
_LOOPS = {"loop", "while", "for", "repeat", "until", "jump", "goto", "branch"}


def parse_rate(text: str | float) -> float:
    """Packets per second of ``1.128Mpps``, ``700kpps`` or ``1e6``.

    Raises:
        ConfigError: It is no rate above zero.
    """
    found = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([kKmMgG]?)(?:pps)?\s*", str(text))
    try:
        rate = float(found[1]) * {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}[found[2].lower()] if found else 0.0
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1e12:
        raise ConfigError.of([ConfigProblem("rate", "", f"found {text!r}, expected packets per second: 1.128Mpps")])
    return rate


def _step(op: str, number: int, times: int) -> dict[str, str | int]:
    """An operation of an extension as a step of the program, done so many times one after another."""
    if op == "compute":
        return {"cycles": number * times}
    does, at = _STEPS[op]
    size = {"transfer": number, "ask": number * _WORD_BYTES}.get(does, -(-number // _WORD_BYTES) * _WORD_BYTES)
    return {"op": does, "at": at, "bytes": size, "times": times}


@dataclass(frozen=True, slots=True)
class VrpResource:
    """One resource of a budget, for each 64 bytes of a packet.

    Attributes:
        resource: Its name.
        unit: What is counted.
        head_room: The most that the line rate stands, of this alone.
        budget: The share of it that extensions are given.
        cost_cycles: Engine cycles that one of it takes unloaded; they count against the cycles as well.
    """

    resource: str
    unit: str
    head_room: int
    budget: int
    cost_cycles: float


@dataclass(frozen=True, slots=True, repr=False)
class VrpBudget:
    """What extensions may use at a packet rate.

    Attributes:
        rate_pps: Packets per second, of 64 bytes.
        margin_percent: Share of the head room that is given.
        resources: The resources, cycles first.
        registers: Registers that an extension may use.
        istore_instructions: Instruction store that is left.
        runs: Simulations that the search took.
    """

    preset: str
    rate_pps: float
    margin_percent: float
    resources: tuple[VrpResource, ...]
    registers: int
    istore_instructions: int
    runs: int

    def __getitem__(self, resource: str) -> VrpResource:
        for row in self.resources:
            if row.resource == resource:
                return row
        raise KeyError(f"no resource {resource!r}; there are {', '.join(row.resource for row in self.resources)}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def to_frame(self) -> polars.DataFrame:
        """The resources as a polars data frame (extra ``frames``)."""
        from linecard import tables

        names = field_names(VrpResource)
        return tables.frame(names, [[getattr(row, name) for name in names] for row in self.resources])

    def __repr__(self) -> str:
        return f"<VrpBudget {self.preset} at {self.rate_pps / 1e6:g} Mpps: {self['cycles'].budget} cycles>"

    def _repr_html_(self) -> str:
        rows = [
            (row.resource, f"{row.head_room:,}", f"{row.budget:,}", f"{row.cost_cycles:.0f}", row.unit)
            for row in self.resources
        ]
        return _html.block(
            f"{self.preset} at {self.rate_pps / 1e6:g} Mpps",
            _html.table(("resource", "head room", "budget", "cycles each", "unit"), rows),
        )


def keeps_up(result: RunResult) -> bool:
    """Whether a run loses next to nothing, and holds no more packets at its end than at its start."""
    growth = result.metric("total", "packets_inside_at_end") - result.metric("total", "packets_inside_at_start")
    return result.summary.loss_fraction <= LOSS_ALLOWED and growth <= GROWTH_ALLOWED * result.summary.packets_in


class _Search:
    """Runs of one preset at one rate."""

    def __init__(self, preset: str, rate_pps: float, changes: list[str], seed: int, tick: Callable[[], object]) -> None:
        self._preset, self._rate, self._changes, self._seed = preset, rate_pps, changes, seed
        self._tick = tick
        self.runs = 0

    def run(self, extension: Sequence[Mapping[str, str | int]]) -> RunResult:
        """The forwarding program with an extension at the rate."""
        self._tick()
        self.runs += 1
        line = [
            "traffic.kind=fixed",
            f"traffic.packet_bytes={PACKET_BYTES}",
            "traffic.arrivals=back_to_back",
            f"traffic.rate_gbps={self._rate * PACKET_BYTES * 8 / 1e9!r}",
        ]
        if extension:
            line += api.settings({"program.extension": list(extension)})
        return api.run(
            self._preset,
            app=APP,
            set=[*self._changes, *line],
            seed=self._seed,
            packets=PACKETS,
            warmup_packets=WARMUP_PACKETS,
            verdict=False,
        )

    def most(self, op: str, number: int, limit: int) -> int:
        """The largest count of an operation that the line rate stands, found by doubling and halving."""

        def sustains(count: int) -> bool:
            return keeps_up(self.run([_step(op, number, count)]))

        if not sustains(1):
            return 0
        low, high = 1, 2
        while high < limit and sustains(high):
            low, high = high, high * 2
        while high - low > max(low // 100, 1):
            middle = (low + high) // 2
            if sustains(middle):
                low = middle
            else:
                high = middle
        return low


def _probe(role: str, size: int) -> list[str]:
    """What the probe measures."""
    return [f"program.step[transfer].at={role}", f"program.step[transfer].bytes={size}"]


def _cost_cycles(preset: str, changes: list[str], resource: str) -> float:
    """Engine cycles of one operation, unloaded, as the probe measures them."""
    if resource not in _PROBES:
        return 1.0
    alone = ["traffic.arrivals=saturated", "input.engines=1", "input.threads=1", "in.count=1"]
    size = 4 if resource == "hashes" else TRANSFER_BYTES
    probe = _probe(_PROBES[resource], size)
    result = api.run(preset, app="probe", set=[*changes, *alone, *probe], packets=200, warmup_packets=10, verdict=False)
    return result.metric("input", "engine_cycles_per_packet")


def vrp_budget(
    preset: str = "ixp1200_eval",
    rate: str | float = "1.128Mpps",
    *,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> VrpBudget:
    """Find what a program may do beside forwarding for every 64 bytes at a packet rate.

    Args:
        preset: A platform; its ``vanilla_ip`` runs.
        rate: Packets of 64 bytes per second, such as ``"1.128Mpps"``.
        set: Changes to the preset.
        seed: Seed of every random stream.
        progress: Called after each simulation with (simulations done, 0).

    Returns:
        For each resource what the rate stands of it alone, and the share that extensions are given.

    Raises:
        ConfigError: Preset, change or rate is wrong, or forwarding alone does not sustain the rate.
    """
    rate_pps, changes, done = parse_rate(rate), api.settings(set), 0
    if not RATES_PPS[0] <= rate_pps <= RATES_PPS[1]:
        expected = f"expected {RATES_PPS[0]:g} to {RATES_PPS[1]:g} packets per second; is the unit missing? (1.128Mpps)"
        raise ConfigError.of([ConfigProblem("rate", "", f"found {rate_pps:g}, {expected}")])

    def tick() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, 0)

    described = api.describe(preset, changes)
    search = _Search(preset, rate_pps, changes, seed, tick)
    try:
        bare = search.run([])
    except ConfigError as error:
        # The rate is set as a bandwidth; what is wrong with it is wrong with the rate.
        raise ConfigError.of(
            [
                replace(problem, place="rate", key="") if problem.key == "traffic.rate_gbps" else problem
                for problem in error.problems
            ]
        ) from None
    if not keeps_up(bare):
        lost = bare.summary.loss_fraction
        found = f"found {rate_pps / 1e6:g} Mpps; forwarding alone does not keep up and loses {lost:.1%} of them"
        raise ConfigError.of([ConfigProblem("rate", "", f"{found}, expected a rate that {preset} sustains")])
    margin = float(described["vrp.margin_percent"].text)
    resources = []
    for name, unit, operation, limit in _RESOURCES:
        head_room = search.most(*operation, limit)
        cost = _cost_cycles(preset, changes, name)
        resources.append(VrpResource(name, unit, head_room, int(head_room * margin / 100), cost))
    return VrpBudget(
        preset=preset,
        rate_pps=rate_pps,
        margin_percent=margin,
        resources=tuple(resources),
        registers=int(described["vrp.registers"].text),
        istore_instructions=int(described["vrp.istore_instructions"].text),
        runs=search.runs,
    )


class _Op(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    op: str
    cycles: int | None = None
    bytes: int | None = None
    count: int | None = None


class _Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    ops: tuple[_Op, ...]
    registers: int = 0
    instructions: int | None = None


@dataclass(frozen=True, slots=True)
class VrpUse:
    """What an extension takes of a resource, beside what it may take."""

    resource: str
    used: float
    budget: float

    @property
    def fits(self) -> bool:
        """Whether it is within the budget."""
        return self.used <= self.budget


@dataclass(frozen=True, slots=True, repr=False)
class VrpCheck:
    """An extension beside a budget, and what it does at the line rate.

    Attributes:
        accepted: Within every budget, and no packet lost when it runs.
        uses: Resources, with what is used and allowed.
        load_cycles: Engine cycles to load it into an instruction store.
        loss_fraction: Packets lost when it runs at the rate; ``None`` if it was refused before.
        latency_ns: Mean latency of a packet then.
        cause: Why it was refused; empty if it was not.
    """

    name: str
    rate_pps: float
    accepted: bool
    uses: tuple[VrpUse, ...]
    load_cycles: float
    loss_fraction: float | None
    latency_ns: float | None
    cause: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        for row, use in zip(result["uses"], self.uses, strict=True):
            row["fits"] = use.fits
        return result

    def __repr__(self) -> str:
        return f"<VrpCheck {self.name}: {'accepted' if self.accepted else self.cause}>"


def _read_extension(path: Path) -> tuple[_Extension, list[int]]:
    """An extension file and the lines of its operations, or everything that is wrong with it, by line."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise ConfigError.of([ConfigProblem(str(path), "", f"cannot read: {error.strerror}")]) from error
    except ValueError as error:
        # No TOML, no UTF-8, or a number of thousands of digits, which Python does not read.
        raise ConfigError.of([ConfigProblem(str(path), "", str(error))]) from error
    except RecursionError as error:
        raise ConfigError.of([ConfigProblem(str(path), "", "nested too deep to be read; write it flat")]) from error
    heads = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "[[ops]]"]

    def place(number: int) -> str:
        return f"{path}, line {heads[number]}" if number < len(heads) else str(path)

    problems = []
    ops = data.get("ops", [])
    for number, op in enumerate(ops if isinstance(ops, list) else []):
        problem = _op_problem(op)
        if problem:
            problems.append(ConfigProblem(place(number), "ops", problem))
    if not ops:
        problems.append(ConfigProblem(str(path), "ops", "found none, expected at least one [[ops]]"))
    if problems:
        raise ConfigError.of(problems)
    try:
        extension = convert(data, _Extension)
    except msgspec.ValidationError as error:
        raise ConfigError.of([ConfigProblem(str(path), "", str(error))]) from error
    for name, value in (("registers", extension.registers), ("instructions", extension.instructions or 0)):
        if value < 0:
            raise ConfigError.of([ConfigProblem(str(path), name, f"found {value}, expected 0 or more")])
    return extension, heads


def _op_problem(op: Any) -> str:
    """What is wrong with one operation; nothing if it is sound."""
    name = op.get("op") if isinstance(op, dict) else None
    if not isinstance(name, str):
        return f'found {op!r}, expected an operation such as op = "sram_read", bytes = 16'
    if name.lower() in _LOOPS:
        return f"found {name!r}: an extension has no loops and no jumps; write its operations out, for each 64 bytes"
    if name not in OPERATIONS:
        near = difflib.get_close_matches(name, OPERATIONS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(OPERATIONS)}"
        return f"found {name!r}; {hint}"
    number = OPERATIONS[name][1]
    extra = [key for key in op if key not in {"op", number}]
    if extra and extra[0].lower() in {*_LOOPS, "times", "ops"}:
        return f"found {extra[0]!r}: an extension has no loops; write its operations out, for each 64 bytes"
    if extra:
        return f"{name} has no {extra[0]!r}; expected {number}"
    value = op.get(number)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return f"{name}: found {number} = {value!r}, expected a whole number from 1"
    return ""


def vrp_check(
    extension: str | PathLike[str],
    preset: str = "ixp1200_eval",
    rate: str | float = "1.128Mpps",
    *,
    budget: VrpBudget | None = None,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> VrpCheck:
    """Check an extension against a budget, and run it at the line rate if it fits.

    Args:
        extension: A TOML file: ``name``, optional ``registers`` and ``instructions``, and ``[[ops]]`` in order.
        preset: A platform.
        rate: Packets of 64 bytes per second.
        budget: What it may use; ``None`` finds it by simulation.
        set: Changes to the preset.
        seed: Seed of every random stream.
        progress: Called after each simulation with (simulations done, 0).

    Raises:
        ConfigError: The extension has a loop, an unknown operation, or a count below one; every such line is listed.
    """
    found, lines = _read_extension(Path(extension))
    budget = budget or vrp_budget(preset, rate, set=set, seed=seed, progress=progress)
    changes = api.settings(set)
    counts: dict[str, float] = {row.resource: 0.0 for row in budget.resources}
    cycles = 0.0
    steps = []
    # Where each resource goes beyond its budget.
    beyond: dict[str, int] = {}
    for place, op in enumerate(found.ops):
        resource, number = OPERATIONS[op.op]
        value = getattr(op, number)
        units = value / TRANSFER_BYTES if number == "bytes" else value
        counts[resource] += units
        cycles += units * budget[resource].cost_cycles
        steps.append(_step(op.op, value, 1))
        for name, used in (("cycles", cycles), (resource, counts[resource])):
            if used > budget[name].budget and place < len(lines):
                beyond.setdefault(name, lines[place])
    counts["cycles"] = cycles
    instructions = found.instructions
    if instructions is None:
        instructions = sum(op.cycles or 1 for op in found.ops)
    uses = [VrpUse(row.resource, round(counts[row.resource], 3), row.budget) for row in budget.resources]
    uses += [
        VrpUse("registers", found.registers, budget.registers),
        VrpUse("istore_instructions", instructions, budget.istore_instructions),
    ]
    described = api.describe(preset, changes)
    alone = ["traffic.arrivals=saturated", "input.engines=1", "input.threads=1", "in.count=1"]
    scratch = api.run(
        preset,
        app="probe",
        set=[*changes, *alone, *_probe("flags", 4)],
        packets=200,
        warmup_packets=10,
        verdict=False,
    ).metric("input", "engine_cycles_per_packet")
    load_cycles = instructions * int(described["vrp.load_accesses"].text) * scratch
    over = [
        f"{use.resource}: {use.used:g} used, {use.budget:g} allowed, {use.used - use.budget:g} too many"
        + (f", beyond it from line {beyond[use.resource]} on" if use.resource in beyond else "")
        for use in uses
        if not use.fits
    ]
    loss = latency = None
    if not over:
        ran = _Search(preset, budget.rate_pps, changes, seed, lambda: None).run(steps)
        loss, latency = ran.summary.loss_fraction, ran.summary.latency_ns.mean
        if not keeps_up(ran):
            over.append(f"within the budget, but the line is not kept up with when it runs: {loss:.1%} are lost")
    return VrpCheck(
        name=found.name,
        rate_pps=budget.rate_pps,
        accepted=not over,
        uses=tuple(uses),
        load_cycles=load_cycles,
        loss_fraction=loss,
        latency_ns=latency,
        cause="; ".join(over),
    )


@dataclass(frozen=True, slots=True, repr=False)
class HierarchyResult:
    """Packets that need more than the engines: who is reached, and what it can spend.

    Attributes:
        messages_per_second: Messages that went up and came back.
        most_messages_per_second: The same if packets never ran out.
        reach_percent: Messages by packets.
        host_cycles_per_message: Cycles that the host has for the work on a message.
        core_cycles_per_message: Cycles that the core has, at the engines' clock.
        engine_wait_ns: What an access of the engines waits for the DRAM.
        engine_wait_alone_ns: The same without core and host.
    """

    preset: str
    rate_pps: float
    packet_bytes: int
    message_bytes: int
    messages_per_second: float
    most_messages_per_second: float
    reach_percent: float
    host_cycles_per_message: float
    core_cycles_per_message: float
    dram_utilization: float
    link_utilization: float
    core_utilization: float
    host_utilization: float
    engine_wait_ns: float
    engine_wait_alone_ns: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def __repr__(self) -> str:
        return f"<HierarchyResult {self.preset}: {self.reach_percent:.1f} % reach the host>"


def hierarchy(
    preset: str = "ixp1200_eval",
    rate: str | float = "1.128Mpps",
    *,
    packet_bytes: int = PACKET_BYTES,
    message_bytes: int | None = None,
    one_in: int = 1,
    set: Settings | None = None,
    packets: int = 200_000,
) -> HierarchyResult:
    """Send packets of a line up to the core and across the link to the host, and see who is reached.

    Args:
        preset: A platform.
        rate: Packets per second.
        packet_bytes: Bytes of a packet.
        message_bytes: Bytes of it that go up and come back; ``None`` for all.
        one_in: Of so many packets one asks to be sent up.
        set: Changes to the preset; ``core.…``, ``pci.…`` and ``host.…`` matter here.
        packets: Packets to simulate.

    Raises:
        ConfigError: Preset, change or request is wrong; every problem is listed.
    """
    problems = [
        ConfigProblem(name, "", f"found {value}, expected 1 to {most}")
        for name, value, most in (
            ("packet bytes", packet_bytes, 65_535),
            ("message bytes", packet_bytes if message_bytes is None else message_bytes, 65_535),
            ("one in", one_in, 2**63),
            ("packets", packets, 2**63),
        )
        if not 1 <= value <= most
    ]
    if problems:
        raise ConfigError.of(problems)
    found = _core.hierarchy(
        preset,
        overrides=api.settings(set),
        rate_pps=parse_rate(rate),
        packet_bytes=packet_bytes,
        message_bytes=packet_bytes if message_bytes is None else message_bytes,
        one_in=one_in,
        packets=packets,
    )
    return convert(found, HierarchyResult)


def budgets_over(
    preset: str,
    rates: Iterable[str | float],
    *,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> tuple[VrpBudget, ...]:
    """The budget at several packet rates."""
    return tuple(vrp_budget(preset, rate, set=set, seed=seed, progress=progress) for rate in rates)
