"""Prints progress and diagnostics on stderr."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from linecard.cli.pieces import DIM
from linecard.cli.plain_text import one_line, printable, shortened
from linecard.errors import CompileError, ConfigError, LinecardError, TrafficError

if TYPE_CHECKING:
    from linecard.flowcache.result import FlowCacheResult
    from linecard.traffic.result import FlowStatistics

SECONDS_BEFORE_PROGRESS = 2.0
DIAGNOSTICS_SHOWN = 8


def errors() -> Console:
    """The console object for stderr."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def diagnose(text: str) -> None:
    """Print one diagnostic on stderr."""
    shown = "\n".join(map(shortened, printable(text).split("\n")))
    errors().print(Text.assemble(("linecard: ", "bold red"), shown))


def note(text: str) -> None:
    """Print one note on stderr."""
    errors().print(Text(one_line(text), style=DIM))


def diagnose_error(error: LinecardError) -> None:
    """Print an error on stderr: the kind of the error, then each problem on a separate line."""
    kind = (
        "configuration" if isinstance(error, ConfigError) else "capture" if isinstance(error, TrafficError) else "run"
    )
    if isinstance(error, CompileError):
        diagnose(str(error))
        return
    problems = error.problems if isinstance(error, ConfigError) else ()
    # A name may hold line ends: each problem is one line.
    whole = [str(error)] if isinstance(error, TrafficError) else str(error).split("\n")
    lines = [str(problem) for problem in problems] or whole
    lines = [one_line(line) for line in lines if line] or [type(error).__name__]
    if len(lines) == 1:
        diagnose(lines[0])
        return
    diagnose(f"{len(lines)} problems with the {kind}:")
    for line in lines:
        errors().print(Text(f"  {line}"))


def diagnose_capture(statistics: FlowStatistics | FlowCacheResult) -> None:
    """Print the first problems of a capture on stderr, and the number of omitted problems."""
    for diagnostic in statistics.diagnostics[:DIAGNOSTICS_SHOWN]:
        diagnose(str(diagnostic))
    more = sum(statistics.damage.values()) - DIAGNOSTICS_SHOWN
    if more > 0:
        note(f"{more:,} more problems; --json lists the first {len(statistics.diagnostics)} in full")


def note_written(paths: Sequence[Path], *, folder: bool = False) -> None:
    """Print the names of the written files on stderr."""
    if not paths:
        return
    if folder:
        parent = min((path.parent for path in paths), key=lambda path: len(path.parts))
        report = next((path for path in paths if path.suffix == ".html"), None)
        shown = f"; read {report}" if report else ""
        note(f"wrote {len(paths)} files into {parent}{shown}")
    else:
        # Stdout needs no note; a device has no manifest.
        names = dict.fromkeys(str(path) for path in paths if str(path) != "-")
        if names:
            note("wrote " + ", ".join(names))


@contextmanager
def progress(what: str, unit: str) -> Iterator[Callable[[float, int], None] | None]:
    """Return a callback that draws a progress bar on stderr after two seconds, if stderr is a terminal."""
    screen = errors()
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=40),
        TaskProgressColumn(),
        TextColumn("{task.fields[count]}", style=DIM),
        TimeRemainingColumn(),
        TextColumn("left", style=DIM),
        console=screen,
        transient=True,
    )
    started = time.monotonic()
    task = bar.add_task(what, total=None, count="", start=False)

    def step(done: float, total: int) -> None:
        if not bar.live.is_started:
            if time.monotonic() - started < SECONDS_BEFORE_PROGRESS:
                return
            bar.start()
            bar.start_task(task)
        count = (f"{int(done):,} of {total:,} {unit}" if total else f"{int(done):,} {unit}").rstrip()
        bar.update(task, completed=done, total=total or None, count=count)

    try:
        yield step
    finally:
        if bar.live.is_started:
            bar.stop()
