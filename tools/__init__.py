"""Commands of the repository, which are not in the wheel: measurements of the project, and its documents.

Each is a folder that runs from the top of the repository, such as ``python -m tools.scorecard``. They use the installed
package; the package does not use them.
"""
