"""Replacements for stdout and stderr that let the command continue after a write error (full disk, closed descriptor).

After a write error on stdout, the command still writes its files, then prints one sentence about the error, and ends
with an error status. Write errors on stderr do not change the status, because stderr contains no results.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

_STDOUT, _STDERR = 1, 2


class _Patient(io.FileIO):
    """The descriptor of stdout. It keeps the first error and discards all later output."""

    error: OSError | None = None
    is_closed_pipe = False

    def write(self, data: Any) -> int:
        if self.error is None and not self.is_closed_pipe:
            try:
                return super().write(data) or 0
            except BrokenPipeError:
                # The command ends; Python writes the rest of its buffer, which must not fail again.
                self.is_closed_pipe = True
                raise
            except OSError as error:
                self.error = error
        return len(data)


class _Lossy(io.FileIO):
    """The descriptor of stderr. It discards output that cannot be written."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def take_over() -> None:
    """Replace stdout and stderr if they are file descriptors 1 and 2; in tests, they are other streams."""
    for number in (_STDOUT, _STDERR):
        try:
            os.fstat(number)
        except OSError:
            # The next file that is opened must not become stdout.
            nothing = os.open(os.devnull, os.O_RDONLY if number == _STDOUT else os.O_WRONLY)
            os.dup2(nothing, number)
    if sys.stderr is None:
        sys.stderr = open(_STDERR, "w", closefd=False)  # noqa: SIM115 # for the rest of the process
    sys.stdout = _over(sys.stdout, _Patient, _STDOUT)
    sys.stderr = _over(sys.stderr, _Lossy, _STDERR)


def _over(stream: Any, kind: type[io.FileIO], number: int) -> Any:
    """Return a stream that writes to a descriptor through `kind`, or `stream` if it writes elsewhere."""
    try:
        if stream is not None and stream.fileno() != number:
            return stream
    except (AttributeError, OSError, ValueError):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(kind(number, "wb", closefd=False)),
        encoding=getattr(stream, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=getattr(stream, "line_buffering", False),
    )


def is_closed_pipe() -> bool:
    """Whether the reader of stdout has closed the pipe."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, _Patient) and raw.is_closed_pipe


def problem() -> str | None:
    """The reason why the output did not reach stdout, or `None`."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(raw, _Patient):
        return None
    sys.stdout.flush()
    return None if raw.error is None else f"cannot write to stdout: {raw.error.strerror or raw.error}"
