"""Names of a package that are imported when they are first asked for.

`import linecard` and `linecard --help` begin at once this way, however much there is. Some functions are called as the
package that holds them (`linecard.dram` is a function, `linecard.dram.result` a module in a package): the function is
what the name stands for, and importing from the package does not change that.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def make_lazy(package: str, modules: Mapping[str, str]) -> None:
    """Let a package import its names when they are first asked for.

    Args:
        package: Its name.
        modules: The names, separated by spaces, that each of its modules has.
    """
    where = {name: f"{package}.{module}" for module, names in modules.items() for name in names.split()}

    class Package(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name in where:
                found = getattr(import_module(where[name]), name)
            elif not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
                found = import_module(f"{package}.{name}")
            else:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            setattr(self, name, found)
            return found

        def __setattr__(self, name: str, value: object) -> None:
            # What the import of a package does to the package that it stands in.
            if not (name in where and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

        def __dir__(self) -> Iterable[str]:
            return sorted({*super().__dir__(), *where})

    sys.modules[package].__class__ = Package
