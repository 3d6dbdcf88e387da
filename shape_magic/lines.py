r"""The one line model: what a line is and how lines are numbered.

- A character is a Unicode code point.
- A line ends at LF, CRLF or CR, as in CommonMark (section 2.1), and nowhere else.
- A final line ending opens no further line, and empty text has no lines.
- A leading U+FEFF is an encoding mark and no part of the text.
- Line numbers start at 1 and ranges include both ends.

`str.splitlines` would also end lines at U+2028, form feed and others, so nothing here uses it.
"""

import operator
import re
from typing import Final

import msgspec

__all__ = [
    "LineRange",
    "count_lines",
    "normalize_endings",
    "split_lines",
    "split_lines_keeping_ends",
    "strip_mark",
]

_LINE_WITH_END: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class LineRange(msgspec.Struct, frozen=True, order=True):
    """A range of lines, both ends included, counted from 1.

    >>> LineRange(9, 16).count
    8
    """

    first: int
    last: int

    def __post_init__(self) -> None:
        # Lines may come from a data frame, whose integers are its own.
        msgspec.structs.force_setattr(self, "first", operator.index(self.first))
        msgspec.structs.force_setattr(self, "last", operator.index(self.last))
        if not 1 <= self.first <= self.last:
            raise ValueError(
                f"lines {self.first} to {self.last} are not a range: "
                "lines count from 1, and the first is not after the last"
            )

    @property
    def count(self) -> int:
        """How many lines the range has."""
        return self.last - self.first + 1


def strip_mark(text: str) -> str:
    r"""Take one leading U+FEFF off a text: it marks an encoding and is no character of it.

    >>> strip_mark("\ufeff# A")
    '# A'
    """
    return text[1:] if text.startswith("\ufeff") else text


def normalize_endings(text: str) -> str:
    r"""Give every line of a text the ending LF, in place of CRLF or CR.

    >>> normalize_endings("a\r\nb\rc\n")
    'a\nb\nc\n'
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(text: str) -> list[str]:
    r"""Split a text into its lines, without their endings.

    >>> split_lines("a\r\n\rb\u2028c\n")
    ['a', '', 'b\u2028c']
    >>> split_lines("")
    []
    """
    lines = normalize_endings(text).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def count_lines(text: str) -> int:
    r"""Count a text's lines, without making them.

    >>> count_lines("a\r\n\rb"), count_lines("a\nb"), count_lines("a\n"), count_lines("")
    (3, 2, 1, 0)
    """
    if "\r" in text:
        return len(split_lines(text))
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def split_lines_keeping_ends(text: str) -> list[str]:
    r"""Split a text into its lines, each with the ending that it has; joined, they are the text.

    >>> split_lines_keeping_ends("a\r\n\rb")
    ['a\r\n', '\r', 'b']
    """
    return _LINE_WITH_END.findall(text)
