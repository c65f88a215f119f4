"""Does the search find the no-drop rate in few trials, and does `linecard ndr` report it?"""

from __future__ import annotations

import json
import math
import random
import threading

import pytest

import linecard
from linecard.errors import ConfigError
from linecard.explore import rate
from linecard.explore.ndr import WIDTH
from linecard.explore.rate import FLOOR, NDR, PDR
from linecard.explore.search import Search
from linecard.view import Chart, view

GOALS = (NDR, PDR)


def searched(loss, goals=GOALS, width=WIDTH):
    """A complete search on a device whose loss at each fraction of the largest load is known."""
    search = Search(goals, width, FLOOR)
    tried = []
    while (number := search.next()) is not None:
        assert number not in search.losses, "a load was tried twice"
        assert len(tried) < 40, tried
        search.tell(number, loss(search.share(number)))
        tried.append(number)
    return search, tried


def capped(cap):
    return lambda load: max(0.0, 1 - cap / load)


def bursty(cap, knee):
    """A device with losses in bursts above a knee, by the square of the distance; above the cap, all excess is lost."""

    def loss(load):
        return 0.0 if load <= knee else max(capped(cap)(load), 0.004 * min(4, ((load - knee) / (cap - knee)) ** 2))

    return loss


def devices(count):
    for number in range(count):
        draw = random.Random(number)
        cap = 10 ** draw.uniform(-2.5, -0.01)
        yield capped(cap) if number % 2 else bursty(cap, cap * (1 - draw.choice((0.006, 0.03, 0.09))))


def test_both_rates_are_found_to_half_a_percent_in_eight_trials():
    lengths = []
    for loss in devices(2000):
        search, tried = searched(loss)
        lengths.append(len(tried))
        for goal in GOALS:
            held, failed = search.bounds(goal)
            assert loss(search.share(held)) <= goal
            assert failed == held - 1
            assert loss(search.share(failed)) > goal
            assert 1 - search.share(held) / search.share(failed) == pytest.approx(WIDTH)
    assert max(lengths) <= 8
    assert sum(lengths) / len(lengths) < 6


def test_a_device_that_holds_everything_needs_one_trial():
    search, tried = searched(lambda load: 0.0)
    assert tried == [0]
    assert search.bounds(NDR) == (0, None)


def test_a_device_that_holds_nothing_ends_at_the_floor():
    search, tried = searched(lambda load: 1.0)
    assert search.bounds(PDR)[0] is None
    assert search.share(tried[-1]) <= FLOOR
    assert len(tried) < 20


def test_a_device_that_forwards_less_when_it_is_overloaded_is_still_found():
    # Above 0.4 the rate collapses to 0.1, so the forwarded traffic predicts too low a load.
    search, tried = searched(lambda load: 0.0 if load <= 0.4 else 1 - 0.1 / load)
    assert search.share(search.bounds(NDR)[0]) == pytest.approx(0.4, rel=WIDTH)
    assert len(tried) <= 16


def test_loss_at_a_lower_load_counts_though_a_higher_one_held():
    search = Search(GOALS, WIDTH, FLOOR)
    for number, lost in ((0, 0.5), (100, 0.0), (150, 0.1)):
        search.tell(number, lost)
    held, failed = search.bounds(NDR)
    assert held is None
    assert failed == 150


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cap", [0.7, 0.31, 0.042])
def test_the_answers_are_those_of_mlrsearch(cap):
    """The library of FD.io CSIT on the same device: the intervals overlap, and this search needs no more trials."""
    library = pytest.importorskip("MLRsearch")
    trials = []

    class Device(library.AbstractMeasurer):
        def measure(self, intended_duration, intended_load):
            trials.append(intended_load)
            sent = round(intended_duration * intended_load)
            return library.MeasurementResult(
                intended_duration=intended_duration,
                intended_load=intended_load,
                offered_count=sent,
                loss_count=round(sent * capped(cap)(intended_load / 1e8)),
            )

    goals = [
        library.SearchGoal(loss_ratio=goal, relative_width=WIDTH, duration_sum=1, preceding_targets=1) for goal in GOALS
    ]
    config = library.Config(goals=goals, min_load=1e5, max_load=1e8, search_duration_max=600, warmup_duration=None)
    answers = library.MultipleLossRatioSearch(config=config).search(measurer=Device(), debug=lambda text: None)
    search, tried = searched(capped(cap))
    for goal, answer in zip(GOALS, goals, strict=True):
        found = answers[answer]
        held, failed = search.bounds(goal)
        low, high = search.share(held) * 1e8, search.share(failed) * 1e8
        assert low <= float(found.relevant_upper_bound) * 1.0001
        assert high >= float(found.relevant_lower_bound) * 0.9999
    assert len(tried) <= len(trials)


