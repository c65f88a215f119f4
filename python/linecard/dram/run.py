"""A DRAM part alone, under a trace or a pattern: `dram`."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.dram.result import MemoryResult
from linecard.errors import ConfigError, ConfigProblem, NotWrittenError
from linecard.files import check_apart
from linecard.records import need_polars
from linecard.request import U64_MAX, ProgressCallback, Settings, name_of, out_of_range, settings

# What `dram` runs when nothing is said.
DRAM_POLICY = "frfcfs_open"
DRAM_REQUESTS = 100_000


@plain
def dram(
    device: str | PathLike[str],
    policy: str | PathLike[str] = DRAM_POLICY,
    *,
    trace: str | PathLike[str] | None = None,
    format: str | None = None,  # noqa: A002 # the same word as --format
    pattern: str | None = None,
    count: int | None = None,
    spacing: int | None = None,
    reads: float | None = None,
    narrow: float | None = None,
    seed: int = 1,
    in_flight: int | None = None,
    set: Settings | None = None,
    requests: str | PathLike[str] | None = None,
    commands: str | PathLike[str] | None = None,
    frames: bool = False,
    progress: ProgressCallback | None = None,
) -> MemoryResult:
    """Run a DRAM part alone under a trace or a pattern.

    Args:
        device: Name of a DRAM part (``presets()`` of kind ``dram``), or path of a TOML file.
        policy: Name of a controller's policy (``presets()`` of kind ``policies``), or path of a TOML file.
        trace: File of requests, plain or gzip.
        format: ``"csv"`` (columns ``arrival,op,address`` and, if wanted, ``bytes``), ``"dramsim3"``
            (``address OP clock``) or ``"ramulator"`` (``LD address``); ``None`` finds it out from the first line.
        pattern: ``"stream"``, ``"random"``, ``"bank_conflicts"`` or ``"packet_cells"``, instead of a trace.
        count: Requests of the pattern; ``None`` stands for 100,000.
        spacing: Clocks between requests of the pattern; 0 and ``None`` for as fast as they are accepted.
        reads: Share of reads of the pattern; ``None`` takes 1 (``random``: 2/3).
        narrow: Share of accesses of the pattern that move half as many bytes.
        seed: Seed of the pattern.
        in_flight: Requests accepted and not yet completed, at most.
        set: Changes to part and policy: ``{"timing.tRCD": "15 ns", "policy.page": "closed"}``.
        requests: Write what became of each request to this CSV file.
        commands: Write every command to this CSV file.
        frames: Keep requests and commands as polars data frames in the result (extra ``frames``).
        progress: Called now and then with (requests done, requests in all or 0).

    Raises:
        ConfigError: A preset, a key or an option is wrong; every problem is listed.
        TrafficError: The trace cannot be used; the text has its line and what was expected.

    Example:
        >>> import linecard
        >>> linecard.dram("ddr4_2400", pattern="stream", count=1000).reads
        1000
    """
    problems = []
    if (trace is None) == (pattern is None):
        found = "neither" if trace is None else "both"
        problems.append(ConfigProblem("input", "", f"found {found}, expected a trace or a pattern"))
    asked = {"count": count, "spacing": spacing, "reads": reads, "narrow": narrow}
    if trace is not None:
        problems += [
            ConfigProblem(name, "", "has no effect with a trace; leave it out")
            for name, value in asked.items()
            if value is not None
        ]
    elif format is not None:
        problems.append(ConfigProblem("format", "", "has no effect with a pattern; leave it out"))
    ranges = {"count": count or 0, "spacing": spacing or 0, "seed": seed, "in flight": in_flight or 0}
    problems += out_of_range(ranges, 0, U64_MAX)
    if problems:
        raise ConfigError.of(problems)
    check_apart({"requests": requests, "commands": commands}, device, policy, trace, settings(set))
    if frames:
        need_polars()
    with tempfile.TemporaryDirectory() if frames else nullcontext("") as folder:
        paths = {
            name: fspath(given) if given is not None else str(Path(folder) / name) if frames else None
            for name, given in (("requests", requests), ("commands", commands))
        }
        plain = _core.dram(
            name_of("device", device),
            name_of("policy", policy),
            overrides=settings(set),
            trace=None if trace is None else fspath(trace),
            format=format,
            pattern=pattern or "",
            count=DRAM_REQUESTS if count is None else count,
            spacing=spacing or 0,
            reads=reads,
            narrow=narrow or 0.0,
            seed=seed,
            in_flight=in_flight,
            requests=paths["requests"],
            commands=paths["commands"],
            progress=progress,
        )
        unwritten = plain.pop("unwritten", ())
        result = convert(plain, MemoryResult)
        if unwritten:
            raise NotWrittenError("\n".join(unwritten), result)
        if frames:
            read_csv = need_polars().read_csv
            result = replace(
                result, requests_frame=read_csv(paths["requests"]), commands_frame=read_csv(paths["commands"])
            )
    return result
