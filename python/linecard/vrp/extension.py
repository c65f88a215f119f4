"""An extension of the virtual router processor: a list of operations, which a check compares with the budget."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from linecard._arguments import plain as plain_arguments
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem, did_you_mean
from linecard.request import name_of, settings
from linecard.result import Result
from linecard.view import BAR, Bar, Fact, Facts, Part, Said, Table, Title, text, view
from linecard.vrp.budget import keeps_up, line_search, probe_cycles
from linecard.vrp.operation import OPERATIONS, units

if TYPE_CHECKING:
    from linecard.request import ProgressCallback, Settings

# A header of an operation, which TOML allows to contain spaces and to end in a comment.
_HEAD = re.compile(r"""\s*\[\[\s*(ops|"ops"|'ops')\s*\]\]\s*(#.*)?""")
_LOOPS = {"loop", "while", "for", "repeat", "until", "jump", "goto", "branch"}

_KEYS = ("name", "ops", "registers", "instructions")
_ALL_KEYS = ", ".join(_KEYS)


class Op(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation of an extension.

    Attributes:
        op: Name of the operation: ``compute``, ``dram_read``, ``dram_write``, ``sram_read``, ``sram_write`` or
            ``hash``.
        cycles: For ``compute``: number of engine cycles of register instructions, including the cycles that branches
            cost.
        bytes: For reads and writes: size of the transfer in bytes.
        count: For ``hash``: number of hashes.
    """

    op: str
    cycles: int | None = None
    bytes: int | None = None
    count: int | None = None


class Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An extension, as described in its file.

    Attributes:
        name: Name.
        ops: Operations in execution order; each operation is executed for every 64 bytes of a packet.
        registers: Number of registers that the extension uses.
        instructions: Number of instructions of the extension in the instruction store; by default, the number follows
            from the operations.
    """

    name: str
    ops: tuple[Op, ...]
    registers: int = 0
    instructions: int | None = None


@dataclass(frozen=True, slots=True)
class VrpUse:
    """An extension's demand for one resource, and the budget of this resource.

    Attributes:
        resource: Name of the resource.
        used: Amount of the resource that the extension uses.
        budget: Amount of the resource that the extension may use.
    """

    resource: str
    used: float
    budget: float

    @property
    def fits(self) -> bool:
        """Whether the demand is at most the budget."""
        return self.used <= self.budget


@dataclass(frozen=True, slots=True, repr=False)
class VrpCheck(Result):
    """An extension, its budget, and the result of the run at the packet rate.

    Attributes:
        name: Name of the extension.
        rate_pps: Number of 64-byte packets per second.
        accepted: Whether the extension is within every budget and the chip sustains the packet rate in the run.
        uses: The resources, each with the extension's demand and the budget.
        load_cycles: Number of engine cycles for loading the extension into an instruction store.
        loss_fraction: Packet loss in the run, as a fraction; ``None`` if the extension was rejected before the run.
        latency_ns: Mean packet latency in the run; ``None`` if the extension was rejected before the run.
        cause: Reason why the extension was rejected; empty if it was accepted.
    """

    TABLE: ClassVar[str] = "uses"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "rate_pps", "accepted")

    name: str
    rate_pps: float
    accepted: bool
    uses: tuple[VrpUse, ...]
    load_cycles: float
    loss_fraction: float | None
    latency_ns: float | None
    cause: str

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""
        result = Result.to_dict(self)
        for row, use in zip(result["uses"], self.uses, strict=True):
            row["fits"] = use.fits
        return result

    def __repr__(self) -> str:
        return f"<VrpCheck {self.name}: {'accepted' if self.accepted else self.cause}>"


def read_extension(path: Path) -> tuple[Extension, list[int]]:
    """Read an extension file; return the extension and the line numbers of its operations, or report every problem."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise ConfigError.at(str(path), "", f"cannot read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError.at(str(path), "", "is not UTF-8 text, expected the TOML file of an extension") from error
    except ValueError as error:
        # The file is not TOML, or has a number with thousands of digits, which Python does not read.
        raise ConfigError.at(str(path), "", f"not TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError.at(str(path), "", "nested too deeply to be read; write a flat file") from error
    lines = list(enumerate(text.splitlines(), start=1))
    heads = [number for number, line in lines if _HEAD.fullmatch(line)]

    def place(number: int) -> str:
        return f"{path}, line {heads[number]}" if number < len(heads) else str(path)

    def line_of(key: str) -> str:
        stated = (number for number, line in lines if re.match(rf"""\s*(\[+\s*)?["']?{re.escape(key)}\b""", line))
        return next((f"{path}, line {number}" for number in stated), str(path))

    problems = [
        ConfigProblem(line_of(key), key, f"no such key; {did_you_mean(key, _KEYS, f'expected {_ALL_KEYS}')}")
        for key in data
        if key not in _KEYS
    ]
    if not isinstance(data.get("name"), str):
        found = repr(data["name"]) if "name" in data else "none"
        problems.append(
            ConfigProblem(line_of("name"), "name", f'found {found}, expected a text, such as name = "filter"')
        )
    for key in ("registers", "instructions"):
        value = data.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            problems.append(ConfigProblem(line_of(key), key, f"found {value!r}, expected a whole number of 0 or more"))
    ops = data.get("ops", [])
    for number, op in enumerate(ops if isinstance(ops, list) else []):
        problem = _op_problem(op)
        if problem:
            problems.append(ConfigProblem(place(number), "ops", problem))
    if not ops or not isinstance(ops, list):
        found = repr(ops) if ops else "none"
        problems.append(ConfigProblem(line_of("ops"), "ops", f"found {found}, expected at least one [[ops]]"))
    ConfigError.check(problems)
    return convert(data, Extension), heads


def _op_problem(op: Any) -> str:
    """The problem of one operation, if there is one."""
    name = op.get("op") if isinstance(op, dict) else None
    if not isinstance(name, str):
        return f'found {op!r}, expected an operation such as op = "sram_read", bytes = 16'
    if name.lower() in _LOOPS:
        found = f"found {name!r}, but an extension cannot contain loops or jumps"
        return f"{found}; list each operation as many times as it executes per 64 bytes"
    if name not in OPERATIONS:
        hint = did_you_mean(name, OPERATIONS, f"expected one of {', '.join(OPERATIONS)}")
        return f"found {name!r}; {hint}"
    number = OPERATIONS[name][0]
    extra = [key for key in op if key not in {"op", number}]
    if extra and extra[0].lower() in {*_LOOPS, "times", "ops"}:
        found = f"found {extra[0]!r}, but an extension cannot contain loops"
        return f"{found}; list each operation as many times as it executes per 64 bytes"
    if extra:
        return f"{name} has no {extra[0]!r}; expected {number}"
    value = op.get(number)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return f"{name}: found {number} = {value!r}, expected a whole number of at least 1"
    return ""


@plain_arguments
def vrp_check(
    extension: str | PathLike[str],
    chip: str | PathLike[str] = "ixp1200_eval",
    rate: str | float = "1.128Mpps",
    *,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> VrpCheck:
    """Compare an extension with the resources that the chip reserves in ``[vrp]``; if the extension fits, run it.

    Args:
        extension: A TOML file with ``name``, ``[[ops]]`` in execution order, and optionally ``registers`` and
            ``instructions``.
        chip: Name of a shipped chip, or path to a TOML file.
        rate: Number of 64-byte packets per second in the run, such as ``1.128Mpps``.
        set: New values for parameters of the chip, such as ``vrp.cycles=500``.
        seed: Seed of every random stream.
        progress: Function that is called after each simulation with the number of completed simulations, and with 0
            as the total, which is unknown.

    Raises:
        ConfigError: The extension contains a loop, an unknown operation or a count below one, or the chip, a change or
            the rate is invalid.
    """
    found, lines = read_extension(Path(extension))
    chip, changes = name_of("chip", chip), settings(set)
    described, search = line_search(chip, rate, changes, seed, progress)

    def given(key: str) -> float:
        return float(described[f"vrp.{key}"].text)

    used = dict.fromkeys(("cycles", *(resource for _, resource, _ in OPERATIONS.values() if resource)), 0.0)
    # The operation at which each resource exceeds its budget.
    beyond: dict[str, int] = {}
    for place, op in enumerate(found.ops):
        number, resource, cost = OPERATIONS[op.op]
        value = getattr(op, number)
        if resource:
            used[resource] += units(op.op, value)
        used["cycles"] += units(op.op, value) * given(cost) if cost else value if number == "cycles" else 0
        for name in filter(None, ("cycles", resource)):
            if used[name] > given(name) and place < len(lines):
                beyond.setdefault(name, lines[place])
    instructions = found.instructions
    if instructions is None:
        instructions = sum(op.cycles or 1 for op in found.ops)
    used |= {"registers": found.registers, "istore_instructions": instructions}
    # Nine digits are exact up to the rounding errors of a sum, which must not exceed a budget.
    uses = [VrpUse(name, round(number, 9), given(name)) for name, number in used.items()]
    load_cycles = instructions * given("load_accesses") * probe_cycles(chip, changes, "flags", 4)
    over = [
        f"{use.resource}: {use.used:g} used, {use.budget:g} allowed, {use.used - use.budget:g} too many"
        + (f", over the budget from line {beyond[use.resource]} on" if use.resource in beyond else "")
        for use in uses
        if not use.fits
    ]
    loss = latency = None
    if not over:
        ran = search.run([search.step(op.op, getattr(op, OPERATIONS[op.op][0])) for op in found.ops])
        loss, latency = ran.summary.loss_fraction, ran.summary.latency_ns.mean
        if not keeps_up(ran):
            over.append(
                "within the budget, but the chip cannot sustain the rate when it runs the extension; "
                f"it loses {loss:.1%} of the packets"
            )
    return VrpCheck(
        name=found.name,
        rate_pps=search.rate_pps,
        accepted=not over,
        uses=tuple(uses),
        load_cycles=load_cycles,
        loss_fraction=loss,
        latency_ns=latency,
        cause="; ".join(over),
    )


@view.register
def _(result: VrpCheck) -> list[Part]:
    facts = [Fact("Verdict", *(("accepted", "", "best") if result.accepted else ("refused", "", "bad")))]
    if result.cause:
        facts.append(Fact("Reason", "", result.cause))
    if result.loss_fraction is not None and result.latency_ns is not None:
        ran = f"at {result.rate_pps / 1e6:g} Mpps, {result.latency_ns:,.0f} ns per packet"
        facts.append(Fact("Run", f"{result.loss_fraction:.2%} lost", ran))
    facts.append(Fact("Loading", f"{result.load_cycles:,.0f} engine cycles"))
    rows = [
        (
            use.resource.replace("_", " "),
            Bar(use.used / use.budget if use.budget else 0.0, "good" if use.fits else "bad"),
            f"{use.used:g}",
            f"{use.budget:g}",
            Said("fits", "good") if use.fits else Said(f"{use.used - use.budget:g} too many", "bad"),
        )
        for use in result.uses
    ]
    columns = (text("resource"), BAR, "used", "allowed", text(""))
    return [Title(result.name), Facts(facts), Table("Budget", columns, rows, "for every 64 bytes")]
