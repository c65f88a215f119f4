"""Builds programs in Python as lists of steps, in the form of the files in ``presets/programs``.

    program = linecard.Program("count").compute(44).read("flags", 4).add("counters", 4, posted=True).send(cycles=20)
    linecard.run("my_chip.toml", program=program)

The steps of a program define the engines' work for each packet. A program is immutable: each method returns a new
program with one more step. Each method is named after the ``op`` of a step, and the method's arguments are the step's
keys. A saved program file contains only the keys that were passed to the methods. Linecard checks the ranges and names
in a program when the program runs.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from linecard import files
from linecard.errors import ConfigError
from linecard.request import name_of, toml_value

Cell = Literal["cell", "first_cell", "later_cell"]
NotIp = Literal["forward", "punt", "drop"]
Each = Literal["packet", "cell", "first_cell", "later_cell"]

# The name becomes the name of a file, and of the application in results.
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class OnceKeys(TypedDict, total=False):
    """Keys that every step can have.

    Attributes:
        name: Readable name of the step.
        cycles: Cycles that the engine spends on computation before the action of the step.
        unless_executed: Whether to omit the step if the chip executes a program (``program=``). The executed program
            then does the work of the step.
        part: One or more named parts of the program to which the step belongs; the chip's key ``program.without`` lists
            parts to omit.
        from_: Inbox to whose packets the step applies, if threads take packets from several inboxes.
    """

    name: str
    cycles: int
    from_: str
    unless_executed: bool
    part: str | Sequence[str]


class MarkKeys(TypedDict, total=False):
    """Keys of a step that combines several accesses; `OnceKeys` describes these keys."""

    name: str
    unless_executed: bool
    part: str | Sequence[str]


class CellKeys(OnceKeys, total=False):
    """Keys of steps that can repeat, or that apply only to some packets.

    Attributes:
        share: Fraction of the packets for which the step executes, from 0 to 1.
        times: Number of repetitions.
    """

    share: float
    times: int


class StepKeys(CellKeys, total=False):
    """Keys that most steps can have.

    Attributes:
        each: How often the step executes: per ``packet`` (default), per ``cell`` of 64 bytes, for the ``first_cell``,
            or per ``later_cell`` (every cell except the first).
    """

    each: Each


class SpanKeys(StepKeys, total=False):
    """Keys of memory accesses and transfers.

    Attributes:
        address: Address pattern: ``any`` (default; always a different address), ``flow`` (one address per flow),
            ``same`` (the first address), ``in_order`` (consecutive) or ``shuffled`` (a pseudo-random permutation,
            repeated).
        within_bytes: Size of the address range in bytes.
        per: Owner of the address range: one range for the ``chip`` (default), or a separate range for each ``thread``.
    """

    address: Literal["any", "flow", "same", "in_order", "shuffled"]
    within_bytes: int
    per: Literal["chip", "thread"]


class AccessKeys(SpanKeys, total=False):
    """Keys of memory accesses.

    Attributes:
        whole_packet: Whether to access all bytes of the packet instead of a fixed number of bytes.
        posted: Whether the thread continues without waiting for the access to complete.
    """

    whole_packet: bool
    posted: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a program: its operation and its keys.

    Attributes:
        op: Name of the operation, such as ``read``.
        keys: The keys of the step except ``op``, in the order of the file.
    """

    op: str
    keys: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A list of steps for the engines of a chip. Each method returns a new program with one more step.

    The default for ``bytes`` of an access or a lookup is 4. ``at`` is the name of a memory or unit, or of a role that
    the chip binds to a memory or unit.

    Attributes:
        name: Name of the application in results; allowed characters are letters, digits, ``_``, ``.`` and ``-``.
        title: One-line title; if empty, the program's name is used as the title.
        source: Origin of the numbers in the program, such as a publication.
        routes: Forwarding table: a file with lines ``prefix next_hop …`` for IPv4 and IPv6; generated if omitted.
        steps: Steps.
        not_ip: How `check` and `look_up` treat frames that are not IP: ``forward``, ``punt`` (default) or ``drop``.

    Example:
        >>> import linecard
        >>> print(linecard.Program("count").add("counters", 4, posted=True).send().to_toml(), end="")
        kind = "program"
        title = "count"
        source = "built in Python"
        <BLANKLINE>
        [[step]]
        op = "add"
        at = "counters"
        bytes = 4
        posted = true
        <BLANKLINE>
        [[step]]
        op = "send"
    """

    name: str
    title: str = ""
    source: str = "built in Python"
    routes: str | None = None
    steps: tuple[Step, ...] = ()
    not_ip: NotIp | None = None

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            message = f"found {self.name!r}, expected letters, digits, `_`, `.` and `-`, as in a file name"
            raise ConfigError.at("Program", "name", message)

    def compute(
        self,
        cycles: int = 0,
        *,
        name: str | None = None,
        each: Each | None = None,
        share: float | None = None,
        times: int | None = None,
        unless_executed: bool | None = None,
        part: str | Sequence[str] | None = None,
        from_: str | None = None,
    ) -> Program:
        """Compute for a number of engine cycles, without an access; `StepKeys` lists the other keys."""
        own = {"name": name, "cycles": cycles, "each": each, "share": share, "times": times}
        return self._with(
            "compute", {**own, "unless_executed": unless_executed, "part": part, "from_": from_}, StepKeys, {}
        )

    def read(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002 # the key
        """Read from a memory."""
        return self._access("read", at, bytes, keys)

    def write(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002
        """Write to a memory; to write the program to a file, use `save`."""
        return self._access("write", at, bytes, keys)

    def add(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002
        """Add to a memory word atomically."""
        return self._access("add", at, bytes, keys)

    def test_and_set(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002
        """Test and set a memory word atomically."""
        return self._access("test_and_set", at, bytes, keys)

    def swap(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002
        """Swap a memory word atomically."""
        return self._access("swap", at, bytes, keys)

    def ask(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002
        """Call an accelerator."""
        return self._access("ask", at, bytes, keys)

    def continue_(self, at: str, bytes: int | None = None, **keys: Unpack[AccessKeys]) -> Program:  # noqa: A002
        """Continue where the previous access ended.

        In a memory, the access uses the row that is already open. In a unit of kind ``by_size``, the access transfers
        further bytes of the previous transfer.
        """
        return self._access("continue", at, bytes, keys)

    def transfer(self, at: str, bytes: int | None = None, **keys: Unpack[SpanKeys]) -> Program:  # noqa: A002
        """Move bytes between components, at most 32 bytes per instruction, one instruction after another."""
        return self._with("transfer", {"at": at, "bytes": bytes}, SpanKeys, keys)

    def spread(self, accesses: Sequence[Mapping[str, object]], **keys: Unpack[StepKeys]) -> Program:
        """Issue several accesses, and spread the step's cycles evenly before, between and after the accesses.

        Each item of ``accesses`` contains an ``op`` (an access or ``transfer``), the keys of this ``op``, and the keys
        ``times`` and ``part``.
        """
        pairs = tuple(tuple(access.items()) for access in accesses)
        return self._with("spread", {"accesses": pairs}, StepKeys, keys)

    def move_in(self, at: str, each: Cell = "cell", *, posted: bool | None = None, **keys: Unpack[CellKeys]) -> Program:
        """Move cells from the receive buffer to a memory."""
        return self._with("move_in", {"at": at, "each": each, "posted": posted}, CellKeys, keys)

    def move_out(
        self, at: str, each: Cell = "cell", *, posted: bool | None = None, **keys: Unpack[CellKeys]
    ) -> Program:
        """Move cells from a memory to the port."""
        return self._with("move_out", {"at": at, "each": each, "posted": posted}, CellKeys, keys)

    def join(self, **keys: Unpack[StepKeys]) -> Program:
        """Wait for all posted accesses of the thread."""
        return self._with("join", {}, StepKeys, keys)

    def alone(self, **keys: Unpack[StepKeys]) -> Program:
        """After a `put` with ``goes_on``, wait until no other thread works on the packet."""
        return self._with("alone", {}, StepKeys, keys)

    def lock(self, lock: int = 0, **keys: Unpack[OnceKeys]) -> Program:
        """Acquire the lock with the given number; all programs of a chip share the same locks."""
        return self._with("lock", {"lock": lock}, OnceKeys, keys)

    def unlock(self, lock: int = 0, **keys: Unpack[OnceKeys]) -> Program:
        """Release a lock."""
        return self._with("unlock", {"lock": lock}, OnceKeys, keys)

    def check(self, **keys: Unpack[StepKeys]) -> Program:
        """Drop packets with a damaged header or an expired hop limit; ``not_ip`` sets the action for non-IP frames."""
        return self._with("check", {}, StepKeys, keys)

    def look_up(self, at: str | None = None, bytes: int | None = None, **keys: Unpack[StepKeys]) -> Program:  # noqa: A002
        """Look up the output port in a forwarding table: one read per level, or no reads if ``at`` is omitted."""
        return self._with("look_up", {"at": at, "bytes": bytes}, StepKeys, keys)

    def put(
        self, to: str, *, if_room: bool | None = None, goes_on: bool | None = None, **keys: Unpack[StepKeys]
    ) -> Program:
        """Put the packet into an inbox or ring; the thread can then take another packet.

        With ``if_room``, the thread keeps the packet if the ring is full, and continues with the next step. With
        ``goes_on``, the thread continues in parallel with the thread that takes the packet. After a `put` with
        ``goes_on``, the remaining steps may only be `compute`, accesses, `join` and locks.
        """
        return self._with("put", {"to": to, "if_room": if_room, "goes_on": goes_on}, StepKeys, keys)

    def send(self, port: int | None = None, *, class_: int | str | None = None, **keys: Unpack[StepKeys]) -> Program:
        """Send the packet to an output queue of the given port, of the looked-up port, or of a port chosen by flow.

        ``class_`` is the number (from 0) of a class of service, or the name of the class if the chip's ports list
        classes.
        """
        return self._with("send", {"port": port, "class_": class_}, StepKeys, keys)

    def admit(self, **keys: Unpack[OnceKeys]) -> Program:
        """Wait for space in the queue of the output port; only on chips whose threads send packets block by block."""
        return self._with("admit", {}, OnceKeys, keys)

    def enqueue(self, **keys: Unpack[OnceKeys]) -> Program:
        """Put the packet into the queue of the output port.

        Threads that send packets execute the steps after `enqueue` once for each block of cells.
        """
        return self._with("enqueue", {}, OnceKeys, keys)

    def transmit(self, **keys: Unpack[OnceKeys]) -> Program:
        """Pass a block of cells to its port."""
        return self._with("transmit", {}, OnceKeys, keys)

    def drop(self, **keys: Unpack[StepKeys]) -> Program:
        """Drop the packet."""
        return self._with("drop", {}, StepKeys, keys)

    def run(self, **keys: Unpack[OnceKeys]) -> Program:
        """Mark the step at which a run executes its ``program``; without a program, this step does nothing."""
        return self._with("run", {}, OnceKeys, keys)

    def extend(self, each: Each | None = None, **keys: Unpack[MarkKeys]) -> Program:
        """Mark the position at which a chip inserts the steps of its extension (``program.extension``)."""
        return self._with("extend", {"each": each}, MarkKeys, keys)

    def finish(self, **keys: Unpack[StepKeys]) -> Program:
        """End the processing of the packet; the packet counts as processed, although no port sends it."""
        return self._with("finish", {}, StepKeys, keys)

    def to_toml(self) -> str:
        """The program as the text of a file in the format of ``presets/programs``."""
        head: dict[str, object] = {"kind": "program", "title": self.title or self.name, "source": self.source}
        if self.routes is not None:
            head["routes"] = self.routes
        if self.not_ip is not None:
            head["not_ip"] = self.not_ip
        return "\n[[step]]\n".join(_lines(keys) for keys in (head, *({"op": s.op, **dict(s.keys)} for s in self.steps)))

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the program to a file of steps, and return the path of the file."""
        return files.write_text(Path(path), self.to_toml())

    def _access(self, op: str, at: str, size: int | None, keys: AccessKeys) -> Program:
        if size is not None and keys.get("whole_packet"):
            message = f"found {size} and whole_packet, expected only one of them"
            raise ConfigError.at(f"Program {self.name}, {op}", "bytes", message)
        return self._with(op, {"at": at, "bytes": size}, AccessKeys, keys)

    def _with(self, op: str, own: dict[str, object], known: type, keys: Mapping[str, object]) -> Program:
        """A program with one more step: the keys of its operation, and further keys that steps of its kind accept."""
        if unknown := sorted(keys.keys() - known.__annotations__.keys()):
            raise TypeError(f"Program.{op}() got an unexpected keyword argument {unknown[0]!r}")
        given = {key: value for key, value in {**own, **keys}.items() if value is not None}
        # A name that is a keyword of Python ends in an underscore.
        named = {key.removesuffix("_"): value for key, value in given.items()}
        said = tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in named.items())
        return replace(self, steps=(*self.steps, Step(op, said)))


def _lines(keys: Mapping[str, object]) -> str:
    return "".join(f"{key} = {toml_value(key, _plain(key, value))}\n" for key, value in keys.items())


def _plain(key: str, value: Any) -> object:
    """A key's value as written in the file: accesses are tables."""
    return [dict(pairs) for pairs in value] if key == "accesses" else value


@contextmanager
def listed(program: str | PathLike[str] | Program) -> Iterator[str]:
    """Yield the name of an application or of a file of steps; a `Program` is written to a temporary file.

    Raises:
        ConfigError: The program is invalid. In the error, ``NAME.toml`` and the line numbers refer to the text that
            ``to_toml()`` returns.
    """
    if not isinstance(program, Program):
        yield name_of("program", program)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = program.save(Path(folder) / f"{program.name}.toml")
        try:
            yield fspath(file)
        except ConfigError as error:
            if not any(each.place.startswith(folder) for each in error.problems):
                raise
            found = [replace(each, place=each.place.replace(f"{folder}/", "")) for each in error.problems]
            raise ConfigError.of(found) from error
