"""The few HTML pieces that notebook representations are made of: inline styles, no scripts, everything escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from linecard.words import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top"
_TRACK = "display:inline-block;width:160px;height:9px;background:#e8ebef;border-radius:2px"


def block(title: str, *parts: str) -> str:
    """One titled block of parts."""
    head = f'<div style="font-weight:600;margin-bottom:4px">{escape(title)}</div>'
    return f'<div style="font-family:sans-serif;font-size:13px;line-height:1.4">{head}{"".join(parts)}</div>'


def heading(text: str) -> str:
    """A heading inside a block."""
    return f'<div style="margin-top:6px;color:#57606a">{escape(text)}</div>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names and values."""
    rows = (
        f'<tr><td style="{_CELL};color:#57606a">{escape(name)}</td><td style="{_CELL}">{escape(value)}</td></tr>'
        for name, value in pairs
    )
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'


# A share below this reads as none: such bars have no row, as on screens.
SHOWN_SHARE = 0.0005


def bars(title: str, shares: Sequence[tuple[str, float]]) -> str:
    """Named shares from 0 to 1 as bars; those that are none have no row."""
    shares = [each for each in shares if each[1] >= SHOWN_SHARE]
    if not shares:
        return ""
    rows = (
        f'<tr><td style="{_CELL}">{escape(name)}</td><td style="{_CELL}"><span style="{_TRACK}">'
        f'<span style="display:block;height:9px;border-radius:2px;background:#0072b2;'
        f'width:{min(max(share, 0.0), 1.0) * 100:.1f}%"></span></span></td>'
        f'<td style="{_CELL};text-align:right">{share:.1%}</td></tr>'
        for name, share in shares
    )
    return f'{heading(title)}<table style="border-collapse:collapse">{"".join(rows)}</table>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table; nothing when there are no rows."""
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    if not body:
        return ""
    head = "".join(f'<th style="{_CELL};color:#57606a;font-weight:600">{escape(name)}</th>' for name in header)
    return f'<table style="border-collapse:collapse;margin-top:6px"><tr>{head}</tr>{body}</table>'


def record_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows of values with their columns in words."""
    return table([label(name) for name in columns], [[_said(value) for value in row] for row in rows])


def _said(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.5g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def notes(texts: Iterable[str]) -> str:
    """Warnings, one per line."""
    return "".join(f'<div style="color:#9a6700">⚠ {escape(text)}</div>' for text in texts)
