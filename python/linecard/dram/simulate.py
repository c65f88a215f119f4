"""The implementation of `linecard.dram`, which simulates a DRAM part without a chip, with a trace or a pattern."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from linecard import _core
from linecard._convert import convert
from linecard._options import options
from linecard.dram.result import MemoryResult
from linecard.errors import ConfigError, ConfigProblem, NotWrittenError
from linecard.files import check_apart
from linecard.records import need_polars
from linecard.request import U64_MAX, name_of, out_of_range, settings

if TYPE_CHECKING:
    from linecard._schema import Dram
    from linecard.request import ProgressCallback


def simulate(asked: Dram, progress: ProgressCallback | None) -> MemoryResult:
    """Simulate a DRAM part without a chip, with a trace or a pattern; see :func:`linecard.dram`."""
    given = {each.name: getattr(asked, each.name) for each in options("dram")}
    given |= {"set": settings(asked.set), "device": name_of("device", asked.device)}
    given["policy"] = name_of("policy", asked.policy)
    problems = []
    if (asked.trace is None) == (asked.pattern is None):
        found = "neither" if asked.trace is None else "both"
        problems.append(ConfigProblem("input", "", f"found {found}, expected a trace or a pattern"))
    if asked.trace is not None:
        problems += [
            ConfigProblem(name, "", "has no effect with a trace; omit it")
            for name, usual in (("count", None), ("spacing", None), ("reads", None), ("narrow", None), ("seed", 1))
            if given[name] != usual
        ]
    elif asked.format is not None:
        problems.append(ConfigProblem("format", "", "has no effect with a pattern; omit it"))
    counts = {name: given[name] or 0 for name in ("count", "spacing", "seed", "in_flight")}
    problems += out_of_range({name.replace("_", " "): value for name, value in counts.items()}, 0, U64_MAX)
    ConfigError.check(problems)
    outputs = {"requests": asked.requests, "commands": asked.commands}
    check_apart(outputs, asked.device, asked.policy, asked.trace, given["set"])
    if asked.frames:
        need_polars()
    with tempfile.TemporaryDirectory() if asked.frames else nullcontext("") as folder:
        for name, file in outputs.items():
            given[name] = Path(folder) / name if file is None and asked.frames else file
        request = {name: fspath(value) if isinstance(value, PathLike) else value for name, value in given.items()}
        plain = _core.dram(request, progress=progress)
        unwritten = plain.pop("unwritten", ())
        result = convert(plain, MemoryResult)
        if unwritten:
            raise NotWrittenError("\n".join(unwritten), result)
        if asked.frames:
            read_csv = need_polars().read_csv
            frames = {f"{name}_frame": read_csv(given[name]) for name in outputs}
            result = replace(result, **frames)
    return result
