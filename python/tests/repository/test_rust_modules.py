"""The dependencies of the files of each Rust crate: no two of them use each other, directly or indirectly.

A file uses another one if its code names a definition there: a type, a trait, a function, a constant. A name that is
only re-exported (`pub use`) still belongs to the file that defines it, so that a `mod.rs` of modules and re-exports
uses nothing and is used by nobody; one that defines types for its children and also calls them is part of a cycle.
Methods do not count: a type may have its `impl` in several files. Tests inside a file do not count either. `cargo
modules dependencies --acyclic` is less suitable: it sees uses and signatures but no call in a body, assigns methods to
the file of their type, and considers every constructor a cycle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

CRATES = sorted(path.parent.parent for path in (ROOT / "crates").glob("*/src/lib.rs"))

# Comments and quoted text contain no code. A tick begins a character or a lifetime.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<marks>\#*)".*?"(?P=marks)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^'\\])'""", re.DOTALL
)
DEFINED = re.compile(r"(?<!['\w])(?:struct|enum|union|trait|type|fn|const|static|macro_rules!)\s+(?:mut\s+)?(\w+)")
MODULE = re.compile(r"\bmod\s+(\w+)\s*;")
LISTED_MODULE = re.compile(r"\bmod\s+\$\w+\s*;")
LISTED_CALL = re.compile(r"\$\w+::(\w+)")
USE = re.compile(r"(?P<public>pub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);")
PATH = re.compile(r"(?<![\w:])((?:\w+\s*::\s*)+)(\w+)")

Name = tuple[str, ...]
# A name with more re-exports than this is in a cycle.
MOST_LINKS = 20


@dataclass
class Module:
    """One file: its definitions, and the meaning of its names."""

    file: Path
    code: str
    defined: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    # The target of each imported name; `*` for all names of several modules.
    imported: dict[str, Name] = field(default_factory=dict)
    globs: list[Name] = field(default_factory=list)
    # The names by which a macro uses the modules that it declares.
    by_macro: list[Name] = field(default_factory=list)
    # Names that are only re-exported.
    handed_on: set[str] = field(default_factory=set)


