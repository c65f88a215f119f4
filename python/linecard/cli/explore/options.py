"""What the commands that explore share: options, settings, and what they say of the store."""

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
    Path, typer.Option("--store", metavar="DIR", help="Folder that keeps finished runs; each is run once.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Runs at the same time; one per core if left out.")
]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="threads, dask (workers of its own) or dask:ADDRESS (extra: dask).")
]


def say_how_to_go_on(stopped: Interrupted, store: Store) -> None:
    """Say that the same command goes on where it was interrupted."""
    stderr.diagnose(
        f"{stopped.done:,} of {stopped.total:,} runs are done and kept in {store.folder}; the same command goes on "
        "from there"
    )


def end_by_store(counts: Counts) -> None:
    """Say what to know about the store, and end with a status where runs could not be kept; the last of a command.

    Raises:
        typer.Exit: Some could not.
    """
    for remark in counts.remarks:
        stderr.diagnose(remark)
    if counts.not_kept:
        raise typer.Exit(Exit.RUN)


def filled(use: StoreUse) -> str:
    """How full a store is, in words."""
    return f"{use.runs:,} runs, {use.used_bytes / 1e6:,.1f} MB of {use.limit_bytes / 1e6:,.0f} MB"
