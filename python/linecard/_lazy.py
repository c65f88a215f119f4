"""Lazy imports: a package imports the module that defines a name only when code first uses the name.

Lazy imports let `import linecard` and `linecard --help` start fast. Some functions have the same name as a package: for
example, both a function and a package are called `linecard.dram`. In code, `linecard.dram` always refers to the
function, even after `import linecard.dram.result`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def make_lazy(package: str, file: str) -> None:
    """Make a package import the module that defines a name only when code first uses the name.

    Args:
        package: Name.
        file: Path of the package's ``__init__.py``. The stub (``.pyi``) beside ``__init__.py`` lists the module that
            defines each name; type checkers read the stub.
    """
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    found = ((module, many or one) for module, many, one in _IMPORT.findall(stub))
    where = {name: module for module, names in found for name in re.findall(r"(\w+) as", names)}

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
            # The import of a subpackage sets an attribute of its parent package.
            if not (name in where and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

        def __dir__(self) -> Iterable[str]:
            return sorted({*super().__dir__(), *where})

    module = sys.modules[package]
    module.__dict__["__all__"] = sorted(where)
    module.__class__ = Package
