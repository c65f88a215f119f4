"""The result of the correlation of devices: plain data for the screen, JSON and the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard._convert import convert
from linecard.chip.band import Width  # msgspec reads the annotations
from linecard.records import plain
from tools.correlation.statistics import Errors, errors_of, kendall_tau, knee

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Arithmetic bounds that a simulator must be better than: the rate of the wires; the cycles of the engines; the service
# rate of the busiest memory or unit; threads that each process one packet after another; and the least of all.
WIRE, CYCLES, SERVERS, THREADS, LEAST = (
    "wire",
    "cycles only",
    "busiest memory or unit",
    "latency over threads",
    "least of them",
)
NULL_MODELS = (WIRE, CYCLES, SERVERS, THREADS, LEAST)


@dataclass(frozen=True, slots=True)
class Band:
    """The band of a prediction over all intervals.

    Attributes:
        low: Lower end, in the unit of the rate.
        high: Upper end.
        widths: The single effect of each interval, largest first.
    """

    low: float
    high: float
    widths: tuple[Width, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A published rate and its prediction, in millions of packets per second.

    Attributes:
        table: Table of the study that contains the rate.
        group: The group of points with which the point is judged: its table, or a part of its table.
        name: Program and setting in words.
        published: The published rate.
        reading: Reading error of the published rate.
        predicted: The predicted rate; ``None`` if the run failed.
        calibrated: Whether a parameter was calibrated on the published rate.
        before_seen: The commit with the prediction, if no author of the model had seen a published number then;
            otherwise empty.
        command: The command that repeats the prediction.
        curve: Name of its curve; empty without one.
        at: Its position on the curve.
        band: The band of the prediction over the intervals; ``None`` without any.
        null: Rates of null models, by name.
        limited_by: The part of the chip that is always busy in the prediction, or a text that threads wait; empty
            if the prediction failed.
        failure: Reason why the prediction is missing.
    """

    table: str
    group: str
    name: str
    published: float
    reading: float
    predicted: float | None
    calibrated: bool
    before_seen: str
    command: str
    curve: str = ""
    at: float = 0.0
    band: Band | None = None
    null: dict[str, float] | None = None
    limited_by: str = ""
    failure: str = ""

    @property
    def error(self) -> float | None:
        """Relative error of the prediction, a fraction."""
        return None if self.predicted is None else self.predicted / self.published - 1

    @property
    def inside(self) -> bool | None:
        """Whether the published rate, within its reading error, is in the band."""
        if self.band is None:
            return None
        return self.band.low - self.reading <= self.published <= self.band.high + self.reading


@dataclass(frozen=True, slots=True)
class Knee:
    """The point from which a curve stays within 5 % of its largest rate: the start of its plateau.

    Attributes:
        curve: The curve.
        published: Position of the knee on the swept axis, according to the published rates.
        predicted: Position of the knee according to the predicted rates.
        steps: Number of sweep steps between the two positions; positive if the predicted knee is later.
    """

    curve: str
    published: float
    predicted: float
    steps: int


@dataclass(frozen=True, slots=True)
class Step:
    """One level of measurement (a step of the ladder).

    Attributes:
        rung: The level of measurement.
        tables: Tables of the study on this level.
        fixed: Parameters that were calibrated on this level; higher levels use these parameters.
    """

    rung: str
    tables: tuple[str, ...]
    fixed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Device:
    """All points and statistics of one device.

    Attributes:
        study: The study that contains the rates of the device.
        chip: Preset of the device.
        title: Title of the preset.
        document: Document in which the rates were published.
        origins: Position of the rates in the document, by table.
        axis: The axis of curves in words; empty without curves.
        intervals: Parameters of the bands, with their ends in words.
        points: The points of the device, in the order of the study.
        ladder: The levels of measurement, the simplest first.
    """

    study: str
    chip: str
    title: str
    document: str
    origins: dict[str, str]
    axis: str
    intervals: tuple[str, ...]
    points: tuple[Point, ...]
    ladder: tuple[Step, ...] = ()

    @property
    def judged(self) -> list[Point]:
        """The points that are judged: successful predictions that are not calibrated."""
        return [point for point in self.points if not point.calibrated and point.predicted is not None]

    @property
    def knees(self) -> list[Knee]:
        """The knee of each curve with at least three points."""
        found = []
        for name in dict.fromkeys(point.curve for point in self.judged if point.curve):
            curve = sorted((point for point in self.judged if point.curve == name), key=lambda point: point.at)
            if len(curve) > 2:
                true = knee([point.published for point in curve])
                guess = knee([point.predicted or 0.0 for point in curve])
                found.append(Knee(name, curve[true].at, curve[guess].at, guess - true))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the points, and numbers derived from them."""
        return {**plain(self), "statistics": statistics_of(self), "knees": [plain(k) for k in self.knees]}


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of all devices.

    Attributes:
        devices: The devices, in the order of their names.
        with_bands: Whether the runs for bands were made.
    """

    devices: tuple[Device, ...]
    with_bands: bool

    @property
    def failures(self) -> list[str]:
        """Points that failed, and the reasons."""
        return [
            f"{device.study}, {point.table}, {point.name}: {point.failure}"
            for device in self.devices
            for point in device.points
            if point.failure
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {"with_bands": self.with_bands, "devices": [device.to_dict() for device in self.devices]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Correlation:
        """Build the correlation from the plain data of `to_dict`; derived numbers are computed again."""
        return convert(data, cls)


def own_errors(points: Sequence[Point]) -> Errors | None:
    """Errors of the predictions."""
    return _errors(points, lambda point: point.predicted)


def null_errors(points: Sequence[Point], model: str) -> Errors | None:
    """Errors of a null model at the same points."""
    return _errors(points, lambda point: (point.null or {}).get(model))


def _errors(points: Sequence[Point], guess: Callable[[Point], float | None]) -> Errors | None:
    pairs = [(point.published, value) for point in points if (value := guess(point)) is not None]
    return errors_of([true for true, _ in pairs], [value for _, value in pairs])


def rank_correlation(points: Sequence[Point]) -> float | None:
    """Kendall's tau-b of published and predicted rates."""
    return kendall_tau([point.published for point in points], [point.predicted or 0.0 for point in points])


def coverage(points: Sequence[Point]) -> tuple[int, int]:
    """The number of published rates in their band, and the number with a band."""
    found = [point.inside for point in points if point.inside is not None]
    return sum(found), len(found)


def groups_of(device: Device) -> list[tuple[str, list[Point]]]:
    """The judged points: all points, then the points of each group if there are several groups."""
    groups: dict[str, list[Point]] = {}
    for point in device.judged:
        groups.setdefault(point.group, []).append(point)
    return [("all", device.judged), *(groups.items() if len(groups) > 1 else ())]


def statistics_of(device: Device) -> list[dict[str, Any]]:
    """The numbers of `groups_of` as plain data."""
    rows = []
    for name, points in groups_of(device):
        errors = own_errors(points)
        inside, banded = coverage(points)
        rows.append(
            {
                "points": name,
                "errors": None if errors is None else plain(errors),
                "worst": None if errors is None else points[errors.worst_at].name,
                "kendall_tau": rank_correlation(points),
                "inside_band": inside,
                "with_band": banded,
                "null_models": {
                    model: plain(found) for model in NULL_MODELS if (found := null_errors(points, model)) is not None
                },
            }
        )
    return rows
