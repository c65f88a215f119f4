"""A check before a command runs: its output files must be writable, and no output file may also be an input."""

from __future__ import annotations

from typing import Any

from linecard.errors import ConfigError

# Options that name a file to write.
OUTPUTS = frozenset(
    {
        "--timeline",
        "--folded",
        "--latency",
        "--pcap-out",
        "--requests",
        "--commands",
        "--output",
    }
)


def check_files(ctx: Any) -> None:
    """Reject an output file that is also an input, another output, or a link to an input or output.

    Raises:
        ConfigError: An output file has no name, or it is also an input, another output, or a link to an input or
            output.
    """
    outputs: dict[str, str] = {}
    inputs = []
    for param in ctx.command.params:
        value = ctx.params.get(param.name)
        option = param.opts[0]
        if option not in OUTPUTS:
            inputs.append(value)
            continue
        several = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
        for named in map(str, several):
            # `Outputs` reports names that are not files.
            kind, file = _file_of(named) if len(param.opts) > 1 and param.multiple else ("", named)
            if file.startswith("-") and file != "-":
                raise ConfigError(
                    f"{option}: found {file!r}, expected a file name; to use a file with this name, write ./{file}"
                )
            said = f"{option} {named}" if kind else option
            outputs[said] = file
            if kind:
                outputs[f"the manifest beside {said}"] = f"{file}.manifest.json"
    if outputs:
        from linecard.files import check_apart

        check_apart(outputs, *inputs)


def _file_of(named: str) -> tuple[str, str]:
    """Format and file in the value of `--output`."""
    from linecard.result import named_format

    if named.startswith("-") and named != "-":
        return "", named
    return named_format(named)
