"""Functions that all requests share: they convert settings, check numbers, and hash files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from linecard.errors import ConfigError, ConfigProblem

TIME_OUT_MAX_SECONDS = 10**9


Settings = Mapping[str, object] | Iterable[str]
ProgressCallback = Callable[[int, int], object]
U64_MAX = 2**64 - 1
# No key takes lists and tables that are nested deeper than this.
_DEEPEST = 8
# Keys of a table that states one value.
_BESIDE_VALUE = frozenset({"value", "unit", "source", "low", "high"})


def check_counts(*, seed: int, packets: int, warmup_packets: int, has_end: bool) -> None:
    """Check the seed, the number of packets and the number of warm-up packets of a request.

    Raises:
        ConfigError: A number is out of range, or a request for generated traffic has 0 packets.
    """
    problems = out_of_range({"seed": seed, "packets": packets, "warmup": warmup_packets}, 0, U64_MAX)
    if packets == 0 and not has_end:
        expected = "expected 1 or more, because 0 is valid only with a capture"
        problems.append(ConfigProblem("packets", "", f"found 0, {expected}"))
    ConfigError.check(problems)


def out_of_range(numbers: Mapping[str, Any], least: int, most: int) -> list[ConfigProblem]:
    """Return one problem for each number that is not an integer or is out of range."""
    problems = []
    for name, value in numbers.items():
        if not hasattr(type(value), "__index__"):
            problems.append(ConfigProblem(name, "", f"found {value!r}, expected a whole number from {least} to {most}"))
        elif not least <= value <= most:
            problems.append(ConfigProblem(name, "", f"found {value}, expected {least} to {most}"))
    return problems


def name_of(argument: str, value: str | PathLike[str]) -> str:
    """Return the name of a preset, or the path of a file, as text.

    Raises:
        ConfigError: The value is neither a name nor a path.
    """
    name = fspath(value) if isinstance(value, PathLike) else value
    if not isinstance(name, str):
        raise ConfigError.at(argument, "", f"found {value!r}, expected a name or the path of a file")
    return name


def mapping_of(argument: str, changes: object) -> dict[str, object]:
    """Convert changes to a new dictionary, and parse the TOML values in texts such as ``dram.banks=2``.

    Raises:
        ConfigError: The changes are neither a mapping nor texts of the form ``key.path=value``.
    """
    if changes is None or isinstance(changes, Mapping):
        return {key: _bare(value) for key, value in _dotted(changes or {}).items()}
    texts = [changes] if isinstance(changes, str) else list(changes) if isinstance(changes, Iterable) else [changes]
    found: dict[str, object] = {}
    for text in texts:
        key, equals, value = text.partition("=") if isinstance(text, str) else ("", "", "")
        if not equals or not key.strip():
            raise ConfigError.at(argument, "", f"found {text!r}, expected KEY=VALUE, such as island.threads=4")
        found[key.strip()] = plain_value(value)
        if isinstance(found[key.strip()], str) and value.strip().startswith(("[", "{")):
            message = f"found `{value.strip()}`, which is not a value; expected TOML, such as [1, 2] or {{value=2}}"
            raise ConfigError.at(argument, key.strip(), message)
    return mapping_of(argument, found)


def _dotted(changes: Mapping[str, object]) -> dict[str, object]:
    """Write the keys of a table with its name, because ``island`` is no key of a chip, but ``island.count`` is one."""
    found: dict[str, object] = {}
    for key, value in changes.items():
        if isinstance(value, Mapping) and value and "." not in key:
            found |= {f"{key}.{name}": each for name, each in value.items()}
        else:
            found[key] = value
    return found


def _bare(value: object) -> object:
    """Return the value of a table that states a value with its unit or its source, as chip files may write it."""
    if not isinstance(value, Mapping) or "value" not in value or not value.keys() <= _BESIDE_VALUE:
        return value
    return f"{value['value']} {value['unit']}" if value.get("unit") else value["value"]


def plain_value(text: str) -> object:
    """Convert a command-line value that is TOML; return every other value, and a date, as text."""
    text = text.strip()
    try:
        found = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        # The text is not TOML, or a number with thousands of digits.
        return text
    is_plain = isinstance(found, (bool, int, float, str, list, dict)) and not _is_deep(found)
    return found if is_plain else text


def _is_deep(value: object, depth: int = 0) -> bool:
    """Return whether lists and tables are nested deeper than any key takes them."""
    several = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return depth > _DEEPEST or any(_is_deep(each, depth + 1) for each in several)


def settings(changes: Settings | None) -> list[str]:
    """Convert changes to the form ``key.path=value``; the values of a mapping are written as TOML.

    Raises:
        ConfigError: A change has no ``=``, or a value cannot be written as TOML.
    """
    if changes is None:
        return []
    if isinstance(changes, str):
        changes = [changes]
    if isinstance(changes, Mapping):
        return [f"{key}={toml_value(key, value)}" for key, value in _dotted(changes).items()]
    texts = list(changes) if isinstance(changes, Iterable) else [changes]
    problems = [
        ConfigProblem("--set", "", f"found {text!r}, expected key.path=value, such as dram.banks=2")
        for text in texts
        if not isinstance(text, str) or text.find("=") < 1
    ]
    ConfigError.check(problems)
    return texts


def toml_value(key: str, value: object) -> str:
    """Write one value as TOML text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, PathLike)):
        value = name_of(key, value)
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(key, each) for each in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_key(name)} = {toml_value(key, each)}" for name, each in value.items()) + "}"
    raise ConfigError.at(
        "set", key, f"found a {type(value).__name__}, expected a number, text, path, bool, list or mapping"
    )


def _toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def file_hash(path: str | PathLike[str]) -> str:
    """The SHA-256 hash of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Arguments that have no effect on the result: how its runs are executed and kept, and further outputs.
_HOW = ("progress", "store", "jobs", "executor")
_OUTPUTS = ("timeline", "timeline_from_us", "timeline_for_us", "pcap_out")


def as_asked(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a question as plain data, without absent ones and those without effect on the result."""
    flat = {**arguments, **arguments.get("options", {})}
    return {
        name: _as_data(value)
        for name, value in flat.items()
        if value is not None and name not in {"options", *_HOW, *_OUTPUTS}
    }


def _as_data(value: Any) -> Any:
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(key): _as_data(each) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return list(map(_as_data, value))
    # The steps of a program that is built in Python.
    return value.to_toml() if hasattr(value, "to_toml") else value


def hashes_of(asked: Any) -> dict[str, str]:
    """The hash of each file that a question names, by the name of the file."""
    if isinstance(asked, str):
        # A change can be a text: key.path=value.
        names = (asked, asked.partition("=")[2])
        return {name: file_hash(name) for name in names if os.path.isfile(name)}  # noqa: PTH113 # text may be no path
    several = asked.values() if isinstance(asked, Mapping) else asked if isinstance(asked, (list, tuple)) else ()
    return {name: found for each in several for name, found in hashes_of(each).items()}


def default_jobs() -> int:
    """Number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
