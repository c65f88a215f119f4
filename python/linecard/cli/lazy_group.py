"""The top-level command group, which imports a command only when the command is used."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from linecard.cli.commands import COMMANDS, Entry
from linecard.cli.options import EPILOG
from linecard.cli.own_files import check_files


def _load(entry: Entry) -> Any:
    """A command or a group, as Typer builds it from functions."""
    made = typer.Typer(add_completion=False, help=entry.line, no_args_is_help=True, rich_markup_mode="markdown")
    if isinstance(entry.at, dict):
        # Without a callback, a group of one command would be that command.
        made.callback()(lambda: None)
    for name, at in entry.at.items() if isinstance(entry.at, dict) else ((entry.name, entry.at),):
        module, _, function = at.partition(":")
        made.command(name, epilog=EPILOG)(getattr(import_module(f"linecard.cli.{module}"), function))
    command: Any = typer.main.get_command(made)
    command.name, command.rich_help_panel, command.epilog = entry.name, entry.panel, EPILOG
    _guard(command)
    return command


def _guard(command: Any) -> None:
    """Make a command, or each command of a group, check its files before it starts."""
    for inner in getattr(command, "commands", {}).values():
        _guard(inner)
    if not hasattr(command, "commands"):
        run = command.invoke

        def invoke(ctx: Any) -> Any:
            check_files(ctx)
            return run(ctx)

        command.invoke = invoke


class _Commands(UserDict[str, Any]):
    """Entries of the command table by name; an entry becomes a command on first use."""

    def __getitem__(self, name: str) -> Any:
        if isinstance(found := super().__getitem__(name), Entry):
            found = self[name] = _load(found)
        return found


class LazyGroup(TyperGroup):
    """The group of all commands in `COMMANDS`; the group prints its help without importing the commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands({entry.name: entry for entry in COMMANDS})
        self._listed = {
            entry.name: TyperCommand(entry.name, help=entry.line, rich_help_panel=entry.panel) for entry in COMMANDS
        }
        self._lists = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 # as of the group that it is
        """Names of the commands, in the order of the command table."""
        return list(self._listed)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a command; if the caller lists the commands, return only the command's name and one-line help."""
        return (self._listed if self._lists else self.commands).get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the top-level help from the command table, without importing commands."""
        with self._listing():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a command name from the command table, without importing commands."""
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _listing(self) -> Iterator[None]:
        self._lists = True
        try:
            yield
        finally:
            self._lists = False