CAPPED = """
kind = "chip"
title = "A unit that takes 100 ns for every packet"
source = "a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 16
threads = 8
[memory.sram]
access_cycles = 1
[unit.gate]
access_cycles = 100
[buffer.rx]
bytes = "64 KiB"
[inbox.work]
[port.eth]
rate_gbps = 100
[[program.step]]
op = "ask"
at = "gate"
cycles = 10
[traffic]
kind = "imix"
rate_gbps = 10
"""


@pytest.fixture
def chip(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.toml").write_text(CAPPED)
    return "gate.toml"


def test_a_chip_with_a_gate_of_ten_million_packets_a_second_has_that_rate(chip):
    found = linecard.ndr(chip, [64, 512, "imix"], packets=4000)
    for row, size in zip(found.rows, (64, 512, 361.833), strict=True):
        assert row.size_bytes == pytest.approx(size, rel=1e-4)
        assert row.line_mpps == pytest.approx(1e5 / 8 / (size + 20), rel=1e-4)
        assert row.trials <= 8
        low, high = row.interval["ndr_mpps"]
        assert low == row.ndr_mpps <= row.pdr_mpps
        assert high / low - 1 <= WIDTH * 1.01
        # A trial of finite length passes a rate above the limit by the number of packets that the chip can hold.
        assert low <= 10.2
        assert high >= 9.95
        assert [at.share_of_pdr for at in row.latency] == [0.1, 0.5, 0.9]
        assert row.latency[0].p50_ns <= row.latency[2].p99_ns


def test_a_longer_trial_has_a_narrower_meaning_of_no_loss(chip):
    short, long = (linecard.ndr(chip, [512], packets=packets).rows[0] for packets in (500, 20_000))
    assert long.ndr_mpps <= short.ndr_mpps
    assert abs(long.ndr_mpps - 10) < 0.06


def test_the_command_prints_the_same_rates_and_latencies(chip, cli, tmp_path):
    command = ("ndr", chip, "--size", "512,imix", "--packets", 1000, "--store", tmp_path / "s")
    first = cli(*command, "--json", "--jobs", 1)
    assert first.status == 0, first.err
    plain = json.loads(first.out)
    assert {"ndr_mpps", "pdr_mpps", "trials", "interval", "size_bytes"} <= plain.keys()
    assert plain["trials"] == len(plain["tried"])
    assert [row["traffic"] for row in plain["rows"]] == ["512", "imix"]
    assert cli(*command, "--json", "--jobs", 2).out == first.out
    shown = cli(*command, "-o", tmp_path / "r.csv")
    assert f"{plain['ndr_mpps']:.3f}" in shown.out
    assert (tmp_path / "r.csv").read_text().startswith("traffic,size_bytes,line_mpps,ndr_mpps")


def test_a_capture_is_replayed_faster_until_it_is_lost(chip, capture):
    found = linecard.ndr(chip, trace=capture, packets=100, set={"gate.access_cycles": 1}).rows[0]
    assert found.traffic == "capture"
    assert math.isclose(found.size_bytes, 76, abs_tol=1)
    assert found.ndr_mpps <= found.line_mpps


def test_what_cannot_be_searched_is_refused(chip, cli):
    for words, says in (
        (("--size", "many"), "expected a frame size"),
        (("--size", "10"), "size: found 10, expected 20 to 65535 bytes"),
        (("--set", "traffic.arrivals=saturated"), "expected constant"),
        (("--set", "eth.rate_gbps=0"), "has no line rate"),
        (("--packets", "1"), "packets: found 1"),
        (("--size", "64", "--trace", "x.pcap"), "omit the sizes"),
    ):
        ended = cli("ndr", chip, *words)
        assert ended.status == 2, words
        assert says in ended.err


def test_plots_are_pictures_with_the_same_bytes(chip, tmp_path, wording):
    pytest.importorskip("resvg_py")
    found = linecard.ndr(chip, [512], packets=500)
    for ending in ("png", "svg"):
        files = [found.save(tmp_path / f"{name}.{ending}").read_bytes() for name in "ab"]
        assert files[0] == files[1]
        assert len(files[0]) > 5000
    with pytest.raises(ConfigError) as refused:
        found.save(tmp_path / "a.pdf")
    wording(refused.value)
    # Trials at one load may differ in their length and their result, so a line through them would mean nothing.
    (losses,) = (part for part in view(found) if isinstance(part, Chart) and part.title == "Loss of each trial")
    assert not any(series.line for series in losses.series)
    assert threading.active_count() < 10


def test_a_trial_as_long_as_is_allowed_confirms_where_little_is_inside(chip, monkeypatch):
    # Four times the packets exceed the bound; the packets inside require far fewer.
    monkeypatch.setattr(rate, "LONGEST_TRIAL", 4_500)
    row = linecard.ndr(chip, [512], packets=4_000).rows[0]
    assert row.confirmed
    assert row.answered
    assert row.confirmed_packets == pytest.approx(4_500, rel=0.01)


SERVER = """
kind = "chip"
title = "A server that takes 1000 cycles, for every packet or for every second packet at random"
source = "a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 1
threads = 1
[memory.sram]
access_cycles = 10
[buffer.rx]
bytes = "64 KiB"
[inbox.work]
[port.eth]
rate_gbps = 10
[[program.step]]
name = "c"
op = "compute"
cycles = 1000
share = {share}
[[program.step]]
op = "send"
port = 0
[traffic]
kind = "fixed"
packet_bytes = 64
rate_gbps = 0.1
"""


@pytest.mark.parametrize(
    ("arrivals", "share", "buffer", "seed"),
    [
        ("poisson", 1, "64 KiB", 1),
        ("poisson", 1, "64 MiB", 3),
        ("constant", 0.5, "64 KiB", 1),
        ("constant", 0.5, "64 MiB", 2),
    ],
)
def test_fluctuations_of_the_queue_are_no_loss(tmp_path, arrivals, share, buffer, seed):
    """A queue below its capacity fluctuates by about its mean. The buffer of 1,024 frames overflows within 1 % only."""
    (tmp_path / "server.toml").write_text(SERVER.format(share=share))
    changes = {"traffic.arrivals": arrivals, "rx.bytes": buffer}
    row = linecard.ndr(tmp_path / "server.toml", [64], set=changes, seed=seed).rows[0]
    assert row.confirmed
    assert 0.99 <= row.ndr_mpps * share <= 1 + WIDTH
    assert 1 - WIDTH <= row.pdr_mpps * share <= 1 + 2 * WIDTH


def test_steady_growth_needs_no_second_trial(tmp_path):
    (tmp_path / "server.toml").write_text(SERVER.format(share=1))
    row = linecard.ndr(tmp_path / "server.toml", [64]).rows[0]
    assert row.interval["ndr_mpps"][0] <= 1 <= row.interval["ndr_mpps"][1]
    assert row.trials == 7
    repeated = [trial for trial in row.tried if trial.grew > 16 and trial.lost == 0]
    assert not repeated


def test_drops_of_the_program_are_not_blamed_on_buffers(chip, tmp_path):
    """A step drops four of ten packets at every load: no rate is loss-free, whatever the size of the buffers."""
    steps = tmp_path / "filter.toml"
    steps.write_text(
        'kind = "program"\ntitle = "filter"\nsource = "a test"\n'
        '[[step]]\nop = "drop"\nshare = 0.4\ncycles = 20\n[[step]]\nop = "send"\n'
    )
    row = linecard.ndr(chip, [500], program=str(steps), packets=500).rows[0]
    assert (row.ndr_mpps, row.pdr_mpps) == (0, 0)
    lowest = min(row.tried, key=lambda trial: trial.load_mpps)
    assert lowest.by_program == lowest.dropped == pytest.approx(0.4, abs=0.07)
    assert "program drops" in row.doubt()
    assert "buffers" not in row.doubt()
    assert row.limited_by() == "the program, which drops packets at every load"


@pytest.mark.parametrize("changes", [{"traffic.kind": "imix"}, {"traffic.kind": "fixed", "traffic.packet_bytes": 64}])
def test_a_size_beside_a_setting_of_the_frames_is_refused(chip, changes):
    for asked in (lambda: linecard.ndr(chip, [500], set=changes), lambda: linecard.check(chip, size=500, set=changes)):
        with pytest.raises(linecard.ConfigError, match="because the size 500 sets the frames"):
            asked()
