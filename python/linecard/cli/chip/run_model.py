"""`linecard run --model`: another model of a chip than its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

import linecard

if TYPE_CHECKING:
    from collections.abc import Iterable


def run_other(
    model: str,
    preset: str,
    set: Iterable[str],
    seed: int,
    packets: int | None,
    warmup_packets: int | None,
    *,
    json: bool,
) -> None:
    """Run a model other than the event-driven one, and print what is compared of it.

    Raises:
        ConfigError: There is no such model, or none of this preset.
    """
    from linecard.chip.modelled import PRESET
    from linecard.cli import pieces, stdout
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.petri.models import COMPARED, MODELS, PACKETS, WARMUP_PACKETS, run_model

    if preset != PRESET and model in MODELS:
        message = f"{model} is a model of {PRESET}, not of {preset}: leave --model out"
        raise ConfigError.of([ConfigProblem("--model", "", message)])
    request = linecard.ModelRequest(
        tuple(set),
        seed,
        PACKETS if packets is None else packets,
        WARMUP_PACKETS if warmup_packets is None else warmup_packets,
    )
    run = run_model(model, request)
    if json:
        stdout.print_json(run.to_dict())
        return
    table = pieces.grid("l", "l", "r")
    for component, metric in COMPARED:
        if run.values[component, metric]:
            table.add_row(component, metric.replace("_", " "), f"{run.values[component, metric]:,.1f}")
    stdout.show(pieces.section(pieces.heading(f"Model {run.model}", f"bottleneck: {run.bottleneck}"), table), Text(""))
