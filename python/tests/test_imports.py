"""How the modules of the package hang together: no circles, nothing undocumented, a start that waits for nothing."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import typer
from conftest import ROOT

import linecard
from linecard.cli import app
from linecard.cli.commands import COMMANDS

PACKAGE = ROOT / "python" / "linecard"
# What ships inside the package and is none of its modules.
DATA = {"_programs", "_studies"}
# Imported inside the functions that need them: they take long, or belong to an extra.
HEAVY = {"SALib", "distributed", "jinja2", "matplotlib", "optuna", "polars", "scipy"}


@cache
def modules() -> dict[str, Path]:
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if not DATA & set(file.parts):
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(node: ast.AST, lazy: bool = False) -> list[tuple[str, str | None, bool]]:
    """Every import below a node: module, name in it, whether it stands in a function; not those for types alone."""
    found: list[tuple[str, str | None, bool]] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            found += [(alias.name, None, lazy) for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, "imports are absolute"
            found += [(child.module or "", alias.name, lazy) for alias in child.names]
        found += imports(child, lazy or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))
    return found


def packages_of(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


@cache
def arrows() -> dict[str, set[str]]:
    """The modules that each module imports, with the packages that are imported on the way."""
    found: dict[str, set[str]] = {}
    for name, file in modules().items():
        reached = set()
        for module, part, _ in imports(ast.parse(file.read_text())):
            whole = f"{module}.{part}"
            if whole != "linecard._core":
                reached.add(whole if whole in modules() else module)
        within = {name, *packages_of(name)}
        passed = {each for target in reached for each in packages_of(target)}
        found[name] = (reached & modules().keys() | passed & modules().keys()) - within | (
            reached & modules().keys() - {name}
        )
    return found


def circle(start: str) -> list[str]:
    """A way from a module back to itself; empty where there is none."""
    ways = [[start]]
    seen = set()
    while ways:
        way = ways.pop()
        for target in sorted(arrows()[way[-1]]):
            if target == start:
                return [*way, start]
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return []


def test_no_module_imports_itself_on_any_way():
    circles = {frozenset(found): found for name in modules() if (found := circle(name))}
    told = "\n".join(" -> ".join(found) for found in circles.values())
    assert not circles, f"imports in a circle, in functions too; move what both need below them:\n{told}"


def test_only_the_command_line_uses_the_package_as_a_whole():
    for name, reached in arrows().items():
        whole = "linecard" in reached
        assert not whole or name.startswith(("linecard.cli", "linecard.__main__")), f"{name} imports linecard"


@pytest.mark.parametrize("package", ["linecard", "linecard.explore", "linecard.cli", "linecard.petri"])
def test_every_name_that_a_package_offers_is_there(package):
    found = importlib.import_module(package)
    assert len(set(found.__all__)) == len(found.__all__)
    for name in found.__all__:
        assert getattr(found, name) is not None
        assert name in dir(found)
    with pytest.raises(AttributeError, match="nothing_of_it"):
        _ = found.nothing_of_it


def test_a_function_stays_a_function_beside_the_package_of_its_name():
    for name in ("core", "dram", "flowcache"):
        importlib.import_module(f"linecard.{name}.result")
        assert callable(getattr(linecard, name))


def public(node: ast.AST, name: str) -> list[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Public classes and functions of a module or a class, with their methods."""
    found: list[tuple[str, ast.FunctionDef | ast.ClassDef]] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.ClassDef, ast.FunctionDef)) and not child.name.startswith("_"):
            found.append((f"{name}.{child.name}", child))
            if isinstance(child, ast.ClassDef):
                found += public(child, f"{name}.{child.name}")
    return found


def test_everything_public_is_documented():
    for module, file in modules().items():
        tree = ast.parse(file.read_text())
        assert ast.get_docstring(tree), f"{module} has no docstring"
        for name, node in public(tree, module):
            overload = any(ast.unparse(each) == "overload" for each in node.decorator_list)
            assert overload or ast.get_docstring(node), f"{name} has no docstring"


def test_heavy_packages_are_imported_where_they_are_needed():
    for name, file in modules().items():
        for module, _, lazy in imports(ast.parse(file.read_text())):
            assert lazy or module.split(".")[0] not in HEAVY, f"{name} imports {module} before it is needed"


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_package_and_its_help_begin_without_what_they_do_not_need():
    loaded = "import sys; print(*(name for name in sys.modules if name.startswith('linecard.')))"
    light = {"linecard._core", "linecard._lazy"}
    # The compiled core brings its exceptions.
    assert set(run_python(f"import linecard; {loaded}").split()) <= light | {"linecard.errors"}
    listed = run_python(f"import sys; from linecard.cli import app\ntry: app(['--help'])\nexcept SystemExit: {loaded}")
    names = listed.splitlines()[-1].split()
    assert names
    assert not [name for name in names if name.count(".") > 2], "help imports a command"


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_help_lists_each_command_with_its_own_first_line(entry):
    root = typer.main.get_command(app)
    command = root.commands[entry.name]
    assert " ".join((command.help or "").split("\n\n")[0].split()) == entry.line
    assert command.rich_help_panel == entry.panel
