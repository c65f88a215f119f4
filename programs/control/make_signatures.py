#!/usr/bin/env python3
"""Writes signatures.txt: byte patterns of the kinds that scanners search for, invented for this project.

    python programs/control/make_signatures.py > programs/control/signatures.txt

Kinds: requests that leave a web root or call a script, statements injected into queries, shell commands, loops of
no-operations before machine code, headers of packed executables, names of invented worms, and random bytes from a seed.
None of them is from a published rule set; lengths are 6 to 40 bytes, as most contents of rules are.
"""

import random

STEPS = ["../", "..%2f", "..%5c", "%2e%2e/", "..\\", "..%c0%af", "%252e%252e/"]
TARGETS = ["etc/shadow", "etc/passwd", "boot.ini", "winnt/repair/sam", "proc/self/environ", "web.config"]
SCRIPTS = ["guestbk", "formpost", "cartview", "imgshow", "statview", "mailto2", "dbadmin", "filemgr", "shopsearch"]
SCRIPTS += ["adminlogin"]
SUFFIXES = [".cgi?cmd=", ".php?page=http:", ".asp?id=';", ".pl?file=|", ".exe?/c+dir"]
TABLES = ["users", "accounts", "sysobjects", "orders", "sessions"]
QUERIES = ["' union select * from {}--", "'; drop table {};--", "' or 1=1 from {}--", "select password from {} where"]
COMMANDS = ["/bin/sh -i", "wget -q -O /tmp/", "chmod 777 /var/tmp/", "rm -rf / --no", "nc -l -p 31337", "tftp -i get "]
COMMANDS += ["cmd.exe /c start "]
FILLS = [0x90, 0x41, 0x0C, 0x42, 0xCC]
LOADERS = ["31c050682f2f7368", "e8ffffffffc3", "eb1f5e897608", "33c9b1fc80340b", "d9eed97424f45b", "648b71308b760c"]
FAMILIES = ["Norvik", "Talpa", "Brumeo", "Kestra", "Oduwa", "Pelikan", "Sirobu", "Wendex", "Yamiro", "Zorbil"]
TRAITS = ["@mm install ", ".dropper v", "Bot login ", " worm body "]


def quoted(pattern: bytes) -> str:
    """A pattern in the syntax of vscan: special bytes are hexadecimal escapes."""
    plain = set(range(33, 127)) - {ord('"'), ord("\\"), ord("#")} | {32}
    return "".join(chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in pattern)


def patterns() -> dict[str, bytes]:
    """All patterns by name."""
    rng = random.Random(1994)
    found = {}
    for number, step in enumerate(STEPS):
        for target in TARGETS:
            found[f"traversal-{number}-{target.replace('/', '-')}"] = (step * 2 + target).encode()
    for script in SCRIPTS:
        for suffix in SUFFIXES:
            found[f"script-{script}-{suffix[1:4]}"] = f"/{script}{suffix}".encode()
    for number, query in enumerate(QUERIES):
        for table in TABLES:
            found[f"injection-{number}-{table}"] = query.format(table).encode()
    for number, command in enumerate(COMMANDS):
        found[f"command-{number}"] = command.encode()
    for fill in FILLS:
        for number, loader in enumerate(LOADERS):
            found[f"loader-{fill:02x}-{number}"] = bytes([fill] * 8) + bytes.fromhex(loader)
    for family in FAMILIES:
        for number, trait in enumerate(TRAITS):
            found[f"worm-{family}-{number}"] = (family + trait).encode()
    for number in range(110):
        length = 6 + int(rng.random() ** 2 * 20)
        found[f"binary-{number}"] = bytes(int(rng.random() * 256) for _ in range(length))
    return found


def main() -> None:
    """Writes the list to standard output."""
    print("# Made-up signatures, a name and a pattern each: \\xHH is a byte. Written by make_signatures.py.")
    for name, pattern in patterns().items():
        print(f'{name} "{quoted(pattern)}"')


if __name__ == "__main__":
    main()
