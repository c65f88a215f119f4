"""Nets of the Model Checking Contest with published answers, explored marking by marking.

`mcc/**`: nets as `NAME.pnml`, as `NAME/model.pnml`, or as the contest's archives `NAME.tgz`. Answers are `*.out` files
of the contest, whose lines begin with `STATE_SPACE` or `FORMULA`, or a table `results.csv` with a row a net.
"""

from __future__ import annotations

import csv
import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from verdict import DIFFERS, SKIPPED, Compared, Verdict

import linecard.petri
from linecard.errors import LinecardError

FOLDER = "mcc"
HOLDS = "nets (NAME.pnml, NAME/model.pnml, NAME.tgz), answers (*.out, results.csv)"
MODEL = "model.pnml"
# Nets of more markings are skipped, since the search keeps them all.
MOST_MARKINGS = 10_000_000
# The contest's names of what `linecard petri explore` counts.
STATE_SPACE = {
    "STATES": "reachable_markings",
    "TRANSITIONS": "edges",
    "MAX_TOKEN_IN_PLACE": "max_tokens_in_place",
    "MAX_TOKEN_PER_MARKING": "max_tokens_in_marking",
}
COUNTS = (*STATE_SPACE.values(), "dead_markings", "never_enabled_transitions")
COUNTED = re.compile(r"^STATE_SPACE (\w+) (\d+)\b", re.MULTILINE)
DEADLOCK = re.compile(r"^FORMULA (\S+)-ReachabilityDeadlock\S* (TRUE|FALSE)\b", re.MULTILINE)
HAS_DEADLOCK = "deadlock"

Answers = dict[str, dict[str, str]]


def verdicts(folder: Path) -> Iterator[Verdict]:
    """Every net of the folder."""
    nets = _nets(folder)
    answers = _answers(folder, nets)
    for name, file in sorted(nets.items()):
        yield _verdict(name, file, answers.get(name, {}))
    for name in sorted(answers.keys() - nets.keys()):
        yield Verdict(name, SKIPPED, "answers are there, and no net of that name")


def _nets(folder: Path) -> dict[str, Path]:
    """Nets by the contest's names."""
    nets = {}
    for file in sorted(folder.rglob("*")):
        if file.name == MODEL:
            nets[file.parent.name] = file
        elif file.suffix in (".pnml", ".tgz"):
            nets[file.stem] = file
    return nets


def _answers(folder: Path, nets: dict[str, Path]) -> Answers:
    """What is published of each net, by its name."""
    answers: Answers = {}
    for file in sorted(folder.rglob("results.csv")):
        with file.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                name = (row.get("file") or row.get("name") or "").removesuffix(".pnml")
                known = {key: row[key] for key in (*COUNTS, HAS_DEADLOCK) if row.get(key)}
                answers.setdefault(name, {}).update(known)
    for file in sorted(folder.rglob("*.out")):
        text = file.read_text(encoding="utf-8", errors="replace")
        # Such as ERK-PT-000001-SS.out; where one name begins another, the longer one is meant.
        whose = max((name for name in nets if f"{file.stem}-".startswith(f"{name}-")), key=len, default="")
        if not whose and file.stem.endswith("-SS"):
            whose = file.stem.removesuffix("-SS")
        for what, number in COUNTED.findall(text):
            if what in STATE_SPACE and whose:
                answers.setdefault(whose, {})[STATE_SPACE[what]] = number
        for name, verdict in DEADLOCK.findall(text):
            answers.setdefault(name, {})[HAS_DEADLOCK] = verdict
    return answers


def _verdict(name: str, file: Path, answers: dict[str, str]) -> Verdict:
    if not answers:
        return Verdict(name, SKIPPED, "no answers are there")
    states = int(answers.get("reachable_markings", 0))
    if states > MOST_MARKINGS:
        return Verdict(name, SKIPPED, f"{states:,} markings are more than the {MOST_MARKINGS:,} that are searched")
    try:
        found = _explore(file)
    except (LinecardError, tarfile.TarError, KeyError, OSError) as error:
        return Verdict(name, DIFFERS, " ".join(str(error).split()))
    if not found.complete:
        return Verdict(name, SKIPPED, f"more than the {MOST_MARKINGS:,} markings that are searched")
    compared = Compared()
    for count in COUNTS:
        if count in answers:
            compared.number(count, getattr(found, count), answers[count])
    if HAS_DEADLOCK in answers:
        dead = "TRUE" if found.dead_markings else "FALSE"
        if dead == answers[HAS_DEADLOCK].upper():
            compared.right.append(HAS_DEADLOCK)
        else:
            compared.wrong.append(f"{HAS_DEADLOCK}: found {dead}, expected {answers[HAS_DEADLOCK]}")
    return compared.verdict(name)


def _explore(file: Path) -> linecard.petri.Explored:
    if file.suffix != ".tgz":
        return linecard.petri.explore(file, MOST_MARKINGS)
    with tarfile.open(file) as archive, tempfile.TemporaryDirectory() as scratch:
        inside = next((member for member in archive.getnames() if Path(member).name == MODEL), MODEL)
        opened = archive.extractfile(inside)
        if opened is None:
            raise KeyError(f"{inside} is no file")
        net = Path(scratch) / MODEL
        net.write_bytes(opened.read())
        return linecard.petri.explore(net, MOST_MARKINGS)
