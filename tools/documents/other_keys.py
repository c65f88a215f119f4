"""The page of the keys of all other files: design spaces, studies, queues, nets, links, cores, extensions."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from linecard.catalogue import describe, presets
from linecard.explore import costs, objectives, spec
from linecard.explore.subject import NO_OPTION, SUBJECTS
from linecard.petri.run import explore
from linecard.queueing.settings import MACHINE
from linecard.study import keys as study
from linecard.vrp import extension
from tools.documents.markdown import attributes, code, first_sentences, table
from tools.documents.specimens import shorter

if TYPE_CHECKING:
    from collections.abc import Iterator

_NET = Path("docs/reference/specimens/net.toml")


def others_page() -> str:
    """The keys of all files that describe neither a chip nor a memory, as Markdown."""
    return "\n".join(
        (
            "# Keys of other files\n",
            *_spaces(),
            *_studies(),
            *_queues(),
            *_nets(),
            *_extensions(),
            *_links(),
            *_cores(),
        )
    )


def _spaces() -> Iterator[str]:
    yield "## Sweeps and optimisations\n"
    yield '`kind = "sweep"` or `kind = "optimize"`; [the guide](../../guide/explore.md) shows them.\n'
    of_spec, of_sample = attributes(spec.Spec), attributes(spec.Sample)
    of_spec |= {
        "kind": "`sweep` or `optimize`.",
        "what": "Kind of run, see below; by default, `run`.",
        "set": of_spec["settings"],
        "vary": of_spec["axes"],
    }
    of_task = attributes(objectives.Task)
    of_task["search_seed"] = of_task["seed"]
    of_spec["together"] = "Axes that change together, value by value; each `[[together]]` is a table of axes."
    keys = [*spec.PLAIN_KEYS, *(each for each in spec.TABLES if each != "sample")]
    yield from table(
        ("key", "meaning"),
        [
            *((code(key if key in spec.PLAIN_KEYS else f"[{key}]"), of_spec[key]) for key in keys),
            *((code(f"sample.{key}"), of_sample[key]) for key in of_sample),
            *((code(key), f"`optimize` only. {of_task[key]}") for key in objectives.KEYS),
        ],
    )
    yield "\nA file can also contain the arguments of `what`, each as a value at the top of the file or as an axis:\n"
    yield from table(
        ("`what`", "arguments, with the option of the command", "settings"),
        (
            (
                code(name),
                ", ".join(
                    f"`{each}` ({code(option) or 'first'})" if option != NO_OPTION else f"`{each}`"
                    for each, option in subject.arguments.items()
                ),
                "any key" if subject.has_settings else "none",
            )
            for name, subject in ((name, SUBJECTS[name]) for name in SUBJECTS)
        ),
    )
    listed = ", ".join(map(code, sorted(costs.KEYS)))
    yield (
        f'\nA file of costs has `kind = "costs"` and a table for each cost, with {listed}: one `value`, or '
        f"values `of` names.\n"
    )


def _studies() -> Iterator[str]:
    yield "## Studies: `study.toml`\n"
    yield "[Writing a study](../../guide/studies.md#writing-a-study) explains them.\n"
    shapes = {
        "At the top": study.StudySpec,
        "`[full]`, `[quick]`": study.Effort,
        "`[columns.NAME]`": study.Column,
        "`[measures.NAME]`": study.Measure,
        "`[[tables]]`": study.TableSpec,
        "`[[figures]]`": study.FigureSpec,
        "`series` of a figure": study.Series,
        "`panels` of a figure": study.Panel,
        "`[[figures.checks]]`": study.ShapeCheck,
        "`[[gains]]`": study.GainSpec,
        "`[[checks]]`": study.CheckSpec,
        "`[[calibrations]]`": study.Calibration,
        "`[[assumptions]]`": study.Assumption,
        "`curve` of `[[tables]]`": study.Curve,
        "`[[inputs]]`": study.Input,
        "`values` of an input": study.At,
        "`[[deviations]]` of `deviations.toml`": study.KnownDeviation,
    }
    for head, shape in shapes.items():
        yield f"### {head}\n"
        yield f"{first_sentences(shape)}\n"
        yield from _fields(shape)
        yield ""


def _fields(shape: type) -> Iterator[str]:
    """A table of the fields of a structure."""
    meanings = {name: text for each in reversed(shape.__mro__) for name, text in attributes(each).items()}
    rows = []
    for each in msgspec.structs.fields(shape):
        default = "must be given" if each.required else _shown(each.default)
        rows.append((code(each.encode_name), _type(each.type), default, meanings.get(each.name, "")))
    known = any(meaning for *_, meaning in rows)
    heads = ("key", "is", "default", *(("meaning",) if known else ()))
    return table(heads, (row if known else row[:3] for row in rows))


def _shown(default: Any) -> str:
    empty = default in (None, "", (), msgspec.NODEFAULT) or default == {}
    return "" if empty else code(str(default).lower() if isinstance(default, bool) else str(default))


def _type(kind: Any) -> str:
    """A type in words."""
    words = {str: "text", int: "whole number", float: "number", bool: "true or false", type(None): ""}
    if kind in words:
        return words[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is dict:
        return f"table of {_type(inner[1])}"
    if origin is tuple:
        return f"list of {_type(inner[0])}"
    if origin is not None and str(origin).endswith("Literal"):
        return ", ".join(map(code, inner))
    if inner:
        return " or ".join(filter(None, (_type(each) for each in inner)))
    return "table"


def _queues() -> Iterator[str]:
    yield "## Queue managers: `presets/queueing`\n"
    yield (
        f"`linecard queueing` simulates the machine `{MACHINE}`, or a file that extends it (`--machine`), with "
        "`--set KEY=VALUE`. [The guide](../../guide/queueing.md#settings) shows one; `linecard queueing settings` "
        "shows the source of each value.\n"
    )
    yield from table(
        ("key", "unit", "allowed", code(MACHINE), "meaning"),
        (
            (code(each.key), each.unit, shorter(each.allowed), code(each.text), each.meaning)
            for each in describe(f"queueing/{MACHINE}").parameters
        ),
    )
    yield ""


def _nets() -> Iterator[str]:
    yield "## Petri nets\n"
    yield "[The guide](../../guide/petri.md) explains these keys. Linecard rejects all other keys.\n"
    # A net with a key that does not exist would not be read.
    explore(_NET, limit=1000)
    net = tomllib.loads(_NET.read_text(encoding="utf-8"))
    lists = {key: rows for key, rows in net.items() if isinstance(rows, list) and rows and isinstance(rows[0], dict)}
    rows = [("top", [f"[{key}]" if isinstance(net[key], dict) else key for key in net if key not in lists])]
    rows += [(f"[[{key}]]", list(dict.fromkeys(key for row in of for key in row))) for key, of in lists.items()]
    yield from table(("where", "keys"), ((code(where), ", ".join(map(code, keys))) for where, keys in rows))
    yield ""


def _extensions() -> Iterator[str]:
    yield "## Extensions of `linecard vrp`\n"
    yield "[The guide](../../guide/vrp.md) shows one.\n"
    yield "At the top:\n"
    yield from _fields(extension.Extension)
    yield "\n`[[ops]]`, each with the number that its operation needs:\n"
    yield from _fields(extension.Op)
    yield ""


def _links() -> Iterator[str]:
    yield "## Link profiles: `presets/traffic`\n"
    yield (
        "`--trace edge`, `--trace core`, or a file in the same format. Every value is written `{ value = 45, unit = "
        '"%", source = "…" }`.\n'
    )
    edge, core = (describe(f"traffic/{name}").parameters for name in ("edge", "core"))
    values = {each.key: each.text for each in core}
    rows = [(code(each.key), each.unit, each.text, values[each.key], each.meaning) for each in edge]
    yield from table(("key", "unit", "`edge`", "`core`", "meaning"), rows)
    yield ""


def _cores() -> Iterator[str]:
    yield "## Cores: `presets/cores`\n"
    yield (
        "Files that `linecard core` and the study of Mudigonda 2007 read. They ship with the project; commands "
        "cannot change their values.\n"
    )
    rows = [
        (code(preset.name), code(each.key), each.text, each.unit, each.meaning, each.source)
        for preset in presets("cores")
        for each in describe(f"cores/{preset.name}").parameters
    ]
    yield from table(("preset", "key", "value", "unit", "meaning", "source"), rows)
    yield ""
