"""The one guard in front of every command: it can write its files, none of which it reads or writes twice."""

from __future__ import annotations

from typing import Any

from linecard.errors import ConfigError

# Options that name a file to write, and those beside which a manifest is written.
OUTPUTS = frozenset(
    {
        "--csv",
        "--parquet",
        "--html",
        "--plot",
        "--plots",
        "--timeline",
        "--folded",
        "--latency",
        "--pcap-out",
        "--requests",
        "--commands",
        "--output",
    }
)
WITH_MANIFEST = frozenset({"--csv", "--parquet"})


def check_files(ctx: Any) -> None:
    """Refuse, before anything runs, an output that is an input, another output, or a link to one; or a plot of no kind.

    Raises:
        ConfigError: One is, or its name is missing, so that the next option was taken for it.
        MissingExtraError: A plot is asked for, and the extra ``plot`` is not installed.
    """
    outputs: dict[str, str] = {}
    inputs = []
    for param in ctx.command.params:
        value = ctx.params.get(param.name)
        option = param.opts[0]
        if option not in OUTPUTS:
            inputs.append(value)
        elif value is not None:
            outputs[option] = str(value)
            # A hyphen alone is stdout.
            if outputs[option].startswith("-") and outputs[option] != "-":
                raise ConfigError(
                    f"{option}: found {outputs[option]!r}, expected the name of a file; "
                    f"a file of that name is ./{outputs[option]}"
                )
            if option in WITH_MANIFEST:
                outputs[f"the manifest beside {option}"] = f"{value}.manifest.json"
    if outputs:
        from linecard.files import check_apart

        check_apart(outputs, *inputs)
    if "--plot" in outputs:
        from linecard.plot.style import kind_of, load_pyplot

        kind_of(outputs["--plot"])
        load_pyplot()
