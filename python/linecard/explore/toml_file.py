"""Reads the TOML files of a sweep, with the line number of each key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linecard.errors import ConfigError

_LONGEST_FILE = 16 << 20


class Lines:
    """Finds line numbers of keys in a file, because the TOML reader does not report line numbers."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._lines = text.splitlines()

    def at(self, key: str, table: str = "") -> str:
        """Return the file and line of a key; if the key is not found, the line of its table, or only the file."""
        here, found = "", None
        name = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
        for number, line in enumerate(self._lines, start=1):
            if head := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
                here = head[1]
                if here == (table if table else key) and found is None:
                    found = number
                continue
            if here == table and name.match(line):
                return f"{self.name}:{number}"
        return self.name if found is None else f"{self.name}:{found}"


def is_sweep_file(target: str) -> bool:
    """Whether a name refers to a TOML file of the kind `sweep` or `optimize`."""
    path = Path(target)
    try:
        if not path.is_file() or path.suffix != ".toml" or path.stat().st_size > _LONGEST_FILE:
            return False
        head = path.read_text(errors="replace").split("\n[", 1)[0]
    except OSError:
        return False
    return re.search(r"""^\s*kind\s*=\s*["'](sweep|optimize)["']""", head, re.MULTILINE) is not None


def read_table(path: str | Path) -> tuple[dict[str, Any], Lines]:
    """Read a TOML file and the line numbers of its keys.

    Raises:
        ConfigError: The file cannot be read, or is not a valid TOML file.
    """
    path = Path(path)
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise ConfigError(f"{path}: larger than the limit of {_LONGEST_FILE >> 20} MiB")
        text = path.read_text()
        return tomllib.loads(text), Lines(str(path), text)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error


def flat_keys(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Flatten nested tables to dotted keys, so that bare and quoted TOML keys with the same text are equal."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        path = f"{before}{name}"
        # Keep an empty table, so that the reader of the key can refuse it.
        if isinstance(value, Mapping) and value:
            found.update(flat_keys(value, f"{path}."))
        else:
            found[path] = value
    return found
