"""The reference pages that follow from the code: ``python -m linecard.cli.reference docs/reference`` writes them.

A test compares the pages with the code, so that they cannot go stale.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import typer

from linecard import cli, tables

HEADER = "<!-- Written by `python -m linecard.cli.reference docs/reference`. Do not edit. -->\n"


def commands_page() -> str:
    """Every command with its arguments, options and examples, as Markdown."""
    root: Any = typer.main.get_command(cli.app)
    parts = [HEADER, "# Commands\n", inspect.getdoc(cli) or "", ""]
    for name, command in root.commands.items():
        parts += [f"## linecard {name}\n", _help_text(command), ""]
        parts += ["| argument | meaning |", "|---|---|"]
        for parameter in command.params:
            parts.append(f"| {_parameter_name(parameter)} | {_parameter_help(parameter)} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _help_text(command: Any) -> str:
    text, _, examples = inspect.cleandoc(command.callback.__doc__ or "").partition("**Examples**")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    block = ["```console", *(f"$ {line}" for line in lines), "```"] if lines else []
    return "\n".join([text.strip(), "", *block]).strip() + "\n"


def _parameter_name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    return f"{names} `{parameter.metavar}`" if parameter.metavar else names


def _parameter_help(parameter: Any) -> str:
    text = (parameter.help or "").replace("|", "\\|")
    default = parameter.default
    shown = default is not None and not isinstance(default, bool) and not callable(default)
    return f"{text} Default: {default}." if shown else text


def main() -> None:
    """Write the pages into the folder that the command line names."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference")
    tables.write_text(folder / "commands.md", commands_page())


if __name__ == "__main__":
    main()
