"""How much of the front a search finds: every space of examples/explore, compared with random points and halved runs.

    python bench/optimize.py [--share 15] [--seeds 5] [--halving 2] [space ...]

A space is first run as a whole. Then a row per method of choosing points within the same budget: the fraction of the
whole front's hypervolume, over seeds, judged by the values of full runs.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from linecard.explore import Store
from linecard.explore.objectives import LIMIT, OBJECTIVE, read_task
from linecard.explore.optimize import covered, optimize, search

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "explore"


def main() -> None:
    """Search, and print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("spaces", nargs="*")
    options.add_argument("--share", type=int, default=15, help="percent of the points that may be run")
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--halving", type=int, default=2)
    asked = options.parse_args()
    known = sorted(path.stem for path in EXAMPLES.glob("*.toml") if 'kind = "optimize"' in path.read_text())
    for space in asked.spaces or known:
        with tempfile.TemporaryDirectory() as folder:
            one(space, asked.share, asked.seeds, asked.halving, Path(folder))


def one(space: str, percent: int, seeds: int, halving: int, folder: Path) -> None:
    """One space."""
    path, started = EXAMPLES / f"{space}.toml", time.perf_counter()
    whole = optimize(path, budget=1_000_000, store=folder)
    signs = [-1 if text.startswith("max") else 1 for text in whole.objectives]
    best, worst = ([s * v for s, v in zip(signs, side, strict=True)] for side in (whole.best, whole.worst))

    def share(rows: list[list[float]]) -> float:
        small = [[s * v for s, v in zip(signs, values, strict=True)] for values in rows]
        return covered(small, best, worst) / whole.hypervolume

    task = read_task(path, max(2, whole.points * percent // 100))
    names = [OBJECTIVE + text for text in whole.objectives]
    limits = [LIMIT + each.text for each in task.limits]
    good = [row["status"] == "ok" and all(row[name] for name in limits) for row in whole.rows]
    print(f"{space}: {whole.points} points, {task.budget} may be run; {len(whole.front)} on the front", flush=True)
    found: dict[str, list[float]] = {"search": [], "halving": [], "chance": []}
    for seed in range(1, seeds + 1):
        ways = {"search": replace(task, seed=seed)}
        if halving:
            ways["halving"] = replace(task, seed=seed, halving=halving)
        for name, way in ways.items():
            result = search(way, store=Store(folder))
            found[name].append(share([row["objectives"] for row in result.front]))
        drawn = random.Random(seed).sample(range(whole.points), task.budget)
        found["chance"].append(share([[whole.rows[n][name] for name in names] for n in drawn if good[n]]))
    for name, values in found.items():
        if values:
            each = " ".join(f"{value:.3f}" for value in values)
            print(f"  {name:<8} {sum(values) / len(values):.3f} of the hypervolume  ({each})")
    print(f"  {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
