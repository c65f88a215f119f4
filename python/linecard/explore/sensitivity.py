"""Morris screening and Sobol indices over a unit cube, computed with SALib; equal seeds lead to equal results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from linecard.errors import MissingExtraError

# Returns a value for each row of shares, 0 to 1; `None` if the point was refused or failed.
Evaluate = Callable[[Sequence[Sequence[float]]], Sequence[float | None]]


def _problem(names: Sequence[str]) -> dict[str, Any]:
    return {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}


def _filled(values: Sequence[float | None]) -> Any:
    """Values as an array. The mean replaces a missing value, which biases no index towards that point."""
    import numpy

    known = [value for value in values if value is not None]
    mean = math.fsum(known) / len(known) if known else 0.0
    return numpy.array([mean if value is None else value for value in values])


def morris(names: Sequence[str], evaluate: Evaluate, trajectories: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return the mean absolute elementary effect of each parameter, and the standard deviation of the effects.

    Raises:
        MissingExtraError: The extra ``explore`` is not installed.
    """
    try:
        from SALib.analyze.morris import analyze
        from SALib.sample.morris import sample
    except ImportError as error:
        raise MissingExtraError("Morris screening of parameters", "explore") from error
    problem = _problem(names)
    rows = sample(problem, trajectories, num_levels=4, seed=seed)
    values = _filled(evaluate(rows.tolist()))
    found = analyze(problem, rows, values, num_levels=4, seed=seed)
    return {
        name: (float(mean), float(spread))
        for name, mean, spread in zip(names, found["mu_star"], found["sigma"], strict=True)
    }


def sobol(names: Sequence[str], evaluate: Evaluate, base: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return each parameter's first-order and total Sobol index, from ``base`` × (``len(names)`` + 2) points.

    ``base`` must be a power of two.

    Raises:
        MissingExtraError: The extra ``explore`` is not installed.
    """
    try:
        from SALib.analyze.sobol import analyze
        from SALib.sample.sobol import sample
    except ImportError as error:
        raise MissingExtraError("Sobol indices of parameters", "explore") from error
    problem = _problem(names)
    rows = sample(problem, base, calc_second_order=False, seed=seed)
    values = _filled(evaluate(rows.tolist()))
    if values.std() == 0:
        return dict.fromkeys(names, (0.0, 0.0))
    found = analyze(problem, values, calc_second_order=False, seed=seed)
    return {
        name: (float(first), float(total)) for name, first, total in zip(names, found["S1"], found["ST"], strict=True)
    }
