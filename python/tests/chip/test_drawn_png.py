"""Drawings as PNG show what the SVG shows."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import linecard


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def test_a_drawing_has_twice_the_pixels_of_the_svg(tmp_path):
    svg = linecard.draw("nfp4000", tmp_path / "chip.svg").read_text()
    width, height = (float(svg.partition(f'{name}="')[2].partition('"')[0]) for name in ("width", "height"))
    png = linecard.draw("nfp4000", tmp_path / "chip.png").read_bytes()
    assert size(png) == (round(2 * width), round(2 * height))
    assert png == linecard.draw("nfp4000", tmp_path / "again.PNG").read_bytes()


def test_shapes_and_words_stand_where_the_svg_has_them(tmp_path):
    """The middle of each large filled shape has its colour, an arrow has its own, and a text is drawn in the font."""
    from matplotlib.image import imread

    from linecard.report.picture import png

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" font-family="Helvetica, sans-serif">'
        '<rect width="200" height="100" fill="#ffffff"/>'
        '<rect x="10" y="10" width="40" height="30" rx="5" fill="#ff0000" stroke="#000000" stroke-width="1"/>'
        '<polyline points="10,70 150,70" fill="none" stroke="#ff00ff" stroke-width="4"/>'
        '<text x="10" y="95" font-size="14" fill="#00ffff">WWWWWW</text></svg>'
    )
    file = tmp_path / "shapes.png"
    file.write_bytes(png(svg))
    pixels = imread(file)

    def at(x: float, y: float) -> list[int]:
        return [round(255 * part) for part in pixels[round(2 * y), round(2 * x)][:3]]

    assert at(30, 25) == [255, 0, 0]
    assert at(80, 70) == [255, 0, 255]
    assert at(155, 70) == [255, 255, 255]
    assert np.any(np.all(np.isclose(pixels[160:200, 20:120, :3], [0, 1, 1], atol=0.02), axis=2))
    # Equal pictures have equal bytes, with or without the fonts of the machine.
    assert png(svg) == file.read_bytes()


def test_another_ending_is_refused(tmp_path, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.draw("nfp4000", tmp_path / "chip.pdf")
    wording(refused.value)
