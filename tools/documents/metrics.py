"""The page of results: every metric of a run, and every attribute of a result.

Names and units come from the code: shipped chips run for a few packets, and results list their fields.
``metric_words.toml`` has the meaning of each metric.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import linecard
from tools.documents.markdown import attributes, code, first_sentences, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from linecard.records import Number

_SUFFIXES = {
    "_gbps": "Gbit/s",
    "_mbps": "Mbit/s",
    "_gbytes_s": "GB/s",
    "_mpps": "million packets/s",
    "_pps": "packets/s",
    "_mops": "million operations/s",
    "_ns": "ns",
    "_us": "µs",
    "_ms": "ms",
    "_seconds": "s",
    "_percent": "%",
    "_points": "percentage points",
    "_fraction": "0 to 1",
    "_share": "0 to 1",
    "_rate": "0 to 1",
    "_bytes": "bytes",
    "_kb": "KB",
    "_cycles": "cycles",
    "_clocks": "clocks",
    "_packets": "packets",
    "_nj": "nJ",
    "_mw": "mW",
    "_mm2": "mm²",
}
# Runs whose reports contain numbers that no chip reports by default.
_MORE: tuple[dict[str, Any], ...] = (
    {"chip": "ixp1200", "program": "l3fwd16", "set": ["cache.entries=64"]},
    {"chip": "ixp1200", "program": "l3fwd16", "set": ["queues.manager=qc"]},
    {"chip": "ixp1200", "program": "nat"},
    {"chip": "ixp1200", "program": "firewall"},
    {"chip": "nfp4000", "program": "stateful_firewall"},
    {"chip": "example_smartnic", "trace": "examples/captures/dual-stack.pcap.gz"},
    {"chip": "docs/reference/specimens/chip.toml"},
)


def metrics_page() -> str:
    """Every metric and every attribute of a result, as Markdown."""
    return "\n".join(
        (
            "# Metrics and results\n",
            "## Metrics of a run\n",
            "The long table of `linecard run`: `-o FILE.csv`, `-o FILE.parquet`, `metrics` in the JSON, "
            "`result.metric(component, metric)` in "
            "Python. A component is a dotted path such as `island.3`. Fractions are between 0 and 1 unless the name "
            "says `percent`.\n",
            *table(("metric", "unit", "of", "meaning and definition"), _metrics()),
            "",
            *_results(),
        )
    )


def reported() -> dict[str, str]:
    """All metrics that runs report, with their units; in names, placeholders replace numbers and names of parts."""
    chips = [{"chip": preset.name} for preset in linecard.presets() if preset.kind == "platforms"]
    found: dict[str, list[str]] = {}
    for request in (*chips, *_MORE):
        result = linecard.run(**request, packets=300, warmup_packets=100, verdict=False)
        for each in result.metrics:
            name = re.sub(r"_below_\d+_kib_", "_below_N_kib_", each.metric)
            if each.component == "packet":
                name = "time_PART"
            units = found.setdefault(name, [])
            if each.unit not in units:
                units.append(each.unit)
    return {name: ", ".join(units) for name, units in found.items()}


def _metrics() -> Iterator[tuple[str, str, str, str]]:
    words = tomllib.loads(Path(__file__).with_name("metric_words.toml").read_text(encoding="utf-8"))["metric"]
    units = reported()
    known = {name for each in words for name in each["names"]}
    # The meanings of the first numbers of a run are listed with them.
    meanings = attributes(linecard.Summary)
    beside = [name for name in linecard.Summary.NUMBERS if name in units and name not in known]
    words += [{"names": [name], "of": "total", "meaning": meanings[name]} for name in beside]
    known.update(beside)
    assert known == units.keys(), f"metric_words.toml and runs differ in {sorted(known ^ units.keys())}"
    for each in words:
        shown = dict.fromkeys(units[name] for name in each["names"])
        yield ", ".join(map(code, each["names"])), "; ".join(shown), each["of"], each["meaning"]


def _results() -> Iterator[str]:
    yield "## Attributes of results\n"
    yield (
        "Functions return these classes, and `--json` prints their attributes. "
        "[The guide](../guide/python.md) shows them in use.\n"
    )
    for name in sorted(vars(linecard)["__all__"]):
        shape = getattr(linecard, name)
        if not inspect.isclass(shape):
            continue
        declared = getattr(shape, "NUMBERS", {})
        fields = [(each.name, _unit(each.name, declared.get(each.name))) for each in _fields(shape)]
        if not fields:
            continue
        meanings = attributes(shape)
        yield f"### `{name}`\n"
        yield f"{first_sentences(shape)}\n"
        yield from table(
            ("attribute", "unit", "meaning"), ((code(each), unit, meanings.get(each, "")) for each, unit in fields)
        )
        yield ""


def _fields(shape: type) -> tuple[Any, ...]:
    if dataclasses.is_dataclass(shape):
        return tuple(each for each in dataclasses.fields(shape) if not each.name.startswith("_"))
    if issubclass(shape, msgspec.Struct):
        return msgspec.structs.fields(shape)
    return ()


def _unit(name: str, declared: Number | None) -> str:
    if declared and declared.unit not in {"fraction", ""}:
        return declared.unit
    return next((unit for suffix, unit in _SUFFIXES.items() if name.endswith(suffix)), "")
