"""Options of the exploration commands, and their messages about the store."""

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
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Runs in parallel; one per core by default.")]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="threads, dask (local workers) or dask:ADDRESS (extra: dask).")
]


def say_how_to_go_on(stopped: Interrupted, store: Store) -> None:
    """Say that the same command continues after the interruption."""
    stderr.diagnose(
        f"{stopped.done:,} of {stopped.total:,} runs are done and kept in {store.folder}; the same command continues "
        "from there"
    )


def end_by_store(counts: Counts) -> None:
    """Print the remarks of the store, and end the command with a status if runs could not be kept.

    Raises:
        typer.Exit: Some runs could not be stored.
    """
    for remark in counts.remarks:
        stderr.diagnose(remark)
    if counts.not_kept:
        raise typer.Exit(Exit.RUN)


def filled(use: StoreUse) -> str:
    """Return the size and the limit of a store in words."""
    return f"{use.runs:,} runs, {use.used_bytes / 1e6:,.1f} MB of {use.limit_bytes / 1e6:,.0f} MB"
