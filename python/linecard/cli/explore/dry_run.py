"""`linecard sweep --dry-run`: estimate the number of runs and their time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.cli import stdout

if TYPE_CHECKING:
    from linecard.explore.estimate import Estimate
    from linecard.explore.spec import Spec
    from linecard.explore.store import Store


def estimate_of(spec: Spec, store: Store, jobs: int | None, shard: tuple[int, int] | None, progress: Any) -> Estimate:
    """Estimate the number of runs of a sweep and the time that they take."""
    from linecard.explore.content import content_of
    from linecard.explore.estimate import estimate
    from linecard.explore.execute import Task
    from linecard.explore.points import make_points
    from linecard.explore.sweep import chosen

    points = chosen(make_points(spec), shard)
    distinct = {content_of(point.request): point.request for point in points.points}
    tasks = [Task(key, request) for key, request in distinct.items()]
    return estimate(
        tasks, points=len(points.points), left_out=points.left_out, store=store, jobs=jobs, progress=progress
    )


def print_estimate(found: Estimate, *, json: bool) -> None:
    """Print the estimate for a sweep."""
    from linecard.cli.screen import screen
    from linecard.records import plain
    from linecard.view import Fact, Facts

    if json:
        stdout.print_json(plain(found))
        return
    facts = [
        Fact("Runs", f"{found.runs:,}", f"of {found.points:,} points, {found.left_out:,} excluded by constraints"),
        Fact("Found", f"{found.found:,}", "finished runs in the store"),
    ]
    if found.seconds is None or found.seconds_each is None:
        facts.append(Fact("Time", "not known", "the timed runs were refused or failed; run the sweep to see why"))
    else:
        each = f"{found.seconds_each * 1e3:,.0f} ms per run on one core, measured in {found.probes:,} runs"
        missing = f"for {found.runs - found.found:,} missing runs; {each}"
        facts.append(Fact("Time", _duration(found.seconds), missing))
    stdout.show(*screen([Facts(facts)]))


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
