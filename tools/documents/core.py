"""The stub of the compiled core as text: signatures of the extension module, with types from its functions in Rust."""

from __future__ import annotations

import inspect
import re

from linecard import _core
from tools.command import ROOT
from tools.documents.requests import formatted

_HEAD = '''"""Types of the compiled core. Written by `make docs` from its bindings; `linecard` has what users call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

__version__: Final[str]

class Traced: ...

'''
_FUNCTION = re.compile(
    r"#\[pyfunction(?P<head>(?:(?!#\[pyfunction).)*?)\bfn (?P<name>\w+)(?:<'py>)?"
    r"\((?P<takes>.*?)\) -> (?P<returns>.*?) \{",
    re.DOTALL,
)
_TYPES = {
    **dict.fromkeys(("String", "&str"), "str"),
    **dict.fromkeys(("u8", "u16", "u32", "u64", "usize"), "int"),
    "f64": "float",
    "bool": "bool",
    "&Traced": "Traced",
    "Traced": "Traced",
    "Bound<PyAny>": "object",
    "&Bound<PyAny>": "Mapping[str, Any]",
    # The only callables are those of progress.
    "Py<PyAny>": "Callable[[int, int], object]",
}
_RESULTS = {**_TYPES, **dict.fromkeys(("Bound<PyAny>", "Py<PyDict>"), "dict[str, Any]")}


def core_text() -> str:
    """The generated stub of ``linecard._core``."""
    files = sorted((ROOT / "crates/bindings/src").glob("*.rs"))
    found = [each for file in files for each in _FUNCTION.finditer(file.read_text(encoding="utf-8"))]
    named = {_name(each): each for each in found}
    public = [name for name, value in vars(_core).items() if inspect.isfunction(value) and not name.startswith("_")]
    lines = [f"def {name}({_arguments(name, named[name]['takes'])}) -> {_result(named[name])}: ..." for name in public]
    return formatted(_HEAD + "\n".join(lines), "x.pyi")


def _name(function: re.Match[str]) -> str:
    named = re.search(r'\bname = "(\w+)"', function["head"])
    return named[1] if named else function["name"]


def _arguments(name: str, takes: str) -> str:
    """The arguments of a function of the extension module, with the types of the Rust arguments."""
    types = dict(re.findall(r"(\w+): (.*?),?\s*(?=\w+: |$)", takes, re.DOTALL))
    signature = inspect.signature(getattr(_core, name))
    taken = signature.parameters.values()
    own = [each.replace(annotation=_type(types[each.name], _TYPES, "Sequence")) for each in taken]
    return re.sub(r"'(.*?)'", r"\1", str(signature.replace(parameters=own)))[1:-1]


def _result(function: re.Match[str]) -> str:
    """The type of the result: the type in the `pyo3` signature, if the signature states one."""
    said = re.search(r'-> "(.*?)"', function["head"])
    return said[1] if said else _type(re.sub(r"^PyResult<(.*)>$", r"\1", function["returns"]), _RESULTS, "list")


def _type(rust: str, types: dict[str, str], several: str) -> str:
    """The Python annotation of a Rust type."""
    rust = re.sub(r"'\w+,? ?", "", rust)
    if inner := re.fullmatch(r"(Vec|Option)<(.*)>", rust):
        kind = _type(inner[2], types, several)
        return f"{several}[{kind}]" if inner[1] == "Vec" else f"{kind} | None"
    if rust.startswith("("):
        return f"tuple[{', '.join(_type(each, types, several) for each in rust[1:-1].split(', '))}]"
    return types[rust]
