"""Does `--cache` keep only trustworthy files, and does `linecard cache` show and clear them?"""

from __future__ import annotations

import json

COMMAND = ("program", "trace", "checksum", "--packets", "20", "--json")


def test_a_flipped_bit_is_found_said_and_repaired(cli, tmp_path):
    folder = tmp_path / "kept"
    fresh = cli(*COMMAND)
    first = cli(*COMMAND, "--cache", folder)
    again = cli(*COMMAND, "--cache", folder)
    assert (first.out, first.err) == (again.out, again.err) == (fresh.out, fresh.err)
    (file,) = folder.glob("*.trace")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
    shown = json.loads(cli("cache", "show", folder, "--json").out)
    assert "checksum" in shown["traces"][0]["problem"]
    repaired = cli(*COMMAND, "--cache", folder)
    assert repaired.out == fresh.out
    assert "rebuilt" in repaired.err
    assert cli(*COMMAND, "--cache", folder).err == fresh.err


def test_show_lists_what_is_kept_and_clear_removes_nothing_else(cli, tmp_path):
    folder = tmp_path / "kept"
    cli(*COMMAND, "--cache", folder)
    (folder / "notes.txt").write_text("mine")
    shown = json.loads(cli("cache", "show", folder, "--json").out)
    assert [(each["packets"], each["problem"]) for each in shown["traces"]] == [(20, None)]
    assert "checksum.elf" in cli("cache", "show", folder).out
    assert cli("cache", "clear", folder).status == 0
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    missing = cli("cache", "show", tmp_path / "none")
    assert missing.status == 2
    assert "none" in missing.err
