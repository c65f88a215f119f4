"""The virtual router processor: the operations that an extension can execute for every packet at line rate.

The virtual router processor is described in Spalink 2000, section 4.2. The search runs the forwarding program at a
given packet rate; an extension replaces the routing function. The search adds operations until the chip loses more than
0.1 % of the packets, or until more than 1 % accumulate inside the chip. The headroom of a resource is the largest
number of operations on this resource that the chip sustains. The budget for extensions is a fraction of the headroom.
An extension is a list of operations without loops. A check compares an extension with the resources that the chip's
table ``[vrp]`` reserves for extensions. After the comparison, the check runs the extension.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, ClassVar

from linecard._arguments import plain as plain_arguments
from linecard.catalogue import describe
from linecard.chip.run import run as run_chip
from linecard.errors import ConfigError
from linecard.request import name_of, settings
from linecard.result import Result
from linecard.several import Several
from linecard.view import BAR, Axis, Bar, Chart, Part, Said, Series, Table, Title, text, view, view_of
from linecard.vrp.operation import TRANSFER_BYTES, probe, step
from linecard.words import parts

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.description import Description
    from linecard.request import ProgressCallback, Settings

APP = "vanilla_ip"
# The part of the program that extensions replace.
FUNCTION = "function"
PACKET_BYTES = 64
# The length of a run at a rate. The loss with which the rate still counts as sustained: bursts of a port may overflow
# its buffer. The growth of packets inside that is allowed: large buffers hide an overload for a while.
PACKETS, WARMUP_PACKETS = 20_000, 4_000
LOSS_ALLOWED = 0.001
GROWTH_ALLOWED = 0.01
# The rates that a traffic generator can generate.
RATES_PPS = (1e3, 1e9)
# For each resource: an operation that takes one of it, the number tried first (a power of two), and the largest number
# tried.
_RESOURCES: tuple[tuple[str, str, tuple[str, int], int, int], ...] = (
    ("cycles", "cycles", ("compute", 1), 256, 1 << 20),
    ("dram_reads", "transfers of 32 bytes", ("dram_read", TRANSFER_BYTES), 8, 1 << 10),
    ("dram_writes", "transfers of 32 bytes", ("dram_write", TRANSFER_BYTES), 8, 1 << 10),
    ("sram_transfers", "transfers of 32 bytes", ("sram_read", TRANSFER_BYTES), 8, 1 << 10),
    ("hashes", "hashes", ("hash", 1), 64, 1 << 10),
)
# The roles for which the probe measures one access.
_PROBES = {"dram_reads": "dram_to_engine", "dram_writes": "engine_to_dram", "sram_transfers": "table", "hashes": "hash"}


def parse_rate(text: str | float) -> float:
    """Convert ``1.128Mpps``, ``700kpps`` or ``1e6`` to packets per second.

    Raises:
        ConfigError: The text is not a positive rate.
    """
    found = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([kKmMgG]?)(?:pps)?\s*", str(text))
    try:
        rate = float(found[1]) * {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}[found[2].lower()] if found else 0.0
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1e12:
        raise ConfigError.at("rate", "", f"found {text!r}, expected packets per second, such as 1.128Mpps")
    return rate


@dataclass(frozen=True, slots=True)
class VrpResource:
    """One resource of a budget; all amounts are per 64 bytes of a packet.

    Attributes:
        resource: Name.
        unit: Unit of ``head_room`` and ``budget``.
        head_room: Largest amount of the resource at which the chip sustains the packet rate, if the extension uses no
            other resource.
        budget: Amount of the resource that extensions may use: a part of the headroom.
        cost_cycles: Engine cycles of one operation on an unloaded chip. The engine cycles of an operation also count
            towards the cycle budget.
    """

    resource: str
    unit: str
    head_room: int
    budget: int
    cost_cycles: float


@dataclass(frozen=True, slots=True, repr=False)
class VrpBudget(Result):
    """The resources that extensions may use at a given packet rate.

    Attributes:
        chip: Name of the chip.
        rate_pps: Number of 64-byte packets per second.
        margin_percent: Percentage of the headroom that extensions may use.
        resources: The resources, beginning with engine cycles.
        registers: Number of registers that an extension may use.
        istore_instructions: Free space in the instruction store, in instructions.
        runs: Number of simulations in the search.
    """

    TABLE: ClassVar[str] = "resources"
    ASKED: ClassVar[tuple[str, ...]] = ("chip", "rate_pps", "margin_percent")

    chip: str
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
        raise KeyError(f"no resource {resource!r}; expected one of {', '.join(row.resource for row in self.resources)}")

    def __repr__(self) -> str:
        return f"<VrpBudget {self.chip} at {self.rate_pps / 1e6:g} Mpps: {self['cycles'].budget} cycles>"


def keeps_up(result: RunResult) -> bool:
    """Whether a chip sustains the load of a run: almost no packets are lost, and almost none accumulate in the chip."""
    growth = result.metric("total", "packets_inside_at_end") - result.metric("total", "packets_inside_at_start")
    return result.summary.loss_fraction <= LOSS_ALLOWED and growth <= GROWTH_ALLOWED * result.summary.packets_in


class Search:
    """Runs one chip with different extensions at one packet rate, and finds the largest sustainable extension."""

    def __init__(
        self,
        chip: str,
        rate_pps: float,
        changes: list[str],
        seed: int,
        tick: Callable[[], object],
        instruction_cycles: float = 1.0,
    ) -> None:
        self.rate_pps = rate_pps
        self._chip, self._changes, self._seed = chip, changes, seed
        self._instruction_cycles = instruction_cycles
        self._tick = tick
        self.runs = 0

    def run(self, extension: Sequence[Mapping[str, str | int]]) -> RunResult:
        """Run the forwarding program with an extension at the packet rate."""
        self._tick()
        self.runs += 1
        line = [
            "traffic.kind=fixed",
            f"traffic.packet_bytes={PACKET_BYTES}",
            "traffic.arrivals=back_to_back",
            f"traffic.rate_gbps={self.rate_pps * PACKET_BYTES * 8 / 1e9!r}",
        ]
        if extension:
            line += settings({"program.extension": list(extension)})
        return run_chip(
            self._chip,
            program=APP,
            set=[f'program.without=["{FUNCTION}"]', *self._changes, *line],
            seed=self._seed,
            packets=PACKETS,
            warmup_packets=WARMUP_PACKETS,
            verdict=False,
        )

    def step(self, op: str, number: int, times: int = 1) -> dict[str, str | int]:
        """Convert an operation to a step of the program, with ``times`` repetitions."""
        # Cycles count as no-ops, as the report adds them: instructions with branches among them take longer.
        times = round(number * times / self._instruction_cycles) if op == "compute" else times
        return step(op, 1 if op == "compute" else number, times)

    def most(self, op: str, number: int, first: int, limit: int) -> int:
        """Find the largest number of operations that the chip sustains; the search begins with ``first`` operations."""

        def sustains(count: int) -> bool:
            return keeps_up(self.run([self.step(op, number, count)]))

        low, high = 0, first
        if sustains(first):
            low, high = first, first * 2
            while high < limit and sustains(high):
                low, high = high, high * 2
        else:
            while high > 1 and not sustains(high // 2):
                high //= 2
            low = high // 2
        while high - low > max(low // 100, 1):
            middle = (low + high) // 2
            if sustains(middle):
                low = middle
            else:
                high = middle
        return low


def _cost_cycles(chip: str, changes: list[str], resource: str) -> float:
    """Engine cycles of one operation without load, as measured by the probe."""
    if resource not in _PROBES:
        return 1.0
    return probe_cycles(chip, changes, _PROBES[resource], 4 if resource == "hashes" else TRANSFER_BYTES)


def probe_cycles(chip: str, changes: list[str], role: str, size: int) -> float:
    """Engine cycles that one thread takes for an access of ``size`` bytes to the memory with the role ``role``."""
    alone = ["traffic.arrivals=saturated", "input.engines=1", "input.threads=1", "in.count=1"]
    result = run_chip(
        chip, program="probe", set=[*changes, *alone, *probe(role, size)], packets=200, warmup_packets=10, verdict=False
    )
    return result.metric("input", "engine_cycles_per_packet")


def line_search(
    chip: str, rate: str | float, changes: list[str], seed: int, progress: ProgressCallback | None
) -> tuple[Description, Search]:
    """Read a chip that accepts extensions, and check that the chip sustains the packet rate without an extension.

    Raises:
        ConfigError: The chip, a change or the rate is invalid, or the chip does not sustain the rate even without an
            extension.
    """
    rate_pps, done = parse_rate(rate), 0
    if not RATES_PPS[0] <= rate_pps <= RATES_PPS[1]:
        expected = f"expected {RATES_PPS[0]:g} to {RATES_PPS[1]:g} packets per second; is the unit missing? (1.128Mpps)"
        raise ConfigError.at("rate", "", f"found {rate_pps:g}, {expected}")

    def tick() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, 0)

    described = describe(chip, changes)
    if not any(parameter.key.startswith("vrp.") for parameter in described.parameters):
        message = f"`{chip}` has no table [vrp] with the resources for extensions"
        raise ConfigError.at("chip", "", f"{message}; choose another chip, such as ixp1200_eval")
    lost = float(described["cluster.input.branch_share"].text) * float(
        described["cluster.input.branch_lost_cycles"].text
    )
    search = Search(chip, rate_pps, changes, seed, tick, 1 + lost)
    try:
        bare = search.run([])
    except ConfigError as error:
        raise of_rate(error) from None
    if not keeps_up(bare):
        found = f"found {rate_pps / 1e6:g} Mpps; the chip cannot sustain this rate even when it only forwards packets"
        loses = f"it loses {bare.summary.loss_fraction:.1%} of the packets"
        raise ConfigError.at("rate", "", f"{found}; {loses}, expected a rate that {chip} sustains")
    return described, search


@plain_arguments
def vrp_budget(
    chip: str | PathLike[str] = "ixp1200_eval",
    rate: str | float = "1.128Mpps",
    *,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> VrpBudget:
    """Find how many operations a program can execute for every 64 bytes while it forwards packets at a given rate.

    Args:
        chip: Name of a shipped chip, or path to a TOML file; the search runs the chip's program ``vanilla_ip``.
        rate: Number of 64-byte packets per second, such as ``"1.128Mpps"``.
        set: New values for parameters of the chip.
        seed: Seed of every random stream.
        progress: Function that is called after each simulation with the number of completed simulations and 0,
            because the total is unknown.

    Returns:
        The headroom of each resource if no other resource is used, and the part of this headroom that extensions may
        use.

    Raises:
        ConfigError: The chip, a change or the rate is invalid, or the chip does not sustain the rate even without an
            extension.
    """
    chip, changes = name_of("chip", chip), settings(set)
    described, search = line_search(chip, rate, changes, seed, progress)
    margin = float(described["vrp.margin_percent"].text)
    resources = []
    for name, unit, operation, first, limit in _RESOURCES:
        head_room = search.most(*operation, first, limit)
        cost = _cost_cycles(chip, changes, name)
        resources.append(VrpResource(name, unit, head_room, int(head_room * margin / 100), cost))
    return VrpBudget(
        chip=chip,
        rate_pps=search.rate_pps,
        margin_percent=margin,
        resources=tuple(resources),
        registers=int(described["vrp.registers"].text),
        istore_instructions=int(described["vrp.istore_instructions"].text),
        runs=search.runs,
    )


@view.register
def _(result: VrpBudget) -> list[Part]:
    title = f"{result.chip} at {result.rate_pps / 1e6:g} Mpps of 64 bytes"
    also = f"{result.registers} registers, {result.istore_instructions} instructions in the instruction store"
    rows = [
        (
            row.resource.replace("_", " "),
            row.head_room,
            Bar(row.budget / row.head_room if row.head_room else 0.0),
            row.budget,
            f"{row.cost_cycles:.0f}",
            row.unit,
        )
        for row in result.resources
    ]
    columns = (text("resource"), "headroom", BAR, "budget", "cycles per operation", text("unit"))
    said = f"per 64 bytes; the budget is {result.margin_percent:g} % of the headroom"
    return [Title(title), Table("Work in addition to forwarding", columns, rows, said, below=(Said(also, "dim"),))]


def of_rate(error: ConfigError) -> ConfigError:
    """Name the rate as the cause of each problem of the bandwidth, as which the rate was set."""
    return ConfigError.of(
        [
            replace(problem, place="rate", key="") if problem.key == "traffic.rate_gbps" else problem
            for problem in error.problems
        ]
    )


class VrpBudgets(Several[VrpBudget]):
    """The budgets for extensions at several packet rates."""


def budgets_over(
    chip: str,
    rates: Iterable[str | float],
    *,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> VrpBudgets:
    """Compute the budgets for extensions at several packet rates."""
    found = [vrp_budget(chip, rate, set=set, seed=seed, progress=progress) for rate in rates]
    return VrpBudgets(found, "budgets", "rate_pps")


@view.register
def _(result: VrpBudgets) -> list[Part]:
    found: list[Part] = [part for each in result.results for part in view_of(each)]
    if len(result.results) == 1:
        return found
    rates = Axis("packets of 64 bytes, kpps", zero=True)

    def over(*names: str) -> list[Series]:
        return [
            Series(
                parts(name)[0] if len(names) > 1 else "",
                [(each.rate_pps / 1e3, each[name].budget) for each in result.results],
            )
            for name in names
        ]

    transfers = over("dram_reads", "dram_writes", "sram_transfers")
    return [
        Title(f"{result.results[0].chip} at {len(result.results)} rates of packets of 64 bytes"),
        *found,
        Chart("Cycles", rates, Axis("cycles per packet", zero=True), over("cycles")),
        Chart("Transfers", rates, Axis("transfers of 32 bytes per packet", zero=True), transfers),
        Chart("Hashes", rates, Axis("hashes per packet", zero=True), over("hashes")),
    ]
