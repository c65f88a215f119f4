"""Rules of the project that can be checked automatically: dependencies of crates, sources of values, clean files.

Each test names the rule that it checks; its message says what to do if it fails.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

import linecard

# Crates may use only crates of earlier groups.
LAYERS = (
    {"sim", "words", "jobs"},
    {"program", "config"},
    {"traffic", "dram", "buffers", "iss", "ebpf", "apps", "queueing"},
    {"flowcache", "files"},
    {"chip", "malleable", "petri"},
    {"nets", "drams", "queues", "executed"},
    {"chips"},
    {"platform"},
    {"bindings"},
)
# Dependencies that must never exist although the layers alone would permit them, and dependencies within a layer.
FORBIDDEN = {("dram", "traffic"), ("dram", "buffers"), ("dram", "program"), ("chip", "apps")}

TEXT = {".rs", ".py", ".pyi", ".toml", ".md", ".csv", ".j2", ".bib", ".cff", ".txt", ".json", ".lock", ""}
MACHINE_PATH = re.compile(r"(/home/|/root/|/work/|/Users/|/tmp/[A-Za-z]|[A-Z]:\\\\Users)")


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    return [file for file in files if file.is_file() and not file.is_symlink()]


def manifests() -> dict[str, dict]:
    return {file.parent.name: tomllib.loads(file.read_text()) for file in sorted(ROOT.glob("crates/*/Cargo.toml"))}


def uses(manifest: dict) -> set[str]:
    """Crates of this workspace among a manifest's normal dependencies."""
    tables = [manifest.get("dependencies", {}), manifest.get("build-dependencies", {})]
    tables += [target.get("dependencies", {}) for target in manifest.get("target", {}).values()]
    return {name.removeprefix("linecard-") for table in tables for name in table if name.startswith("linecard-")}


def test_crate_arrows_point_down():
    found = manifests()
    rank = {crate: number for number, layer in enumerate(LAYERS) for crate in layer}
    assert found.keys() == rank.keys(), "LAYERS has each crate once (see docs/ARCHITECTURE.md)"
    for crate, manifest in found.items():
        for used in uses(manifest):
            assert rank[used] < rank[crate], f"{crate} must not depend on {used}: arrows point down"
            assert (crate, used) not in FORBIDDEN, f"{crate} must not depend on {used}"
        for used in {name.removeprefix("linecard-") for name in manifest.get("dev-dependencies", {})} & rank.keys():
            assert (crate, used) not in FORBIDDEN, f"{crate} must not depend on {used}, not even in tests"


def test_only_config_and_the_finder_of_presets_read_toml():
    for crate, manifest in manifests().items():
        if crate not in {"config", "files"}:
            assert not {"toml", "toml_edit"} & manifest.get("dependencies", {}).keys(), f"{crate} reads TOML"


def sources(entry: object, path: str = "") -> list[tuple[str, str]]:
    """Key path and source of every parameter."""
    if not isinstance(entry, dict):
        return []
    if "value" in entry:
        return [(path, str(entry.get("source", "")))]
    return [found for key, part in entry.items() for found in sources(part, f"{path}.{key}".lstrip("."))]


PRESETS = [file for file in sorted((ROOT / "presets").glob("*/*.toml")) if file.parent.name != "nets"]


def test_every_calibrated_value_is_declared_in_a_study():
    """A value fitted to published cells marks those cells in its study; otherwise they would count as reproduced."""
    declared = {
        key
        for study in ROOT.glob("studies/*/study.toml")
        for calibration in tomllib.loads(study.read_text()).get("calibrations", [])
        for key in calibration.get("keys", [])
    }
    for file in PRESETS:
        for key, source in sources(tomllib.loads(file.read_text())):
            if re.search(r"(calibrated|chosen) on ", source):
                name = re.sub(r"^for\.\w+\.", "", key)
                assert name in declared, f"{file.name}: {name} is calibrated and in no study's [[calibrations]]"


def test_every_preset_file_is_shipped_and_described_with_a_title_and_sources():
    """The reader refuses a value of a file without a source; defaults have one, too."""
    assert {file.stem for file in PRESETS} == {preset.name for preset in linecard.presets()}
    for preset in linecard.presets():
        assert preset.title, preset.name
        parameters = linecard.describe(f"{preset.kind}/{preset.name}").parameters
        assert parameters, preset.name
        assert all(each.source for each in parameters), preset.name


def test_no_paths_of_a_machine():
    for file in tracked():
        if file.suffix in TEXT and file != Path(__file__):
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), start=1):
                found = MACHINE_PATH.search(line)
                assert not found, f"{file.relative_to(ROOT)}:{number} names a path of a machine: {found[0]}"


def test_files_are_small_and_end_in_a_newline():
    for file in tracked():
        assert file.stat().st_size < 2_000_000, f"{file.relative_to(ROOT)} is too large for the repository"
        if file.suffix in TEXT - {""} and file.stat().st_size:
            assert file.read_bytes().endswith(b"\n"), f"{file.relative_to(ROOT)} does not end in a newline"


def test_one_version_everywhere():
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert linecard.__version__ == workspace
    assert f"version: {workspace}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {workspace}" in (ROOT / "CHANGELOG.md").read_text()
