"""The parameters that determine the throughput of a chip, and the changes that remove a limit on the throughput.

The parameters are read from the chip's file. The key of a parameter determines its kind, for example a rate or a size.
The Rust core lists the changes that remove a limit on the throughput (``crates/chips/src/lifts.rs``). A change consists
of keys with their new values, as for the option ``--set``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from linecard import _core
from linecard._convert import convert
from linecard.errors import ConfigError
from linecard.explore.reports import Lift
from linecard.numbers import is_number

Settings = dict[str, Any]

_WHOLE = frozenset({"count", "engines", "threads", "banks", "channels", "concurrency", "ways", "posted"})
# Rules of inboxes that bind no flow to an engine.
_ONE_LIST = frozenset({"free_list", "least_loaded"})
_SIZES = frozenset(
    {"bytes", "cells", "entries", "pool_bytes", "queue_packets", "window_packets", "send_cells", "slots"}
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A numeric parameter that may affect the throughput.

    Attributes:
        name: The key, or one name for a group of keys that are scaled together.
        kind: Kind of the parameter: ``rate`` (a higher rate makes the chip faster), ``time``, ``work`` (cycles),
            ``count`` or ``size``.
        value: The current value of the key; always 1 if the parameter is a factor that scales several keys.
        unit: Unit.
        scaled: Function that scales the parameter by a factor and rounds the new values. The function returns the
            rounded values, and the actual factor after rounding.
    """

    name: str
    kind: str
    value: float
    unit: str
    scaled: Callable[[float], tuple[Settings, float]]


class Chip:
    """The parameters of a chip, which the constructor reads from the chip's file."""

    def __init__(self, preset: str, settings: list[str]) -> None:
        """Describe a chip.

        Raises:
            ConfigError: The file is invalid, or not a chip.
        """
        self._preset, self._settings = preset, settings
        rows = _core.describe(preset, settings)["parameters"]
        self.values: dict[str, Any] = {row["key"]: row["value"] for row in rows}
        self.units: dict[str, str] = {row["key"]: row["unit"] for row in rows}
        if not any(key.startswith("cluster.") for key in self.values):
            message = f'found {preset}, which is not a chip; expected a file with `kind = "chip"`'
            raise ConfigError.at("chip", "", message)

    def number(self, key: str) -> float | None:
        """Return the value of a key; ``None`` unless the value is a number above 0."""
        value = self.values.get(key)
        return float(value) if is_number(value) and value > 0 else None

    def groups(self, table: str) -> list[str]:
        """Return the names of all components of one type, for example of all memories."""
        found = (re.match(rf"{table}\.([^.]+)\.", key) for key in self.values)
        return list(dict.fromkeys(each[1] for each in found if each))

    def in_full(self, changes: Mapping[str, Any]) -> Settings:
        """Return the changes with abbreviated keys expanded to full keys.

        A later change of a key replaces an earlier change.
        """
        ends = {key: [known for known in self.values if known == key or known.endswith(f".{key}")] for key in changes}
        return {ends[key][0] if len(ends[key]) == 1 else key: value for key, value in changes.items()}

    @property
    def pooled(self) -> frozenset[str]:
        """Clusters whose engines share one packet queue, from which an idle engine takes the next packet."""
        rules = {name: self.values[f"inbox.{name}.rule"] for name in self.groups("inbox")}
        rules |= {name: self.values.get(f"ring.{name}.rule", "free_list") for name in self.groups("ring")}
        found = []
        for name in self.groups("cluster"):
            takes = self.values.get(f"cluster.{name}.takes", list(rules))
            if takes and all(rules.get(inbox) in _ONE_LIST for inbox in takes):
                found.append(name)
        return frozenset(found)

    def parameters(self, *, saturated: bool) -> list[Parameter]:
        """Return every parameter that may affect the throughput.

        A single parameter represents the cycles of all program steps.
        """
        found = []
        steps = [key for key in self.values if re.fullmatch(r"program\.step\[\d+\]\.cycles", key) and self.number(key)]
        if steps:
            found.append(Parameter("program cycles", "work", 1.0, "", self._all(steps)))
        for key in self.values:
            value = self.number(key)
            kind = self._kind(key)
            if value is None or kind is None or (saturated and key.startswith("traffic.")):
                continue
            found.append(Parameter(key, kind, value, self.units[key], self._one(key, whole=self._is_whole(key))))
        return found

    def _kind(self, key: str) -> str | None:
        table, _, _ = key.partition(".")
        last = key.rpartition(".")[2]
        if table == "clock":
            return "rate"
        if last.endswith("_gbps"):
            return "rate"
        if table in {"program", "bind", "traffic"}:
            return None
        if last.endswith("_ns"):
            return "time"
        if last.endswith("_cycles") and not last.startswith("branch"):
            return "work"
        if last in _WHOLE and not (table == "port" and last == "count"):
            return "count"
        return "size" if last in _SIZES else None

    def _is_whole(self, key: str) -> bool:
        return isinstance(self.values[key], int)

    def _grain(self, key: str) -> int:
        """The number that divides a size: a cell, or a page of each pool."""
        table, _, last = key.partition(".")
        if last.endswith(".pool_bytes"):
            memory = key.removesuffix(".pool_bytes")
            return int(self.values.get(f"{memory}.page_bytes", 64)) * int(self.values.get(f"{memory}.pools", 1))
        return 64 if table in {"buffer", "transmit"} and key.endswith("bytes") else 1

    def _one(self, key: str, *, whole: bool) -> Callable[[float], tuple[Settings, float]]:
        value = self.number(key) or 0.0
        grain = self._grain(key)

        def scaled(factor: float) -> tuple[Settings, float]:
            wanted = value * factor
            if not whole:
                exact = float(f"{wanted:.9g}")
                return {key: exact}, exact / value
            near = round(wanted / grain) * grain
            if near == value:
                # The next whole number in that direction is the smallest step.
                near = int(value) + (grain if factor > 1 else -grain)
            near = max(grain, near)
            return {key: near}, near / value

        return scaled

    def _all(self, keys: list[str]) -> Callable[[float], tuple[Settings, float]]:
        before = sum(float(self.values[key]) for key in keys)

        def scaled(factor: float) -> tuple[Settings, float]:
            changed = {key: max(0, round(float(self.values[key]) * factor)) for key in keys}
            return changed, sum(changed.values()) / before

        return scaled

    @property
    def scales_out_of_reach(self) -> list[str]:
        """Memories whose timing comes from a DRAM part, not from keys of the chip."""
        return [
            name
            for name in self.groups("memory")
            if self.values.get(f"memory.{name}.kind") == "dram" and f"memory.{name}.part" in self.values
        ]

    def lifts(self) -> tuple[Lift, ...]:
        """Return changes that remove limits: speed or thread count × 2, latency ÷ 2, or capacity × 4."""
        return convert(_core.lifts(self._preset, self._settings), tuple[Lift, ...])
