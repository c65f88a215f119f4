"""Splits of a core's area, as plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.plot.style import LINES, STYLE, finish, load_pyplot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.core.result import CoreResult

_PARTS = (
    ("instructions_percent", "instructions", "#2f6db5"),
    ("pipeline_percent", "branches, long operations", "#7fb0e0"),
    ("load_use_percent", "loads used at once", "#b9d3ee"),
    ("switches_percent", "changes of threads", "#e0a030"),
    ("registers_percent", "registers", "#b070c0"),
    ("idle_memory_percent", "idle: memory", "#d0d4d9"),
    ("idle_other_percent", "idle: locks, packets", "#9aa0a8"),
)


def write_splits(result: CoreResult, path: str | Path) -> Path:
    """Draw throughput over threads and where the cycles went, as PNG or SVG (extra ``plot``)."""
    pyplot = load_pyplot()
    with pyplot.rc_context(STYLE):
        figure, (curve, cycles) = pyplot.subplots(1, 2, figsize=(9.4, 3.4))
        threads = [row.threads for row in result.rows]
        curve.plot(threads, [row.packets_per_mcycle for row in result.rows], marker="o", ms=4, color=LINES[0])
        best = result.best
        curve.plot([best.threads], [best.packets_per_mcycle], marker="o", ms=8, color=LINES[1], label="best split")
        if result.adapted is not None:
            steady = result.adapted.steady_packets_per_mcycle
            curve.axhline(steady, color=LINES[2], lw=1, label=f"malleable, adapted: {result.adapted.threads} threads")
        curve.set_ylim(bottom=0)
        curve.set_xlabel(f"threads; the rest of {result.area} thread-equivalents is cache")
        curve.set_title("Packets per million cycles", fontweight="normal")
        curve.legend(fontsize=8)
        bottom = [0.0] * len(threads)
        for name, label, colour in _PARTS:
            shares = [getattr(row, name) for row in result.rows]
            cycles.bar(threads, shares, bottom=bottom, width=0.9, label=label, color=colour)
            bottom = [low + share for low, share in zip(bottom, shares, strict=True)]
        cycles.set_ylim(0, 100)
        for axes in (curve, cycles):
            axes.set_xticks(threads[:: max(1, len(threads) // 8)])
        cycles.set_xlabel("threads")
        cycles.set_title("Cycles (%)", fontweight="normal")
        cycles.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.suptitle(
            f"{result.program.name}: {result.latency_cycles} cycles, {result.refs_per_cycle:g} references/cycle",
            x=0.01,
            ha="left",
            fontsize=10,
            fontweight="bold",
        )
        drawing = finish(pyplot, figure)
    return drawing.write(path)


def write_heat_map(results: Sequence[CoreResult], path: str | Path) -> Path:
    """Draw throughput over threads and memory latency, each row as a share of its best: PNG or SVG (extra ``plot``)."""
    pyplot = load_pyplot()
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(7.4, 0.5 * len(results) + 1.6))
        grid = [[row.packets_per_mcycle / result.best_packets_per_mcycle for row in result.rows] for result in results]
        image = axes.imshow(grid, aspect="auto", cmap="viridis", vmin=0, vmax=1)
        axes.set_xticks(range(len(results[0].rows)), [str(row.threads) for row in results[0].rows])
        axes.set_yticks(range(len(results)), [f"{result.latency_cycles} cycles" for result in results])
        for number, result in enumerate(results):
            at = next(place for place, row in enumerate(result.rows) if row.threads == result.best_threads)
            axes.plot([at], [number], marker="o", ms=5, color="white")
        axes.grid(visible=False)
        axes.set_xlabel("threads")
        figure.colorbar(image, label="of the best split")
        name = results[0].program.name
        figure.suptitle(
            f"{name}: throughput by threads and memory latency", x=0.01, ha="left", fontsize=10, fontweight="bold"
        )
        drawing = finish(pyplot, figure)
    return drawing.write(path)
