"""Commands of the repository, which are not in the wheel: measurements of the project, and its documents.

Each command is a folder, and runs in the top folder of the repository, such as ``python -m tools.scorecard``. The
commands use the installed package; the package does not use the commands.
"""