def block_end(code: str, start: int) -> int:
    """The position after the brace that closes the next opening brace."""
    depth = 0
    for at in range(code.index("{", start), len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return at + 1
    return len(code)


def code_of(text: str) -> str:
    """The code of a file without comments, texts and tests."""
    code = NO_CODE.sub(" ", text)
    while found := re.search(r"#\[cfg\(test\)\]\s*(?:#\[[^]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(\w+)[^;{]*([;{])", code):
        end = found.end() if found[2] == ";" else block_end(code, found.start(2))
        code = code[: found.start()] + code[end:]
    return code


def names_in(tree: str, before: Name = ()) -> list[tuple[Name, str]]:
    """Every path in the tree of a `use`, with its local name."""
    tree = tree.strip()
    if "{" in tree:
        head, inner = tree.split("{", 1)
        inner = inner.rsplit("}", 1)[0]
        way = before + tuple(part.strip() for part in head.split("::") if part.strip())
        parts, depth, part = [], 0, ""
        for sign in inner:
            depth += {"{": 1, "}": -1}.get(sign, 0)
            if sign == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += sign
        return [each for one in [*parts, part] if one.strip() for each in names_in(one, way)]
    path, _, other = tree.partition(" as ")
    way = before + tuple(part.strip() for part in path.split("::"))
    if way[-1] == "self":
        way = way[:-1]
    return [(way, other.strip() or way[-1])]


def read(file: Path, name: Name, modules: dict[Name, Module]) -> None:
    """A file and those of its children."""
    code = code_of(file.read_text())
    module = modules[name] = Module(file, code)
    module.defined = set(DEFINED.findall(code))
    module.children = set(MODULE.findall(code))
    folder = file.parent if file.name in {"lib.rs", "mod.rs"} else file.with_suffix("")
    calls = LISTED_CALL.findall(code)
    if calls:
        # A macro over a list of modules calls items of each module, and may declare the modules.
        words = set(re.findall(r"\w+", MODULE.sub("", USE.sub("", code)))) - {"mod"}
        listed = words & (
            {path.stem for path in folder.glob("*.rs")} if LISTED_MODULE.search(code) else module.children
        )
        module.children |= listed
        module.by_macro = [(child, what) for child in listed for what in calls]
    for found in USE.finditer(code):
        for way, alias in names_in(found["tree"]):
            if alias == "*":
                module.globs.append(way[:-1])
            else:
                module.imported[alias] = way
                if found["public"]:
                    module.handed_on.add(alias)
    for child in module.children:
        beside, inside = folder / f"{child}.rs", folder / child / "mod.rs"
        read(beside if beside.is_file() else inside, (*name, child), modules)


def follow(way: Name, here: Name, modules: dict[Name, Module]) -> tuple[Name, Name]:
    """The module to which a path leads, and the name in it; the path itself if it begins with no module."""
    at, rest = here, way
    while rest:
        if rest[0] == "crate":
            at = ()
        elif rest[0] == "super":
            at = at[:-1]
        elif rest[0] in modules[at].children:
            at = (*at, rest[0])
        elif rest[0] != "self":
            break
        rest = rest[1:]
    return at, rest


def definer(way: Name, here: Name, modules: dict[Name, Module], links: int = 0) -> Name | None:
    """The module that defines the target of a path; `None` for a module itself, and for another crate's definitions."""
    at, rest = follow(way, here, modules)
    if not rest and at:
        # A module may re-export a function next to the module with its name.
        target = modules[at[:-1]].imported.get(at[-1], ())
        return definer(target, at[:-1], modules, links + 1) if len(target) > 1 and links <= MOST_LINKS else None
    if not rest or links > MOST_LINKS:
        return None
    module = modules[at]
    if rest[0] in module.defined:
        return at
    if rest[0] in module.imported:
        target = module.imported[rest[0]]
        # `use thread;` and the like denote themselves.
        return None if target == rest[:1] else definer(target + rest[1:], at, modules, links + 1)
    for glob in module.globs:
        found, left = follow(glob, at, modules)
        if found != at and not left and (end := definer(rest, found, modules, links + 1)) is not None:
            return end
    # If the end of a path with modules does not exist there, a macro made it, or it belongs to an outer crate.
    return at if rest != way and rest[0][0].isupper() else None


@cache
def uses(crate: Path) -> dict[str, dict[str, set[str]]]:
    """The files that each file of a crate uses, and the names that it uses from them."""
    modules: dict[Name, Module] = {}
    read(crate / "src" / "lib.rs", (), modules)
    found: dict[str, dict[str, set[str]]] = {}
    for name, module in modules.items():
        rest = MODULE.sub("", USE.sub("", module.code))
        words = set(re.findall(r"\w+", rest))
        ways = [way for alias, way in module.imported.items() if alias not in module.handed_on or alias in words]
        ways += module.by_macro
        for glob in module.globs:
            of_all = modules.get(follow(glob, name, modules)[0], module)
            ways += [(*glob, word) for word in words & (of_all.defined | of_all.imported.keys())]
        for head, last in PATH.findall(rest):
            ways.append((*(part.strip() for part in head.split("::") if part.strip()), last))
        ends = found.setdefault(str(module.file.relative_to(crate / "src")), {})
        for way in ways:
            target = definer(way, name, modules)
            if target is not None and target != name:
                named = (follow(way, name, modules)[1] or way[-1:])[0]
                ends.setdefault(str(modules[target].file.relative_to(crate / "src")), set()).add(named)
    return found


def circle(arrows: Mapping[str, Collection[str]]) -> list[str]:
    """Files of which each uses the next and the last uses the first; empty if there is no such cycle."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1][:0:-1]
    return []


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_no_file_of_a_crate_uses_itself_on_any_way(crate):
    found = circle(uses(crate))
    told = [
        f"{file} uses {', '.join(sorted(uses(crate)[file][target]))} of {target}"
        for file, target in zip(found, found[1:] + found[:1], strict=True)
    ]
    assert not told, "files in a circle; move what both need into a file of its own:\n" + "\n".join(told)


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_every_file_of_tests_is_compiled(crate):
    """A crate's tests are one binary, which has the files that `all.rs` lists, or each file is a binary of its own."""
    manifest, listed = (crate / "Cargo.toml").read_text(), crate / "tests" / "all.rs"
    if "autotests = false" in manifest:
        compiled = set(MODULE.findall(listed.read_text())) | set(re.findall(r'name = "(\w+)"', manifest))
        assert {path.stem for path in (crate / "tests").glob("*.rs")} <= compiled
    else:
        assert not listed.exists()


# The content of each crate, one file per line, and the files that form a cycle. `/` in a name denotes a folder.
A, B = "a: use crate::b::B; pub struct A(B);", "b: pub struct B; fn f() { crate::a::A::new(); }"
MADE = {
    "two files": (("lib: mod a; mod b;", A, B), ["a.rs", "b.rs"]),
    "but for a test": (("lib: mod a; mod b;", A, "b: pub struct B; #[cfg(test)] mod t { use crate::a::A; }"), []),
    "in a comment alone": (
        ("lib: mod a; mod b;", A, "b: /* [`crate::a::A`] */ pub struct B(&'static str); // crate::a::A"),
        [],
    ),
    "a parent that uses its child": (
        ("lib: mod m;", "m/mod: mod a; pub use a::A; pub enum Kind { A(A) }", "m/a: use super::Kind; pub struct A;"),
        ["m/a.rs", "m/mod.rs"],
    ),
    "a parent that hands names on": (
        (
            "lib: mod m;",
            "m/mod: mod a; mod b; pub use a::A; pub use b::B;",
            "m/a: use super::B; pub struct A;",
            "m/b: pub struct B;",
        ),
        [],
    ),
    "names that the crate hands on": (
        (
            "lib: mod a; mod b; pub use a::A; pub use b::{B, Of as Off};",
            "a: use crate::{B, Off}; pub struct A;",
            "b: use crate::A; pub struct B; pub struct Of;",
        ),
        ["a.rs", "b.rs"],
    ),
    "by the name of a module": (
        ("lib: mod a; mod b;", "a: use crate::b; pub fn f() { b::g() }", "b: use super::a::f; pub fn g() { f() }"),
        ["a.rs", "b.rs"],
    ),
    "by everything that a module has": (
        ("lib: mod a; mod b;", "a: use super::b::*; pub fn f(_: B) {}", "b: pub struct B; fn g() { crate::a::f(B) }"),
        ["a.rs", "b.rs"],
    ),
    "a function beside the module of its name": (
        (
            "lib: mod a; mod m;",
            "a: pub struct A; fn f() { crate::m::b() }",
            "m/mod: mod b; pub use b::b;",
            "m/b: use crate::a::A; pub fn b() {}",
        ),
        ["a.rs", "m/b.rs"],
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_circles_are_found_where_they_are(tmp_path, name):
    files, expected = MADE[name]
    for path, _, code in (file.partition(": ") for file in files):
        file = tmp_path / "src" / f"{path}.rs"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)
    assert sorted(circle(uses(tmp_path))) == expected
