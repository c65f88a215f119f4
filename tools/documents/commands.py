"""The page of commands: each with its arguments, options and examples."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import typer

from linecard import cli

if TYPE_CHECKING:
    from collections.abc import Iterator


def commands_page() -> str:
    """Every command with its arguments, options and examples, as Markdown."""
    root: Any = typer.main.get_command(cli.app)
    parts = ["# Commands\n", inspect.getdoc(cli) or "", ""]
    for name, command in named_commands(root.commands):
        parts += [f"## linecard {name}\n", _help_text(command), ""]
        parts += ["| argument | meaning |", "|---|---|"]
        for parameter in command.params:
            parts.append(f"| {_parameter_name(parameter)} | {_parameter_help(parameter)} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def named_commands(commands: dict[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its full name, with its group's name first."""
    for name, command in commands.items():
        if hasattr(command, "commands"):
            yield from named_commands(command.commands, f"{group}{name} ")
        else:
            yield f"{group}{name}", command


def _help_text(command: Any) -> str:
    text, _, examples = inspect.cleandoc(command.callback.__doc__ or "").partition("**Examples**")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    block = ["```console", *(f"$ {line}" for line in lines), "```"] if lines else []
    return "\n".join([text.strip(), "", *block]).strip() + "\n"


def _parameter_name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return f"{names} `{parameter.metavar}`" if parameter.metavar else names


def _parameter_help(parameter: Any) -> str:
    text = (parameter.help or "").replace("|", "\\|")
    default = parameter.default
    shown = default is not None and not isinstance(default, bool) and not callable(default)
    return f"{text} Default: {default}." if shown else text
