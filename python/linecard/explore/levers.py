"""The parameters that the throughput of a chip depends on, and the changes that lift a limit.

Both follow from the description of any chip: rules derive the kind of a number from its key. A change consists of
settings in the form of ``--set``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Settings = dict[str, Any]

_WHOLE = frozenset({"count", "engines", "threads", "banks", "channels", "concurrency", "ways", "posted"})
# Rules of inboxes that bind no flow to an engine.
_ONE_LIST = frozenset({"free_list", "least_loaded"})
_SIZES = frozenset(
    {"bytes", "cells", "entries", "pool_bytes", "queue_packets", "window_packets", "send_cells", "slots"}
)
# Lifts by table and key: the factor, the kind of limit, its component, and the text of the change.
_LIFTED: dict[str, tuple[tuple[str, int, str, str, str], ...]] = {
    "link": (("rate_gbps", 2, "link", "{}", "{} at twice the rate"),),
    "port": (
        ("rate_gbps", 2, "port", "{}", "{} at twice the rate"),
        ("queue_packets", 4, "buffer", "queues of {}", "four times the queues of {}"),
    ),
    "buffer": (
        ("bytes", 4, "buffer", "buffer {}", "four times the buffer {}"),
        ("cells", 4, "buffer", "buffer {}", "four times the buffer {}"),
    ),
    "ring": (("entries", 4, "buffer", "{}", "four times the room in {}"),),
    "memory": (("pool_bytes", 4, "buffer", "room in {}", "four times the room for packets in {}"),),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that throughput may depend on.

    Attributes:
        name: The key, or a common name of several keys.
        kind: ``rate`` (a higher rate makes the chip faster), ``time``, ``work`` (cycles), ``count`` or ``size``.
        value: The present value; 1 for several keys with a common factor.
        unit: Unit.
        scaled: Function from a factor to the settings, and to the factor after rounding to whole numbers.
    """

    name: str
    kind: str
    value: float
    unit: str
    scaled: Callable[[float], tuple[Settings, float]]


@dataclass(frozen=True, slots=True)
class Lift:
    """A way to lift a limit.

    Attributes:
        component: The improved part, named as in the results of a run.
        kind: ``engines``, ``threads``, ``place``, ``latency``, ``link``, ``port``, ``shaper``, ``buffer``, ``lock``,
            ``order``.
        text: The change in words.
        settings: The settings of the change.
    """

    component: str
    kind: str
    text: str
    settings: Mapping[str, Any]


