"""The blocks of a chip drawing: their texts, sizes and colours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linecard.svg import FILLS, LIMIT, SOFT, Canvas, level_fill, text_on, width_of

if TYPE_CHECKING:
    from linecard.chip.facts import Facts
    from linecard.chip.reports import Cluster, Link, Place, Port

PAD, NAME, BODY, SMALL, LINE = 10.0, 14.0, 12.0, 11.0, 16.0
STACK = 5.0
# A larger number of engines is shown as a number only.
MOST_ENGINES = 16
LIMIT_NOTE = "the limit"


def size_text(count: int) -> str:
    """Format a number of bytes with the largest unit that results in a whole number, such as 8 MiB."""
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    unit = 0
    while count >= 1024 and count % 1024 == 0 and unit + 1 < len(units):
        count, unit = count // 1024, unit + 1
    return f"{count:,} {units[unit]}"


def rate_text(gbps: float) -> str:
    """Format a rate in Gbit/s or Tbit/s."""
    return f"{gbps / 1000:.4g} Tbit/s" if gbps >= 1000 else f"{gbps:.4g} Gbit/s"


def clock_text(mhz: float) -> str:
    """Format a clock frequency in MHz or GHz."""
    return f"{mhz / 1000:.4g} GHz" if mhz >= 1000 else f"{mhz:.4g} MHz"


@dataclass(slots=True)
class Block:
    """A block of a drawing: a name, lines of text below it, tags, and nested blocks."""

    name: str
    fill: str
    lines: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    inner: list[Block] = field(default_factory=list)
    times: int = 1
    engines: int = 0
    level: float | None = None
    percent: str = ""
    limit: bool = False

    @property
    def _head(self) -> str:
        return f"{self.name} × {self.times:,}" if self.times > 1 else self.name

    @property
    def width(self) -> float:
        """Minimum width of the block, given its contents."""
        head = width_of(self._head, NAME, True) + (width_of(self.percent, NAME, True) + 12 if self.percent else 0)
        lines = [width_of(line, BODY) for line in self.lines]
        # Two tags are side by side.
        tags = [sum(_tag_width(tag) + 5 for tag in self.tags[at : at + 2]) for at in range(0, len(self.tags), 2)]
        inner = [block.width for block in self.inner]
        limit = width_of(LIMIT_NOTE, SMALL, True) if self.limit else 0
        return max(head, *lines, *tags, *inner, min(self.engines, MOST_ENGINES // 2) * 13, limit, 84) + 2 * PAD

    def height(self, width: float) -> float:
        """Height of the block at the given width."""
        rows = len(_rows(self.tags, width - 2 * PAD))
        inner = sum(block.height(width - 2 * PAD) + 8 for block in self.inner)
        engines = 0 if not self._squares else 13 * (1 + (self._squares - 1) // self._row(width)) + 6
        return 2 * PAD + 14 + LINE * len(self.lines) + engines + 20 * rows + inner

    @property
    def _squares(self) -> int:
        return self.engines if self.engines <= MOST_ENGINES else 0

    def _row(self, width: float) -> int:
        return max(1, int((width - 2 * PAD) // 13))

    def paint(self, canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Draw the block into a rectangle."""
        fill = FILLS[self.fill] if self.level is None else level_fill(self.level)
        stroke, line = (LIMIT, 3.5) if self.limit else (SOFT, 1.2)
        ink = text_on(self.level)
        if self.times > 1:
            for step in (2, 1):
                canvas.rect(x + STACK * step, y - STACK * step, w, h, fill)
        if self.fill == "accelerator":
            canvas.cut(x, y, w, h, fill, stroke=stroke, width=line)
        else:
            dash = "5 3" if self.fill == "off" else ""
            canvas.rect(x, y, w, h, fill, stroke=stroke, width=line, dash=dash)
        at = y + PAD + 11
        canvas.text(x + PAD, at, self._head, NAME, bold=True, fill=ink)
        if self.percent:
            canvas.text(x + w - PAD, at, self.percent, NAME, bold=True, fill=ink, anchor="end")
        for text in self.lines:
            at += LINE
            canvas.text(x + PAD, at, text, BODY, fill=ink)
        at += 7
        for number in range(self._squares):
            column, row = number % self._row(w), number // self._row(w)
            canvas.rect(x + PAD + 13 * column, at + 13 * row, 10, 10, "#ffffff", radius=2, width=1)
        if self._squares:
            at += 13 * (1 + (self._squares - 1) // self._row(w)) + 6
        for tags in _rows(self.tags, w - 2 * PAD):
            left = x + PAD
            for tag in tags:
                wide = _tag_width(tag)
                canvas.rect(left, at, wide, 16, "#ffffff", radius=8, width=0.8)
                canvas.text(left + wide / 2, at + 12, tag, SMALL, anchor="middle")
                left += wide + 5
            at += 20
        at += 2
        for block in self.inner:
            high = block.height(w - 2 * PAD)
            block.paint(canvas, x + PAD, at, w - 2 * PAD, high)
            at += high + 8
        if self.limit:
            limit_note(canvas, x + w - 8, y + h)


def limit_note(canvas: Canvas, end: float, y: float) -> None:
    """Mark a block as the bottleneck, with a label on its lower edge."""
    wide = width_of(LIMIT_NOTE, SMALL, True) + 14
    canvas.rect(end - wide, y - 8, wide, 16, LIMIT, stroke=LIMIT, radius=8)
    canvas.text(end - wide / 2, y + 4, LIMIT_NOTE, SMALL, bold=True, fill="#ffffff", anchor="middle")


def _tag_width(tag: str) -> float:
    return width_of(tag, SMALL) + 14


def _rows(tags: list[str], width: float) -> list[list[str]]:
    rows: list[list[str]] = []
    left = 0.0
    for tag in tags:
        wide = _tag_width(tag) + 5
        if not rows or left + wide - 5 > width:
            rows.append([])
            left = 0.0
        rows[-1].append(tag)
        left += wide
    return rows


def _used(block: Block, facts: Facts, component: str, *also: str) -> Block:
    """The block with its utilization, if that is known."""
    usage = facts.usage
    if usage is not None:
        if component in usage.shares:
            block.level = usage.shares[component]
            block.percent = usage.percent(component)
            busiest = f"{component}, busiest"
            if busiest in usage.shares:
                block.lines.append(f"the busiest {usage.percent(busiest)}")
        block.limit = usage.bottleneck.component in {component, *also}
    return block


def cluster_block(facts: Facts, cluster: Cluster, inner: list[Block]) -> Block:
    """The block of a cluster, or of several identical clusters."""
    engines, threads = cluster.engines, cluster.threads
    lines = [
        f"{engines:,} engine{'s' * (engines > 1)} × {threads:,} thread{'s' * (threads > 1)}",
        f"at {clock_text(cluster.clock_mhz)}",
    ]
    program = facts.value(f"cluster.{cluster.name}.program")
    if program:
        lines.append(f"runs {program.rsplit('/', 1)[-1].removesuffix('.toml')}")
    block = Block(cluster.name, "cluster", lines, inner=inner, times=cluster.count, engines=engines)
    usage = facts.usage
    if usage is not None:
        for what, word in (("engines", "busy"), ("threads", "held")):
            component = f"{what} of {cluster.name}"
            if component not in usage.shares:
                continue
            text = f"{what} {usage.percent(component)} {word}"
            if f"{component}, busiest" in usage.shares:
                text += f", the busiest {usage.percent(f'{component}, busiest')}"
            block.lines.append(text)
            block.limit |= usage.bottleneck.component == component
        block.level = usage.shares.get(f"engines of {cluster.name}")
    return block


def place_block(facts: Facts, place: Place, *, inside: bool = False) -> Block:
    """The block of a memory or an accelerator."""
    table = f"memory.{place.name}"
    fill, lines = "memory", []
    match place.kind:
        case "accelerator":
            fill = "accelerator"
            table = f"unit.{place.name}"
            lines.append("accelerator")
        case "cached":
            fill = "cache"
            held = facts.value(f"{table}.cache_bytes")
            lines.append(f"cache of {size_text(int(held))}" if held.isdigit() else "cache")
            if inside and place.behind:
                lines.append(f"in front of {place.behind}")
        case "banked":
            lines.append(f"memory in {facts.value(f'{table}.banks')} banks")
        case "slots":
            lines.append(f"DRAM in {facts.value(f'{table}.banks')} banks")
            lines.append(f"{facts.value(f'{table}.slots')} slots")
        case "dram":
            lines.append("DRAM controller" if not inside else f"DRAM, {facts.value(f'{table}.part')}")
            lines.append(facts.value(f"{table}.controller"))
        case _:
            if place.is_memory:
                lines.append("memory" if place.kind == "server" else f"{place.kind} memory")
            else:
                fill, table = "accelerator", f"unit.{place.name}"
                lines.append(place.kind)
    if place.capacity_bytes and (place.kind != "dram" or inside):
        lines.append(size_text(place.capacity_bytes))
    side = facts.value(f"{table}.concurrency")
    if side not in {"", "1", "0"} and place.kind != "ideal":
        lines.append(f"{side} side by side")
    memory = facts.parts.ports[0].memory if facts.parts.ports else None
    rooms = ("room for packets in memory",) if place.name == memory else ()
    tags = [role for role in place.roles if role != place.name]
    return _used(Block(place.name, fill, [line for line in lines if line], tags), facts, place.name, *rooms)


def chips_block(facts: Facts, place: Place) -> Block:
    """The block of a DRAM's memory devices, which are outside the die."""
    channels = int(facts.value(f"memory.{place.name}.channels") or 1)
    lines = [f"{channels:,} channel{'s' * (channels > 1)}"]
    if place.capacity_bytes:
        lines.append(size_text(place.capacity_bytes))
    part = facts.value(f"memory.{place.name}.part").rsplit("/", 1)[-1].removesuffix(".toml")
    block = Block(part, "off", lines)
    if facts.usage is not None:
        block.level = facts.usage.shares.get(place.name)
    return block


def port_block(facts: Facts, port: Port) -> Block:
    """The block of all ports that share one name."""
    inward, outward = port.receive_gbps, port.transmit_gbps
    fastest = max(rate for rate in (inward, outward, 0.0) if rate is not None)
    rate = rate_text(fastest) if fastest else "never busy,"
    both = inward is not None and outward is not None
    lines = [rate, "each way"] if both else [f"{rate} {'in' if inward is not None else 'out'}"]
    block = Block(port.name, "port", lines, times=port.count)
    usage = facts.usage
    if usage is not None:
        for side, word in (("inward", "in"), ("outward", "out")):
            component = f"{port.name}, {side}"
            if component in usage.shares:
                block.lines.append(f"{word} {usage.percent(component)}")
                block.level = max(block.level or 0.0, usage.shares[component])
        limits = {f"{port.name}, {side}" for side in ("inward", "outward", "shapers")}
        limits |= {"output queues"} if outward else set()
        block.limit = usage.bottleneck.component in limits
    return block


def buffer_block(facts: Facts, name: str) -> Block:
    """The block of a receive buffer."""
    cells, held = facts.value(f"buffer.{name}.cells"), facts.value(f"buffer.{name}.bytes")
    lines = ["receive buffer"]
    if held.isdigit() or cells.isdigit():
        lines.append(size_text(int(held) if held.isdigit() else int(cells) * 64))
    lines.append(f"per {facts.value(f'buffer.{name}.per') or 'port'}")
    return _used(Block(name, "buffer", lines), facts, f"buffer {name}", "receive buffer")


def inbox_text(facts: Facts, name: str) -> str:
    """Describe an inbox or a ring in one line of text."""
    if entries := facts.value(f"ring.{name}.entries"):
        return f"{name}: ring of {int(entries):,} in {facts.value(f'ring.{name}.memory')}"
    return f"{name}: inbox"


def link_text(facts: Facts, link: Link) -> str:
    """Describe a link in one line of text."""
    text = f"{link.name} × {link.count:,}" if link.count > 1 else link.name
    parts = [text, rate_text(link.rate_gbps), facts.quantity(f"link.{link.name}", "latency")]
    if facts.usage is not None and link.name in facts.usage.shares:
        parts.append(facts.usage.percent(link.name))
    return " · ".join(part for part in parts if part)


def link_block(facts: Facts, link: Link) -> Block:
    """The block of a link inside a cluster."""
    block = Block(link_text(facts, link), "link")
    if facts.usage is not None:
        block.level = facts.usage.shares.get(link.name)
        block.limit = facts.usage.bottleneck.component == link.name
    return block
