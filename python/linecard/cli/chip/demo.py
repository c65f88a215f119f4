"""`linecard demo`: a first simulation, explained with its own numbers."""

from __future__ import annotations

from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.chip.result import RunResult
from linecard.cli import stderr, stdout
from linecard.cli.screen import print_result
from linecard.numbers import percent, si_time

CHIP = "example_smartnic"
PACKETS = 4_000
CHANGED = "packets.channels=2"
UNSTEADY = (
    " “Steady” and the warning say that this is not at rest: packets still pile up, so take the numbers as a trend."
)
NEXT = (
    ("linecard describe example_smartnic", "every value of this chip, with unit and source"),
    (f"linecard why {CHIP} --set {CHANGED}", "what limits it, and what would help, each measured"),
    (f"linecard sweep {CHIP} --vary packets.channels=2..4 --packets 8000", "a table over a space of designs"),
    ("linecard new my_chip.toml --like example_smartnic", "a chip of your own; then check it, run it, draw it"),
    (
        "linecard run nfp4000 --program count_min --packets 20000",
        "an XDP program, executed on every packet; or your C file",
    ),
    ("linecard presets", "all that is shipped: chips, DRAM, programs, nets, studies"),
)


def demo() -> None:
    """Run a first simulation, explain what it prints, and change one value of the chip.

    Takes a few seconds, reads no file and writes none.

    **Examples**

        linecard demo
    """
    _say(
        "A chip is a file. This one is a SmartNIC: ten islands of eight engines with eight threads each, memories "
        "of their own, four channels of DDR4 for packets, and two ports of 100 Gbit/s."
    )
    first = _run([])
    largest = max(first.packet_time, key=lambda part: part.mean_ns)
    _say(
        f"Of {first.summary.offered_gbps:.1f} Gbit/s that arrived, {first.summary.throughput_gbps:.1f} left, and "
        f"{_lost(first)}. A packet stayed {si_time(first.summary.latency_ns.mean)}, the largest part of "
        f"it “{largest.part}”, {si_time(largest.mean_ns)}. “Bottleneck” says what keeps more from leaving: here it "
        f"is “{first.bottleneck.component}”."
    )
    _say("Would two channels of DRAM do? One value of the file is changed:")
    second = _run([CHANGED])
    _say(
        f"Now {second.summary.throughput_gbps:.1f} Gbit/s leave instead of {first.summary.throughput_gbps:.1f}, "
        f"{_lost(second)}, and a packet stays {si_time(second.summary.latency_ns.mean)}. The bottleneck is "
        f"“{second.bottleneck.component}”; the advice below it was tried in runs of its own before it was printed."
        f"{'' if second.summary.steady else UNSTEADY}"
    )
    width = max(len(command) for command, _ in NEXT)
    wide = width + 50 < stdout.screen_width()
    lines = [f"{command:<{width}}   {what}" if wide else f"{command}\n    {what}" for command, what in NEXT]
    _say("To go on:\n\n" + "\n".join(lines))


def _run(changes: list[str]) -> RunResult:
    """One run under the command that makes it, as a user would type it."""
    words = ["linecard run", CHIP, "--packets", str(PACKETS), *(f"--set {change}" for change in changes)]
    stdout.show(Padding(Text("$ " + " ".join(words), style="bold"), (1, 0, 0, 0)))
    with stderr.progress("Simulating", "packets") as progress:
        result = linecard.run(CHIP, packets=PACKETS, set=changes, progress=progress)
    print_result(result)
    return result


def _lost(result: RunResult) -> str:
    summary = result.summary
    return (
        "none was lost" if not summary.packets_dropped else f"{percent(summary.loss_fraction)} of the packets were lost"
    )


def _say(text: str) -> None:
    stdout.show(Padding(Text(text), (1, 0, 0, 0)))
