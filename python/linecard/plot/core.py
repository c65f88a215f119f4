"""Splits of a core's area, as plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.plot.style import INK, LINES, MARKS, draw

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.core.result import CoreResult

_PARTS = (
    ("instructions_percent", "instructions", "#0072b2"),
    ("pipeline_percent", "branches, long operations", "#56b4e9"),
    ("load_use_percent", "loads used at once", "#c3e2f6"),
    ("switches_percent", "changes of threads", "#e69f00"),
    ("registers_percent", "registers", "#b65f96"),
    ("idle_memory_percent", "idle: memory", "#d9dde2"),
    ("idle_other_percent", "idle: locks, packets", "#8c959f"),
)


def write_splits(result: CoreResult, path: str | Path) -> Path:
    """Draw throughput over threads and where the cycles went, as PNG or SVG (extra ``plot``)."""
    return draw(path, lambda pyplot: _splits(pyplot, result))


def _splits(pyplot: Any, result: CoreResult) -> Any:
    figure, (curve, cycles) = pyplot.subplots(1, 2, figsize=(9.4, 3.4))
    threads = [row.threads for row in result.rows]
    curve.plot(threads, [row.packets_per_mcycle for row in result.rows], marker=MARKS[0], ms=4, color=LINES[0])
    best = result.best
    words = f"most packets: {best.threads} threads"
    curve.plot([best.threads], [best.packets_per_mcycle], "s", ms=8, mfc="none", mew=1.5, color=LINES[1], label=words)
    if result.adapted is not None:
        steady = result.adapted.steady_packets_per_mcycle
        words = f"malleable, adapted: {result.adapted.threads} threads"
        curve.axhline(steady, color=LINES[2], lw=1, linestyle="--", label=words)
    curve.set_ylim(bottom=0)
    curve.set_xlabel(f"threads; the rest of {result.area} thread-equivalents is cache")
    curve.set_ylabel("packets per million cycles")
    curve.set_title("Throughput", fontweight="normal")
    curve.legend()
    bottom = [0.0] * len(threads)
    for name, label, colour in _PARTS:
        shares = [getattr(row, name) for row in result.rows]
        cycles.bar(threads, shares, bottom=bottom, width=0.9, label=label, color=colour)
        bottom = [low + share for low, share in zip(bottom, shares, strict=True)]
    cycles.set_ylim(0, 100)
    for axes in (curve, cycles):
        axes.set_xticks(threads[:: max(1, len(threads) // 8)])
    cycles.set_xlabel("threads")
    cycles.set_ylabel("share of all cycles (%)")
    cycles.set_title("Where the cycles went", fontweight="normal")
    cycles.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    words = f"memory answers after {result.latency_cycles} cycles, {result.refs_per_cycle:g} references a cycle"
    figure.suptitle(f"{result.program.name}: {words}", x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure


def write_heat_map(results: Sequence[CoreResult], path: str | Path) -> Path:
    """Draw throughput over threads and memory latency, each row as a share of its best: PNG or SVG (extra ``plot``)."""
    return draw(path, lambda pyplot: _heat_map(pyplot, results))


def _heat_map(pyplot: Any, results: Sequence[CoreResult]) -> Any:
    figure, axes = pyplot.subplots(figsize=(7.4, 0.5 * len(results) + 1.8))
    grid = [
        [100 * row.packets_per_mcycle / result.best_packets_per_mcycle for row in result.rows] for result in results
    ]
    image = axes.imshow(grid, aspect="auto", cmap="cividis", vmin=0, vmax=100)
    axes.set_xticks(range(len(results[0].rows)), [str(row.threads) for row in results[0].rows])
    axes.set_yticks(range(len(results)), [f"{result.latency_cycles} cycles" for result in results])
    for number, result in enumerate(results):
        at = next(place for place, row in enumerate(result.rows) if row.threads == result.best_threads)
        axes.plot([at], [number], marker="o", ms=6, color="white", markeredgecolor=INK)
    axes.grid(visible=False)
    axes.set_xlabel("threads; the circle is where most packets leave")
    axes.set_ylabel("memory latency")
    figure.colorbar(image, label="packets (% of the row's most)")
    name = results[0].program.name
    words = f"{name}: throughput by threads and memory latency"
    figure.suptitle(words, x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure
