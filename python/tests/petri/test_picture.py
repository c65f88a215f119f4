"""Pictures of nets: measured as a reader sees them, on every shipped net."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

import pytest
from conftest import ROOT

from linecard import petri
from linecard.petri.reports import ArcPart, PlacePart, TransitionPart
from linecard.petri.result import Parts
from linecard.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"
SHIPPED = sorted(path.stem for path in (ROOT / "presets" / "nets").glob("*.toml"))
CONTEST = ROOT.parent / "shared" / "golden" / "petri" / "mcc"


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    low: float
    text: str

    def meets(self, other: Box) -> bool:
        apart = self.right <= other.left or other.right <= self.left or self.low <= other.top or other.low <= self.top
        return not apart


@dataclass
class Picture:
    width: float
    height: float
    texts: list[Box]
    symbols: list[Box]
    lines: list[list[tuple[float, float]]]


def number(element: ElementTree.Element, *keys: str) -> list[float]:
    return [float(element.get(key, "0")) for key in keys]


def sampled(path: str) -> list[tuple[float, float]]:
    """Points of a path with the commands M, V, H and C."""
    points: list[tuple[float, float]] = []
    for letter, rest in re.findall(r"([MVHC])([^MVHC]*)", path):
        values = [float(each) for each in rest.split()]
        if letter == "M":
            points.append((values[0], values[1]))
            continue
        x, y = points[-1]
        if letter == "C":
            a, b, c, d, u, v = values
            for t in (step / 8 for step in range(1, 9)):
                s = 1 - t
                points.append(
                    (
                        s**3 * x + 3 * s * s * t * a + 3 * s * t * t * c + t**3 * u,
                        s**3 * y + 3 * s * s * t * b + 3 * s * t * t * d + t**3 * v,
                    )
                )
            continue
        u, v = (x, values[0]) if letter == "V" else (values[0], y)
        points += [(x + (u - x) * step / 4, y + (v - y) * step / 4) for step in range(1, 5)]
    return points


def read(svg: str) -> Picture:
    root = ElementTree.fromstring(svg)
    inside = {each for marker in root.iter(f"{SVG}marker") for each in marker.iter()}
    texts = []
    for each in root.iter(f"{SVG}text"):
        x, y, size = number(each, "x", "y", "font-size")
        wide = width_of(each.text or "", size)
        x -= wide * {"middle": 0.5, "end": 1.0}.get(each.get("text-anchor", ""), 0.0)
        texts.append(Box(x, y - 0.75 * size, x + wide, y, each.text or ""))
    symbols = []
    for each in root.iter(f"{SVG}circle"):
        if each not in inside and each.get("fill") != "none":
            x, y, r = number(each, "cx", "cy", "r")
            symbols.append(Box(x - r, y - r, x + r, y + r, "place"))
    for each in root.iter(f"{SVG}rect"):
        if each.get("stroke") == "#333333":
            x, y, w, h = number(each, "x", "y", "width", "height")
            symbols.append(Box(x, y, x + w, y + h, "transition"))
    lines = [sampled(each.get("d", "")) for each in root.iter(f"{SVG}path") if each not in inside]
    width, height = number(root, "width", "height")
    return Picture(width, height, texts, symbols, lines)


def is_token(text: Box) -> bool:
    return set(text.text) <= set("•0123456789e") and bool(text.text)


def held(svg: str, name: str) -> Picture:
    """Properties of every picture: no two texts or symbols overlap, and everything is on the page."""
    picture = read(svg)
    for one, other in combinations([*picture.texts, *picture.symbols], 2):
        if one.meets(other):
            assert is_token(one), (name, one, other)
            assert other.text == "place", (name, one, other)
    for box in (*picture.texts, *picture.symbols):
        assert box.left >= 0, (name, box)
        assert box.top >= 0, (name, box)
        assert box.right <= picture.width, (name, box)
        assert box.low <= picture.height, (name, box)
    return picture


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_net_is_shaped_like_a_page_and_can_be_read(name):
    parts = petri.parts(name)
    picture = held(parts.to_svg(), name)
    assert 0.5 <= picture.width / picture.height <= 2.0, (picture.width, picture.height)
    # The picture is legible if it is as wide as a large screen.
    assert picture.width <= 2200
    page = max(picture.width, picture.height)
    for line in picture.lines:
        xs, ys = zip(*line, strict=True)
        # In the largest net, no line crosses more than a quarter of the page.
        assert max(max(xs) - min(xs), max(ys) - min(ys)) <= max(page / 4, 300.0), (name, line)
    written = {text.text for text in picture.texts}
    for place in parts.places:
        assert place.name in written or place.name.rpartition(".")[2] in written, place.name
    for transition in parts.transitions:
        assert transition.name in written or transition.name.rpartition(".")[2] in written, transition.name


@pytest.mark.parametrize("name", SHIPPED)
def test_no_line_goes_through_a_node_or_what_stands_beside_it(name):
    picture = read(petri.parts(name).to_svg())
    # Texts of arcs are on their lines, with an outline in the colour of the paper.
    root = ElementTree.fromstring(petri.parts(name).to_svg())
    on_lines = {each.text for each in root.iter(f"{SVG}text") if each.get("paint-order")}
    solid = [text for text in picture.texts if text.text not in on_lines and not is_token(text)] + picture.symbols
    for line in picture.lines:
        ends = (line[0], line[-1])
        for x, y in line:
            for box in solid:
                if box.left + 0.5 < x < box.right - 0.5 and box.top + 0.5 < y < box.low - 0.5:
                    assert any(abs(x - u) + abs(y - v) < 3.0 for u, v in ends), (name, box, (x, y))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_picture_is_the_same_bytes_again(name):
    assert petri.parts(name).to_svg() == petri.parts(name).to_svg()


def test_every_arc_is_a_line_or_a_name_beside_its_transition():
    for name in SHIPPED:
        parts = petri.parts(name)
        root = ElementTree.fromstring(parts.to_svg())
        lines = [each for each in root.iter(f"{SVG}path") if each.get("stroke") == "#555" and each.get("d")]
        drawn = sum(2 if each.get("marker-start") and each.get("marker-end") else 1 for each in lines)
        heads = sum(
            1 for marker in root.iter(f"{SVG}marker") for each in marker.iter(f"{SVG}path") if each.get("stroke")
        )
        assert drawn - heads == len(parts.arcs), name
        # A name links to its place.
        marks = {each.get("id") for each in root.iter(f"{SVG}g")}
        assert {each.get("href", "")[1:] for each in root.iter(f"{SVG}a")} <= marks


def chain(length: int, *, ring: bool = False, modules: int = 1) -> Parts:
    """Places and transitions alternate; a ring closes."""
    at = [f"m{number * modules // length}." if modules > 1 else "" for number in range(length)]
    places = [PlacePart(f"{at[n]}Place{n}", "a dot", queue=False, tokens=int(n == 0)) for n in range(length)]
    transitions = [TransitionPart(f"{at[n]}Step{n}", "exp 1.0", "", immediate=False) for n in range(length)]
    arcs = [ArcPart(place=n, transition=n, kind="input", text="token") for n in range(length)]
    arcs += [ArcPart(place=(n + 1) % length, transition=n, kind="output", text="") for n in range(length - (not ring))]
    return Parts("chain", places, transitions, arcs)


@pytest.mark.parametrize(("length", "ring"), [(1, False), (2, True), (3, True), (12, True), (40, False), (150, True)])
def test_long_chains_are_folded(length, ring):
    picture = held(chain(length, ring=ring).to_svg(), f"chain of {length}")
    if length >= 12:
        assert 0.5 <= picture.width / picture.height <= 2.0, (picture.width, picture.height)


def test_a_small_loop_is_closed_by_a_line():
    root = ElementTree.fromstring(chain(2, ring=True).to_svg())
    assert not list(root.iter(f"{SVG}a"))


def test_each_module_has_a_box_of_its_own():
    svg = chain(40, modules=4).to_svg()
    picture = held(svg, "modules")
    root = ElementTree.fromstring(svg)
    boxes = [number(each, "x", "y", "width", "height") for each in root.iter(f"{SVG}rect") if each.get("rx") == "8"]
    assert len(boxes) == 4
    for (x, y, w, h), (u, v, a, b) in combinations(boxes, 2):
        assert x + w <= u or u + a <= x or y + h <= v or v + b <= y
    assert {"m0", "m3", "Place0", "m1.Place10"} <= {text.text for text in picture.texts}


def test_the_nets_of_the_model_checking_contest_can_be_read():
    if not CONTEST.is_dir():
        pytest.skip("no nets of the Model Checking Contest in ../shared: only shipped nets and chains were measured")
    for path in sorted(CONTEST.glob("*.pnml")):
        parts = petri.parts(str(path))
        if len(parts.places) + len(parts.transitions) <= 300:
            held(parts.to_svg(), path.stem)
