"""Program traces that Linecard keeps in a folder between runs."""

from __future__ import annotations

import os
from os import PathLike

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.executed.reports import CachedTrace
from linecard.listed import Listed


@plain
def cached_traces(folder: str | PathLike[str]) -> Listed[CachedTrace]:
    """Check and list all traces in a folder (``program_trace(cache=folder)``), the most recently used first.

    Raises:
        ConfigError: The folder cannot be read.
    """
    return Listed(convert(_core.cached_traces(os.fspath(folder)), list[CachedTrace]), CachedTrace)


@plain
def clear_cached_traces(folder: str | PathLike[str]) -> tuple[int, int]:
    """Remove the traces in a folder, but no other file; return the number and the total size of the removed files.

    Raises:
        ConfigError: The folder cannot be read, or a file cannot be removed.
    """
    return _core.clear_cached_traces(os.fspath(folder))
