"""`linecard petri simulate`: run a timed simulation of a Petri net."""

from __future__ import annotations

from typing import Any

from linecard import petri
from linecard.cli import stderr
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks


@asks(
    petri.simulate,
    time=Word(metavar="T"),
    warmup=Word(metavar="T"),
    accuracy=Word(metavar="SHARE"),
    of=Word(metavar="NAME"),
)
def simulate(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Simulate a net, and print throughputs and mean token counts with 95 % confidence intervals from replications.

    The output of the simulation does not depend on `--jobs`.

    **Examples**

        linecard petri simulate model.toml

        linecard petri simulate model.toml --time 100000 --replications 20 --json

        linecard petri simulate model.toml --accuracy 0.01 --of serve
    """
    found = outputs.of(petri.simulate, asked, "Simulating", "thousandths of a replication")
    width, accuracy = found.relative_half_width, asked["accuracy"]
    if accuracy is not None and width is not None and width > accuracy:
        stderr.note(
            f"--accuracy: {found.replications} replications reached an accuracy of {width:.2g}, expected at most "
            f"{accuracy:g}; raise --most-replications or --time"
        )
