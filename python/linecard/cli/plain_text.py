"""Texts that a terminal shows and does not obey."""

from __future__ import annotations

# Of one line of a message: what is longer echoes something that nobody can read.
LONGEST_LINE = 1500
# What a name may hold and a terminal would obey: control characters, marks of direction, halves of pairs; and pictures
# of them.
PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x0A,)},
    0x7F: 0x2421,
    **dict.fromkeys(
        [*range(0x80, 0xA0), *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD
    ),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def printable(text: str) -> str:
    """A text that a terminal shows and does not obey; line ends stay."""
    return text.translate(PICTURES)


def shortened(line: str) -> str:
    """A line without its middle, where it is too long to be read."""
    if len(line) <= LONGEST_LINE:
        return line
    left_out = len(line) - 2 * (LONGEST_LINE // 3)
    return f"{line[: LONGEST_LINE // 3]} … ({left_out:,} characters left out) … {line[-(LONGEST_LINE // 3) :]}"


def one_line(text: str) -> str:
    """A text on one line, as it is shown in a message."""
    return shortened(printable(text.replace("\n", "\u240a")))
