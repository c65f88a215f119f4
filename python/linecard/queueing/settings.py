"""Lists the settings of a machine that runs queue managers: value, unit, meaning and source of each setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.listed import Listed
from linecard.queueing.reports import QueueSetting
from linecard.request import name_of

# The default machine of the managers.
MACHINE = "kumar2006"


@plain
def queueing_settings(
    set: Mapping[str, object] | Iterable[str] | str | None = None,  # the same word as --set
    *,
    machine: str | PathLike[str] = MACHINE,
) -> Listed[QueueSetting]:
    """List every setting of a machine that runs queue managers, with the changes in ``set`` applied.

    Args:
        set: Changes to settings, such as ``threads=16``. A mapping of keys to values has the form ``{"threads": 16}``.
        machine: Name of a shipped machine (presets of the kind ``queueing``), or path of a TOML file.

    Raises:
        ConfigError: The machine, a key or a value is invalid; the error lists every problem.
    """
    name = name_of("machine", machine)
    return Listed(convert(_core.queueing_settings(name, changes_of(set)), list[QueueSetting]))


def changes_of(changes: Mapping[str, object] | Iterable[str] | str | None) -> list[str]:
    """Return changes in the form ``key=value``."""
    if changes is None:
        return []
    if isinstance(changes, str):
        return [changes]
    if hasattr(changes, "items"):
        return [f"{key}={value}" for key, value in changes.items()]
    return [str(change) for change in changes]
