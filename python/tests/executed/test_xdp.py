"""XDP programs: runs on captures, filled maps, refusals."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes

import linecard
from linecard.executed.xdp import is_xdp


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    file = tmp_path / "some.pcap"
    file.write_bytes(pcap_bytes([ipv4_frame(number) for number in range(60)]))
    return file


def number(entry: linecard.XdpMapEntry) -> int:
    return int.from_bytes(bytes.fromhex(entry.key), "little")


@pytest.mark.parametrize("program", [each.name for each in linecard.xdp_programs()])
def test_every_shipped_program_runs(program, capture):
    found = linecard.xdp_run(program, capture)
    assert sum(share.count for share in found.verdicts) == found.traffic.packets == 60
    assert found.least_instructions <= found.instructions_per_packet <= found.most_instructions
    assert sum(share.count for share in found.lines) <= found.instructions


def test_counts_come_back_from_maps(capture):
    found = linecard.xdp_run("parse_count", capture)
    packets = sum(struct.unpack("<QQ", bytes.fromhex(entry.values[0]))[0] for entry in found.map("counts").listed)
    assert packets == 60
    assert found.verdicts[0].name == "drop"


def test_processors_have_values_of_their_own(capture):
    found = linecard.xdp_run("parse_count", capture, cpus=3)
    entry = found.map("counts").listed[0]
    assert [struct.unpack("<QQ", bytes.fromhex(value))[0] for value in entry.values] == [20, 20, 20]


def test_maps_are_filled_from_csv_and_toml(capture, tmp_path):
    ports = tmp_path / "ports.csv"
    ports.write_text("key,value\n# the port that packets come by\n1,7\n")
    found = linecard.xdp_run("redirect", capture, maps={"ports": ports})
    assert found.verdicts[0].name == "redirect to interface 7"
    routes = tmp_path / "routes.toml"
    routes.write_text(
        '[[entry]]\nkey = "0.0.0.0/0"\nvalue = "02:00:00:00:00:01 02:00:00:00:00:02 u32:1"\n'
        '[[entry]]\nkey = "10.0.0.0/8"\nvalue = "02:00:00:00:00:03 02:00:00:00:00:02 u32:1"\n'
    )
    found = linecard.xdp_run("router", capture, maps={"routes": routes, "ports": ports})
    assert found.map("routes").entries == 2
    assert found.verdicts[0].name == "redirect to interface 7"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1,7\n", "expected the header `key,value`"),
        ("key,value\n1\n", "ports.csv:2: found `1`, expected a key, a comma and a value"),
        ("key,value\n99,7\n", "a key beyond the map's capacity"),
        ("key,value\n1,u16:7\n", "value: `u16:7` has 2 bytes, expected 4"),
        ("key,value\n1,0x100000000\n", "does not fit into 4 bytes"),
        ("key,value\n1,seven\n", "found `seven`, expected an address"),
    ],
)
def test_files_of_maps_that_are_refused(capture, tmp_path, text, says):
    ports = tmp_path / "ports.csv"
    ports.write_text(text)
    with pytest.raises(linecard.ConfigError, match="ports") as refused:
        linecard.xdp_run("redirect", capture, maps={"ports": ports})
    assert says in str(refused.value)


def test_what_is_not_there_is_named(capture, tmp_path, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run("routr", capture)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run("router", capture, maps={"nothing": tmp_path / "x.csv"})
    wording(refused.value)
    with pytest.raises(linecard.ConfigError, match="program `other`"):
        linecard.xdp_run("router", capture, section="other")
    raw = tmp_path / "raw.bin"
    # A call of bpf_loop, and an exit.
    raw.write_bytes(bytes([0x85, 0, 0, 0, 181, 0, 0, 0]) + bytes([0x95, 0, 0, 0, 0, 0, 0, 0]))
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run(raw, capture)
    wording(refused.value)


def test_a_fault_names_its_instruction(capture, tmp_path, wording):
    raw = tmp_path / "raw.bin"
    loop = bytes([0x05, 0, 0xFF, 0xFF, 0, 0, 0, 0])
    raw.write_bytes(loop + bytes([0x95, 0, 0, 0, 0, 0, 0, 0]))
    with pytest.raises(linecard.RunError) as refused:
        linecard.xdp_run(raw, capture, budget=1000)
    wording(refused.value)


def test_routes_of_the_kernel(capture, tmp_path, wording):
    routes = tmp_path / "fib.csv"
    routes.write_text("prefix,interface\n")
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run("drop", capture, fib=routes)
    wording(refused.value)


def test_the_command_shows_and_prints(cli, capture):
    shown = cli("program", "run", "stateful_firewall", "--trace", str(capture))
    assert shown.status == 0, shown.err
    assert "Accesses  per packet" in shown.out
    printed = cli("program", "run", "stateful_firewall", "--trace", str(capture), "--json")
    report = json.loads(printed.out)
    assert report["traffic"]["packets"] == 60
    assert report == json.loads(json.dumps(linecard.xdp_run("stateful_firewall", capture).to_dict()))
    wrong = cli("program", "run", "stateful_firewall", "--trace", str(capture), "--map", "rules")
    assert wrong.status == 2
    assert "expected NAME=FILE" in wrong.err


def test_a_source_is_compiled_with_its_macros(capture, tmp_path, wording):
    pytest.importorskip("ziglang")
    counts = []
    for reads in (1, 8):
        found = linecard.xdp_run("reads", capture, defines=[f"N={reads}"])
        counts += [region.reads_per_packet for region in found.regions if region.name == "table"]
    assert counts == [1, 8]
    source = tmp_path / "reads.c"
    shutil.copy(ROOT / "programs" / "xdp" / "reads.c", source)
    assert linecard.program_build(source) == tmp_path / "reads.o"
    assert linecard.xdp_run(tmp_path / "reads.o", capture).traffic.packets == 60
    with pytest.raises(linecard.ConfigError, match="cflags: found"):
        linecard.xdp_build(source, cflags="'")
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run(tmp_path / "reads.o", capture, defines=["N=2"])
    wording(refused.value)
    source.write_text("#include <linux/bpf.h>\nint broken(\n")
    with pytest.raises(linecard.CompileError, match=r"reads\.c"):
        linecard.xdp_run(source, capture)


def test_headers_that_sources_include_are_found(capture, tmp_path):
    pytest.importorskip("ziglang")
    library = [
        "stddef",
        "stdint",
        "stdbool",
        "stdlib",
        "stdio",
        "string",
        "errno",
        "sys/socket",
        "netinet/in",
        "arpa/inet",
    ]
    kernel = [
        "bpf",
        "in",
        "if",
        "if_ether",
        "if_packet",
        "if_vlan",
        "if_arp",
        "ip",
        "ipv6",
        "icmp",
        "icmpv6",
        "tcp",
        "udp",
        "pkt_cls",
        "types",
    ]
    names = [*library, *(f"linux/{name}" for name in kernel), "asm/types", "bpf/bpf_helpers", "bpf/bpf_endian"]
    source = tmp_path / "all.c"
    source.write_text(
        "".join(f"#include <{name}.h>\n" for name in names)
        + """
        char _license[] SEC("license") = "GPL";
        SEC("xdp") int all(struct xdp_md *context)
        {
            char bytes[8];
            memset(bytes, 0, sizeof(bytes));
            bpf_printk("%d", bpf_ntohs(htons(7)) + ENOENT);
            return bpf_xdp_load_bytes(context, 0, bytes, sizeof(bytes)) ? XDP_ABORTED : XDP_PASS;
        }"""
    )
    assert linecard.xdp_run(source, capture).verdicts[0].name == "pass"


def test_each_command_names_the_other_for_what_it_does_not_run(wording):
    folder = ROOT / "programs"
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run(folder / "md5" / "md5.c")
    wording(refused.value)
    for program in (folder / "xdp" / "tx.c", folder / "xdp" / "prebuilt" / "tx.o"):
        with pytest.raises(linecard.ConfigError) as refused:
            linecard.program_trace(program)
        wording(refused.value)


def test_what_is_an_xdp_program(tmp_path):
    assert is_xdp("router")
    assert is_xdp(ROOT / "programs" / "xdp" / "router.c")
    assert is_xdp(ROOT / "programs" / "xdp" / "prebuilt" / "router.o")
    assert not is_xdp(ROOT / "programs" / "md5" / "md5.c")
    assert not is_xdp(ROOT / "programs" / "prebuilt" / "md5.elf")
    assert not is_xdp(tmp_path / "nothing")


def test_a_program_may_stand_where_shared_functions_do(tmp_path):
    pytest.importorskip("ziglang")
    source = tmp_path / "text.c"
    source.write_text(
        "#include <lx_packet.h>\n"
        'SEC(".text") static __attribute__((noinline)) int verdict(__u32 bytes)\n'
        "{ return bytes > 9 ? XDP_TX : XDP_DROP; }\n"
        'SEC(".text") int whole(struct xdp_md *context) { return verdict(context->data_end - context->data); }\n'
    )
    found = linecard.xdp_run(source, packets=50)
    assert found.program == "whole"
    assert [(each.name, each.count) for each in found.verdicts] == [("tx", found.traffic.packets)]


def test_the_largest_array_has_4_gib_of_values(tmp_path, wording):
    """Its last value is at the right address, and values that are never written take no memory."""
    pytest.importorskip("ziglang")
    source = tmp_path / "large.c"
    source.write_text("""
#include <lx_packet.h>
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, COUNT);
	__type(key, __u32);
	__type(value, __u64);
} large SEC(".maps");

SEC("xdp")
int count(struct xdp_md *context)
{
	__u32 key = (1u << 26) - 1;
	__u64 *value = bpf_map_lookup_elem(&large, &key);

	if (!value)
		return XDP_ABORTED;
	*value += 1;
	return XDP_PASS;
}
""")
    found = linecard.xdp_run(source, packets=50, defines=["COUNT=1<<26"])
    assert [(each.key, each.numbers) for each in found.maps[0].listed] == [("ffffff03", (found.traffic.packets,))]
    largest = linecard.xdp_run(source, packets=50, defines=["COUNT=1<<29"])
    assert [each.key for each in largest.maps[0].listed] == ["ffffff03"]
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_run(source, packets=50, defines=["COUNT=(1<<29)+1"])
    wording(refused.value)
