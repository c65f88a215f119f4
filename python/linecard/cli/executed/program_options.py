"""The options of the program that a chip executes, for `run` and all other commands that run chips."""

from __future__ import annotations

from linecard.cli.asked import takes

takes_program = takes("program", into="executed")
