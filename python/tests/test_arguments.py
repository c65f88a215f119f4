"""Are arguments that the documentation does not mention accepted as intended, or refused in a sentence?"""

from __future__ import annotations

import pytest

import linecard
from linecard import petri

numpy = pytest.importorskip("numpy")
SHORT = {"packets": 60, "warmup_packets": 0}


def test_numbers_of_numpy_are_numbers():
    plain = linecard.run("ixp1200", seed=2, set={"dram.banks": 2}, **SHORT)
    taken = linecard.run(
        "ixp1200",
        seed=numpy.int64(2),
        set={"dram.banks": numpy.uint8(2)},
        packets=numpy.int32(60),
        warmup_packets=numpy.array(0),
        strict=numpy.bool_(False),
        timeline_from_us=numpy.float32(0),
    )
    assert taken.summary == plain.summary
    assert (taken.run_id, taken.request) == (plain.run_id, plain.request)
    rows = []
    for banks, kind in ([1, 2], int), (numpy.array([1, 2]), numpy.int64):
        counts = {name: kind(count) for name, count in SHORT.items()}
        rows.append(linecard.sweep("ixp1200", vary={"dram.banks": banks, "seed": [1]}, **counts).to_dict()["rows"])
    assert rows[0] == rows[1]
    assert linecard.dram("ddr4_2400", pattern="stream", count=numpy.int64(50)).reads == 50


class Strange:
    """An object with an almost endless text."""

    def __repr__(self):
        return "x" * 100_000


SURROGATE = "a\udcff.toml"
REFUSED = {
    "a bool as a count": (
        lambda: linecard.run("ixp1200", packets=True),
        "packets: found True, expected a whole number",
    ),
    "a bool as a seed": (lambda: linecard.dram("ddr4_2400", pattern="stream", seed=False), "seed: found False"),
    "a float as a count": (lambda: linecard.run("ixp1200", packets=1.5), "packets: found 1.5, expected a whole"),
    "text as a count": (lambda: linecard.flows("x.pcap", packets="7"), "packets: found '7', expected a whole number"),
    "a number as progress": (lambda: linecard.run("ixp1200", progress=5), "progress: found 5, expected a function"),
    "text as progress": (lambda: linecard.sweep("ixp1200", progress="no"), "progress: found 'no', expected a function"),
    "text as axes": (lambda: linecard.sweep("ixp1200", vary="seed=1,2"), "vary: found 'seed=1,2', expected a mapping"),
    "a list as axes": (lambda: linecard.sweep("ixp1200", vary=[1]), r"vary: found \[1\], expected a mapping"),
    "a number as maps": (lambda: linecard.run("ixp1200", program="x.o", maps=5), "maps: found 5, expected a mapping"),
    "a number as a path": (lambda: linecard.run("ixp1200", trace=5), "trace: found 5, expected a name or the path"),
    "bytes as a path": (lambda: linecard.flows(b"x.pcap"), "trace: found b'x.pcap', expected a name or the path"),
    "a bool as a number": (lambda: linecard.shot_noise("ixp2400_core", rate_mbps=True), "rate_mbps: found True"),
    "digits": (lambda: linecard.run("ixp1200", packets=10**5000), "packets: found a number of 16,610 bits"),
    "digits in settings": (lambda: linecard.run("ixp1200", set={"x": 10**5000}), "found a number of 16,610 bits"),
    "digits in axes": (lambda: linecard.sweep("ixp1200", vary={"seed": [10**5000]}), "found a number of 16,610 bits"),
    "many digits": (lambda: linecard.run("ixp1200", packets=10**30), "packets: found 1000000000000000000000000000000"),
    "a surrogate in a name": (lambda: linecard.run(SURROGATE), "expected a name in UTF-8"),
    "a surrogate in settings": (
        lambda: linecard.run("ixp1200", set={"program.run": SURROGATE}),
        "expected a name in UTF-8",
    ),
    "a surrogate as a trace": (lambda: linecard.flows(SURROGATE), r"trace: found a\\udcff.toml, expected a name in"),
    "a surrogate of a net": (lambda: petri.explore(SURROGATE), r"net: found a\\udcff.toml, expected a name in UTF-8"),
    "a surrogate as an array": (lambda: linecard.flowcache(SURROGATE, entries=[64]), r"trace: found a\\udcff.toml"),
    "progress of one argument": (lambda: linecard.compare("ixp1200", progress=len), "progress: found <built-in"),
    "more threads than there are": (lambda: linecard.why("ixp1200", seeds=1, jobs=1 << 63), "expected 1 to 65,536"),
    "a number below zero": (
        lambda: linecard.xdp_run("stateful_firewall", budget=-1),
        "budget: found -1, expected a whole",
    ),
    "a number of 64 bits": (
        lambda: linecard.xdp_run("stateful_firewall", interface=1 << 63),
        "interface: found 92233720368547",
    ),
    "a number of 64 bits as one of 32": (
        lambda: linecard.shot_noise(rate_mbps=411, windows=10**10),
        r"windows: found 10000000000, expected a whole number from 0 to 2\^32 - 1",
    ),
    "a load below every rate": (
        lambda: linecard.shot_noise(rate_mbps=1e-6),
        r"rate_mbps \(--rate\): found 1e-06 Mbit/s, expected 0.001 to 1,000,000,000 Mbit/s",
    ),
    "a budget of nothing": (lambda: linecard.run("nfp4000", program="drop", budget=0), "budget: found 0, expected 1"),
    "a long text": (lambda: linecard.run("ixp1200", packets=Strange()), "packets: found x{80}…, expected a whole"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_meant_is_refused_in_a_sentence(name):
    call, said = REFUSED[name]
    with pytest.raises(linecard.ConfigError, match=said) as caught:
        call()
    assert len(str(caught.value)) < 400


def test_an_argument_that_there_is_not_is_an_error_of_python():
    with pytest.raises(TypeError, match="packtes"):
        linecard.run("ixp1200", packtes=5)


def test_an_error_of_the_core_says_apart_what_it_is_about():
    mix = {"single_flows_percent": 50, "packets_in_single_flows_percent": 500, "large_flows_percent": 1}
    mix |= {"packets_in_large_flows_percent": 20, "largest_flow_packets": 100, "concurrent_flows": 10}
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.flow_mix(1000, **mix)
    (problem,) = refused.value.problems
    assert problem.key == "flows with one packet"
    assert problem.message.startswith("found ")
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.flowcache("edge", entries=[7], ways=[2])
    (problem,) = refused.value.problems
    assert (problem.key, problem.message[:9]) == ("entries", "7 entries")
