"""Removes terminal control characters from texts."""

from __future__ import annotations

# The limit of one line of a message; a longer line repeats content that is not text.
LONGEST_LINE = 1500
# Characters of a name that would control a terminal (control characters, marks of direction, surrogates), and the
# pictures that replace them.
PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x0A,)},
    0x7F: 0x2421,
    **dict.fromkeys(
        [*range(0x80, 0xA0), *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD
    ),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def printable(text: str) -> str:
    """A text in which visible symbols replace terminal control characters; line ends remain."""
    return text.translate(PICTURES)


def shortened(line: str) -> str:
    """A line of text, shortened in the middle if it is too long."""
    if len(line) <= LONGEST_LINE:
        return line
    left_out = len(line) - 2 * (LONGEST_LINE // 3)
    return f"{line[: LONGEST_LINE // 3]} … ({left_out:,} characters left out) … {line[-(LONGEST_LINE // 3) :]}"


def one_line(text: str) -> str:
    """A text as a single line for a message, with visible symbols instead of line ends."""
    return shortened(printable(text.replace("\n", "\u240a")))
