#!/usr/bin/env python3
"""Builds the packet programs for RV32IMA, and the XDP programs, with the compiler of the Python package `ziglang`.

    pip install ziglang==0.17.1
    python programs/build.py              # all into programs/prebuilt/ and programs/xdp/prebuilt/
    python programs/build.py md5 xdp/tx   # some; hxdp/NAME is a program of the study hxdp
    python programs/build.py --check      # builds in a temporary folder and compares with the committed files

Programs of the study hxdp are compiled with an older version, which is fetched into target/ when one of them is built.
The same sources and the same compiler produce the same bytes, in whichever folder the sources are.
"""

from __future__ import annotations

import argparse
import filecmp
import importlib.util
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILER = "0.17.1"
# Clang 13, the oldest version of the package that compiles these objects. The study's paper is from 2020, and the
# output of compilers for the same C has changed since.
OLD_COMPILER = "0.9.1"
OLD = HERE.parent / "target" / f"ziglang-{OLD_COMPILER}"
FLAGS = [
    "-target",
    "riscv32-freestanding-none",
    "-mcpu=generic_rv32+m+a",
    "-mno-relax",
    "-std=c11",
    "-O2",
    # Line numbers of the source, without paths of this machine; no instruction changes.
    "-gline-tables-only",
    "-fdebug-compilation-dir=.",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-pic",
    "-fomit-frame-pointer",
    "-fno-sanitize=all",
    "-fno-stack-protector",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wall",
    "-Wextra",
    "-Werror",
]
LINK = [
    "-nostdlib",
    # Functions for floating point and 64-bit division, for which the processor has no instructions.
    "-lcompiler_rt",
    "-static",
    "-Wl,--entry=app_packet",
    "-Wl,--gc-sections,--build-id=none",
    "-Wl,-u,app_init,-u,app_packet",
]
# Replacements of flags for 64 bits.
FLAGS64 = {
    "riscv32-freestanding-none": "riscv64-freestanding-none",
    "-mcpu=generic_rv32+m+a": "-mcpu=generic_rv64+m+a+c",
}
# XDP programs are objects and not linked; -g is for the types of maps and the lines of the source (BTF).
XDP_FLAGS = [
    "-target",
    "bpfel-freestanding",
    "-mcpu=v3",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Werror",
    # <asm/types.h> and similar headers test this macro; nothing of the machine is used.
    "-D__x86_64__",
]
PROGRAMS = tomllib.loads((HERE / "programs.toml").read_text())

TESTS = ("runtime", "numbers")

# The source and the ELF of each program; the last ones are for tests, in either width.
FILES = {
    name: (f"{program.get('variant_of', name)}/{program.get('variant_of', name)}.c", f"prebuilt/{name}.elf")
    for name, program in PROGRAMS.items()
} | {f"{name}{bits}": (f"tests/{name}.c", f"tests/{name}{bits}.elf") for name in TESTS for bits in ("", "64")}
XDP_PROGRAMS = list(tomllib.loads((HERE / "xdp/xdp.toml").read_text()))
# For machines without 32-bit arithmetic: version 1 of the instruction set.
V1 = "xdp/v1/"
FILES |= {f"xdp/{name}": (f"xdp/{name}.c", f"xdp/prebuilt/{name}.o") for name in XDP_PROGRAMS}
FILES |= {f"{V1}{name}": (f"xdp/{name}.c", f"xdp/prebuilt/v1/{name}.o") for name in XDP_PROGRAMS}
FILES |= {"xdp/features": ("xdp/tests/features.c", "xdp/tests/features.o")}
# Programs of the study hxdp, for the same version; an installed package does not have them next to this file.
HXDP, STUDY = "hxdp/", "../studies/hxdp/programs"
FILES |= {
    f"{HXDP}{file.stem}": (f"{STUDY}/{file.name}", f"{STUDY}/prebuilt/{file.stem}.o")
    for file in sorted((HERE / STUDY).glob("*.c"))
}


def kernel_headers(compiler: Path) -> list[str]:
    """Options that find <linux/…> in the compiler's own folder, without that folder's name in objects."""
    found = [compiler / "lib/libc/include" / part for part in ("any-linux-any", "x86-linux-any")]
    return [f"-ffile-prefix-map={compiler}=ziglang", *(f"-isystem{folder}" for folder in found)]


