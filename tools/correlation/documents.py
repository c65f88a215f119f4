"""The correlation page, from ``studies/correlation.json``, which ``python -m tools.correlation --keep`` writes.

A test compares the page and its pictures with this file.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from linecard.files import write_text
from linecard.study.columns import percent
from linecard.tables import json_text
from tools.command import HEADER, STUDIES, write
from tools.correlation.picture import curves, scatter
from tools.correlation.result import (
    NULL_MODELS,
    Correlation,
    coverage,
    groups_of,
    null_errors,
    own_errors,
    rank_correlation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tools.correlation.result import Device, Point

# The folder of the pictures next to the page.
PICTURES = "correlation"
INTRODUCTION = """\
# Predictions beside measured rates

Every published rate of a device that a study here may use, beside the prediction of Linecard. `make correlation`
writes this page, and `python -m tools.correlation` prints it. A missed point is not removed. Points marked
*calibrated* were used to choose a parameter; they are drawn hollow and enter no number. *Predicted before seen*
states the commit of the first prediction; no author of the model had seen a number of that table before. The page
shows predictions of the current model.

- *Error* is the predicted rate divided by the published rate, minus one; *bias* is its signed mean. *Tau* is
  Kendall's tau-b of published and predicted rates: 1 if all pairs have the same order.
- A *band* covers the intervals of the parameters. Two runs use the ends of each interval. Two more runs combine
  all ends that raise the rate, and all ends that lower it. *Inside* counts the published rates within their band,
  allowing for their reading error. *Made by* names the two intervals with the largest single effects.
- The *ladder* leads from the costs and rates of a part to whole programs. A value that was chosen on one rung is
  *fixed* for higher rungs. Higher rungs choose no further values unless they say so.
- *Limited by* is the part of the chip that is busy for at least 97 % of the time in the prediction. Without such a
  part, threads wait for responses. The groups of `reads` state the limit according to the source.
- A *knee* is the point from which a curve stays within 5 % of its largest rate.
- *Null models* are arithmetic. They bound the rate by the wires, by the cycles of the engines, by the busiest memory
  or unit, by threads that each carry one packet after another without contention, and by the smallest of these. If
  the smallest bound is as good as the prediction, simulation adds nothing. A model is omitted where it does not
  apply: threads if several clusters share a packet, wires if packets do not arrive over the ports.
"""
WITHOUT = """\
## Without a published rate

The horizontal axis of a curve is the parameter that its source varies: the number of engines. No source here varies
only the threads or only the frame size; [figures](../../studies/nfp4000/README.md) over threads are only predictions.

