"""`linecard demo`: a first simulation, explained with the numbers that it prints."""

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
    " The line “steady” and the warning say that this run is not in steady state. Packets still accumulate in the "
    "chip, so the results still drift."
)
NEXT = (
    ("linecard describe example_smartnic", "every value of this chip, with unit and source"),
    (f"linecard why {CHIP} --set {CHANGED}", "the bottleneck of the chip, and the gain from each change"),
    (f"linecard sweep {CHIP} --vary packets.channels=2..4 --packets 8000", "a sweep of a design space, as one table"),
    ("linecard new my_chip.toml --like example_smartnic", "a file for your own chip, to check, run and draw"),
    (
        "linecard run nfp4000 --program count_min --packets 20000",
        "an XDP program, or your own C file, executed on every packet",
    ),
    ("linecard presets", "the shipped chips, programs, DRAM parts, controller policies and link profiles"),
)


def demo() -> None:
    """Run a first simulation, explain its output, and change one value of the chip.

    The demo takes a few seconds, and neither reads nor writes files.

    **Examples**

        linecard demo
    """
    _say(
        "A file describes a chip. This chip is a SmartNIC with ten islands. Each island has local memories and eight "
        "engines with eight threads each. Four channels of DDR4 store packets, and two ports carry 100 Gbit/s each."
    )
    first = _run([])
    largest = max(first.packet_time, key=lambda part: part.mean_ns)
    _say(
        f"The offered load was {first.summary.offered_gbps:.1f} Gbit/s, the throughput "
        f"{first.summary.throughput_gbps:.1f} Gbit/s, and {_lost(first)}. The mean latency was "
        f"{si_time(first.summary.latency_ns.mean)}; its largest part is “{largest.part}”, {si_time(largest.mean_ns)}. "
        f"“Bottleneck” names the resource that limits the throughput: here it is “{first.bottleneck.component}”."
    )
    _say("Are two channels of DRAM enough? The next run changes one value of the file:")
    second = _run([CHANGED])
    _say(
        f"Now the throughput is {second.summary.throughput_gbps:.1f} Gbit/s instead of "
        f"{first.summary.throughput_gbps:.1f}, {_lost(second)}, and the mean latency is "
        f"{si_time(second.summary.latency_ns.mean)}. The bottleneck is “{second.bottleneck.component}”. Under "
        "“Bottleneck”, the screen lists possible changes and their effects, each measured in a separate run."
        f"{'' if second.summary.steady else UNSTEADY}"
    )
    width = max(len(command) for command, _ in NEXT)
    wide = width + 50 < stdout.screen_width()
    lines = [f"{command:<{width}}   {what}" if wide else f"{command}\n    {what}" for command, what in NEXT]
    _say("Next:\n\n" + "\n".join(lines))


def _run(changes: list[str]) -> RunResult:
    """One run, below the command for it."""
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
