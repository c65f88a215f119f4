"""The dependencies of the package's modules: no cycles of files, and a start without unnecessary imports.

`make lint` checks the packages: import-linter, by the contracts in pyproject.toml.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter

import grimp
import pytest

import linecard

# These are imported in the functions that need them, because they load slowly or belong to an extra.
HEAVY = ("SALib", "distributed", "jinja2", "optuna", "polars", "resvg_py", "scipy")


@cache
def graph() -> grimp.ImportGraph:
    """The imports of all modules, including those in functions, but not those for types alone."""
    return grimp.build_graph("linecard", "tools", exclude_type_checking_imports=True, cache_dir=None)


def packages_of(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def test_no_module_imports_itself_on_any_way():
    """An import of a module imports its packages, too; an error names the modules of a cycle in order."""
    arrows = {}
    for name in graph().modules:
        reached = graph().find_modules_directly_imported_by(name)
        passed = {package for target in reached for package in packages_of(target)}
        arrows[name] = reached | (passed - {name} - packages_of(name))
    assert len(arrows) > 250
    TopologicalSorter(arrows).prepare()


def test_only_the_command_line_uses_the_package_as_a_whole():
    for name in graph().find_modules_that_directly_import("linecard"):
        for each in graph().get_import_details(importer=name, imported="linecard"):
            own = name.startswith(("linecard.cli", "linecard.__main__", "tools."))
            assert own or "_core" in each["line_contents"], f"{name} imports linecard, line {each['line_number']}"


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
    for name in ("dram", "flowcache"):
        importlib.import_module(f"linecard.{name}.result")
        assert callable(getattr(linecard, name))


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_heavy_packages_are_imported_where_they_are_needed():
    names = sorted(name for name in graph().modules if name.startswith("linecard") and "__main__" not in name)
    missing = f"import sys, importlib; sys.modules.update(dict.fromkeys({HEAVY}))"
    run_python(f"{missing}\nfor name in {names}: importlib.import_module(name)")


def test_the_package_and_its_help_begin_without_what_they_do_not_need():
    loaded = "import sys; print(*(name for name in sys.modules if name.startswith('linecard.')))"
    light = {"linecard._core", "linecard._lazy"}
    # The compiled core imports its exceptions.
    assert set(run_python(f"import linecard; {loaded}").split()) <= light | {"linecard.errors"}
    listed = run_python(f"import sys; from linecard.cli import app\ntry: app(['--help'])\nexcept SystemExit: {loaded}")
    names = listed.splitlines()[-1].split()
    assert names
    assert not [name for name in names if name.count(".") > 2], "help imports a command"
