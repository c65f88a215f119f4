"""Flip-flops, NAND2-equivalent gates and plain gates of each block of the queuing cache, beside Table 6 of Kumar 2006.

    python synth/gates.py OUT.csv      # needs yosys

Each block is synthesised by itself, flattened, with 32 places, engines and entries, 16-bit queue ids and 32-bit packet
pointers. Plain gates count every gate of two inputs, inverter and multiplexer as one. Enables and resets stay in the
flip-flops and count as no gates. The number of flip-flops is checked against what
the source declares, so that a synthesiser that loses state is found.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = sorted((HERE.parent / "src").glob("*.sv"))
GENLIB = HERE / "gates.genlib"

# From each block of Table 6 to its modules, and to the number of flip-flops that their source declares.
BLOCKS = {
    "request register array": (("request_register_array",), 32 * (16 + 32 + 1 + 5 + 1) + 5),
    "contention network": (("contention_network",), 0),
    "queuing engine array": (("queuing_engine_array",), 32 * (3 + 5 + 5 + 1) + 32 + 3 * 5),
    "cache array": (("cache_array",), 32 * (17 + 32 + 3) + 32 * 31 // 2),
    "cross connects": (("request_cross_connect", "cache_cross_connect"), 0),
}


def sizes() -> dict[str, float]:
    """NAND2-equivalents of each gate."""
    return {
        name: float(size)
        for name, size in re.findall(r"^GATE\s+(\w+)\s+([\d.]+)", GENLIB.read_text(encoding="utf-8"), re.MULTILINE)
    }


def cells(module: str) -> dict[str, int]:
    """Cells of a synthesised module by type."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "stat.txt"
        script = "; ".join(
            (
                "read_verilog -sv " + " ".join(map(str, SOURCES)),
                f"synth -flatten -top {module}",
                f"abc -genlib {GENLIB}",
                "clean",
                f"tee -o {report} stat",
            )
        )
        done = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"yosys failed on {module}:\n{done.stdout}{done.stderr}")
        found = re.findall(r"^\s+(\$?[\w$\\]+)\s+(\d+)$", report.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lstrip("\\"): int(count) for name, count in found}


def main() -> None:
    """Synthesise every block, print the table and write it."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    size = sizes()
    rows = []
    for block, (modules, declared) in BLOCKS.items():
        flip_flops = gates = plain = 0.0
        for module in modules:
            for name, count in cells(module).items():
                if name.startswith("$_") and "DFF" in name:
                    flip_flops += count
                elif name in size:
                    gates += count * size[name]
                    plain += count
                elif name.startswith("$_"):
                    sys.exit(f"{module}: {count} cells of {name} are neither a flip-flop nor in {GENLIB.name}")
        if flip_flops != declared:
            sys.exit(f"{block}: {flip_flops:.0f} flip-flops after synthesis, but the source declares {declared}")
        rows.append((block, int(flip_flops), round(gates), int(plain)))
        counts = f"{int(flip_flops):>6} flip-flops {round(gates):>7} NAND2-equivalents {int(plain):>7} gates"
        print(f"  {block:<24} {counts}", flush=True)
    out = Path(sys.argv[1])
    temporary = out.with_suffix(".tmp")
    with temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("block", "flip_flops", "nand2_equivalents", "plain_gates"))
        writer.writerows(rows)
    temporary.replace(out)


if __name__ == "__main__":
    main()
