"""`linecard flowcache` and `linecard.flowcache`; the policies themselves are tested in Rust."""

from __future__ import annotations

import array
import csv
import gzip
import json
import struct
import time
from pathlib import Path

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes

import linecard
from linecard.flowcache.reports import CacheRow
from linecard.records import field_names

GOLDEN = ROOT.parent / "shared" / "golden" / "cache"
BY_HAND = [7, 8, 7, 9, 7, 8]
COUNTS = (
    "sets",
    "packets",
    "hits",
    "misses",
    "cold",
    "capacity",
    "conflict",
    "first_ref_misses",
    "cold_but_fa_hit",
    "hit_but_fa_miss",
)


def u32le(digests: list[int]) -> bytes:
    return struct.pack(f"<{len(digests)}I", *digests)


def some_digests(packets: int = 20_000) -> array.array:
    """Digests of which few are frequent, from a generator with the same results everywhere."""
    state, digests = 1, array.array("I")
    for _ in range(packets):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        digests.append((state >> 40) % 400 * ((state >> 20) % 400) * 2654435761 % 2**32)
    return digests


@pytest.fixture
def digest_file(tmp_path: Path) -> Path:
    path = tmp_path / "digests.u32le"
    path.write_bytes(u32le(BY_HAND))
    return path


@pytest.mark.parametrize("name", ["edge", pytest.param("core", marks=pytest.mark.long)])
def test_every_golden_row_through_the_command(cli, name):
    if not (GOLDEN / f"{name}.set_assoc.csv").exists():
        print(f"skipped: {GOLDEN.name}/{name}.set_assoc.csv is not there")
        return
    with (GOLDEN / f"{name}.set_assoc.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    policies = ",".join(dict.fromkeys(line["policy"].lower() for line in lines))
    found = {}
    for entries in dict.fromkeys(line["entries"] for line in lines):
        ways = ",".join(dict.fromkeys(line["ways"] for line in lines if line["entries"] == entries))
        arguments = ("--entries", entries, "--ways", ways, "--policy", policies, "--json")
        ended = cli("flowcache", GOLDEN / f"{name}.u32le.gz", "--format", "u32le", *arguments)
        assert ended.status == 0, ended.err
        for row in json.loads(ended.out)["rows"]:
            found[str(row["entries"]), str(row["ways"]), row["policy"]] = row
    exact = 0
    for line in lines:
        row = found[line["entries"], line["ways"], line["policy"]]
        exact += {column: row[column] for column in COUNTS} == {column: int(line[column]) for column in COUNTS}
    print(f"{name}.set_assoc.csv: {exact} of {len(lines)} rows exact")
    assert exact == len(lines)


def test_a_trace_by_hand_gives_the_promised_keys(cli, digest_file):
    ended = cli("flowcache", digest_file, "--entries", 2, "--ways", 2, "--policy", "Sp,oPt_bYpAsS", "--json")
    assert (ended.status, ended.err) == (0, "")
    plain = json.loads(ended.out)
    row, oracle = plain["rows"]
    assert {"entries", "ways", "policy", "packets", "hits", "misses", "cold", "capacity", "conflict"} <= row.keys()
    assert (row["entries"], row["ways"], row["sets"], row["policy"]) == (2, 2, 1, "SP")
    assert (row["packets"], row["hits"], row["misses"], row["cold"], row["capacity"]) == (6, 2, 4, 3, 1)
    assert (oracle["policy"], oracle["oracle"], oracle["policy_state_bits"]) == ("OPT_BYPASS", True, None)
    assert plain["best"][0]["policy"] == "SP"
    assert plain == json.loads(json.dumps(linecard.flowcache(digest_file, 2, 2, ["sp", "opt-bypass"]).to_dict()))


def test_rows_come_in_the_order_asked_for_and_once(digest_file, wording):
    result = linecard.flowcache(digest_file, [4, 2], ["full", 2], ["FIFO", "lru", "fifo"])
    assert [(row.entries, row.ways, row.policy) for row in result.rows] == [
        (4, 4, "FIFO"),
        (4, 4, "LRU"),
        (4, 2, "FIFO"),
        (4, 2, "LRU"),
        (2, 2, "FIFO"),
        (2, 2, "LRU"),
    ]
    assert result.row("lru", 4, 2) is result.rows[3]
    with pytest.raises(KeyError) as refused:
        result.row("lru", 8, 2)
    wording(refused.value)


@pytest.mark.parametrize("policy", ["BIP32", "SRRIP2", "PRED2", "OPT_BYPASS", "opt-bypass", "S3-FIFO", "SECOND16+SP"])
def test_names_of_policies_are_known_in_any_case(digest_file, policy):
    rows = [linecard.flowcache(digest_file, 4, 2, name).rows for name in (policy, policy.lower(), policy.upper())]
    assert rows[0] == rows[1] == rows[2]


def test_a_file_a_packed_file_and_an_array_are_the_same(digest_file, tmp_path):
    packed = tmp_path / "digests.u32le.gz"
    packed.write_bytes(gzip.compress(u32le(BY_HAND[:2])) + gzip.compress(u32le(BY_HAND[2:])))
    renamed = tmp_path / "digests.bin"
    renamed.write_bytes(u32le(BY_HAND))
    numpy = pytest.importorskip("numpy")
    frozen = numpy.array(BY_HAND, dtype=numpy.uint32)
    frozen.flags.writeable = False
    expected = linecard.flowcache(digest_file)
    assert (expected.format, expected.compression, expected.key) == ("u32le", "none", None)
    assert linecard.flowcache(packed).rows == expected.rows
    assert linecard.flowcache(packed).compression == "gzip"
    assert linecard.flowcache(renamed, format="u32le").rows == expected.rows
    for digests in (frozen, array.array("I", BY_HAND), memoryview(frozen), numpy.array(BY_HAND * 2, numpy.uint32)[:6]):
        assert linecard.flowcache(digests).rows == expected.rows
    assert linecard.flowcache(frozen).input == "array"
    assert linecard.flowcache(frozen, numpy.array([512, 1024, 2048]), numpy.int64(4)).rows == expected.rows


def test_what_is_no_array_of_digests_is_refused(wording):
    numpy = pytest.importorskip("numpy")
    digests = numpy.array(BY_HAND, dtype=numpy.uint32)
    other_order = digests.astype(digests.dtype.newbyteorder())
    for bad in (digests.astype(float), digests.astype(numpy.int32), digests[::2], digests.reshape(2, 3), other_order):
        with pytest.raises(linecard.ConfigError) as refused:
            linecard.flowcache(bad)
        wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.flowcache(object())
    wording(refused.value)
    with pytest.raises(linecard.TrafficError) as refused:
        linecard.flowcache(digests[:0])
    wording(refused.value)


def test_a_capture_is_cut_into_flows_by_its_key(tmp_path):
    path = tmp_path / "flows.pcap"
    # Ten flows from ten sources to one destination come twice, with a frame that is not an IP packet in between.
    frames = [ipv4_frame(number) for number in range(10)]
    path.write_bytes(pcap_bytes([*frames, b"\x02" * 6 + b"\x04" * 6 + b"\x08\x06" + bytes(46), *frames]))
    result = linecard.flowcache(path, 16, "full", "lru")
    assert (result.packets, result.packets_without_flow, result.format) == (20, 1, "pcap")
    assert (result.key, result.hash) == ("src,dst,src_port,dst_port,protocol", "md5")
    assert (result.rows[0].hits, result.rows[0].first_ref_misses) == (10, 10)
    for name in ("crc32c", "xxhash", "h3"):
        assert linecard.flowcache(path, 16, "full", "lru", hash=name).rows == result.rows
    assert linecard.flowcache(path, 16, "full", "lru", key="dst").rows[0].hits == 19
    assert linecard.flowcache(path, 16, "full", "lru", key="src/30").rows[0].first_ref_misses == 3


def test_narrow_digests_make_false_hits(capture):
    row = linecard.flowcache(capture, 2, 2, "lru", width=1, false_hits=True).rows[0]
    # Ten flows share two digests: every hit finds the entry of another flow.
    assert row.misses == 2
    assert row.false_hits == row.hits == 8
    assert row.false_hit_probability == 0.8
    assert row.false_hit_probability_expected == 1.0
    assert linecard.flowcache(capture, 2, 2, "lru").rows[0].false_hits is None
    assert linecard.flowcache(array.array("I", [1, 3, 5]), 2, 2, "lru", width=1).rows[0].hits == 2


def test_the_cost_is_that_of_table_5_1(digest_file):
    result = linecard.flowcache(digest_file, [512, 1024, 2048], [4, 8], "sp")
    assert [row.cache_bytes for row in result.rows] == [2112, 2176, 4096, 4224, 7936, 8192]


def test_the_best_is_compared_with_the_optimum():
    digests = some_digests()
    result = linecard.flowcache(digests, [64, 128], 4, ["LRU", "FIFO", "SP", "OPT", "PRED"])
    assert len(result.best) == 2
    for best in result.best:
        hits = {row.policy: row.hits for row in result.rows if row.entries == best.entries}
        assert best.hits == hits[best.policy] == max(hits[name] for name in ("LRU", "FIFO", "SP"))
        assert best.bound == "OPT"
        assert best.percent_of_bound_hits == 100 * best.hits / hits["OPT"] <= 100
        assert best.percent_of_lru_gap == 100 * (best.hits - hits["LRU"]) / (hits["OPT"] - hits["LRU"])
    assert linecard.flowcache(digests, 64, 4, ["LRU"]).best[0].percent_of_bound_hits is None
    assert linecard.flowcache(digests, 64, 4, ["OPT"]).best == ()


def test_threads_change_no_byte(cli, tmp_path):
    path = tmp_path / "some.u32le"
    path.write_bytes(u32le(list(some_digests())))
    arguments = ("flowcache", path, "--entries", "64,96,256", "--ways", "2,4,full", "--policy", "lru,random,pred,arc")
    outputs = [cli(*arguments, "--json", "--jobs", threads) for threads in (1, 2, 7)]
    outputs.append(cli(*arguments, "--json"))
    assert outputs[0].status == 0, outputs[0].err
    assert len({ended.out for ended in outputs}) == 1
    assert json.loads(outputs[0].out)["rows"][5]["policy"] == "RANDOM"


def test_the_table_is_tidy(cli, digest_file, tmp_path):
    path = tmp_path / "caches.csv"
    ended = cli("flowcache", digest_file, "--entries", "2,4", "--ways", 2, "-o", path, "--json")
    assert ended.status == 0, ended.err
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    plain = json.loads(ended.out)["rows"]
    assert tuple(rows[0]) == field_names(CacheRow)
    assert [(row["entries"], row["policy"], int(row["hits"])) for row in rows] == [
        (str(row["entries"]), row["policy"], row["hits"]) for row in plain
    ]
    manifest = json.loads((tmp_path / "caches.csv.manifest.json").read_text())
    assert manifest["input_hash"]
    assert (manifest["width_bits"], manifest["seed"]) == (32, 1)
    polars = pytest.importorskip("polars")
    frame = linecard.flowcache(digest_file, [2, 4], 2).to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["hits"].to_list() == [row["hits"] for row in plain]


def test_the_screen_and_the_notebook_name_the_best(cli, capture):
    ended = cli("flowcache", capture, "--entries", 8, "--policy", "lru,opt", "--false-hits", "--width", 8)
    assert ended.status == 0, ended.err
    for words in ("ten.pcap", "LRU", "OPT", "oracle", "cold", "capacity", "conflict", "Best policies for hardware"):
        assert words in ended.out
    assert "False hits" in ended.out
    assert not any(line != line.rstrip() for line in ended.out.splitlines())
    result = linecard.flowcache(capture, 8)
    assert "hit rate" in result._repr_html_()
    assert repr(result).endswith("ten.pcap: 3 caches over 10 packets>")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--entries", "1022"), 2, "use 1020 or 1024 entries"),
        (("--entries", "0"), 2, "entries: found 0, expected 1 to"),
        (("--entries", "-8"), 2, "entries: found -8, expected 1 to"),
        (("--entries", "99999999999"), 2, "entries: found 99999999999"),
        (("--entries", "many"), 2, "--entries: found 'many'"),
        (("--entries", ","), 2, "entries: found none"),
        (("--ways", "0"), 2, "ways: found 0, expected 1 to"),
        (("--ways", "all"), 2, "ways: found 'all'"),
        (("--policy", "SRRP"), 2, "did you mean SRRIP2?"),
        (("--policy", "SECND+LRU"), 2, "did you mean SECOND16?"),
        (("--policy", "BIP0"), 2, "BIP with a number from 1 to"),
        (("--policy", ""), 2, "policy: found none"),
        (("--policy", "dip", "--ways", "full"), 2, "DIP: found 1 set, expected at least 2"),
        (("--key", "dst_prot"), 2, "did you mean dst_port?"),
        (("--key", "dst/200"), 2, "expected a prefix of 1 to 128 bits"),
        (("--hash", "crc32"), 2, "did you mean crc32c?"),
        (("--width", "33"), 2, "digest width: found 33 bits, expected 1 to 32 bits"),
        (("--width", "-1"), 2, "digest width: found -1"),
        (("--width", "6"), 2, "expected 7 to 32 bits for 128 sets"),
        (("--jobs", "0"), 2, "jobs: found 0, expected 1 to"),
        (("--format", "u23le"), 2, "did you mean u32le?"),
        (("--format", "u32le", "--key", "dst"), 2, "key: has no effect on an input of digests"),
        (("--format", "u32le", "--false-hits"), 2, "false hits: has no effect on an input of digests"),
        (("--foresight", "5", "--policy", "lru,opt"), 2, "foresight: has no effect without the policy PRED"),
        (("--time-out", "5"), 2, "--time-out: has no effect without --traffic"),
    ],
)
def test_what_the_user_got_wrong_is_said_without_a_traceback(cli, capture, arguments, status, words):
    ended = cli("flowcache", capture, *arguments)
    assert (ended.status, ended.out) == (status, ""), ended.err
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_everything_wrong_is_said_at_once(cli, capture):
    ended = cli("flowcache", capture, "--entries", "0,1022", "--policy", "lru,srrp", "--hash", "md4", "--key", "dprt")
    assert ended.status == 2
    for words in ("found 0", "1022 entries", "SRRIP2", "md5", "dprt"):
        assert words in ended.err
    with pytest.raises(linecard.ConfigError) as raised:
        linecard.flowcache(capture, [0, 1022], policy="srrp")
    assert [problem.key for problem in raised.value.problems] == ["policy", "entries", "entries"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("odd.u32le", b"\1\0\0\0\2", "odd.u32le: digests: found 5 bytes, expected a multiple of 4"),
        ("odd.u32le.gz", gzip.compress(b"\1\0\0\0\2\0"), "odd.u32le.gz: digests: found 6 bytes"),
        ("cut.u32le.gz", gzip.compress(u32le(BY_HAND))[:-9], "cut.u32le.gz: cannot read"),
        ("plain.u32le.gz", u32le(BY_HAND), "plain.u32le.gz: cannot read"),
        ("none.u32le", b"", "none.u32le: digests: the trace is empty"),
        ("none.pcap", b"", "none.pcap: no bytes in this capture"),
        ("digests.bin", u32le([2**32 - 1, 1]), "set the format u32le"),
        ("header.pcap", pcap_bytes([]), "header.pcap: digests: the trace is empty"),
        ("arp.pcap", pcap_bytes([b"\x02" * 12 + b"\x08\x06" + bytes(46)]), "at least one packet with a flow"),
    ],
)
def test_an_input_that_cannot_be_used_is_named(cli, tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    ended = cli("flowcache", path)
    assert (ended.status, ended.out) == (3, ""), ended.err
    assert words in ended.err
    assert cli("flowcache", tmp_path / f"nowhere-{name}").status == 3


def test_a_damaged_capture_still_gives_a_result(cli, cut_capture):
    ended = cli("flowcache", cut_capture, "--json")
    assert ended.status == 3
    plain = json.loads(ended.out)
    assert (plain["packets"], plain["damaged_records"]) == (9, 1)
    assert "byte offset" in ended.err
    ended = cli("flowcache", cut_capture, "--strict")
    assert (ended.status, ended.out) == (3, "")


def test_progress_and_interrupt_from_python():
    digests = some_digests() * 200
    seen = []

    def step(done, total):
        seen.append((done, total))

    linecard.flowcache(digests, 1024, 4, ["arc", "lfu", "lirs"], jobs=1, progress=step)
    assert seen
    assert all(done <= total == 3 * len(digests) for done, total in seen)

    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough

    started = time.monotonic()
    with pytest.raises(Enough):
        linecard.flowcache(digests * 4, range(1024, 4096, 4), 4, ["arc", "lfu"], progress=stop)
    assert time.monotonic() - started < 10
