"""Nets of the Model Checking Contest with published answers, explored marking by marking.

`mcc/**`: nets as `NAME.pnml`, as `NAME/model.pnml`, or as the contest's archives `NAME.tgz`. Answers are `*.out` files
of the contest, whose lines begin with `STATE_SPACE` or `FORMULA`, its `GenericPropertiesVerdict.xml` beside a model or
in its archive, or a table `results.csv` with a row a net.
"""

from __future__ import annotations

import csv
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from verdict import DIFFERS, SKIPPED, Compared, Verdict

from linecard.errors import LinecardError
from linecard.petri import Explored, explore

FOLDER = "mcc"
MODEL, GENERIC = "model.pnml", "GenericPropertiesVerdict.xml"
HOLDS = f"nets (NAME.pnml, NAME/{MODEL}, NAME.tgz), answers (*.out, {GENERIC}, results.csv)"
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
# Answers of yes or no, and what says so. Of coloured nets the contest means transitions before they are unfolded.
YES_OR_NO: dict[str, Callable[[Explored], bool]] = {
    "deadlock": lambda found: found.dead_markings > 0,
    "safe": lambda found: found.max_tokens_in_place <= 1,
    "quasi_live": lambda found: found.never_enabled_transitions == 0,
}
# What a published count says of a question, where both are published.
COUNTS_SAY: dict[str, tuple[str, Callable[[str], bool]]] = {
    "deadlock": ("dead_markings", lambda count: count.strip("0") != ""),
    "safe": ("max_tokens_in_place", lambda count: count.lstrip("0") in ("", "1")),
    "quasi_live": ("never_enabled_transitions", lambda count: count.strip("0") == ""),
}
# Longer numbers are more than any search holds, and more than Python reads as one.
MOST_DIGITS = 18
GENERIC_VERDICT = re.compile(r'<verdict\b[^>]*\breference="(\w+)"[^>]*\bvalue="(true|false)"', re.IGNORECASE)

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
                known = {key: row[key] for key in (*COUNTS, *YES_OR_NO) if row.get(key)}
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
            answers.setdefault(name, {})["deadlock"] = verdict
    for name, file in nets.items():
        if known := _generic(name, _beside(file, GENERIC)):
            answers[name] = known | answers.get(name, {})
    return answers


def _generic(name: str, text: str) -> dict[str, str]:
    """Behavioural properties of a net's table of verdicts; unknown ones are left out."""
    found = {reference.lower(): value.upper() for reference, value in GENERIC_VERDICT.findall(text)}
    if "-COL-" in name:
        found.pop("quasi_live", None)
    return {key: value for key, value in found.items() if key in YES_OR_NO}


def _beside(net: Path, name: str) -> str:
    """A text that stands beside a model, in its folder or its archive; nothing where there is none."""
    try:
        if net.suffix == ".tgz":
            return _in_archive(net, name).decode(errors="replace")
        if net.name == MODEL:
            return (net.parent / name).read_text(encoding="utf-8", errors="replace")
    except (OSError, KeyError, tarfile.TarError):
        pass
    return ""


def _in_archive(archive: Path, name: str) -> bytes:
    with tarfile.open(archive) as opened:
        inside = next((member for member in opened.getnames() if Path(member).name == name), name)
        file = opened.extractfile(inside)
        if file is None:
            raise KeyError(f"{inside} is no file")
        return file.read()


def _verdict(name: str, file: Path, answers: dict[str, str]) -> Verdict:
    if not answers:
        return Verdict(name, SKIPPED, "no answers are there")
    states = answers.get("reachable_markings", "0").lstrip("0")
    if len(states) > MOST_DIGITS:
        return Verdict(name, SKIPPED, f"a number of markings of {len(states):,} digits: {MOST_MARKINGS:,} are searched")
    if int(states or 0) > MOST_MARKINGS:
        return Verdict(name, SKIPPED, f"{int(states):,} markings are more than the {MOST_MARKINGS:,} that are searched")
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
    for question, holds in YES_OR_NO.items():
        if question not in answers:
            continue
        if told := _contradiction(question, answers):
            compared.left_out.append(told)
        else:
            said = str(holds(found)).upper()
            if said == answers[question].upper():
                compared.right.append(question)
            else:
                compared.wrong.append(f"{question}: found {said}, expected {answers[question]}")
    return compared.verdict(name)


def _contradiction(question: str, answers: dict[str, str]) -> str:
    """How a published answer contradicts a published count of the same net; empty where it does not."""
    count, says = COUNTS_SAY[question]
    if count not in answers or says(answers[count]) == (answers[question].upper() == "TRUE"):
        return ""
    said = f"{question} {answers[question]}, {count} {answers[count]}"
    return f"{question}, whose published answers contradict each other: {said}"


def _explore(file: Path) -> Explored:
    if file.suffix != ".tgz":
        return explore(file, MOST_MARKINGS)
    with tempfile.TemporaryDirectory() as scratch:
        net = Path(scratch) / MODEL
        net.write_bytes(_in_archive(file, MODEL))
        return explore(net, MOST_MARKINGS)
