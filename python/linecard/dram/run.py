"""`linecard.dram`. `make docs` writes this module from the requests of the core."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard._schema import Dram
from linecard.dram.simulate import simulate

if TYPE_CHECKING:
    from linecard.dram.result import MemoryResult
    from linecard.request import ProgressCallback, Settings


@plain
def dram(
    device: str | PathLike[str],
    policy: str | PathLike[str] = "frfcfs_open",
    *,
    trace: str | PathLike[str] | None = None,
    format: str | None = None,
    pattern: str | None = None,
    count: int | None = None,
    spacing: int | None = None,
    reads: float | None = None,
    narrow: float | None = None,
    seed: int = 1,
    in_flight: int | None = None,
    set: Settings | None = None,
    requests: str | PathLike[str] | None = None,
    commands: str | PathLike[str] | None = None,
    frames: bool = False,
    progress: ProgressCallback | None = None,
) -> MemoryResult:
    """Simulate a DRAM part without a chip, with a trace or a pattern.

    Args:
        device: DRAM part: a shipped preset, or the path of a TOML file.
        policy: Controller policy: a shipped preset, or the path of a TOML file.
        trace: Trace of requests to replay, plain or compressed with gzip.
        format: Format of the trace: csv (columns ``arrival,op,address`` and optionally ``bytes``), dramsim3 (``address
            OP clock``) or ramulator (``LD address``); default: detected from the first line.
        pattern: Pattern to run instead of a trace: stream, random, bank_conflicts or packet_cells.
        count: Number of requests in the pattern; default 100,000.
        spacing: Memory clock cycles between two requests of the pattern; with the default 0, requests arrive as fast as
            the controller accepts them.
        reads: Fraction of the pattern's accesses that are reads; default 1, or 2/3 for the pattern ``random``.
        narrow: Fraction of the pattern's accesses that transfer half the usual number of bytes.
        seed: Seed of the pattern.
        in_flight: Maximum number of outstanding requests.
        set: New values for parameters of the DRAM part or the controller policy. For example ``{"timing.tRCD": "15 ns",
            "policy.page": "closed"}``.
        requests: Write the outcome of each request to a CSV file.
        commands: Write every DRAM command to a CSV file.
        frames: Keep requests and commands as polars data frames in the result; this requires the extra ``frames``.
        progress: Progress callback with two arguments: requests done and total requests, or 0 if unknown. The callback
            runs in the thread that calls ``dram``.

    Raises:
        ConfigError: A preset, a key or an option is wrong; the error lists every problem.
        TrafficError: The trace cannot be used; the message states the line and the expected content.

    Example:
        >>> import linecard
        >>> linecard.dram("ddr4_2400", pattern="stream", count=1000).reads
        1000
    """
    asked = {name: value for name, value in locals().items() if name != "progress"}
    return simulate(Dram(**asked), progress)
