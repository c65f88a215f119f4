"""`linecard ndr`: find the highest rate without loss (NDR) and with at most 0.5 % loss (PDR), by frame size.

The search uses the terms of RFC 2544 (throughput), RFC 9411 (security devices) and FD.io CSIT. At the NDR, no packet is
lost; at the PDR, the loss ratio is at most 0.5 %. NDR and PDR are offered loads summed over all ports; the search
returns a lower bound of each rate.

After a warm-up, a trial offers evenly spaced frames of one size or mix at a constant rate. A trial ends after a given
number of packets. Packets that accumulate inside the chip count as lost, because they would overflow a buffer in a
longer trial. If packets accumulate, but possibly by chance, the trial is repeated with four seeds, and then with more
packets. A longer trial checks each rate that the search finds, because a buffer that fills slowly causes loss only late
in a trial. If the longer trial finds more loss than allowed, the search continues with trials of that length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Unpack

from linecard._arguments import plain
from linecard.errors import ConfigError, ConfigProblem
from linecard.explore.batch import Bench
from linecard.explore.levers import Chip
from linecard.explore.ndr_result import LatencyAt, NdrResult, RateRow, Trial
from linecard.explore.program_options import run_arguments
from linecard.explore.rate import RateSearch, Runs
from linecard.explore.store import Store
from linecard.request import as_asked, mapping_of, name_of, out_of_range, settings

if TYPE_CHECKING:
    from linecard._schema import ProgramOptions
    from linecard.explore.execute import SweepProgress
    from linecard.request import Settings

PACKETS = 20_000
WIDTH = 0.005


@plain
def ndr(
    chip: str | PathLike[str],
    sizes: Sequence[int | str] | None = None,
    *,
    trace: str | PathLike[str] | None = None,
    set: Settings | None = None,
    packets: int = PACKETS,
    seeds: int = 1,
    seed: int = 1,
    width: float | None = None,
    precision: float | None = None,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
    **options: Unpack[ProgramOptions],
) -> NdrResult:
    """Find the no-drop rate (NDR) and the partial-drop rate (PDR) of a chip.

    Args:
        chip: Name of a shipped chip, or path to a TOML file.
        sizes: Frame sizes in bytes, ``imix``, ``rfc2544``, or mixes that the chip file defines; by default, the chip's
            own traffic. The function performs a separate search for each frame size or mix. ``rfc2544`` mixes the seven
            frame sizes of RFC 2544 in equal parts.
        trace: Capture or link profile (``edge``, ``core``, or a ``.toml`` file) that each trial replays at its offered
            load.
        set: New values for parameters. Frames are evenly spaced unless the settings contain ``traffic.arrivals``.
        packets: Number of packets in each trial. The warm-up before a trial has half as many packets as the trial. The
            trial that confirms the no-drop rate has at least four times as many packets as the other trials.
        seeds: Number of seeds for each trial. The loss of a trial is the mean over the seeds. At the no-drop rate, no
            packet is lost with any seed. If packets accumulate inside the chip, possibly by chance, the trial is
            repeated with at least four seeds.
        seed: The first seed.
        width: Relative width of the load interval at which the search stops; 0.005 by default.
        precision: Relative width of the load interval, for example 0.01. The argument has the same meaning as
            ``width``; use only one of the two.
        store: Folder in which Linecard stores finished runs, for reuse. The default is no folder.
        jobs: Number of parallel runs; by default, one per CPU core. The result does not depend on this number.
        executor: Executor of the runs: ``"threads"``, ``"dask"`` or ``"dask:ADDRESS"``; Dask needs the extra ``dask``.
        progress: Function that is called repeatedly with (runs done, total runs) of the current step.
        **options: Program of the chip (``program``) and its options; see :func:`linecard.run`.

    Raises:
        ConfigError: The chip or an argument is invalid, or ``arrivals`` is ``saturated``, which leaves no offered load
            to vary.
        RunError: A trial ended without a result.
        linecard.explore.Interrupted: The user pressed Ctrl-C; completed runs are in the store.

    Example:
        >>> import linecard
        >>> found = linecard.ndr("example_smartnic", [64], packets=500, precision=0.1)
        >>> found.rows[0].ndr_mpps <= found.rows[0].pdr_mpps <= found.rows[0].line_mpps
        True
    """
    asked = as_asked(locals())
    if width is not None and precision is not None:
        raise ConfigError.at("precision", "", "conflicts with `width`; omit `precision` or `width`")
    width = next((each for each in (width, precision) if each is not None), WIDTH)
    _check(packets, seeds, width, trace, sizes)
    with Bench(None if store is None else Store(store), jobs, progress, executor=executor) as bench:
        rows = search_rates(
            run_arguments(options, trace, chip=name_of("chip", chip), packets=packets),
            sizes,
            changes=mapping_of("set", set),
            seeds=[seed + number for number in range(seeds)],
            width=width,
            bench=bench,
        )
    return NdrResult(
        chip=fspath(chip), rows=rows, packets=packets, seeds=seeds, width=width, counts=bench.counts, asked=asked
    )


def search_rates(
    shared: Mapping[str, Any],
    sizes: Sequence[int | str] | None,
    *,
    changes: Mapping[str, object],
    seeds: Sequence[int],
    width: float,
    bench: Runs,
) -> tuple[RateRow, ...]:
    """Return the no-drop and partial-drop rates of each frame size or mix; ``shared`` has the arguments of all runs."""
    trace = shared.get("trace")
    _check(shared["packets"], len(seeds), width, trace, sizes)
    described = _described(shared["chip"], changes)
    # A trial needs its loss only; a verdict would take several times the work.
    shared = {**shared, "verdict": False}
    kinds = [None] if trace is not None or not sizes else list(sizes)
    searches = [RateSearch(described, shared, changes, kind, seeds, width, bench) for kind in kinds]
    # A batch has one trial of each size.
    while waiting := [(each, each.next()) for each in searches]:
        asked = [(each, number) for each, number in waiting if number is not None]
        if not asked:
            break
        requests = [each.requests(number) for each, number in asked]
        records = iter(bench.run(list(chain.from_iterable(requests))))
        for (each, number), own in zip(asked, requests, strict=True):
            each.tell(number, list(islice(records, len(own))))
    return tuple(each.row() for each in searches)


def _described(chip: str, changes: Mapping[str, object]) -> Chip:
    """The chip; if it has no offered rate, with any rate, because each trial sets one."""
    try:
        return Chip(chip, settings(changes))
    except ConfigError:
        if "traffic.arrivals" not in changes:
            raise
        return Chip(chip, settings({**changes, "traffic.rate_gbps": 0.001}))


def _check(packets: int, seeds: int, width: float, trace: object, sizes: Sequence[int | str] | None) -> None:
    problems = out_of_range({"packets": packets}, 100, 10**9) + out_of_range({"seeds": seeds}, 1, 1000)
    if not isinstance(width, (int, float)) or not 1e-4 <= width <= 0.5:
        problems.append(ConfigProblem("width", "", f"found {width!r}, expected 0.0001 to 0.5"))
    if trace is not None and sizes:
        problems.append(ConfigProblem("sizes", "", "conflicts with a capture, which has its own sizes; omit the sizes"))
    ConfigError.check(problems)


__all__ = ["LatencyAt", "NdrResult", "RateRow", "Trial", "ndr"]
