"""The few HTML pieces that notebook representations are made of: inline styles, no scripts, everything escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top"
_TRACK = "display:inline-block;width:160px;height:9px;background:#e8ebef;border-radius:2px"


def block(title: str, *parts: str) -> str:
    """One titled block of parts."""
    head = f'<div style="font-weight:600;margin-bottom:4px">{escape(title)}</div>'
    return f'<div style="font-family:sans-serif;font-size:13px;line-height:1.4">{head}{"".join(parts)}</div>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names and values."""
    rows = (
        f'<tr><td style="{_CELL};color:#57606a">{escape(name)}</td><td style="{_CELL}">{escape(value)}</td></tr>'
        for name, value in pairs
    )
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'


def bars(title: str, shares: Sequence[tuple[str, float]]) -> str:
    """Named shares from 0 to 1 as bars."""
    if not shares:
        return ""
    rows = (
        f'<tr><td style="{_CELL}">{escape(name)}</td><td style="{_CELL}"><span style="{_TRACK}">'
        f'<span style="display:block;height:9px;border-radius:2px;background:#2f6db5;'
        f'width:{min(max(share, 0.0), 1.0) * 100:.1f}%"></span></span></td>'
        f'<td style="{_CELL};text-align:right">{share:.1%}</td></tr>'
        for name, share in shares
    )
    head = f'<div style="margin-top:6px;color:#57606a">{escape(title)}</div>'
    return f'{head}<table style="border-collapse:collapse">{"".join(rows)}</table>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table; nothing when there are no rows."""
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    if not body:
        return ""
    head = "".join(f'<th style="{_CELL};color:#57606a;font-weight:600">{escape(name)}</th>' for name in header)
    return f'<table style="border-collapse:collapse;margin-top:6px"><tr>{head}</tr>{body}</table>'


def notes(texts: Iterable[str]) -> str:
    """Warnings, one per line."""
    return "".join(f'<div style="color:#9a6700">⚠ {escape(text)}</div>' for text in texts)
