"""The contents of a chip drawing: facts from the core, values from the chip's file, and utilisation."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from linecard import _core
from linecard._convert import convert
from linecard.chip.reports import Bottleneck, ChipDrawing, ResourceUse
from linecard.errors import ConfigError
from linecard.words import value_text

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.request import Settings


@dataclass(frozen=True, slots=True)
class Usage:
    """The utilisation of each resource in a run, by resource name, and the bottleneck of the run."""

    shares: dict[str, float]
    bottleneck: Bottleneck

    def percent(self, component: str) -> str:
        """The utilisation as text."""
        return f"{self.shares[component] * 100:.0f} %"


@dataclass(frozen=True, slots=True)
class Facts:
    """All contents of a chip drawing. ``values`` maps the keys of the chip's file to their values and units."""

    parts: ChipDrawing
    values: dict[str, tuple[str, str]]
    usage: Usage | None

    @property
    def name(self) -> str:
        """Name of the chip's preset, or name of the chip's file.

        The name contains no folder, because the drawing must not depend on the folder of the file.
        """
        chip = self.parts.chip
        return Path(chip).name if chip.endswith(".toml") else chip

    def value(self, key: str) -> str:
        """The value of a parameter as text; empty if the file does not contain the parameter."""
        return self.values.get(key, ("", ""))[0]

    def quantity(self, table: str, stem: str) -> str:
        """The value of a time parameter with its unit, as text; empty if the file omits the parameter."""
        for key, (value, unit) in self.values.items():
            if key.startswith(f"{table}.{stem}_") and value not in {"", "0"}:
                return f"{value} {unit}"
        return ""

    def names(self, table: str) -> list[str]:
        """The entries of a table in the chip's file, such as the inboxes, in the order of the file."""
        found = {key.split(".")[1]: None for key in self.values if key.startswith(f"{table}.") and key.count(".") > 1}
        return list(found)


def only_chips(preset: str, overrides: list[str], command: str) -> None:
    """Raise an error for a preset that is not a chip.

    Raises:
        ConfigError: The preset does not exist, or is not a chip.
    """
    keys = [each["key"] for each in _core.describe(preset, overrides)["parameters"]]
    if not any(key.startswith("cluster.") for key in keys):
        folders = {each["name"]: each["kind"] for each in _core.presets()}
        what = "is not a chip" if preset.endswith(".toml") else f"is a preset of {folders[preset]}"
        message = f'{what}; `linecard {command}` needs a chip (kind = "chip"). `linecard describe` shows any preset'
        raise ConfigError.at(preset, "", message)


def read(chip: str, changes: Settings | None, result: RunResult | str | PathLike[str] | None) -> Facts:
    """Read a chip, and optionally a run of this chip.

    Raises:
        ConfigError: The chip's file is invalid, or the result is from a run of another chip.
    """
    from linecard.request import settings

    overrides = settings(changes)
    usage = None
    if result is not None:
        run = _decode(result)
        _same_chip(chip, run, fspath(result) if isinstance(result, (str, PathLike)) else "")
        if changes is None:
            overrides = list(run.request.overrides)
        elif list(run.request.overrides) != overrides:
            had = ", ".join(run.request.overrides) or "none"
            given = ", ".join(overrides)
            message = (
                f"found {given}, expected the same --set values as in the run: {had}; "
                "omit --set to draw the chip of the run"
            )
            raise ConfigError.at("--set", "", message)
        usage = Usage({use.component: use.utilization for use in run.resources}, run.bottleneck)
    only_chips(chip, overrides, "draw")
    parts = convert(_core.chip_drawing(chip, overrides), ChipDrawing)
    rows = _core.describe(chip, overrides)["parameters"]
    values = {row["key"]: (value_text(row["value"]), row["unit"]) for row in rows}
    return Facts(parts, values, usage)


class _Request(msgspec.Struct):
    overrides: tuple[str, ...] = ()


class _Run(msgspec.Struct):
    """The part of a run's JSON that a drawing uses."""

    chip: str
    resources: tuple[ResourceUse, ...]
    bottleneck: Bottleneck
    request: _Request


def _decode(result: RunResult | str | PathLike[str]) -> RunResult | _Run:
    if not isinstance(result, (str, PathLike)):
        return result
    file = Path(fspath(result))
    expected = "expected the output of `linecard run CHIP --json`"
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Run)
    except OSError as error:
        message = f"cannot be read ({error.strerror}); {expected}"
    except msgspec.ValidationError as error:
        message = f"is not the result of a run ({error}); {expected}"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"is not JSON ({error}); {expected}"
    raise ConfigError.at(str(file), "", message)


def _same_chip(chip: str, run: RunResult | _Run, file: str) -> None:
    def known(name: str) -> str:
        return str(Path(name).resolve()) if name.endswith(".toml") else name.removeprefix("platforms/")

    if known(run.chip) != known(chip):
        raise ConfigError.at(
            file or "result", "", f"found a result of the chip {run.chip}, expected a result of the chip {chip}"
        )
