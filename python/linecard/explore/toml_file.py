"""Files of TOML that a sweep is made of, with the lines in which their keys stand."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linecard.errors import ConfigError

_LONGEST_FILE = 16 << 20


class Lines:
    """Where keys stand in a file; TOML's reader does not say."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._lines = text.splitlines()

    def at(self, key: str, table: str = "") -> str:
        """File and line of a key in a table, or of the table, or the file alone."""
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
    """Whether a name is that of a file that says it is a sweep."""
    path = Path(target)
    try:
        if not path.is_file() or path.suffix != ".toml" or path.stat().st_size > _LONGEST_FILE:
            return False
        head = path.read_text(errors="replace").split("\n[", 1)[0]
    except OSError:
        return False
    return re.search(r"""^\s*kind\s*=\s*["'](sweep|optimize)["']""", head, re.MULTILINE) is not None


def read_table(path: str | Path) -> tuple[dict[str, Any], Lines]:
    """A file of TOML, and where its keys stand.

    Raises:
        ConfigError: It cannot be read, or is no TOML.
    """
    path = Path(path)
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise ConfigError(f"{path}: larger than {_LONGEST_FILE >> 20} MiB, which no such file is")
        text = path.read_text()
        return tomllib.loads(text), Lines(str(path), text)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: no TOML: {error}") from error


def flat_keys(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Dotted keys of nested tables: bare and quoted keys of TOML mean the same here."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        path = f"{before}{name}"
        # An empty table stays, so that whoever reads it can refuse it.
        if isinstance(value, Mapping) and value:
            found.update(flat_keys(value, f"{path}."))
        else:
            found[path] = value
    return found
