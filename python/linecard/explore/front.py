"""Computes Pareto fronts, hypervolumes, knees and crowding distances; all objectives are minimised."""

from __future__ import annotations

from collections.abc import Sequence

Vector = Sequence[float]


def front_of(vectors: Sequence[Vector]) -> list[int]:
    """Return the indices of all non-dominated vectors; of several identical vectors, only the first is included."""
    found: list[int] = []
    for number in sorted(range(len(vectors)), key=lambda n: (tuple(vectors[n]), n)):
        # A vector that dominates precedes in this order, and so does the first of equal vectors.
        vector = vectors[number]
        if not any(all(x <= y for x, y in zip(vectors[other], vector, strict=True)) for other in found):
            found.append(number)
    return sorted(found)


def hypervolume(vectors: Sequence[Vector], reference: Vector) -> float:
    """Return the hypervolume: the volume between the vectors and a reference point that the vectors dominate.

    The function computes the exact volume in slices along the first objective. The computation is fast enough for a few
    objectives and hundreds of points.
    """
    inside = [tuple(vector) for vector in vectors if all(x < r for x, r in zip(vector, reference, strict=True))]
    if not inside:
        return 0.0
    inside = sorted(inside[number] for number in front_of(inside))
    if len(reference) == 1:
        return float(reference[0] - inside[0][0])
    volume = 0.0
    for number, vector in enumerate(inside):
        end = inside[number + 1][0] if number + 1 < len(inside) else reference[0]
        if end > vector[0]:
            volume += (end - vector[0]) * hypervolume([each[1:] for each in inside[: number + 1]], reference[1:])
    return volume


def knee_of(vectors: Sequence[Vector]) -> int:
    """Return the index of the knee: the vector closest to the ideal point of the vectors.

    Each objective is scaled by its range over the vectors.
    """
    count = len(vectors[0])
    low = [min(vector[n] for vector in vectors) for n in range(count)]
    high = [max(vector[n] for vector in vectors) for n in range(count)]

    def distance(vector: Vector) -> float:
        return sum(((vector[n] - low[n]) / ((high[n] - low[n]) or 1.0)) ** 2 for n in range(count))

    return min(range(len(vectors)), key=lambda number: (distance(vectors[number]), number))


def crowding(vectors: Sequence[Vector]) -> list[float]:
    """Return each vector's crowding distance: the scaled gap between its two neighbours, summed over objectives."""
    found = [0.0] * len(vectors)
    for n in range(len(vectors[0]) if vectors else 0):
        order = sorted(range(len(vectors)), key=lambda number: (vectors[number][n], number))
        span = vectors[order[-1]][n] - vectors[order[0]][n] or 1.0
        for place, number in enumerate(order):
            low, high = order[max(0, place - 1)], order[min(len(order) - 1, place + 1)]
            at_end = place in {0, len(order) - 1}
            found[number] += (vectors[high][n] - vectors[low][n]) / span * (2 if at_end else 1)
    return found
