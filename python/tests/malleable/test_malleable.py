"""Packet programs on cores: the command, the result, and invalid requests."""

import json

import pytest

import linecard
from linecard.errors import ConfigError
from linecard.malleable.reports import CoreRow
from linecard.malleable.run import deployments, registers, termination
from linecard.records import field_names

SMALL = {"packets": 1500}


@pytest.fixture(scope="module")
def classify():
    return linecard.program_trace("classify", "edge", **SMALL)


def test_every_split_is_there_and_the_best_is_one_of_them(classify):
    result = linecard.core(classify, events=20_000)
    assert [row.threads for row in result.rows] == list(range(1, 17))
    assert all(row.threads + row.cache_th_eq == 16 for row in result.rows)
    assert result.best.packets_per_mcycle == max(row.packets_per_mcycle for row in result.rows)
    for row in result.rows:
        shares = [getattr(row, name) for name in field_names(CoreRow) if name.endswith("_percent")]
        cycles = sum(shares) - row.hit_percent - row.bandwidth_percent
        assert cycles == pytest.approx(100), "every cycle is counted once"
    # Area: 128 lines of 16 bytes in each of the first 8 thread-equivalents, and 256 lines in each further one.
    assert {row.threads: row.cache_kb for row in result.rows}[6] == (8 * 128 + 2 * 256) * 16 / 1024


def test_a_malleable_core_needs_more_area_than_its_register_cache(classify):
    """The register cache takes 2 thread-equivalents: an area of 2 leaves no cache for registers and data."""
    few = {"events": 20_000, "adapt_packets": 20_000}
    small = linecard.core(classify, area=2, **few)
    assert small.adapted is None
    assert "No malleable core" in small._repr_html_()
    assert linecard.core(classify, area=3, **few).adapted is not None


def test_splits_near_the_best_are_told(classify, cli):
    result = linecard.core(classify, events=20_000)
    low, high = result.plateau(1.0)
    assert low <= result.best_threads <= high
    rates = {row.threads: row.packets_per_mcycle for row in result.rows}
    assert all(rates[threads] >= 0.99 * result.best_packets_per_mcycle for threads in range(low, high + 1))
    assert all(rates.get(beside, 0.0) < 0.99 * result.best_packets_per_mcycle for beside in (low - 1, high + 1))
    assert result.plateau(100.0) == (1, 16)
    told = {row["within_percent"]: row["threads"] for row in result.to_dict()["plateaus"]}
    assert told[1.0] == [low, high]


def test_terminating_a_thread_costs_the_packets_after_it(classify, wording):
    found = termination(classify, events=20_000)
    assert (found["packets"], found["times"]) == ([300], 16)
    assert found["threads"] >= 2
    assert 0 < found["longer_percent"][0] < 20
    # The first of several counts is the same stretch; with more packets, its share of their mean falls.
    several = termination(classify, threads=found["threads"], packets=[100, 300, 3000], events=20_000)
    assert several["longer_percent"][1] == pytest.approx(found["longer_percent"][0], abs=1)
    assert several["longer_percent"][2] < several["longer_percent"][0]
    for packets in ([], [0], [300, 300]):
        with pytest.raises(ConfigError) as refused:
            termination(classify, packets=packets)
        wording(refused.value)
    with pytest.raises(ConfigError) as refused:
        termination(classify, threads=60)
    wording(refused.value)


def test_more_latency_wants_more_threads(classify):
    best = [linecard.core(classify, latency=cycles, events=60_000).best_threads for cycles in (50, 300)]
    assert best[0] < best[1]


def test_the_same_request_gives_the_same_result_with_any_number_of_jobs(classify):
    one, four = (linecard.core(classify, events=20_000, jobs=jobs, adapt_packets=20_000) for jobs in (1, 4))
    assert one.to_dict() == four.to_dict()


def test_registers_are_predicted(classify):
    rows = {row["scheme"]: row for row in registers(classify, events=20_000, cache_registers=[32, 1024])}
    assert rows["predicted"]["missed_percent"] < 5
    assert rows["oracle"]["missed_percent"] == 0
    assert rows["oracle"]["needed_per_switch"] == rows["oracle"]["prefetched_per_switch"]
    assert rows["lru_32"]["missed_percent"] > rows["lru_1024"]["missed_percent"]
    assert rows["hot5"]["relative_percent"] < rows["predicted"]["relative_percent"] <= 100.5


def test_chips_are_what_the_presets_say(classify):
    rows = deployments(classify, [(50, 2.56), (500, 2.56)], events=20_000, chips=["fixed", "malleable", "configurable"])
    for row in rows:
        assert row["configurable"] >= 0.99 * row["ideal"], "9 cores are among its choices"
        assert 0.5 * row["ideal"] < row["malleable"] <= 1.3 * row["ideal"]
    assert rows[0]["ixp2800"] > rows[1]["ixp2800"], "without a cache latency tells"


def test_more_threads_than_area_are_refused(classify, wording):
    with pytest.raises(ConfigError) as refused:
        linecard.core(classify, threads=20)
    wording(refused.value)
    with pytest.raises(ConfigError, match="memory latency"):
        linecard.core(classify, latency=0)


def test_the_command_prints_the_same_as_the_result(cli, wording):
    done = cli("core", "classify", "--latency", "100,200", "--adapt", "0", "--packets", "500", "--json")
    assert done.status == 0
    found = json.loads(done.out)["cores"]
    assert [each["latency_cycles"] for each in found] == [100, 200]
    assert all(len(each["rows"]) == 16 for each in found)
    refused = cli("core", "classify", "--area", "4", "--threads", "5", "--packets", "50")
    assert refused.status == 2
    wording(refused.err)


def test_programs_that_do_wrong_are_told(cli, tmp_path, wording):
    unknown = cli("program", "trace", "pattricia")
    assert unknown.status == 2
    wording(unknown.err)
    broken = tmp_path / "broken.c"
    broken.write_text("int app_packet(void) { return x; }\n")
    refused = cli("program", "build", str(broken))
    assert refused.status == 2
    assert "undeclared identifier" in refused.err, "the compiler's own words"
    wild = tmp_path / "wild.c"
    wild.write_text(
        "#include <stdint.h>\n"
        "uint32_t app_packet(const uint8_t *p, uint32_t n) { return *(volatile uint32_t *)(n * 0 + 16) + p[0]; }\n"
    )
    faulted = cli("program", "trace", str(wild), "--packets", "10")
    assert faulted.status == 4
    assert "packet 1" in faulted.err
    assert "app_packet" in faulted.err


def test_a_kept_trace_is_the_trace(tmp_path, classify):
    kept = [linecard.program_trace("classify", "edge", cache=tmp_path, **SMALL) for _ in range(2)]
    (file,) = tmp_path.iterdir()
    assert kept[0].to_dict() == kept[1].to_dict() == classify.to_dict()
    assert linecard.core(kept[1], events=5000).rows == linecard.core(classify, events=5000).rows
    # Another seed is another trace; a damaged file is rebuilt.
    linecard.program_trace("classify", "edge", cache=tmp_path, seed=2, **SMALL)
    assert len(list(tmp_path.iterdir())) == 2
    file.write_bytes(file.read_bytes()[:100])
    assert linecard.program_trace("classify", "edge", cache=tmp_path, **SMALL).to_dict() == classify.to_dict()
