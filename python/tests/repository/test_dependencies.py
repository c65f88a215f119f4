"""Are the dependencies permitted: known licences, one registry, all locked? Nothing here needs a network."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

from conftest import ROOT

# Licences that permit MIT or Apache-2.0 programs to use a crate, with no duty except attribution.
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "Unicode-3.0",
    "Unlicense", "Zlib", "bzip2-1.0.6",
}  # fmt: skip
# Only `make fuzz` links libFuzzer.
EXCEPTIONS = {"libfuzzer-sys": {"NCSA"}}


def packages() -> list[dict]:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline", "--all-features"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)["packages"]


def allowed(expression: str, known: set[str]) -> bool:
    """Whether a licence expression has a permitted choice; parentheses enclose only alternatives."""
    for part in re.split(r"\s+AND\s+", expression):
        choices = re.split(r"\s+OR\s+|/", part.strip("() "))
        if not any(choice.split(" WITH ")[0].strip("() ") in known for choice in choices):
            return False
    return True


def test_expressions_are_read_as_they_are_meant():
    known = {"MIT", "Apache-2.0"}
    assert allowed("MIT/Apache-2.0", known)
    assert allowed("LGPL-2.1-or-later OR MIT", known)
    assert allowed("Apache-2.0 WITH LLVM-exception", known)
    assert not allowed("(MIT OR Apache-2.0) AND NCSA", known)
    assert not allowed("GPL-3.0-only", known)


def test_every_crate_has_a_known_licence_and_comes_from_the_registry_or_this_repository():
    found = packages()
    assert len(found) > 50
    for package in found:
        own = package["source"] is None
        assert own or package["source"].startswith("registry+"), package["name"]
        licence = package["license"] or ""
        if package["license_file"] and not licence:
            # The crate has a licence file instead of a name; the BSD licences are recognised by their first words.
            text = (Path(package["manifest_path"]).parent / package["license_file"]).read_text()
            licence = "BSD-3-Clause" if "Redistribution and use in source and binary forms" in text else ""
        known = ALLOWED | EXCEPTIONS.get(package["name"], set())
        assert allowed(licence, known), f"{package['name']}: {licence or package['license_file']}"


def test_every_locked_crate_has_a_checksum():
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    for package in lock["package"]:
        assert "source" not in package or len(package.get("checksum", "")) == 64, package["name"]
