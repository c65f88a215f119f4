"""Commands of the repository, which are not in the wheel: what the project measures of itself, and its documents.

Each is a folder that runs from the top of the repository, such as ``python -m tools.scorecard``. They use the package
as it is installed; nothing in the package uses them.
"""