class Chip:
    """A chip's parameters, described once."""

    def __init__(self, preset: str, settings: list[str]) -> None:
        """Describe a chip.

        Raises:
            ConfigError: The file is invalid, or not a chip.
        """
        rows = _core.describe(preset, settings)["parameters"]
        self.values: dict[str, Any] = {row["key"]: row["value"] for row in rows}
        self.units: dict[str, str] = {row["key"]: row["unit"] for row in rows}
        self.sources: dict[str, str] = {row["key"]: row["source"] for row in rows}
        if not any(key.startswith("cluster.") for key in self.values):
            message = f'found {preset}, which is not a chip; expected a file with `kind = "chip"`'
            raise ConfigError.of([ConfigProblem("chip", "", message)])

    def number(self, key: str) -> float | None:
        """The value of a key if it is a number above 0; otherwise ``None``."""
        value = self.values.get(key)
        positive = isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
        return float(value) if positive and value is not None else None

    def groups(self, table: str) -> list[str]:
        """Names of a table's components, such as the memories."""
        found = (re.match(rf"{table}\.([^.]+)\.", key) for key in self.values)
        return list(dict.fromkeys(each[1] for each in found if each))

    def keys_of(self, table: str, name: str) -> list[str]:
        """Keys of a component."""
        return [key for key in self.values if key.startswith(f"{table}.{name}.")]

    def in_full(self, changes: Mapping[str, Any]) -> Settings:
        """Changes with full keys, so that a later change replaces an earlier one."""
        ends = {key: [known for known in self.values if known == key or known.endswith(f".{key}")] for key in changes}
        return {ends[key][0] if len(ends[key]) == 1 else key: value for key, value in changes.items()}

    @property
    def pooled(self) -> frozenset[str]:
        """Clusters whose engines share a list of packets, so that a free engine takes the next packet."""
        rules = {name: self.values[f"inbox.{name}.rule"] for name in self.groups("inbox")}
        rules |= {name: self.values.get(f"ring.{name}.rule", "free_list") for name in self.groups("ring")}
        found = []
        for name in self.groups("cluster"):
            takes = self.values.get(f"cluster.{name}.takes", list(rules))
            if takes and all(rules.get(inbox) in _ONE_LIST for inbox in takes):
                found.append(name)
        return frozenset(found)

    # ---- parameters ----

    def parameters(self, *, saturated: bool) -> list[Parameter]:
        """Every number that throughput may depend on. The cycles of all steps are one parameter."""
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
        """Memories whose times no key of the chip sets: DRAM parts."""
        return [
            name
            for name in self.groups("memory")
            if self.values.get(f"memory.{name}.kind") == "dram" and f"memory.{name}.part" in self.values
        ]

    # ---- lifts ----

    def lifts(self) -> list[Lift]:
        """The lifts of a chip: twice the speed, half the latency, twice the threads, four times the capacity."""
        found = [lift for name in self.groups("cluster") for lift in self._of_cluster(name)]
        found += [
            lift for table in ("memory", "unit") for each in self.groups(table) for lift in self._of_place(table, each)
        ]
        for table, rules in _LIFTED.items():
            for name in self.groups(table):
                for last, factor, kind, component, text in rules:
                    found += self._more(
                        f"{table}.{name}.{last}", factor, component.format(name), kind, text.format(name)
                    )
                found += self._latency(table, name) if table == "link" else []
                for key in self.keys_of(table, name) if table == "port" else ():
                    if re.search(r"\.(class|group)\[\d+\]\.rate_gbps$", key):
                        shaper = f"shaper of {self.values[key.replace('.rate_gbps', '.name')]} of {name}"
                        found += self._more(key, 2, shaper, "shaper", f"{shaper} at twice the rate")
        for last in ("bytes", "cells"):
            found += self._more(f"transmit.{last}", 4, "transmit buffer", "buffer", "four times the transmit buffer")
        if self.values.get("order.kept", "none") != "none":
            said = "four times the window of packets in order"
            found += self._more("order.window_packets", 4, "order of packets", "order", said)
            found.append(Lift("order of packets", "order", "no order kept", {"order.kept": "none"}))
        return [*found, *self._locks()]

    def _more(self, key: str, factor: int, component: str, kind: str, text: str) -> list[Lift]:
        value = self.number(key)
        if value is None:
            return []
        more = int(value) * factor if self._is_whole(key) else value * factor
        return [Lift(component, kind, text, {key: more})]

    def _of_cluster(self, name: str) -> list[Lift]:
        clock = self.values.get(f"cluster.{name}.clock")
        rate = self.number(f"clock.{clock}_mhz")
        found = []
        if rate is not None:
            # A separate clock, because other clusters may share theirs.
            own = {f"clock.lifted_{name}_mhz": rate * 2, f"cluster.{name}.clock": f"lifted_{name}"}
            found.append(Lift(f"engines of {name}", "engines", f"engines of {name} at twice the clock", own))
        key = f"cluster.{name}.threads"
        return [*found, *self._more(key, 2, f"threads of {name}", "threads", f"twice the threads in {name}")]

    def _of_place(self, table: str, name: str) -> list[Lift]:
        kind = self.values.get(f"{table}.{name}.kind", "server")
        faster: Settings = {}
        for key in self.keys_of(table, name):
            last = key.rpartition(".")[2]
            value = self.number(key)
            if value is None:
                continue
            if re.fullmatch(r"(access|word|byte|add|test_and_set|swap|write)_(ns|cycles)", last):
                faster[key] = value / 2
            elif last == "rate_gbps":
                faster[key] = value * 2
        if kind == "dram":
            faster = {f"memory.{name}.channels": int(self.values[f"memory.{name}.channels"]) * 2}
        if kind == "slots":
            clock = self.values.get(f"memory.{name}.clock")
            rate = self.number(f"clock.{clock}_mhz")
            faster = {}
            if rate is not None:
                faster = {f"clock.lifted_{name}_mhz": rate * 2, f"memory.{name}.clock": f"lifted_{name}"}
        found = []
        if faster:
            text = f"twice the channels of {name}" if kind == "dram" else f"{name} twice as fast"
            found.append(Lift(name, "place", text, faster))
        if kind == "cached":
            size = f"memory.{name}.cache_bytes"
            found += self._more(size, 4, name, "place", f"four times the cache of {name}")
        return [*found, *self._latency(table, name)]

    def _latency(self, table: str, name: str) -> list[Lift]:
        for unit in ("ns", "cycles"):
            key = f"{table}.{name}.latency_{unit}"
            value = self.number(key)
            if value is not None:
                return [Lift(name, "latency", f"half the latency of {name}", {key: value / 2})]
        return []

    def _locks(self) -> list[Lift]:
        """Lifts of the locks of the chip's program: each not taken, or held half as long if the file numbers it.

        Settings do not reach programs of single clusters.
        """
        held: dict[int, list[int]] = {}
        taken: dict[int, list[str]] = {}
        open_since: dict[int, int] = {}
        steps = [key for key in self.values if re.fullmatch(r"program\.step\[\d+\]\.op", key)]
        for number, key in enumerate(steps):
            if self.values[key] in {"lock", "unlock"}:
                lock = int(self.values.get(f"program.step[{number}].lock", 0))
                taken.setdefault(lock, []).append(key)
                if self.values[key] == "lock":
                    open_since[lock] = number
                elif lock in open_since:
                    held.setdefault(lock, []).extend(range(open_since.pop(lock) + 1, number + 1))
        found = []
        for lock, keys in sorted(taken.items()):
            # A step without a lock must not have the key `lock`, so that a lock that the file numbers stays.
            written = any(self.sources.get(key.replace(".op", ".lock"), "default") != "default" for key in keys)
            if not written:
                settings: Settings = dict.fromkeys(keys, "compute")
                found.append(Lift(f"lock {lock}", "lock", f"lock {lock} not taken", settings))
                continue
            cycles = [f"program.step[{number}].cycles" for number in held.get(lock, [])]
            shorter = {key: round((self.number(key) or 0) / 2) for key in cycles if self.number(key)}
            if shorter:
                found.append(Lift(f"lock {lock}", "lock", f"half the cycles under lock {lock}", shorter))
        return found
