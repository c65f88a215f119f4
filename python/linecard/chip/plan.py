"""The blocks and wires of a chip drawing, before the layout.

A wire runs straight down from a cluster to a rail, and straight down from the rail to a memory or unit. A rail is a
horizontal line in the drawing. Each rail represents a link, or a direct connection without a link. Each rail extends
from its leftmost wire to its rightmost wire.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from linecard.chip.blocks import Block, cluster_block, inbox_text, link_block, place_block
from linecard.chip.columns import columns
from linecard.svg import width_of

if TYPE_CHECKING:
    from linecard.chip.facts import Facts
    from linecard.chip.reports import Cluster, Place

NOTE = 11.0
LABEL_LINE = 12.0


class Way(NamedTuple):
    """A route from a cluster to a memory or unit; ``nanoseconds`` is ``None`` if the file states no time."""

    from_: str
    to: str
    links: tuple[str, ...] = ()
    nanoseconds: float | None = None


@dataclass(slots=True)
class Rail:
    """A rail of a drawing; it represents a link, a direct connection of one cluster, or the path of packets.

    Attributes:
        name: Name of the link; empty if the rail represents no link.
        clusters: Clusters from which a wire leads to this rail.
        rails: Other rails from which a wire leads to this rail.
        places: Memories and units to which a wire leads from this rail.
    """

    key: str
    name: str = ""
    clusters: list[str] = field(default_factory=list)
    rails: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    packets: bool = False
    y: float = 0.0
    ends: list[float] = field(default_factory=list)


class Plan:
    """Rails, labels and columns of a chip drawing, before the layout."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        parts = facts.parts
        self.places = {place.name: place for place in parts.places}
        self.own: dict[str, list[Place]] = {
            cluster.name: [place for place in parts.places if place.per == cluster.name] for cluster in parts.clusters
        }
        self.shared = [place for place in parts.places if place.per not in self.own]
        self.rails: dict[str, Rail] = {}
        self.labels: dict[tuple[str, str], list[str]] = {}
        self.inner_links: dict[str, list[str]] = {}
        self._routes()
        self._packets()
        for link in parts.links:
            if link.name not in self.rails and not any(link.name in names for names in self.inner_links.values()):
                self.rails[link.name] = Rail(link.name, link.name)
        entry = {name: self.entry_width(name) for name in self.places}
        self.groups = columns(facts, self.shared, entry)

    def _routes(self) -> None:
        took: dict[tuple[str, str], dict[str, list[float]]] = {}
        for route in _all_routes(self.facts, self.own):
            cluster, place = route.from_, route.to
            if self.places[place].per in self.own:
                for name in route.links:
                    self.inner_links.setdefault(cluster, []).append(name)
                continue
            before = ""
            for name in route.links or (f"line of {cluster}",):
                rail = self.rails.setdefault(name, Rail(name, name if route.links else ""))
                _once(rail.rails if before else rail.clusters, before or cluster)
                before = name
            _once(self.rails[before].places, place)
            if route.nanoseconds is not None:
                took.setdefault((before, place), {}).setdefault(cluster, []).append(route.nanoseconds)
        for key, clusters in took.items():
            texts = {cluster: _span(times) for cluster, times in clusters.items()}
            # If all clusters take the same time, their names add nothing. A path that takes no time needs no label.
            if len(set(texts.values())) == 1:
                self.labels[key] = [text for text in list(texts.values())[:1] if text]
            else:
                self.labels[key] = [f"{cluster}: {text or '0 ns'}" for cluster, text in texts.items()]
        # A link comes after every link that leads to it; a cycle is cut where it closes.
        order: list[str] = []
        for name in self.rails:
            _visit(name, self.rails, order, set())
        self.rails = {name: self.rails[name] for name in order}

    def _packets(self) -> None:
        memories = {port.memory for port in self.facts.parts.ports if port.memory}
        rail = Rail("packets", packets=True)
        for name in sorted(memories):
            place = self.places[name]
            if place.per in self.own:
                _once(rail.clusters, str(place.per))
            else:
                rail.places.append(name)
        if not memories:
            rail.clusters = [cluster.name for cluster in self.facts.parts.clusters]
        self.rails["packets of ports"] = rail

    def into(self, place: str) -> list[Rail]:
        """The rails with a wire to the given memory or unit."""
        return [rail for rail in self.rails.values() if place in rail.places]

    def label(self, rail: Rail, place: str) -> list[str]:
        """The label of the wire from a rail to a memory or unit."""
        return self.labels.get((rail.key, place), [])

    def entry_width(self, place: str) -> float:
        """Total width of all wires that lead into a memory or unit."""
        rails = self.into(place)
        return sum(self.slot(rail, place) for rail in rails)

    def slot(self, rail: Rail, place: str) -> float:
        """Width of one wire into a memory or unit, including its label."""
        return 26.0 + max((width_of(text, NOTE) for text in self.label(rail, place)), default=0.0)

    def label_room(self, names: list[str]) -> float:
        """Height of the labels above the columns of the given memories and units."""
        lines = [len(self.label(rail, name)) for name in names for rail in self.into(name)]
        return LABEL_LINE * max(lines, default=0)

    def card(self, cluster: Cluster) -> Block:
        """The block of a cluster; the block contains the cluster's own memories, units and links."""
        inner = []
        links = {link.name: link for link in self.facts.parts.links}
        for name in dict.fromkeys(self.inner_links.get(cluster.name, [])):
            inner.append(link_block(self.facts, links[name]))
        own = self.own[cluster.name]
        # A cache comes before the memory behind it.
        for place in sorted(own, key=lambda each: each.behind is None):
            block = place_block(self.facts, place, inside=True)
            for route in self.facts.parts.routes:
                if (route.from_, route.to) == (cluster.name, place.name) and route.nanoseconds:
                    block.lines.append(f"{route.nanoseconds:.4g} ns round trip")
            inner.append(block)
        return cluster_block(self.facts, cluster, inner)

    def card_width(self, cluster: Cluster, block: Block) -> float:
        """Width of a cluster's block, with enough space for all wires of the cluster."""
        down = sum(cluster.name in rail.clusters for rail in self.rails.values())
        up = [name for name in self.inboxes() if cluster.name in self.takers(name)]
        return max(block.width, 30.0 * down, 40.0 * len(up))

    def inboxes(self) -> list[str]:
        """Names of all inboxes and rings."""
        return self.facts.names("inbox") + self.facts.names("ring")

    def takers(self, inbox: str) -> list[str]:
        """Clusters that take packets from an inbox."""
        return [cluster.name for cluster in self.facts.parts.clusters if inbox in cluster.takes]

    def fed(self, inbox: str) -> list[str]:
        """Receive buffers of the ports that send packets to an inbox."""
        found: list[str] = []
        for port in self.facts.parts.ports:
            if port.receive_gbps is not None and self.inbox_of(port.name) == inbox:
                _once(found, self.buffer_of(port.name))
        return found

    def buffer_of(self, port: str) -> str:
        """Name of a port's receive buffer: the buffer stated in the file, or otherwise the only buffer of the chip."""
        named = self.facts.value(f"port.{port}.buffer")
        return named or next(iter(self.facts.names("buffer")), "")

    def inbox_of(self, port: str) -> str:
        """Name of a port's inbox: the inbox stated in the file, or otherwise the only inbox of the chip."""
        named = self.facts.value(f"port.{port}.inbox")
        return named or next(iter(self.inboxes()), "")

    def pill(self, inbox: str) -> tuple[str, float]:
        """Text that describes an inbox, and the width of this text."""
        text = inbox_text(self.facts, inbox)
        return text, width_of(text, NOTE + 1) + 24


