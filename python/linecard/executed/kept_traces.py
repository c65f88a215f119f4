"""Traces that a folder keeps from one run to the next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.executed.reports import CachedTrace
from linecard.listed import Listed

if TYPE_CHECKING:
    from os import PathLike


@plain
def cached_traces(folder: str | PathLike[str]) -> Listed[CachedTrace]:
    """The traces that a folder keeps (``program_trace(cache=folder)``), those used last first; each is checked.

    Raises:
        ConfigError: The folder cannot be read.
    """
    return Listed(convert(_core.cached_traces(os.fspath(folder)), list[CachedTrace]), CachedTrace)


@plain
def clear_cached_traces(folder: str | PathLike[str]) -> tuple[int, int]:
    """Remove the traces of a folder and nothing else in it: how many files and bytes went.

    Raises:
        ConfigError: The folder cannot be read, or a file not be removed.
    """
    return _core.clear_cached_traces(os.fspath(folder))
