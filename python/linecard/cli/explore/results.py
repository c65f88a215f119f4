"""`linecard results`: the folder that keeps finished runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stderr, stdout
from linecard.cli.explore.options import STORE, Json, StoreOption, filled
from linecard.cli.options import EPILOG
from linecard.cli.written import Csv, Files, Parquet
from linecard.errors import ConfigError, ConfigProblem


def list_runs(store: StoreOption = STORE, json: Json = False, csv: Csv = None, parquet: Parquet = None) -> None:
    """Say what a store holds: runs by what was run, and how full it is.

    **Examples**

        linecard results list

        linecard results list --store shared/store --json
    """
    from linecard.explore.content import code_version
    from linecard.explore.store import Store
    from linecard.explore.store_contents import contents
    from linecard.tables import Table

    kept = Store(store, make=False)
    for remark in kept.remarks:
        stderr.diagnose(remark)
    files = Files(csv, parquet)
    found = contents(kept)
    names = ("what", "of", "runs", "failed", "seconds", "code")
    files.write(Table(names, [[row[name] for name in names] for row in found["groups"]]))
    if json:
        stdout.print_json(found)
        return
    rows = pieces.lined(("what", "l"), ("of", "l"), ("runs", "r"), ("failed", "r"), ("seconds", "r"), ("made by", "l"))
    for row in found["groups"]:
        by = "this version" if row["code"] == code_version() else "another version"
        rows.add_row(row["what"], row["of"], f"{row['runs']:,}", f"{row['failed']:,}", f"{row['seconds']:,.1f}", by)
    stdout.show(
        Padding(
            Text(f"{store}: {filled(kept.use())}"),
            (1, 0, 0, 2),
        ),
        pieces.section(rows),
    )
    if found["damaged"]:
        stderr.diagnose(f"{found['damaged']:,} files are damaged; `linecard results prune` removes them")


def prune(
    store: StoreOption = STORE,
    to: Annotated[
        float | None,
        typer.Option("--to", min=0.0, metavar="MB", help="Remove what was used least recently, down to this."),
    ] = None,
    other_versions: Annotated[
        bool, typer.Option("--other-versions", help="Remove runs that another version of Linecard made.")
    ] = False,
    limit: Annotated[
        float | None, typer.Option("--limit", min=0.0, metavar="MB", help="From now on let it hold no more than this.")
    ] = None,
    json: Json = False,
) -> None:
    """Remove from a store: damaged files always, and what the options say.

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
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="CSV to write; - is stdout.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="Parquet to write (extra: frames).")
    ] = None,
) -> None:
    """Write every measurement of every kept run as one tidy table: run, component, metric, unit, value.

    **Examples**

        linecard results export --parquet runs.parquet

        linecard results export --store shared/store --csv runs.csv
    """
    from linecard.explore.store import Store
    from linecard.explore.store_contents import write_measurements
    from linecard.files import check_outputs
    from linecard.records import need_polars

    if csv is None and parquet is None:
        raise ConfigError.of(
            [ConfigProblem("results export", "", "found no file to write, expected --csv or --parquet")]
        )
    if parquet is not None:
        need_polars()
    check_outputs(csv, parquet)
    kept = Store(store, make=False)
    for path, kind in ((csv, "csv"), (parquet, "parquet")):
        if path is not None:
            stderr.note_written([write_measurements(kept, path, kind)])


app = typer.Typer(
    add_completion=False,
    help="Look after the folder that keeps finished runs.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("list", epilog=EPILOG)(list_runs)
app.command("prune", epilog=EPILOG)(prune)
app.command("export", epilog=EPILOG)(export)


def _bytes(option: str, megabytes: float) -> int:
    if not math.isfinite(megabytes):
        raise ConfigError(f"{option}: found {megabytes}, expected a number of megabytes")
    return round(megabytes * 1e6)
