"""Shared code of the exploration commands: the store, the progress of runs, and the end of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linecard.cli import stderr
from linecard.cli.options import Exit
from linecard.cli.output import Outputs

if TYPE_CHECKING:
    from linecard.explore.execute import Counts
    from linecard.explore.store import StoreUse

StoreOption = Annotated[
    Path, typer.Option("--store", metavar="DIR", help="Folder in which Linecard stores finished runs, for reuse.")
]


@contextmanager
def reported(store: Path) -> Iterator[Callable[[float, int], None] | None]:
    """Show the progress of runs; if the user interrupts the command, print how to continue."""
    from linecard.explore.execute import Interrupted

    try:
        with stderr.progress("Simulating", "runs") as progress:
            yield progress
    except Interrupted as stopped:
        stderr.diagnose(
            f"{stopped.done:,} of {stopped.total:,} runs are complete and kept in {store}; repeat the command to "
            "execute the missing runs"
        )
        raise


def answered(function: Callable[..., Any], outputs: Outputs, asked: dict[str, Any]) -> Any:
    """Call a function that simulates runs, and print its result, the numbers of runs, and warnings about the store."""
    with reported(asked["store"]) as progress:
        result = function(**asked, progress=progress)
    outputs.give(result)
    counts = result.counts
    if counts.found + counts.run + counts.refused:
        stderr.note(
            f"{counts.found:,} runs reused, {counts.run:,} executed, {counts.refused:,} refused; results are kept in "
            f"{asked['store']}"
        )
    for remark in counts.remarks:
        stderr.diagnose(remark)
    return result


def end(counts: Counts, *, answered: bool = True) -> None:
    """Exit with an error status if the command found no result, or if the store could not keep some runs.

    Raises:
        typer.Exit: The exit status for failed runs.
    """
    if counts.not_kept or not answered:
        raise typer.Exit(Exit.RUN)


def filled(use: StoreUse) -> str:
    """Return the size and the size limit of a store as text."""
    return f"{use.runs:,} runs, {use.used_bytes / 1e6:,.1f} MB of {use.limit_bytes / 1e6:,.0f} MB"