def _all_routes(facts: Facts, own: dict[str, list[Place]]) -> list[Way]:
    """Routes of the file, and implicit routes."""
    parts = facts.parts
    routes = [Way(each.from_, each.to, each.links, each.nanoseconds) for each in parts.routes]
    behind = {place.behind for place in parts.places if place.behind}
    for cluster in parts.clusters:
        if not any(route.from_ == cluster.name for route in parts.routes):
            # A cluster without routes reaches every memory without delay.
            routes.extend(
                Way(cluster.name, place.name)
                for place in parts.places
                if place.per is None and (place.roles or place.kind == "accelerator" or place.name not in behind)
            )
        reached = {route.to for route in routes if route.from_ == cluster.name}
        for place in own[cluster.name]:
            if (
                place.behind
                and place.behind not in reached
                and all(each.name != place.behind for each in own[cluster.name])
            ):
                routes.append(Way(cluster.name, place.behind))
    return routes


def _span(times: list[float]) -> str:
    """The range of times of the routes to one place, in nanoseconds; empty if they take no time."""
    low, high = f"{min(times):.4g}", f"{max(times):.4g}"
    if low == high:
        return "" if low == "0" else f"{low} ns"
    return f"{low}–{high} ns"


def _once(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)


def _visit(name: str, rails: dict[str, Rail], order: list[str], open_: set[str]) -> None:
    if name in order or name in open_:
        return
    for before in rails[name].rails:
        _visit(before, rails, order, open_ | {name})
    order.append(name)
