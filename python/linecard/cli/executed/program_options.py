"""The options of a program that a chip executes, for `run` and all commands that run chips."""

from __future__ import annotations

from linecard.cli.asked import takes

takes_program = takes("program", into="executed")
