"""`linecard results`: list, prune and export the store of finished runs."""

from __future__ import annotations

import math
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import stderr, stdout
from linecard.cli.asked import prints
from linecard.cli.explore.runs import StoreOption, filled
from linecard.cli.output import Json, Outputs
from linecard.cli.question import STORE
from linecard.errors import ConfigError


@prints
def list_runs(store: StoreOption = STORE, *, outputs: Outputs) -> None:
    """List the contents of a store: the stored runs by subject, and the size of the store.

    **Examples**

        linecard results list

        linecard results list --store shared/store --json
    """
    from linecard.explore.store import Store
    from linecard.explore.store_contents import contents

    kept = Store(store, make=False)
    for remark in kept.remarks:
        stderr.diagnose(remark)
    found = contents(kept, f"{store}: {filled(kept.use())}")
    outputs.give(found)
    if found.damaged and not outputs.json:
        stderr.diagnose(f"{found.damaged:,} files are damaged; `linecard results prune` removes them")


def prune(
    store: StoreOption = STORE,
    to: Annotated[
        float | None,
        typer.Option(
            "--to", min=0.0, metavar="MB", help="Remove the least recently used runs until the store has this size."
        ),
    ] = None,
    other_versions: Annotated[
        bool, typer.Option("--other-versions", help="Remove the results of other versions of Linecard.")
    ] = False,
    limit: Annotated[
        float | None,
        typer.Option("--limit", min=0.0, metavar="MB", help="Set the size limit of the store permanently."),
    ] = None,
    json: Json = False,
) -> None:
    """Remove damaged files from a store, and remove the runs that the options select.

    **Examples**

        linecard results prune

        linecard results prune --to 500 --other-versions

        linecard results prune --limit 2000
    """
    from linecard.explore.store import Store
    from linecard.explore.store_contents import prune as prune_store

    most = None if to is None else _bytes("--to", to)
    allowed = None if limit is None else _bytes("--limit", limit)
    kept = Store(store, make=False)
    if allowed is not None:
        kept.set_limit(allowed)
    removed, freed = prune_store(kept, most, other_versions=other_versions)
    use = kept.use()
    if json:
        from linecard.records import plain

        stdout.print_json({"removed": removed, "freed_bytes": freed, "use": plain(use)})
        return
    stdout.show(
        Padding(
            Text(f"removed {removed:,} runs, {freed / 1e6:,.1f} MB; left: {filled(use)}"),
            (0, 0, 0, 2),
        )
    )


def export(
    store: StoreOption = STORE,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the table: .csv or .parquet (extra: frames); repeatable."
        ),
    ] = None,
) -> None:
    """Write all measurements of all stored runs to a tidy table, with columns run, component, metric, unit and value.

    **Examples**

        linecard results export -o runs.parquet

        linecard results export --store shared/store -o runs.csv
    """
    from linecard.explore.store import Store
    from linecard.explore.store_contents import write_measurements
    from linecard.files import check_outputs
    from linecard.result import named_format, need_for

    named = [named_format(file) for file in output or ()]
    if not named or any(kind not in {"csv", "parquet"} for kind, _ in named):
        message = f"found {', '.join(output or ()) or 'no file'}, expected an output file that ends in .csv or .parquet"
        raise ConfigError.at("--output", "", message)
    check_outputs(*(name for _, name in named))
    for kind, _ in named:
        need_for(kind)
    kept = Store(store, make=False)
    for kind, name in named:
        stderr.note_written([write_measurements(kept, name, kind)])


def _bytes(option: str, megabytes: float) -> int:
    if not math.isfinite(megabytes):
        raise ConfigError(f"{option}: found {megabytes}, expected a number of megabytes")
    return round(megabytes * 1e6)