No study contains measured rates of `rosebud16` and `rosebud8` (the numbers of their study are arithmetic bounds), of
`pspin` and `ixp2800`, or uncalibrated rates of `bluefield3_dpa`; see [what each chip is validated
on](../guide/validation.md). The [scorecard](scorecard.md) covers studies of papers that simulate a machine
themselves, and measurements of the IXP1200 other than rates.
"""


def page(found: Correlation, pictures: str) -> str:
    """Return the page, with a section per device and its pictures from the folder ``pictures``."""
    parts = [INTRODUCTION]
    for device in found.devices:
        parts += _section(device, pictures)
    parts.append(WITHOUT)
    return "\n".join(parts)


def kept_devices() -> Correlation:
    """Return the stored correlation of all devices."""
    return Correlation.from_dict(json.loads((STUDIES / "correlation.json").read_text(encoding="utf-8")))


def documents() -> dict[str, str]:
    """Return the page and its pictures, by path in the repository, from the stored correlation."""
    found = kept_devices()
    pictures = {f"docs/reference/{PICTURES}/{name}": picture for name, picture in pictures_of(found).items()}
    return {"docs/reference/correlation.md": "\n".join((HEADER, page(found, PICTURES))), **pictures}


def keep(found: Correlation) -> None:
    """Store the correlation of all devices, and write the page."""
    write_text(STUDIES / "correlation.json", json_text(found.to_dict()))
    write(documents())


def pictures_of(found: Correlation) -> dict[str, str]:
    """The pictures by file name."""
    drawn = {}
    for device in found.devices:
        drawn[f"{device.chip}.svg"] = scatter(device)
        shown = curves(device)
        if shown is not None:
            drawn[f"{device.chip}_curves.svg"] = shown
    return drawn


def number_rows(device: Device) -> list[tuple[str, ...]]:
    """The rows of the table of numbers, one per group of points, with the columns `NUMBER_COLUMNS`."""
    rows: list[tuple[str, ...]] = []
    for name, points in groups_of(device):
        errors = own_errors(points)
        if errors is None:
            continue
        tau = rank_correlation(points)
        inside, banded = coverage(points)
        rows.append(
            (
                name,
                str(errors.points),
                percent(errors.mean_abs),
                percent(errors.median_abs),
                f"{percent(errors.worst, sign=True)} {points[errors.worst_at].name}",
                percent(errors.bias, sign=True),
                "–" if tau is None else f"{tau:.3f}",
                f"{inside} of {banded}" if banded else "–",
            )
        )
    return rows


NUMBER_COLUMNS = ("points", "number", "mean error", "median", "worst", "bias", "tau", "inside")


def null_rows(device: Device) -> list[tuple[str, ...]]:
    """Mean errors of the prediction and of the null models, with one row per group of points."""
    rows = []
    for name, points in groups_of(device):
        errors = [own_errors(points), *(null_errors(points, model) for model in NULL_MODELS)]
        rows.append((name, *("–" if each is None else percent(each.mean_abs) for each in errors)))
    return rows


def ladder_rows(device: Device) -> list[tuple[str, ...]]:
    """One row per level of measurement, from single parts to whole programs (the ladder)."""
    rows: list[tuple[str, ...]] = []
    for step in device.ladder:
        points = [point for point in device.judged if point.table in step.tables]
        errors = own_errors(points)
        inside, banded = coverage(points)
        rows.append(
            (
                step.rung,
                ", ".join(step.tables),
                "; ".join(step.fixed) or "nothing",
                str(len(points)),
                *(("–", "–") if errors is None else (percent(errors.mean_abs), percent(errors.bias, sign=True))),
                f"{inside} of {banded}" if banded else "–",
            )
        )
    return rows


LADDER_COLUMNS = ("ladder", "tables", "fixed on them", "predicted", "mean error", "bias", "inside")
NULL_COLUMNS = ("points", "predicted", *NULL_MODELS)


def knee_rows(device: Device) -> list[tuple[str, ...]]:
    """The knee of each curve: its positions according to published and predicted rates, and the steps between them."""
    return [(each.curve, f"{each.published:g}", f"{each.predicted:g}", f"{each.steps:+d}") for each in device.knees]


def band_words(device: Device) -> str:
    """The number of points within bands, and the most important intervals; or the reason why no bands exist."""
    if not device.intervals:
        return "No band: no interval is declared for its parameters."
    banded = [point.band for point in device.judged if point.band is not None]
    if not banded:
        return "Bands were not run."
    most = Counter(band.widths[0].key for band in banded if band.widths)
    if not most:
        return f"Intervals in the bands: {_listed(device.intervals)}. None of them changes a rate."
    widest = ", ".join(f"`{key}` in {count}" for key, count in most.most_common())
    largest = f"Largest single effect: {widest} of {len(banded)} bands."
    return f"Intervals in the bands: {_listed(device.intervals)}. {largest}"


def _section(device: Device, pictures: str) -> list[str]:
    calibrated = sum(point.calibrated for point in device.points)
    counted = f"{len(device.judged)} predicted and {calibrated} calibrated"
    parts = [f"## {device.chip}\n", f"{device.document}. {len(device.points)} rates: {counted}.\n"]
    parts.append(f"![Predicted against published rates of {device.chip}]({pictures}/{device.chip}.svg)\n")
    parts += _table(NUMBER_COLUMNS, number_rows(device))
    if device.ladder:
        parts += _table(LADDER_COLUMNS, ladder_rows(device))
    parts.append(f"{band_words(device)}\n")
    parts += ["Mean errors of the prediction, and of null models at the points to which they apply:\n"]
    parts += _table(NULL_COLUMNS, null_rows(device))
    if device.axis:
        parts.append(f"![Rates over {device.axis}]({pictures}/{device.chip}_curves.svg)\n")
    if device.knees:
        late = sum(abs(each.steps) <= 1 for each in device.knees)
        parts.append(f"Knees over {device.axis}: {late} of {len(device.knees)} within one step.\n")
        parts += _table(("curve", "published", "predicted", "steps"), knee_rows(device))
    for table, origin in device.origins.items():
        parts += _points(device, table, origin)
    return parts


def _points(device: Device, table: str, origin: str) -> list[str]:
    points = [point for point in device.points if point.table == table]
    readings = sorted({point.reading for point in points})
    before = sorted({point.before_seen for point in points if point.before_seen})
    said = [
        f"Source: {origin}; reading error ± {', '.join(f'{each:g}' for each in readings)} Mpps",
        *(f"*predicted before seen* at {commit}" for commit in before),
        f'again: `linecard reproduce {device.study} --table "{table}"`',
    ]
    rows = [
        (
            point.name,
            f"{point.published:g}",
            "failed" if point.predicted is None else f"{point.predicted:.4g}",
            "–" if point.error is None else percent(point.error, sign=True),
            *_band_cells(point),
            point.limited_by,
            "calibrated" if point.calibrated else "",
        )
        for point in points
    ]
    columns = ("point", "published, Mpps", "predicted", "error", "band", "made by", "limited by", "")
    commands = [
        "Commands that repeat the points:\n",
        "```console",
        *(f"$ {point.command}" for point in points),
        "```\n",
    ]
    return [f"### {device.chip}: {table}\n", f"{'; '.join(said)}.\n", *_table(columns, rows), *commands]


def _band_cells(point: Point) -> tuple[str, str]:
    if point.band is None:
        return "–", ""
    outside = "" if point.inside else ", outside"
    makers = ", ".join(each.key.removeprefix("memory.") for each in point.band.widths[:2])
    return f"{point.band.low:.4g} to {point.band.high:.4g}{outside}", makers


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(f"`{key}` {ends}" for key, _, ends in (text.partition(" ") for text in texts))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(columns), "|" + "---|" * len(columns), *map(line, rows), ""]
