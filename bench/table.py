"""Writes the table of docs/reference/speed.md from the last lines of bench/record/kernels.jsonl.

python bench/table.py
"""

from __future__ import annotations

import re
from pathlib import Path

import kernels

PAGE = kernels.ROOT / "docs" / "reference" / "speed.md"
BLOCK = re.compile(r"(?<=<!-- record -->\n).*?(?=<!-- /record -->)", re.DOTALL)


def table() -> str:
    """Each kernel with its last recorded instructions, and ratios to peers."""
    lines = kernels.record()
    rows = ["| kernel | what | instructions | target | recorded at |", "|---|---|---|---|---|"]
    for name, kernel in kernels.KERNELS.items():
        held = [line for line in lines if name in line["instructions"]]
        if held:
            value, commit = held[-1]["instructions"][name], held[-1]["commit"]
            target = "" if kernel.target is None else f"{kernel.target:,}"
            shown = f"{kernels.shown(value)} {kernels.each(kernel)}"
            missed = kernel.target is not None and value > kernel.target
            rows.append(
                f"| `{name}` | {kernel.about} | {f'**{shown}**' if missed else shown} | {target} | `{commit}` |"
            )
    ratios = [line for line in lines if line.get("ratios")]
    if ratios:
        rows += [
            "",
            f"One benchmark run at commit `{ratios[-1]['commit']}` measured these ratios:",
            "",
            "| speed | times |",
            "|---|---|",
        ]
        rows += [f"| {name} | {value:,.3g} |" for name, value in ratios[-1]["ratios"].items()]
    return "\n".join(rows) + "\n"


def main() -> None:
    """Write the table."""
    PAGE.write_text(BLOCK.sub(lambda _: table(), PAGE.read_text()))
    print(PAGE.relative_to(Path.cwd()) if PAGE.is_relative_to(Path.cwd()) else PAGE)


if __name__ == "__main__":
    main()
