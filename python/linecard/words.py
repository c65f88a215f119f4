"""Converts names of parameters and columns to axis labels; the suffix of a name determines the unit."""

from __future__ import annotations

import re
from typing import Any

# A value of a file, as its reader returns it.
Value = int | float | bool | str | tuple[int | float | bool | str, ...]

# Suffixes of names, the longest first, and the notation of each unit.
UNITS = {
    "gbytes_s": "Gbyte/s",
    "per_mcycle": "per million cycles",
    "gbps": "Gbit/s",
    "mbps": "Mbit/s",
    "kbps": "kbit/s",
    "mpps": "Mpps",
    "kpps": "kpps",
    "pps": "packets/s",
    "mops": "million/s",
    "mhz": "MHz",
    "ghz": "GHz",
    "percent": "%",
    "fraction": "share",
    "share": "share",
    "cycles": "cycles",
    "bytes": "bytes",
    "bits": "bits",
    "kib": "KiB",
    "mib": "MiB",
    "words": "words",
    "ns": "ns",
    "ps": "ps",
    "us": "µs",
    "ms": "ms",
    "seconds": "s",
    "nj": "nJ",
    "pj": "pJ",
    "mw": "mW",
    "mm2": "mm²",
}
# Tables of a chip's file that add nothing to the names in them.
TABLES = {"cluster", "memory", "unit", "link", "port", "buffer", "ring"}
KEPT = {"dram": "DRAM", "sram": "SRAM", "crypto": "crypto", "mac": "MAC", "tdm": "TDM", "ndr": "NDR", "pdr": "PDR"}
PERCENTILE = re.compile(r"^p(\d{2,3})$")
NAME = re.compile(r"[A-Za-z_][\w.\[\]]*")


def parts(name: str) -> tuple[str, str]:
    """Split a name into words and a unit; the unit is empty if the name contains no unit.

    >>> parts("cluster.island.threads")
    ('island threads', '')
    >>> parts("latency_p99_ns")
    ('latency, 99th percentile', 'ns')
    """
    steps = [step for step in re.split(r"[.\[\]]+", name) if step]
    if len(steps) > 1 and steps[0] in TABLES:
        steps = steps[1:]
    last = steps[-1] if steps else name
    unit = ""
    for ending, written in UNITS.items():
        if last == ending or last.endswith(f"_{ending}"):
            steps[-1], unit = last[: -len(ending)].strip("_"), written
            break
    words = [KEPT.get(word, word) for step in steps for word in step.split("_") if word]
    percentiles = [word for word in words if PERCENTILE.match(word)]
    if percentiles:
        share = percentiles[0][1:]
        share = f"{share[:2]}.{share[2:]}" if len(share) > 2 else share
        words = [word for word in words if word not in percentiles]
        return f"{' '.join(words)}, {share}th percentile", unit
    return " ".join(words) or unit, unit if words else ""


def label(name: str) -> str:
    """Convert a name to an axis label, with the unit in brackets.

    >>> label("clock.engine_mhz")
    'clock engine (MHz)'
    >>> label("island.count")
    'island count'
    """
    words, unit = parts(name)
    return f"{words} ({unit})" if unit else words


def valued(name: str, value: Any) -> str:
    """Combine the name of a parameter with one of its values.

    >>> valued("engine_mhz", 200)
    'engine 200 MHz'
    >>> valued("island.threads", 4)
    'island threads 4'
    """
    words, unit = parts(name)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{words} {text} {unit}".strip() if unit not in {"", "share"} else f"{words} {text}"


def objective(text: str) -> str:
    """Convert an objective to an axis label that states the metric and whether more or less of it is better.

    >>> objective("max throughput_gbps")
    'throughput (Gbit/s), more is better'
    >>> objective("min threads_in_all / loss_fraction")
    'threads in all / loss, less is better'
    """
    way, _, what = text.partition(" ")
    if way not in {"max", "min"}:
        return label(text)
    words = label(what) if NAME.fullmatch(what) else NAME.sub(lambda found: parts(found[0])[0], what)
    return f"{words}, {'more' if way == 'max' else 'less'} is better"


def value_text(value: Value | list[Any]) -> str:
    """Convert a value from a file to the syntax of ``--set``."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.15g}"
        case list() | tuple():
            return ", ".join(value_text(each) for each in value)
        case _:
            return str(value)
