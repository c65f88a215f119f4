"""Do the prebuilt ELFs follow from the sources, control files from their scripts, and the guide from its commands?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings

import pytest
from conftest import ROOT

import linecard

PROGRAMS = ROOT / "programs"
GUIDE = ROOT / "docs" / "guide" / "programs.md"


@pytest.mark.long
def test_the_prebuilt_programs_follow_from_the_sources():
    """Byte for byte; after a change of sources run: python programs/build.py"""
    pytest.importorskip("ziglang")
    ended = subprocess.run(
        [sys.executable, PROGRAMS / "build.py", "--check"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    if ended.stderr:
        # The compiler of some programs could not be fetched.
        warnings.warn(ended.stderr.strip(), stacklevel=1)


@pytest.mark.parametrize("name", ["routes", "signatures"])
def test_made_control_files_follow_from_their_scripts(name):
    script = PROGRAMS / "control" / f"make_{name}.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert made == (PROGRAMS / "control" / f"{name}.txt").read_text()


def test_the_guide_shows_what_its_program_does(cli, tmp_path):
    pytest.importorskip("ziglang")
    page = GUIDE.read_text()
    source = tmp_path / "heavy.c"
    source.write_text(re.findall(r"^```c\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0])
    shown = re.search(r"^  Instructions .*\n  Accesses .*\n  Locks .*\n", page, re.MULTILINE)
    assert shown is not None
    ended = cli("program", "trace", str(source), "--trace", "edge")
    assert ended.status == 0, ended.err
    assert shown[0] in ended.out


def test_every_listed_program_runs_with_its_control_file(cli):
    listed = json.loads(cli("program", "list", "--json").out)
    assert len(listed) == 16
    for program in listed:
        ended = cli("program", "trace", program["name"], "--packets", "200", "--json")
        assert ended.status == 0, ended.err
        assert json.loads(ended.out)["traffic"]["packets"] == 200


def test_a_line_of_control_data_that_a_program_does_not_understand_is_named(cli, tmp_path, wording):
    control = tmp_path / "meters.txt"
    control.write_text("meters 1024\nprofile 1 2\n")
    ended = cli("program", "trace", "srtcm", "--control", str(control))
    assert ended.status == 2
    wording(ended.err)
    assert "srtcm" in ended.err


LOOP = """
#include <linecard.h>

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
	uint32_t sum = bytes;

	for (uint32_t each = 0; each < N; each++)
		sum += *(volatile uint8_t *)(packet + each);
	return sum;
}
"""


def test_a_trace_shows_source_lines_and_takes_macros(cli, tmp_path, wording):
    """Line 9 loads a byte as often as the macro says, and every line has its share."""
    pytest.importorskip("ziglang")
    source = tmp_path / "loop.c"
    source.write_text(LOOP)
    ended = cli("program", "trace", source, "-D", "N=12", "--packets", 50, "--json")
    found = json.loads(ended.out)
    assert found["packet_accesses_per_packet"] == 12
    lines = {each["name"]: each["count"] for each in found["lines"]}
    assert lines["loop.c:9"] >= 12 * found["traffic"]["packets"]
    assert sum(lines.values()) == found["instructions"]
    ended = cli("program", "trace", source, "-D", "N=12", "--packets", 50)
    assert "source line" in ended.out
    assert "loop.c:9" in ended.out
    ended = cli("program", "trace", "md5", "-D", "N=12")
    assert ended.status == 2
    wording(ended.err)


def test_the_packets_between_two_of_a_flow_are_those_of_other_flows(tmp_path):
    """Flows 1 2 1 1 3 1: one packet, none and one between packets of flow 1."""
    capture = tmp_path / "flows.csv"
    rows = [f"{at},64,10.0.0.{flow},10.0.1.1,1,2,udp" for at, flow in enumerate([1, 2, 1, 1, 3, 1])]
    capture.write_text("\n".join(["time,length,src,dst,src_port,dst_port,protocol", *rows]))
    traffic = linecard.program_trace("classify", str(capture)).traffic
    assert (traffic.packets, traffic.flows, traffic.median_packets_between) == (6, 3, 1)


def test_a_trace_lists_all_results_and_lines(cli, tmp_path):
    """Each of 20 packets has a result of its own; a screen shows the first of them and says how many there are."""
    pytest.importorskip("ziglang")
    source = tmp_path / "count.c"
    source.write_text(
        '#include "linecard.h"\nstatic uint32_t count;\n'
        "uint32_t app_packet(uint8_t *ip, uint32_t bytes)\n{\n\t(void)ip;\n\t(void)bytes;\n\treturn ++count;\n}\n"
    )
    trace = linecard.program_trace(source, "edge", packets=20)
    assert sorted((int(each.name, 16), each.count) for each in trace.results) == [(n, 1) for n in range(1, 21)]
    assert sum(each.count for each in trace.functions) == trace.instructions
    shown = cli("program", "trace", str(source), "--trace", "edge", "--packets", "20").out
    assert "12 more" in shown


def test_an_address_map_says_which_prefixes_and_flows_it_loses(tmp_path):
    """Two flows from different /24 blocks become one flow if a single /24 is routed, up to the last byte."""
    capture, routes = tmp_path / "flows.csv", tmp_path / "routes.txt"
    sources = [f"10.0.{block}.{host}" for block in range(2) for host in range(256)]
    rows = [f"{at},64,{source},10.9.9.9,1,2,udp" for at, source in enumerate(sources)]
    capture.write_text("\n".join(["time,length,src,dst,src_port,dst_port,protocol", *rows]))
    routes.write_text("0.0.0.0/0\n8.8.8.0/24\n")
    traffic = linecard.program_trace("classify", str(capture), routes=routes).traffic
    assert (traffic.packets, traffic.flows, traffic.merged_flows) == (512, 256, 256)
    assert "shorter than /8 do not count as routed: 1" in (traffic.address_map or "")
    assert linecard.program_trace("classify", str(capture)).traffic.address_map is None
