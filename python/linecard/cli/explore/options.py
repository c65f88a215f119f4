"""Options that the exploration commands share, and their messages about the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linecard.cli import stderr
from linecard.cli.options import Exit

if TYPE_CHECKING:
    from linecard.explore.execute import Counts, Interrupted
    from linecard.explore.store import Store, StoreUse

STORE = Path("results/store")
StoreOption = Annotated[
    Path, typer.Option("--store", metavar="DIR", help="Folder that keeps finished runs, for reuse.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Number of parallel runs; by default, one per CPU core.")
]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="Executor: threads, dask (local workers) or dask:ADDRESS (extra: dask).")
]


def say_how_to_go_on(stopped: Interrupted, store: Store) -> None:
    """Print how to continue after an interruption: repeat the same command."""
    stderr.diagnose(
        f"{stopped.done:,} of {stopped.total:,} runs are done and kept in {store.folder}; the same command continues "
        "from there"
    )


def end_by_store(counts: Counts) -> None:
    """Print the remarks of the store, and exit with an error status if the store could not keep some runs.

    Raises:
        typer.Exit: Some runs could not be stored.
    """
    for remark in counts.remarks:
        stderr.diagnose(remark)
    if counts.not_kept:
        raise typer.Exit(Exit.RUN)


def filled(use: StoreUse) -> str:
    """Return the size and the size limit of a store as text."""
    return f"{use.runs:,} runs, {use.used_bytes / 1e6:,.1f} MB of {use.limit_bytes / 1e6:,.0f} MB"
