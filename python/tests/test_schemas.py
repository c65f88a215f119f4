"""Do the schemas agree with the readers, and do editors accept shipped files and reject wrong ones?"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT
from jsonschema import Draft7Validator

import linecard
from linecard.schemas import NAMES
from tools.documents.__main__ import written_modules

TAPLO = Path(sys.executable).with_name("taplo")
FOLDERS = {
    "chip": ("presets/platforms",),
    "program": ("presets/programs",),
    "dram": ("presets/dram", "presets/standards"),
    "policy": ("presets/policies",),
    "traffic": ("presets/traffic",),
    "queueing": ("presets/queueing",),
}
SHIPPED = {
    **{
        name: [each for folder in folders for each in (ROOT / folder).glob("*.toml")]
        for name, folders in FOLDERS.items()
    },
    "sweep": [each for each in (ROOT / "examples" / "explore").glob("*.toml") if each.name != "area_and_power.toml"],
    "study": list((ROOT / "studies").glob("*/study.toml")),
}
# Typing errors in shipped files: kind of file, file, original text, and replacement.
BROKEN = {
    "a key that there is not": ("chip", "platforms/example_smartnic", "threads = 8", "thread = 8"),
    "a number out of range": ("chip", "platforms/example_smartnic", "threads = 8", "threads = 0"),
    "a number in quotes": ("chip", "platforms/example_smartnic", "threads = 8", 'threads = "8"'),
    "a fraction of a thing": ("chip", "platforms/example_smartnic", "threads = 8", "threads = 8.5"),
    "a name that there is not": ("chip", "platforms/example_smartnic", 'kind = "dram"', 'kind = "drum"'),
    "a kind of unit that there is not": ("chip", "platforms/ixp1200", '"queue_manager"', '"queue_manger"'),
    "a unit of something else": ("chip", "platforms/example_smartnic", '"256 KiB"', '"256 MHz"'),
    "a table that there is not": ("chip", "platforms/example_smartnic", "[traffic]", "[trafic]"),
    "a key of another step": ("program", "programs/secure_gateway", 'op = "send"', 'op = "send"\nto = "work"'),
    "a text for a switch": ("policy", "policies/frfcfs_open", "value = true", 'value = "yes"'),
    "a value without its number": ("traffic", "traffic/edge", "{ value = 85, ", "{ "),
    "an operation that there is not": ("program", "programs/forward", 'op = "read"', 'op = "reed"'),
    "a key beside a value": ("dram", "dram/ddr4_2400", "{ value = 17, ", "{ value = 17, sauce = 1, "),
}


def taplo(schema: str, *files: Path) -> subprocess.CompletedProcess[str]:
    """The messages of an editor about files."""
    at = (ROOT / "python" / "linecard" / "schemas" / f"{schema}.json").as_uri()
    return subprocess.run([TAPLO, "lint", "--schema", at, *files], capture_output=True, text=True, check=False)


def test_requests_and_schemas_say_what_the_core_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    for name, text in written_modules().items():
        assert (ROOT / "python" / "linecard" / name).read_text() == text, f"{name} is stale; run: make docs"


def test_every_schema_has_a_name():
    assert {each.stem for each in (ROOT / "python" / "linecard" / "schemas").glob("*.json")} == NAMES.keys()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shipped_fits_its_schema(name):
    schema = linecard.schema(name)
    Draft7Validator.check_schema(schema)
    assert SHIPPED[name]
    for file in SHIPPED[name]:
        found = tomllib.loads(file.read_text())
        errors = [
            f"{file.name}: {each.json_path}: {each.message}" for each in Draft7Validator(schema).iter_errors(found)
        ]
        assert not errors
    checked = taplo(name, *SHIPPED[name])
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("broken", BROKEN)
def test_an_editor_refuses_what_the_reader_refuses(tmp_path, broken):
    name, preset, there, instead = BROKEN[broken]
    text = (ROOT / "presets" / f"{preset}.toml").read_text()
    assert there in text
    file = tmp_path / "broken.toml"
    file.write_text(text.replace(there, instead, 1))
    checked = taplo(name, file)
    assert checked.returncode != 0
    assert "error: " in checked.stderr
    with pytest.raises(linecard.ConfigError):
        linecard.describe(str(file))


def test_a_link_profile_needs_no_title(tmp_path):
    text = (ROOT / "presets" / "traffic" / "edge.toml").read_text()
    untitled = re.sub("^title = .*\n", "", text, flags=re.MULTILINE)
    assert untitled != text
    file = tmp_path / "untitled.toml"
    file.write_text(untitled)
    assert linecard.flows(file, packets=1000).packets == 1000
    assert taplo("traffic", file).returncode == 0


def test_every_key_has_a_meaning_and_a_type():
    def values(schema: object):
        if isinstance(schema, dict):
            properties = schema.get("properties", {})
            yield from ((key, each) for key, each in properties.items() if isinstance(each, dict) and "anyOf" in each)
            for each in schema.values():
                yield from values(each)
        elif isinstance(schema, list):
            for each in schema:
                yield from values(each)

    found = [each for each in values(linecard.schema("chip")) if each[0] not in ("value", "extends")]
    assert len(found) > 300
    assert [key for key, each in found if not each.get("description", "").strip(" .")] == []


def test_a_new_chip_names_the_schema_beside_it_and_another_file_of_that_name_stays(tmp_path):
    chip = linecard.new(tmp_path / "mine.toml", like="ixp1200")
    beside = tmp_path / "chip.schema.json"
    assert chip.read_text().startswith(f"#:schema ./{beside.name}\n")
    assert subprocess.run([TAPLO, "lint", chip], capture_output=True, check=False).returncode == 0
    chip.write_text(chip.read_text().replace("switch_cycles", "swich_cycles", 1))
    checked = subprocess.run([TAPLO, "lint", chip], capture_output=True, text=True, check=False)
    assert re.search("swich_cycles", checked.stderr)
    beside.write_text("{}")
    linecard.new(tmp_path / "other.toml", like="ixp1200")
    assert beside.read_text() == "{}"


def test_a_schema_that_there_is_not_is_said(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.schema("studie")
    wording(refused.value)