def xdp_flags(isa: int) -> list[str]:
    """Options for a version of the instruction set."""
    return [f"-mcpu=v{isa}" if flag.startswith("-mcpu=") else flag for flag in XDP_FLAGS]


def build_xdp(source: str, target: Path, isa: int) -> Path:
    """Compiles one XDP program; returns the object."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("the package ziglang is not installed")
    compiler = found.submodule_search_locations[0]
    command = [sys.executable, "-m", "ziglang", "cc", *xdp_flags(isa), "-fdebug-compilation-dir=."]
    command += [*kernel_headers(Path(compiler)), "-Ixdp/include", "-c", source, "-o", str(target)]
    environment = dict(os.environ)
    if source.startswith(STUDY):
        environment["PYTHONPATH"] = str(OLD)
    subprocess.run(command, check=True, env=environment)
    return target


def fetch_old_compiler() -> bool:
    """Whether the compiler of the study hxdp is available; it is fetched if necessary."""
    if not (OLD / "ziglang").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(OLD)]
        fetched = subprocess.run([*command, f"ziglang=={OLD_COMPILER}"], check=False)
        return fetched.returncode == 0
    return True


def build(name: str, into: Path) -> Path:
    """Compiles and links one program; returns the file."""
    if name.startswith(("xdp/", HXDP)):
        return build_xdp(FILES[name][0], into / Path(FILES[name][1]).name, 1 if name.startswith((V1, HXDP)) else 3)
    defines = [f"-D{define}" for define in PROGRAMS.get(name, {}).get("defines", [])]
    runtime = sorted(Path("runtime").glob("*.c"))
    elf = into / f"{name}.elf"
    # Both formats of line tables are tested: other compilers write the newer one.
    wide = ["-gdwarf-5", *(FLAGS64.get(flag, flag) for flag in FLAGS)]
    flags = wide if name.endswith("64") else FLAGS
    script = Path("runtime/linecard.ld")
    if name.startswith("numbers"):
        # The compiler's own functions would bring line tables fifty times their size.
        kept = script.read_text().replace("/DISCARD/ : {", "/DISCARD/ : { *(.debug_*)")
        script = into / "stripped.ld"
        script.write_text(kept)
    # Paths are relative to the folder of the programs, so that no path of the machine gets into the ELF.
    command = [sys.executable, "-m", "ziglang", "cc", *flags, *defines, "-Iinclude", FILES[name][0]]
    command += [*map(str, runtime), *LINK, f"-Wl,-T,{script}", "-o", str(elf)]
    subprocess.run(command, check=True)
    return elf


def main() -> int:
    """Builds the programs that the command line names; returns 1 if a check finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a program of programs.toml, xdp/NAME, xdp/v1/NAME or hxdp/NAME; all if left out",
    )
    parser.add_argument("--check", action="store_true", help="compare with what is committed instead of writing it")
    options = parser.parse_args()
    if unknown := set(options.names) - FILES.keys():
        parser.error(f"no program: {', '.join(sorted(unknown))}; there are {', '.join(FILES)}")
    os.chdir(HERE)
    asked = [sys.executable, "-m", "ziglang", "version"]
    version = subprocess.run(asked, check=False, capture_output=True, text=True).stdout.strip()
    if version != COMPILER:
        print(
            f"found ziglang {version or 'nowhere'}, expected {COMPILER}: pip install ziglang=={COMPILER}",
            file=sys.stderr,
        )
        return 2
    names = options.names or list(FILES)
    if any(name.startswith(HXDP) for name in names) and not fetch_old_compiler():
        print(f"ziglang {OLD_COMPILER} cannot be fetched: programs of the study hxdp are left out", file=sys.stderr)
        if not options.check:
            return 2
        names = [name for name in names if not name.startswith(HXDP)]
    differ = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            elf = build(name, Path(scratch))
            prebuilt = (HERE / FILES[name][1]).resolve()
            if options.check:
                if not prebuilt.exists() or not filecmp.cmp(elf, prebuilt, shallow=False):
                    differ.append(name)
            else:
                prebuilt.write_bytes(elf.read_bytes())
                print(f"{prebuilt.relative_to(HERE.parent)}: {prebuilt.stat().st_size} bytes")
    if differ:
        print(f"not as committed; run: python programs/build.py {' '.join(differ)}", file=sys.stderr)
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
